// Operators of expressions: nulls, promotions, overflow, strings, lists and durations, by Cypher's definition.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/value_format.h"
#include "engine/function/function.h"

using namespace fornix;
using namespace fornix::engine;

namespace {

std::string Text(Result<Value> r) { return r.ok() ? ToText(*r) : "error " + r.status().detail(); }
Value Items(std::initializer_list<Value> items) { return Value(List(items)); }

}  // namespace

TEST_CASE("null on either side gives null, whatever the other side is") {
  for (auto op : {Add, Subtract, Multiply, Divide, Modulo, Power, Concatenate, StartsWith, Contains, MatchesRegex}) {
    CHECK(Text(op(Value(), Value(1))) == "null");
    CHECK(Text(op(Value("a"), Value())) == "null");
  }
  CHECK(Text(Negate(Value())) == "null");
}

TEST_CASE("integers stay integers and are never rounded or wrapped") {
  CHECK(Text(Add(1, 2)) == "3");
  CHECK(Text(Divide(7, 2)) == "3");
  CHECK(Text(Divide(-7, 2)) == "-3");
  CHECK(Text(Modulo(-7, 3)) == "-1");
  CHECK(Text(Power(2, 3)) == "8.0");
  CHECK(Text(Add(INT64_MAX, 1)) == "error IntegerOverflow");
  CHECK(Text(Subtract(INT64_MIN, 1)) == "error IntegerOverflow");
  CHECK(Text(Multiply(INT64_MAX, 2)) == "error IntegerOverflow");
  CHECK(Text(Divide(INT64_MIN, -1)) == "error IntegerOverflow");
  CHECK(Text(Negate(INT64_MIN)) == "error IntegerOverflow");
  CHECK(Text(Modulo(INT64_MIN, -1)) == "0");
}

TEST_CASE("division by zero is an error for integers and infinite for floats") {
  CHECK(Divide(1, 0).status().code() == Code::kArithmeticError);
  CHECK(Modulo(1, 0).status().code() == Code::kArithmeticError);
  CHECK(Text(Divide(1, 0.0)) == "Infinity");
  CHECK(Text(Divide(0.0, 0.0)) == "NaN");
}

TEST_CASE("an integer beside a float becomes a float") {
  CHECK(Text(Add(1, 0.5)) == "1.5");
  CHECK(Text(Multiply(2.0, 3)) == "6.0");
  CHECK(Text(Modulo(5.5, 2)) == "1.5");
}

TEST_CASE("plus joins strings, scalars to strings, and lists") {
  CHECK(Text(Add("a", "b")) == "'ab'");
  CHECK(Text(Add("a", 1)) == "'a1'");
  CHECK(Text(Add(1.5, "a")) == "'1.5a'");
  CHECK(Text(Add("a", true)) == "'atrue'");
  CHECK(Text(Add(Items({1}), Items({2, 3}))) == "[1, 2, 3]");
  CHECK(Text(Add(Items({1}), "x")) == "[1, 'x']");
  CHECK(Text(Add(0, Items({1}))) == "[0, 1]");
  CHECK(Text(Concatenate("a", "b")) == "'ab'");
  CHECK(Text(Concatenate(Items({1}), Items({Value()}))) == "[1, null]");
}

TEST_CASE("types that don't go together are a TypeError that names both") {
  Result<Value> r = Add(1, true);
  CHECK(r.status().code() == Code::kTypeError);
  CHECK(r.status().detail() == "InvalidArgumentType");
  CHECK(r.status().message() == "can't apply + to INTEGER 1 and BOOLEAN true");
  CHECK(Subtract("a", "b").status().code() == Code::kTypeError);
  CHECK(Negate(Value("a")).status().code() == Code::kTypeError);
  CHECK(Concatenate("a", 1).status().code() == Code::kTypeError);
}

TEST_CASE("IN is unknown when a null might have been the item") {
  CHECK(Text(In(3, Items({1, Value(), 3}))) == "true");
  CHECK(Text(In(4, Items({1, Value(), 3}))) == "null");
  CHECK(Text(In(Value(), Items({}))) == "false");
  CHECK(Text(In(Value(), Items({1}))) == "null");
  CHECK(Text(In(Items({1, 2}), Items({Items({Value(), 2}), Items({1, 3})}))) == "null");
  CHECK(Text(In(1, Value())) == "null");
  CHECK(Text(In(1, 2)) == "error InvalidArgumentType");
}

TEST_CASE("string tests give null for what isn't a string") {
  CHECK(Text(StartsWith("ABCDEF", "ABC")) == "true");
  CHECK(Text(EndsWith("ABCDEF", "ABC")) == "false");
  CHECK(Text(Contains("ABCDEF", "CD")) == "true");
  CHECK(Text(Contains("ABC", "")) == "true");
  CHECK(Text(StartsWith(1, "1")) == "null");
  CHECK(Text(EndsWith("1", Items({}))) == "null");
}

TEST_CASE("a regular expression must match the whole text") {
  CHECK(Text(MatchesRegex("Andres", "And.*")) == "true");
  CHECK(Text(MatchesRegex("Andres", "And")) == "false");
  CHECK(Text(MatchesRegex("ANDRES", "(?i)and.*")) == "true");
  CHECK(Text(MatchesRegex("\xc3\xa5", ".")) == "true");       // one letter of two bytes
  Result<Value> wrong = MatchesRegex("a", "(");
  CHECK(wrong.status().code() == Code::kArgumentError);
}

