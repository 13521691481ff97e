// Conversions: text that says nothing gives null, a wrong type is an error, and nothing is wrapped.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

TEST_CASE("toInteger cuts floats and reads integers and floats in text") {
  CHECK(Say("toInteger", {82.9}) == "82");
  CHECK(Say("toInteger", {-82.9}) == "-82");
  CHECK(Say("toInteger", {"2.9"}) == "2");
  CHECK(Say("toInteger", {" +42 "}) == "42");
  CHECK(Say("toInteger", {"9223372036854775807"}) == "9223372036854775807");
  CHECK(Say("toInteger", {"foo"}) == "null");
  CHECK(Say("toInteger", {""}) == "null");
  CHECK(Say("toInteger", {"1 2"}) == "null");
  CHECK(Say("toInteger", {true}) == "1");
  CHECK(Say("toInteger", {1e19}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("toInteger", {List{}}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("toFloat reads what Cypher writes") {
  CHECK(Say("toFloat", {3}) == "3.0");
  CHECK(Say("toFloat", {"5"}) == "5.0");
  CHECK(Say("toFloat", {"-1.5e3"}) == "-1500.0");
  CHECK(Say("toFloat", {"Infinity"}) == "Infinity");
  CHECK(Say("toFloat", {"inf"}) == "null");
  CHECK(Say("toFloat", {"1e999"}) == "Infinity");
  CHECK(Say("toFloat", {"0x10"}) == "null");
  CHECK(Say("toFloat", {true}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("toBoolean reads true and false in any case") {
  CHECK(Say("toBoolean", {"TRUE"}) == "true");
  CHECK(Say("toBoolean", {" tru "}) == "null");
  CHECK(Say("toBoolean", {0}) == "false");
  CHECK(Say("toBoolean", {1.0}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("toString writes scalars, dates and times, but no lists, maps or elements") {
  CHECK(Say("toString", {42}) == "'42'");
  CHECK(Say("toString", {2.0}) == "'2.0'");
  CHECK(Say("toString", {"apa"}) == "'apa'");
  CHECK(Say("toString", {Date{0}}) == "'1970-01-01'");
  CHECK(Say("toString", {Map{}}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("toString", {Value::NodeRef(1)}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("toString", {Value()}) == "null");
}

TEST_CASE("the OrNull and List forms give null instead of a type error") {
  CHECK(Say("toIntegerOrNull", {List{}}) == "null");
  CHECK(Say("toFloatOrNull", {"1.5"}) == "1.5");
  CHECK(Say("toIntegerList", {List{"2", 2.9, "foo", List{}, Value()}}) == "[2, 2, null, null, null]");
  CHECK(Say("toStringList", {List{1, true}}) == "['1', 'true']");
  CHECK(Say("toFloatList", {Value::Vector({0.5f})}) == "[0.5]");
  CHECK(Say("toBooleanList", {1}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("coalesce, nullIf and valueType") {
  CHECK(Say("coalesce", {Value(), 2, 3}) == "2");
  CHECK(Say("coalesce", {Value()}) == "null");
  CHECK(Say("nullIf", {1, 1.0}) == "null");
  CHECK(Say("nullIf", {1, Value()}) == "1");
  CHECK(Say("valueType", {1}) == "'INTEGER NOT NULL'");
  CHECK(Say("valueType", {List{1, "a"}}) == "'LIST<INTEGER NOT NULL | STRING NOT NULL> NOT NULL'");
  CHECK(Say("valueType", {List{1, Value()}}) == "'LIST<INTEGER> NOT NULL'");
  CHECK(Say("valueType", {List{}}) == "'LIST<NOTHING> NOT NULL'");
  CHECK(Say("valueType", {Value()}) == "'NULL'");
}

TEST_CASE("randomUUID has the form of a version 4 UUID and differs each time") {
  std::string a = Call("randomUUID", {})->AsString(), b = Call("randomUUID", {})->AsString();
  REQUIRE(a.size() == 36);
  CHECK(a[8] == '-');
  CHECK(a[14] == '4');
  CHECK(std::string("89ab").find(a[19]) != std::string::npos);
  CHECK(a != b);
}

TEST_CASE("timestamp is the statement's, in milliseconds") { CHECK(Say("timestamp") == "1700000000123"); }
