// Mathematics: what rounding does with ties, and where integers stay integers.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

TEST_CASE("abs and sign keep integers, and abs can't overflow in silence") {
  CHECK(Say("abs", {-1}) == "1");
  CHECK(Say("abs", {-1.5}) == "1.5");
  CHECK(Say("abs", {INT64_MIN}) == "ArithmeticError/IntegerOverflow");
  CHECK(Say("sign", {-0.5}) == "-1");
  CHECK(Say("sign", {0}) == "0");
}

TEST_CASE("round takes ties up without a precision and away from zero with one") {
  CHECK(Say("round", {1.5}) == "2.0");
  CHECK(Say("round", {-1.5}) == "-1.0");
  CHECK(Say("round", {0.49999999999999994}) == "0.0");
  CHECK(Say("round", {-1.55, 1}) == "-1.6");
  CHECK(Say("round", {3.141592, 3}) == "3.142");
  CHECK(Say("round", {1.005, 2}) == "1.01");
}

TEST_CASE("round knows seven modes") {
  auto round = [](double x, const char* mode) { return Say("round", {x, 1, mode}); };
  CHECK(round(1.249, "UP") == "1.3");
  CHECK(round(-1.251, "DOWN") == "-1.2");
  CHECK(round(-1.251, "CEILING") == "-1.2");
  CHECK(round(-1.251, "FLOOR") == "-1.3");
  CHECK(round(1.25, "HALF_UP") == "1.3");
  CHECK(round(1.25, "HALF_DOWN") == "1.2");
  CHECK(round(1.25, "HALF_EVEN") == "1.2");
  CHECK(round(1.35, "HALF_EVEN") == "1.4");
  CHECK(round(1.25, "SIDEWAYS") == "ArgumentError/InvalidArgumentValue");
}

TEST_CASE("a result that doesn't exist is NaN") {
  CHECK(Say("sqrt", {12.96}) == "3.6");
  CHECK(Say("sqrt", {-1}) == "NaN");
  CHECK(Say("log", {0}) == "-Infinity");
  CHECK(Say("isNaN", {std::nan("")}) == "true");
  CHECK(Say("isNaN", {1}) == "false");
}

TEST_CASE("angles") {
  CHECK(Say("degrees", {*Call("pi", {})}) == "180.0");
  CHECK(Say("atan2", {0.0, -1}) == "3.141592653589793");
  CHECK(Say("haversin", {0}) == "0.0");
  CHECK(Say("cot", {Value()}) == "null");
  CHECK(Say("ceil", {1}) == "1.0");
  CHECK(Say("sin", {"x"}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("rand stays within 0 and 1 and changes") {
  double a = Call("rand", {})->AsFloat(), b = Call("rand", {})->AsFloat();
  CHECK(a >= 0);
  CHECK(a < 1);
  CHECK(a != b);
}
