// The civil calendar is computed on years that begin in March, so that the leap day is the last day of its year: then
// the day of the year is a linear function of the month, and 400 years are always 146,097 days.
#include "base/calendar.h"

#include <algorithm>

namespace fornix {
namespace {
constexpr int64_t kDaysPer400Years = 146'097;
constexpr int64_t kEpochShift = 719'468;                     // days from 0000-03-01 to 1970-01-01
}  // namespace

int DaysInMonth(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

int DaysInQuarter(int64_t year, int quarter) {
  int first = 3 * (quarter - 1) + 1;
  return DaysInMonth(year, first) + DaysInMonth(year, first + 1) + DaysInMonth(year, first + 2);
}

int WeeksInYear(int64_t week_year) {
  // A year has 53 weeks when it begins on a Thursday, or on a Wednesday and is a leap year.
  int first = DayOfWeek(DaysFromCivil(week_year, 1, 1));
  return first == 4 || (first == 3 && IsLeapYear(week_year)) ? 53 : 52;
}

int64_t DaysFromCivil(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = FloorDiv(year, 400);
  int64_t year_of_era = year - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPer400Years + day_of_era - kEpochShift;
}

CivilDate CivilFromDays(int64_t days) {
  days += kEpochShift;
  int64_t era = FloorDiv(days, kDaysPer400Years);
  int64_t day_of_era = days - era * kDaysPer400Years;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted_month = (5 * day_of_year + 2) / 153;       // March is 0
  CivilDate date;
  date.day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  date.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2);
  return date;
}

int DayOfWeek(int64_t days) { return static_cast<int>(FloorMod(days + 3, 7)) + 1; }  // 1970-01-01 was a Thursday

int DayOfYear(int64_t days) {
  return static_cast<int>(days - DaysFromCivil(CivilFromDays(days).year, 1, 1)) + 1;
}

int DayOfQuarter(int64_t days) {
  CivilDate date = CivilFromDays(days);
  return static_cast<int>(days - DaysFromCivil(date.year, (date.month - 1) / 3 * 3 + 1, 1)) + 1;
}

int64_t DaysFromWeek(const IsoWeekDate& date) {
  // Week 1 is the one with January 4th in it.
  int64_t fourth = DaysFromCivil(date.week_year, 1, 4);
  return fourth - (DayOfWeek(fourth) - 1) + int64_t{7} * (date.week - 1) + date.day - 1;
}

IsoWeekDate WeekFromDays(int64_t days) {
  IsoWeekDate result;
  result.day = DayOfWeek(days);
  int64_t thursday = days + 4 - result.day;                  // the week belongs to the year of its Thursday
  result.week_year = CivilFromDays(thursday).year;
  result.week = (DayOfYear(thursday) - 1) / 7 + 1;
  return result;
}

int64_t DaysMin() {
  static const int64_t days = DaysFromCivil(kYearMin, 1, 1);
  return days;
}
int64_t DaysMax() {
  static const int64_t days = DaysFromCivil(kYearMax, 12, 31);
  return days;
}

int64_t AddMonths(int64_t days, int64_t months) {
  if (months == 0) return days;
  CivilDate date = CivilFromDays(days);
  int64_t month = date.year * 12 + (date.month - 1) + months;
  date.year = FloorDiv(month, 12);
  date.month = static_cast<int>(FloorMod(month, 12)) + 1;
  return DaysFromCivil(date.year, date.month, std::min(date.day, DaysInMonth(date.year, date.month)));
}

}  // namespace fornix
