// Strings: positions count code points, null in is null out.
#include <catch2/catch.hpp>

#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

TEST_CASE("case changes letters of all scripts and leaves the rest") {
  CHECK(Say("toUpper", {"åäö Ωω"}) == "'ÅÄÖ ΩΩ'");
  CHECK(Say("toLower", {"ÅÄÖ 1X"}) == "'åäö 1x'");
  CHECK(Say("upper", {"abc"}) == "'ABC'");
}

TEST_CASE("left, right and substring count code points") {
  CHECK(Say("left", {"åäö", 2}) == "'åä'");
  CHECK(Say("right", {"åäö", 2}) == "'äö'");
  CHECK(Say("right", {"ab", 5}) == "'ab'");
  CHECK(Say("substring", {"0123456789", 1}) == "'123456789'");
  CHECK(Say("substring", {"hällo", 1, 3}) == "'äll'");
  CHECK(Say("substring", {"abc", 7}) == "''");
  CHECK(Say("substring", {"abc", -1}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("left", {"abc", -1}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("char_length", {"åäö"}) == "3");
  CHECK(Say("size", {"åäö"}) == "3");
  CHECK(Say("reverse", {"raksÖ"}) == "'Öskar'");
}

TEST_CASE("split cuts at each delimiter and keeps empty parts") {
  CHECK(Say("split", {"one1two", "1"}) == "['one', 'two']");
  CHECK(Say("split", {",a,", ","}) == "['', 'a', '']");
  CHECK(Say("split", {"a,b;c", List{",", ";"}}) == "['a', 'b', 'c']");
  CHECK(Say("split", {"aö", ""}) == "['a', 'ö']");
  CHECK(Say("split", {"", ","}) == "['']");
  CHECK(Say("split", {Value(), ","}) == "null");
}

TEST_CASE("replace takes all occurrences, or as many as the limit says") {
  CHECK(Say("replace", {"hello", "l", "w"}) == "'hewwo'");
  CHECK(Say("replace", {"hello", "l", "w", 1}) == "'hewlo'");
  CHECK(Say("replace", {"aaa", "aa", "b"}) == "'ba'");
  CHECK(Say("replace", {"a", "", "b"}) == "'a'");
}

TEST_CASE("trim takes white space of Unicode, or the characters it is given") {
  CHECK(Say("trim", {" \t a b\u00a0\n"}) == "'a b'");
  CHECK(Say("ltrim", {"  a "}) == "'a '");
  CHECK(Say("rtrim", {"  a "}) == "'  a'");
  CHECK(Say("btrim", {"xyabcxy", "yx"}) == "'abc'");
  CHECK(Say("trim", {"   "}) == "''");
}

TEST_CASE("normalize composes and decomposes") {
  CHECK(Say("normalize", {"a\u030a"}) == "'\u00e5'");
  CHECK(Say("size", {*Call("normalize", {"\u00e5", "NFD"})}) == "2");
  CHECK(Say("normalize", {"\ufb01", "NFKC"}) == "'fi'");
  CHECK(Say("normalize", {"a", "NFX"}) == "ArgumentError/InvalidArgumentValue");
}

TEST_CASE("a string function given something else says what it wants") {
  Result<Value> r = Call("toLower", {5});
  CHECK(Said(r) == "TypeError/InvalidArgumentValue");
  CHECK(r.status().message() == "toLower() wants a STRING, not INTEGER 5");
  CHECK(Say("toLower", {Value()}) == "null");
}