TEST_CASE("lists are indexed from both ends and give null outside") {
  FunctionContext context;
  Value list = Items({1, 2, 3});
  CHECK(Text(Subscript(context, list, 0)) == "1");
  CHECK(Text(Subscript(context, list, -1)) == "3");
  CHECK(Text(Subscript(context, list, 3)) == "null");
  CHECK(Text(Subscript(context, list, -4)) == "null");
  CHECK(Text(Subscript(context, list, Value())) == "null");
  CHECK(Subscript(context, list, "a").status().code() == Code::kTypeError);
  CHECK(Subscript(context, list, 1.0).status().code() == Code::kTypeError);
  CHECK(Text(Subscript(context, 100, 0)) == "error InvalidArgumentType");
}

TEST_CASE("maps are indexed by strings only") {
  FunctionContext context;
  Value map = Map{{"name", "x"}};
  CHECK(Text(Subscript(context, map, "name")) == "'x'");
  CHECK(Text(Subscript(context, map, "Name")) == "null");
  CHECK(Text(Subscript(context, map, 0)) == "error MapElementAccessByNonString");
  CHECK(Text(GetProperty(context, map, "name")) == "'x'");
  CHECK(Text(GetProperty(context, Value(), "name")) == "null");
  CHECK(Text(GetProperty(context, 123, "name")) == "error InvalidArgumentType");
}

TEST_CASE("slices clamp their bounds and are null for a null bound") {
  Value list = Items({1, 2, 3}), one = 1, minus_three = -3, minus_one = -1, minus_five = -5, five = 5, null, text = "1";
  CHECK(Text(Slice(list, &one, nullptr)) == "[2, 3]");
  CHECK(Text(Slice(list, nullptr, &one)) == "[1]");
  CHECK(Text(Slice(list, &minus_three, &minus_one)) == "[1, 2]");
  CHECK(Text(Slice(list, &minus_five, &five)) == "[1, 2, 3]");
  CHECK(Text(Slice(list, &five, &one)) == "[]");
  CHECK(Text(Slice(list, &null, &one)) == "null");
  CHECK(Text(Slice(list, &text, nullptr)) == "error InvalidArgumentType");
}

TEST_CASE("points tell their coordinates by both kinds of names") {
  FunctionContext context;
  Value place = Point{4326, 12.5, 56.1, 0};
  CHECK(Text(GetProperty(context, place, "longitude")) == "12.5");
  CHECK(Text(GetProperty(context, place, "y")) == "56.1");
  CHECK(Text(GetProperty(context, place, "crs")) == "'wgs-84'");
  CHECK(Text(GetProperty(context, Point{7203, 1, 2, 0}, "latitude")) == "error InvalidArgumentValue");
}

TEST_CASE("a duration added to a date counts whole days only, and clamps the day of the month") {
  Value jan31 = Date{19753};                                    // 2024-01-31
  CHECK(Text(Add(jan31, Duration{1, 0, 0, 0})) == "2024-02-29");
  CHECK(Text(Add(Duration{0, 0, 86'399, 0}, jan31)) == "2024-01-31");
  CHECK(Text(Subtract(jan31, Duration{0, 0, 86'400, 0})) == "2024-01-30");
  CHECK(Text(Add(jan31, Duration{INT64_MAX, 0, 0, 0})) == "error NumberOutOfRange");
}

TEST_CASE("time of day wraps around midnight") {
  CHECK(Text(Add(LocalTime{0}, Duration{5, 5, -1, 0})) == "23:59:59");
  CHECK(Text(Subtract(Time{0, 3600}, Duration{0, 0, 0, 1})) == "23:59:59.999999999+01:00");
}

TEST_CASE("a zoned datetime keeps the wall clock over days and real time over hours") {
  // Clocks in Stockholm went back from 03:00 to 02:00 on 2017-10-29; 1509228000 is 2017-10-29T00:00+02:00.
  Value t = DateTime{1509228000, 0, 7200, "Europe/Stockholm"};
  CHECK(Text(Add(t, Duration{0, 1, 0, 0})) == "2017-10-30T00:00+01:00[Europe/Stockholm]");
  CHECK(Text(Add(t, Duration{0, 0, 86'400, 0})) == "2017-10-29T23:00+01:00[Europe/Stockholm]");
  CHECK(Text(Add(t, Duration{0, 0, 3 * 3600, 0})) == "2017-10-29T02:00+01:00[Europe/Stockholm]");
  CHECK(Text(Add(t, Duration{0, 0, 2 * 3600, 0})) == "2017-10-29T02:00+02:00[Europe/Stockholm]");
}

TEST_CASE("durations add part by part and scale with their fractions flowing down") {
  Value d = Duration{149, 14, 58'390, 1};
  CHECK(Text(Add(d, Duration{1, -14, 57'600 - 720 + 70, 0})) == "P12Y6MT32H2M20.000000001S");
  CHECK(Text(Multiply(d, 2)) == "P24Y10M28DT32H26M20.000000002S");
  CHECK(Text(Divide(d, 2)) == "P6Y2M22DT13H21M8S");
  CHECK(Text(Multiply(0.5, d)) == "P6Y2M22DT13H21M8S");
  CHECK(Text(Negate(Duration{0, 0, 1, 1})) == "PT-1.000000001S");
  CHECK(Text(Divide(d, 0)) == "error DivisionByZero");
  CHECK(Text(Multiply(d, INT64_MAX)) == "error NumberOutOfRange");
  CHECK(Text(Multiply(d, std::nan(""))) == "error NumberOutOfRange");
}
