// Text of values: ISO forms of temporal values as Cypher's toString() documents them, and literals that read back.
#include "base/value_format.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>

#include "base/calendar.h"

using namespace fornix;

namespace {
std::string DurationText(int64_t months, int64_t days, int64_t seconds, int32_t nanos) {
  return FormatDuration(Duration{months, days, seconds, nanos});
}
std::string DateText(int64_t year, int month, int day) { return FormatDate(Date{DaysFromCivil(year, month, day)}); }
}  // namespace

TEST_CASE("a float always looks like a float and reads back as itself") {
  CHECK(FormatFloat(1) == "1.0");
  CHECK(FormatFloat(-0.0) == "-0.0");
  CHECK(FormatFloat(0.1 + 0.2) == "0.30000000000000004");
  CHECK(FormatFloat(1e-7) == "1.0E-7");
  CHECK(FormatFloat(-2.5e30) == "-2.5E30");
  CHECK(FormatFloat(9999999.5) == "9999999.5");
  CHECK(FormatFloat(1e7) == "1.0E7");
  CHECK(FormatFloat(0.001) == "0.001");
  CHECK(FormatFloat(std::numeric_limits<double>::infinity()) == "Infinity");
  CHECK(FormatFloat(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  for (double d : {5e-324, 1.7976931348623157e308, 123456.789e-9}) CHECK(std::strtod(FormatFloat(d).c_str(), nullptr) == d);
}

TEST_CASE("years have four digits, more than four a sign") {
  CHECK(DateText(28, 11, 11) == "0028-11-11");
  CHECK(DateText(-1, 1, 2) == "-0001-01-02");
  CHECK(DateText(10000, 1, 2) == "+10000-01-02");
  CHECK(FormatDate(Date{DaysMax()}) == "+999999999-12-31");
  CHECK(FormatDate(Date{DaysMin()}) == "-999999999-01-01");
}

TEST_CASE("times show seconds only where there are some, and fractions without zeros at the end") {
  CHECK(FormatLocalTime(LocalTime{43'200'000'000'000}) == "12:00");
  CHECK(FormatLocalTime(LocalTime{43'214'000'000'000}) == "12:00:14");
  CHECK(FormatLocalTime(LocalTime{43'200'645'000'000}) == "12:00:00.645");
  CHECK(FormatLocalTime(LocalTime{3}) == "00:00:00.000000003");
}

TEST_CASE("offsets show seconds only where there are some, and zero is Z") {
  CHECK(FormatTime(Time{0, 0}) == "00:00Z");
  CHECK(FormatTime(Time{0, 3600}) == "00:00+01:00");
  CHECK(FormatTime(Time{0, 7559}) == "00:00+02:05:59");
  CHECK(FormatTime(Time{0, -7507}) == "00:00-02:05:07");
}

TEST_CASE("a datetime is told in its own zone") {
  CHECK(FormatDateTime(DateTime{0, 0, 0, ""}) == "1970-01-01T00:00Z");
  CHECK(FormatDateTime(DateTime{0, 500'000'000, 3600, "Europe/Stockholm"}) == "1970-01-01T01:00:00.5+01:00[Europe/Stockholm]");
  CHECK(FormatDateTime(DateTime{-1, 0, -3600, ""}) == "1969-12-31T22:59:59-01:00");
  CHECK(FormatLocalDateTime(LocalDateTime{-1, 999'999'999}) == "1969-12-31T23:59:59.999999999");
}

TEST_CASE("durations are written in normal form, each group with its own sign") {
  CHECK(DurationText(0, 0, 0, 0) == "PT0S");
  CHECK(DurationText(149, 14, 58'390, 1) == "P12Y5M14DT16H13M10.000000001S");
  CHECK(DurationText(149, -14, 57'600, 0) == "P12Y5M-14DT16H");
  CHECK(DurationText(0, 0, -2, 1'000'000) == "PT-1.999S");
  CHECK(DurationText(0, 0, -3, 999'000'000) == "PT-2.001S");
  CHECK(DurationText(0, 1, -1, 999'000'000) == "P1DT-0.001S");
  CHECK(DurationText(0, 0, -61, 999'000'000) == "PT-1M-0.001S");
  CHECK(DurationText(-6, -15, 0, 0) == "P-6M-15D");
  CHECK(DurationText(0, 0, 115'200, 0) == "PT32H");
}

TEST_CASE("text is a literal: quotes and backslashes escaped, names in backticks where needed") {
  CHECK(ToText(Value("it's \\ \n")) == "'it\\'s \\\\ \\n'");
  CHECK(ToText(Value(std::string("\x01"))) == "'\\u0001'");
  CHECK(ToDisplay(Value("it's")) == "it's");
  CHECK(QuoteName("ok_1") == "ok_1");
  CHECK(QuoteName("1a") == "`1a`");
  CHECK(QuoteName("a`b") == "`a``b`");
  CHECK(QuoteName("") == "``");
}

TEST_CASE("elements and paths look like patterns, with the direction of each step") {
  Node a{1, {"A"}, Map{{"num", 1}}}, b{2, {}, {}};
  Relationship forward{5, "T", 1, 2, {}}, backward{6, "T", 1, 2, Map{{"w", 0.5}}};
  CHECK(ToText(Value(a)) == "(:A {num: 1})");
  CHECK(ToText(Value(b)) == "()");
  CHECK(ToText(Value(Path{{Value(a), Value(b), Value(a)}, {Value(forward), Value(backward)}})) ==
        "<(:A {num: 1})-[:T]->()<-[:T {w: 0.5}]-(:A {num: 1})>");
}

TEST_CASE("lists, maps, points and vectors") {
  CHECK(ToText(Value(List{1, "a", Value(), List{}})) == "[1, 'a', null, []]");
  CHECK(ToText(Value(Map{{"b", 1}, {"a c", true}})) == "{`a c`: true, b: 1}");
  CHECK(ToText(Value(Point{7203, 1, 2, 0})) == "point({srid: 7203, x: 1.0, y: 2.0})");
  CHECK(ToText(Value(Point{4979, 1, 2, 3})) == "point({srid: 4979, x: 1.0, y: 2.0, z: 3.0})");
  CHECK(ToText(Value::Vector({0.5f, 0.1f})) == "vector([0.5, 0.1])");
}
