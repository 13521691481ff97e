// Values from outside that break what their type promises are told apart from those at the edge of it.
#include "base/value_check.h"

#include <catch2/catch.hpp>
#include <limits>

#include "base/calendar.h"

using namespace fornix;

TEST_CASE("the ends of the ranges are right") {
  for (const Value& v : {Value(Date{DaysMin()}), Value(Date{DaysMax()}), Value(LocalTime{kNanosPerDay - 1}), Value(Time{0, -64'800}),
                         Value(LocalDateTime{DaysMax() * kSecondsPerDay + 86'399, 999'999'999}), Value(DateTime{0, 0, 64'800, "any"}),
                         Value(Duration{INT64_MIN, INT64_MIN, INT64_MIN, 0}), Value(Point{4326, 180, 90, 0}), Value(1), Value("\xe2\x82\xac"), Value()}) {
    CHECK(WhatIsWrong(v) == "");
  }
}

TEST_CASE("one step over the ends is wrong, and so is the farthest step") {
  for (const Value& v : {Value(Date{DaysMin() - 1}), Value(Date{INT64_MAX}), Value(LocalTime{kNanosPerDay}), Value(LocalTime{-1}),
                         Value(Time{0, 64'801}), Value(Time{-1, 0}), Value(LocalDateTime{0, 1'000'000'000}),
                             Value(LocalDateTime{INT64_MIN, 0}),
                         Value(DateTime{INT64_MAX, 0, 1, ""}), Value(DateTime{0, -1, 0, ""}), Value(DateTime{0, 0, INT32_MIN, ""}),
                         Value(DateTime{DaysMax() * kSecondsPerDay + 86'399, 0, 1, ""}), Value(Duration{0, 0, 0, -1}),
                             Value(Point{1, 0, 0, 0}), Value("a\xe2\x82"), Value(DateTime{0, 0, 0, "\xff"}),
                         Value(Point{7203, std::numeric_limits<double>::infinity(), 0, 0}), Value(Point{4326, 0, 91, 0})}) {
    CHECK(WhatIsWrong(v) != "");
  }
}

TEST_CASE("a value equals itself, whatever stands in it") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Value& v : {Value(nan), Value::Vector({1, static_cast<float>(nan)}), Value(Point{9157, nan, 1, nan}), Value(List{Value(nan)}), Value(Map{{"a", Value::Vector({static_cast<float>(nan)})}})}) {
    CHECK(v == Value(v));
  }
  CHECK_FALSE(Value::Vector({1}) == Value::Vector({1, 1}));
  CHECK_FALSE(Value::Vector({1}) == Value::Vector({static_cast<float>(nan)}));
  CHECK_FALSE(Value(Point{7203, nan, 1, 0}) == Value(Point{7203, 1, nan, 0}));
}
