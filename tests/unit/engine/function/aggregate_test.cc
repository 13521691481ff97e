// Aggregates: nulls are skipped, nothing gives the neutral value, sums are exact.
#include <catch2/catch.hpp>

#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

namespace {
std::vector<std::vector<Value>> Column(std::vector<Value> values) {
  std::vector<std::vector<Value>> rows;
  for (Value& v : values) rows.push_back({v});
  return rows;
}
}  // namespace

TEST_CASE("count counts rows without an argument and values with one") {
  CHECK(Aggregated("count", {{}, {}, {}}) == "3");
  CHECK(Aggregated("count", Column({1, Value(), 2})) == "2");
  CHECK(Aggregated("count", {}) == "0");
}

TEST_CASE("without a value: sum is 0, collect is empty, the others are null") {
  CHECK(Aggregated("sum", Column({Value()})) == "0");
  CHECK(Aggregated("collect", Column({Value()})) == "[]");
  for (const char* name : {"avg", "min", "max"}) CHECK(Aggregated(name, {}) == "null");
  CHECK(Aggregated("percentileCont", {{Value(), 0.5}}) == "null");
  CHECK(Aggregated("stDev", {}) == "0.0");
}

TEST_CASE("min and max use the order of ORDER BY over all types") {
  CHECK(Aggregated("max", Column({1, 2.0, 5, Value(), 3.2, 0.1})) == "5");
  CHECK(Aggregated("min", Column({"a", "b", "B", Value(), "abc"})) == "'B'");
  CHECK(Aggregated("max", Column({List{1}, List{2}, List{2, 1}})) == "[2, 1]");
  CHECK(Aggregated("max", Column({1, "a", Value(), List{1, 2}, 0.2, "b"})) == "1");
  CHECK(Aggregated("min", Column({1, "a", Value(), List{1, 2}, 0.2, "b"})) == "[1, 2]");
}

TEST_CASE("sums of integers are exact and overflow only if the result doesn't fit") {
  CHECK(Aggregated("sum", Column({1, 2})) == "3");
  CHECK(Aggregated("sum", Column({1, 0.5})) == "1.5");
  CHECK(Aggregated("sum", Column({INT64_MAX, 1, -1})) == "9223372036854775807");
  CHECK(Aggregated("sum", Column({INT64_MAX, 1})) == "ArithmeticError/IntegerOverflow");
  CHECK(Aggregated("sum", Column({"a"})) == "TypeError/InvalidArgumentValue");
  CHECK(Aggregated("avg", Column({1, 2})) == "1.5");
}

TEST_CASE("durations add up and average, but not together with numbers") {
  CHECK(Aggregated("sum", Column({Duration{1, 0, 0, 0}, Duration{0, 2, 0, 0}})) == "P1M2D");
  CHECK(Aggregated("avg", Column({Duration{0, 1, 0, 0}, Duration{0, 2, 0, 0}})) == "P1DT12H");
  CHECK(Aggregated("sum", Column({Duration{}, 1})) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("percentiles: a value that is there, or one between") {
  CHECK(Aggregated("percentileDisc", {{10.0, 0.5}, {30.0, 0.5}, {20.0, 0.5}}) == "20.0");
  CHECK(Aggregated("percentileDisc", {{1, 0}, {2, 0}}) == "1");
  CHECK(Aggregated("percentileDisc", {{1, 1.0}, {2, 1.0}}) == "2");
  CHECK(Aggregated("percentileCont", {{1, 0.5}, {2, 0.5}}) == "1.5");
  CHECK(Aggregated("percentileCont", {{1, 1.1}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Aggregated("percentileDisc", {{Value(), -1}}) == "ArgumentError/NumberOutOfRange");
}

TEST_CASE("standard deviations of a sample and of a population") {
  // 2, 4, 4, 4, 5, 5, 7, 9: the textbook's population deviation is 2.
  CHECK(Aggregated("stDevP", Column({2, 4, 4, 4, 5, 5, 7, 9})) == "2.0");
  CHECK(Aggregated("stDev", Column({1, 3})) == "1.4142135623730951");
  CHECK(Aggregated("stDev", Column({1})) == "0.0");
}
