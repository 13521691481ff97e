// Dates and times from components, from each other, and truncated; components read back; clocks.
#include <catch2/catch.hpp>

#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

namespace {
Value Of(const char* function, const char* text) { return *Call(function, {text}); }
std::string Component(const Value& v, const char* name) {
  FunctionContext context;
  return Said(GetProperty(context, v, name));
}
}  // namespace

TEST_CASE("a date from calendar, week, ordinal and quarter fields") {
  CHECK(Say("date", {Map{{"year", 2023}, {"month", 3}, {"day", 15}}}) == "2023-03-15");
  CHECK(Say("date", {Map{{"year", 2023}, {"week", 11}, {"dayOfWeek", 3}}}) == "2023-03-15");
  CHECK(Say("date", {Map{{"year", 2023}, {"ordinalDay", 74}}}) == "2023-03-15");
  CHECK(Say("date", {Map{{"year", 2023}, {"quarter", 1}, {"dayOfQuarter", 74}}}) == "2023-03-15");
  CHECK(Say("date", {Map{{"year", 2020}, {"week", 1}}}) == "2019-12-30");
  CHECK(Say("date", {Map{{"year", 2023}}}) == "2023-01-01");
}

TEST_CASE("fields that don't go together, are out of range, missing or unknown are refused") {
  CHECK(Say("date", {Map{{"year", 2023}, {"month", 13}}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("date", {Map{{"year", 2023}, {"month", 2}, {"day", 29}}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("date", {Map{{"year", 2023}, {"week", 53}}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("date", {Map{{"year", 2023}, {"ordinalDay", 366}}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("date", {Map{{"year", 1'000'000'000}}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("date", {Map{{"year", 2023}, {"day", 1}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("date", {Map{{"month", 1}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("date", {Map{{"year", 2023}, {"week", 1}, {"month", 1}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("date", {Map{{"year", 2023}, {"moon", 1}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("date", {Map{{"year", "2023"}}}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("date", {Map{}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("localtime", {Map{{"minute", 1}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("localtime", {Map{{"hour", 24}}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("date", {5}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("small units of the second add up when each leaves room for the next") {
  CHECK(Say("localtime", {Map{{"hour", 1}, {"minute", 2}, {"second", 3}, {"millisecond", 4}, {"microsecond", 5},
      {"nanosecond", 6}}}) == "01:02:03.004005006");
  CHECK(Say("localtime", {Map{{"hour", 1}, {"minute", 2}, {"second", 3}, {"nanosecond", 999'999'999}}}) == "01:02:03.999999999");
  CHECK(Say("localtime", {Map{{"hour", 1}, {"minute", 2}, {"second", 3}, {"millisecond", 4},
      {"microsecond", 1000}}}) == "ArgumentError/NumberOutOfRange");
}

TEST_CASE("a selected date gives the fields that aren't named") {
  Value d = Of("date", "2024-01-31");
  CHECK(Say("date", {Map{{"date", d}, {"day", 5}}}) == "2024-01-05");
  CHECK(Say("date", {Map{{"date", d}, {"month", 2}}}) == "2024-02-29");
  CHECK(Say("date", {Map{{"date", d}, {"week", 10}}}) == "2024-03-06");     // still a Wednesday
  CHECK(Say("date", {Map{{"date", d}, {"quarter", 2}}}) == "2024-04-30");   // first month of the quarter, clamped
  CHECK(Say("date", {Map{{"date", Of("date", "2019-12-31")}, {"dayOfWeek", 7}}}) == "2020-01-05");
  CHECK(Say("localdatetime", {Map{{"date", d}, {"hour", 7}}}) == "2024-01-31T07:00");
  CHECK(Say("date", {Map{{"date", Of("localtime", "12:00")}}}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("a selected time brings its zone, which timezone converts; without one, timezone is just set") {
  Value zoned = Of("time", "12:00+01:00"), local = Of("localtime", "12:00");
  CHECK(Say("time", {Map{{"time", zoned}, {"timezone", "+05:00"}}}) == "16:00+05:00");
  CHECK(Say("time", {Map{{"time", local}, {"timezone", "+05:00"}}}) == "12:00+05:00");
  CHECK(Say("datetime", {Map{{"date", Of("date", "2023-01-01")}, {"time", zoned}, {"timezone", "-12:00"}}}) == "2022-12-31T23:00-12:00");
  CHECK(Say("datetime", {Map{{"datetime", Of("datetime", "2023-07-01T12:00[Europe/Berlin]")},
      {"timezone", "UTC"}}}) == "2023-07-01T10:00Z[UTC]");
  CHECK(Say("datetime", {Map{{"year", 2023}, {"timezone", "Nowhere"}}}) == "ArgumentError/InvalidArgumentValue");
}

TEST_CASE("conversion keeps what both types have") {
  Value t = Of("datetime", "2023-07-01T12:30+02:00");
  CHECK(Say("date", {t}) == "2023-07-01");
  CHECK(Say("time", {t}) == "12:30+02:00");
  CHECK(Say("localtime", {t}) == "12:30");
  CHECK(Say("localdatetime", {t}) == "2023-07-01T12:30");
  CHECK(Say("datetime", {Of("date", "2023-07-01")}) == "2023-07-01T00:00Z");
  CHECK(Say("localtime", {Of("date", "2023-07-01")}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("date", {Of("time", "12:00Z")}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("epochs") {
  CHECK(Say("datetime", {Map{{"epochSeconds", 86'400}, {"nanosecond", 5}}}) == "1970-01-02T00:00:00.000000005Z");
  CHECK(Say("datetime", {Map{{"epochMillis", -1}, {"timezone", "+01:00"}}}) == "1970-01-01T00:59:59.999+01:00");
  CHECK(Say("datetime.fromEpoch", {1, 2}) == "1970-01-01T00:00:01.000000002Z");
  CHECK(Say("datetime.fromEpochMillis", {1'500}) == "1970-01-01T00:00:01.5Z");
  CHECK(Say("datetime.fromEpochMillis", {INT64_MAX}) == "+292278994-08-17T07:12:55.807Z");
  CHECK(Say("datetime.fromEpoch", {INT64_MAX, 0}) == "ArgumentError/NumberOutOfRange");
}

TEST_CASE("truncation to each unit") {
  Value t = Of("localdatetime", "2023-11-15T10:20:30.123456789");
  auto truncated = [&](const char* unit) { return Say("localdatetime.truncate", {unit, t}); };
  CHECK(truncated("millennium") == "2000-01-01T00:00");
  CHECK(truncated("century") == "2000-01-01T00:00");
  CHECK(truncated("decade") == "2020-01-01T00:00");
  CHECK(truncated("year") == "2023-01-01T00:00");
  CHECK(truncated("weekYear") == "2023-01-02T00:00");
  CHECK(truncated("quarter") == "2023-10-01T00:00");
  CHECK(truncated("month") == "2023-11-01T00:00");
  CHECK(truncated("week") == "2023-11-13T00:00");
  CHECK(truncated("day") == "2023-11-15T00:00");
  CHECK(truncated("hour") == "2023-11-15T10:00");
  CHECK(truncated("minute") == "2023-11-15T10:20");
  CHECK(truncated("second") == "2023-11-15T10:20:30");
  CHECK(truncated("millisecond") == "2023-11-15T10:20:30.123");
  CHECK(truncated("microsecond") == "2023-11-15T10:20:30.123456");
  CHECK(truncated("fortnight") == "ArgumentError/InvalidArgumentValue");
}

TEST_CASE("after a truncation the given fields are set") {
  Value t = Of("datetime", "2023-11-15T10:20:30.123456789+01:00");
  CHECK(Say("date.truncate", {"month", t, Map{{"day", 7}}}) == "2023-11-07");
  CHECK(Say("date.truncate", {"week", t, Map{{"dayOfWeek", 7}}}) == "2023-11-19");
  CHECK(Say("time.truncate", {"millisecond", t, Map{{"nanosecond", 5}}}) == "10:20:30.123000005+01:00");
  CHECK(Say("datetime.truncate", {"day", t, Map{{"timezone", "Europe/Berlin"}}}) == "2023-11-15T00:00+01:00[Europe/Berlin]");
  CHECK(Say("localtime.truncate", {"hour", t}) == "10:00");
  CHECK(Say("localtime.truncate", {"month", t}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("date.truncate", {"hour", t}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("date.truncate", {"day", Of("localtime", "10:00")}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("date.truncate", {"day", Value()}) == "null");
  CHECK(Say("date.truncate", {"century", Of("date", "-0001-06-01")}) == "-0100-01-01");
}

TEST_CASE("components of instants") {
  Value t = Of("datetime", "2023-11-15T10:20:30.123456789[Europe/Berlin]");
  const std::pair<const char*, const char*> expected[] = {
      {"year", "2023"}, {"quarter", "4"}, {"month", "11"}, {"week", "46"}, {"weekYear", "2023"}, {"day", "15"}, {"ordinalDay", "319"},
      {"dayOfWeek", "3"}, {"weekDay", "3"}, {"dayOfQuarter", "46"}, {"hour", "10"}, {"minute", "20"}, {"second", "30"},
      {"millisecond", "123"}, {"microsecond", "123456"}, {"nanosecond", "123456789"}, {"timezone", "'Europe/Berlin'"},
      {"offset", "'+01:00'"}, {"offsetMinutes", "60"}, {"offsetSeconds", "3600"}, {"epochSeconds", "1700040030"},
          {"epochMillis", "1700040030123"}};
  for (const auto& [name, value] : expected) {
    INFO(name);
    CHECK(Component(t, name) == value);
  }
  CHECK(Component(Of("date", "2023-11-15"), "hour") == "ArgumentError/InvalidArgumentValue");
  CHECK(Component(Of("time", "10:20-05:00"), "timezone") == "'-05:00'");
}

TEST_CASE("components of durations: wholes of a group and rests in the next unit") {
  Value d = *Call("duration", {"P1Y7M20DT25H61M1.5S"});
  const std::pair<const char*, const char*> expected[] = {
      {"years", "1"}, {"quarters", "6"}, {"months", "19"}, {"weeks", "2"}, {"days", "20"}, {"hours", "26"}, {"minutes", "1561"},
      {"seconds", "93661"}, {"milliseconds", "93661500"}, {"microseconds", "93661500000"}, {"nanoseconds", "93661500000000"},
      {"quartersOfYear", "2"}, {"monthsOfQuarter", "1"}, {"monthsOfYear", "7"}, {"daysOfWeek", "6"}, {"minutesOfHour", "1"},
      {"secondsOfMinute", "1"}, {"millisecondsOfSecond", "500"}, {"microsecondsOfSecond", "500000"}, {"nanosecondsOfSecond", "500000000"}};
  for (const auto& [name, value] : expected) {
    INFO(name);
    CHECK(Component(d, name) == value);
  }
  CHECK(Component(Value(Duration{0, 0, INT64_MAX, 0}), "nanoseconds") == "ArgumentError/NumberOutOfRange");
}

TEST_CASE("durations from fields, fractions flowing down") {
  CHECK(Say("duration", {Map{{"weeks", 2.5}}}) == "P17DT12H");
  CHECK(Say("duration", {Map{{"years", 1}, {"quarters", 1}, {"minutes", 90}, {"milliseconds", 1500}}}) == "P1Y3MT1H30M1.5S");
  CHECK(Say("duration", {Map{{"seconds", 1}, {"nanoseconds", -1}}}) == "PT0.999999999S");
  CHECK(Say("duration", {Map{{"fortnights", 1}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("duration", {Map{{"days", "1"}}}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("duration", {Map{{"years", INT64_MAX}}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("duration", {Map{}}) == "ArgumentError/InvalidArgumentValue");
}

TEST_CASE("clocks: the statement's and the transaction's stand still, and can be read in a zone") {
  CHECK(Say("datetime") == "2023-11-14T22:13:20.123456789Z");
  CHECK(Say("datetime.statement", {"Europe/Berlin"}) == "2023-11-14T23:13:20.123456789+01:00[Europe/Berlin]");
  CHECK(Say("datetime.transaction") == "2023-11-14T22:13:19Z");
  CHECK(Say("date", {Map{{"timezone", "Pacific/Auckland"}}}) == "2023-11-15");
  CHECK(Say("time", {Map{{"hour", 1}, {"timezone", "Pacific/Auckland"}}}) == "01:00+13:00");
  CHECK(Say("localtime") == "22:13:20.123456789");
  CHECK(Call("datetime.realtime", {})->AsDateTime().seconds > 1'700'000'000);
}
