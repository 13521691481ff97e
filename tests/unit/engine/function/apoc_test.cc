// JSON there and back, sets and maps.
#include <catch2/catch.hpp>

#include "engine/function/json.h"
#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

TEST_CASE("values become JSON, elements maps, and what JSON can't say text or null") {
  CHECK(Say("apoc.convert.toJson", {Map{{"a", List{1, 1.0, true, Value()}}, {"b", "x\"\\\n"}}}) ==
        R"('{"a":[1,1.0,true,null],"b":"x\\"\\\\\\u000a"}')");
  CHECK(Say("apoc.convert.toJson", {List{Date{0}, Duration{1, 0, 0, 0}}}) == R"('["1970-01-01","P1M"]')");
  CHECK(Say("apoc.convert.toJson", {Value::NodeRef(1)}) ==
        R"('{"id":"n:1","labels":["Admin","Person"],"properties":{"name":"Ada"},"type":"node"}')");
  CHECK(Say("apoc.convert.toJson", {Value::NodeRef(9)}) == "EntityNotFound/DeletedEntityAccess");
}

TEST_CASE("JSON becomes values, integers and floats apart") {
  CHECK(Say("apoc.convert.fromJsonMap", {R"( {"a": [1, 1.0, -2e3, true, null], "b": {"c": "\u00e5\ud83d\ude00\n\/"}} )"}) ==
        "{a: [1, 1.0, -2000.0, true, null], b: {c: '\u00e5\U0001F600\\n/'}}");
  CHECK(Say("apoc.convert.fromJsonList", {"[9223372036854775808, 1e999]"}) == "[9.223372036854776E18, Infinity]");
  CHECK(Say("apoc.convert.fromJsonMap", {"{\"a\":1,\"a\":2}"}) == "{a: 2}");
  CHECK(Say("apoc.convert.fromJsonMap", {"[]"}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("apoc.convert.fromJsonMap", {Value()}) == "null");
}

TEST_CASE("text that isn't JSON is refused with the place, too deep text by the limit") {
  for (const char* text : {"", "{", "[1,", "[1 2]", "{a:1}", "{\"a\"}", "\"x", "[tru]", "[1]x", "[-]", "[\"\\x\"]", "[\"\\ud800\"]",
      "[\"\\u12\"]", "[1.2.3]"}) {
    INFO(text);
    CHECK(Say("apoc.convert.fromJsonList", {text}) == "ArgumentError/InvalidArgumentValue");
  }
  CHECK(Call("apoc.convert.fromJsonList", {"[1, x]"}).status().message() == "this isn't JSON: expected a value at byte 4");
  CHECK(FromJson(std::string(100, '[') + std::string(100, ']')).ok());
  CHECK(FromJson(std::string(100'000, '[')).status().code() == Code::kLimitExceeded);
}

TEST_CASE("sets keep the first of equals, maps let the second win") {
  CHECK(Say("apoc.coll.toSet", {List{2, 1, 2.0, Value(), Value(), "a"}}) == "[2, 1, null, 'a']");
  CHECK(Say("apoc.map.merge", {Map{{"a", 1}, {"b", 1}}, Map{{"b", 2}}}) == "{a: 1, b: 2}");
  CHECK(Say("apoc.map.merge", {Value(), Map{{"b", 2}}}) == "{b: 2}");
  CHECK(Say("apoc.map.clean", {Map{{"a", 1}, {"b", Value()}, {"c", ""}, {"d", 4}}, List{"d"}, List{""}}) == "{a: 1}");
}
