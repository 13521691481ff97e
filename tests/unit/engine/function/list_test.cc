// Lists: ends, sizes and ranges.
#include <catch2/catch.hpp>

#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

TEST_CASE("head, last and tail of a list, also of an empty one") {
  CHECK(Say("head", {List{1, 2}}) == "1");
  CHECK(Say("last", {List{1, 2}}) == "2");
  CHECK(Say("tail", {List{1, 2, 3}}) == "[2, 3]");
  CHECK(Say("head", {List{}}) == "null");
  CHECK(Say("tail", {List{}}) == "[]");
  CHECK(Say("tail", {Value()}) == "null");
}

TEST_CASE("size and isEmpty work on lists and strings, isEmpty on maps too") {
  CHECK(Say("size", {List{1, Value()}}) == "2");
  CHECK(Say("size", {Value()}) == "null");
  CHECK(Say("size", {1}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("isEmpty", {Map{}}) == "true");
  CHECK(Say("isEmpty", {"a"}) == "false");
}

TEST_CASE("range includes both ends and goes down with a negative step") {
  CHECK(Say("range", {0, 3}) == "[0, 1, 2, 3]");
  CHECK(Say("range", {10, -10, -3}) == "[10, 7, 4, 1, -2, -5, -8]");
  CHECK(Say("range", {0, -1}) == "[]");
  CHECK(Say("range", {0, 1, -1}) == "[]");
  CHECK(Say("range", {INT64_MAX - 1, INT64_MAX}) == "[9223372036854775806, 9223372036854775807]");
  CHECK(Say("range", {INT64_MIN, INT64_MAX, INT64_MAX}) == "[-9223372036854775808, -1, 9223372036854775806]");
}

TEST_CASE("range refuses a step of 0, other types, and lists no memory holds") {
  CHECK(Say("range", {2, 8, 0}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("range", {0.0, 1}) == "ArgumentError/InvalidArgumentType");
  CHECK(Say("range", {0, true}) == "ArgumentError/InvalidArgumentType");
  CHECK(Call("range", {INT64_MIN, INT64_MAX}).status().code() == Code::kLimitExceeded);
}

TEST_CASE("reverse turns lists round") { CHECK(Say("reverse", {List{1, "a", Value()}}) == "[null, 'a', 1]"); }
