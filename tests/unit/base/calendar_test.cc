// Dates known from almanacs and from ISO 8601's own examples, and one sweep that ties the functions to each other.
#include "base/calendar.h"

#include <catch2/catch.hpp>

using namespace fornix;

TEST_CASE("days count from 1970-01-01 in both directions") {
  CHECK(DaysFromCivil(1970, 1, 1) == 0);
  CHECK(DaysFromCivil(2000, 3, 1) == 11017);
  CHECK(DaysFromCivil(1969, 12, 31) == -1);
  CHECK(DaysFromCivil(1600, 2, 29) == DaysFromCivil(1600, 3, 1) - 1);
  CHECK(DaysFromCivil(1900, 3, 1) - DaysFromCivil(1900, 2, 28) == 1);
}

TEST_CASE("every day of a long span is one more than the day before, also around year 0 and at the ends of the range") {
  for (int64_t start : {DaysFromCivil(-5, 1, 1), DaysFromCivil(1895, 1, 1), DaysMin(), DaysMax() - 800}) {
    CivilDate before = CivilFromDays(start);
    REQUIRE(DaysFromCivil(before.year, before.month, before.day) == start);
    for (int64_t d = start + 1; d < start + 800; ++d) {
      CivilDate date = CivilFromDays(d);
      bool next_day = date.year == before.year && date.month == before.month && date.day == before.day + 1;
      bool next_month = date.year == before.year && date.month == before.month + 1 && date.day == 1 &&
                        before.day == DaysInMonth(before.year, before.month);
      bool next_year = date.year == before.year + 1 && date.month == 1 && date.day == 1 && before.month == 12 && before.day == 31;
      REQUIRE((next_day || next_month || next_year));
      REQUIRE(DaysFromCivil(date.year, date.month, date.day) == d);
      REQUIRE(DaysFromWeek(WeekFromDays(d)) == d);
      before = date;
    }
  }
}

TEST_CASE("the ISO week belongs to the year of its Thursday") {
  IsoWeekDate w = WeekFromDays(DaysFromCivil(2005, 1, 1));
  CHECK(w.week_year == 2004);
  CHECK(w.week == 53);
  CHECK(w.day == 6);
  w = WeekFromDays(DaysFromCivil(2008, 12, 29));
  CHECK(w.week_year == 2009);
  CHECK(w.week == 1);
  CHECK(w.day == 1);
  CHECK(WeeksInYear(2004) == 53);
  CHECK(WeeksInYear(2005) == 52);
  CHECK(WeeksInYear(2020) == 53);
}

TEST_CASE("adding months keeps the day where the month has it and takes the last day where it hasn't") {
  CHECK(AddMonths(DaysFromCivil(2024, 1, 31), 1) == DaysFromCivil(2024, 2, 29));
  CHECK(AddMonths(DaysFromCivil(2023, 1, 31), 1) == DaysFromCivil(2023, 2, 28));
  CHECK(AddMonths(DaysFromCivil(2023, 3, 31), -1) == DaysFromCivil(2023, 2, 28));
  CHECK(AddMonths(DaysFromCivil(2023, 1, 15), -13) == DaysFromCivil(2021, 12, 15));
}

TEST_CASE("quarters know their days") {
  CHECK(DayOfQuarter(DaysFromCivil(1984, 11, 11)) == 42);
  CHECK(DaysInQuarter(2023, 1) == 90);
  CHECK(DaysInQuarter(2024, 1) == 91);
  CHECK(DaysInQuarter(2024, 3) == 92);
}
