// What a mistake in a text is answered with: place, reason, the nearest word; and the rules that the text alone decides.
#include <catch2/catch.hpp>

#include "grammar/parse.h"

using namespace fornix;

namespace {
Status ErrorOf(std::string_view text) {
  auto result = grammar::Parse(text);
  INFO(text);
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().compile_time());
  return result.status();
}
}  // namespace

TEST_CASE("a slip in a keyword is recognised, with the line and a caret") {
  Status s = ErrorOf("MATCH (n)\nRETRUN n");
  CHECK(s.position().line == 2);
  CHECK(s.position().column == 1);
  CHECK_THAT(s.message(), Catch::Contains("unexpected 'RETRUN'") && Catch::Contains("did you mean RETURN?") &&
                              Catch::Contains("\n  RETRUN n\n  ^"));
  CHECK_THAT(ErrorOf("MATCH (n) WERE n.x = 1 RETURN n").message(), Catch::Contains("did you mean WHERE?"));
  CHECK_THAT(ErrorOf("MATHC (n) RETURN n").message(), Catch::Contains("did you mean MATCH?"));
  CHECK_THAT(ErrorOf("MATCH (n) RETURN n ORDR BY n").message(), Catch::Contains("did you mean ORDER?"));
}

TEST_CASE("an error says what was expected") {
  CHECK_THAT(ErrorOf("MATCH (n:Person RETURN n").message(), Catch::Contains("unexpected 'RETURN', expected ')'"));
  CHECK_THAT(ErrorOf("MATCH (n) RETURN").message(), Catch::Contains("unexpected end of the text"));
  CHECK_THAT(ErrorOf("RETURN 1 != 2").message(), Catch::Contains("unequal is written <>"));
  CHECK_THAT(ErrorOf("RETURN 1 == 2").message(), Catch::Contains("equal is written ="));
  CHECK_THAT(ErrorOf("RETURN 42 \xE2\x80\x94 41").message(), Catch::Contains("U+2014") && Catch::Contains("minus and arrows"));
}

TEST_CASE("the caret counts characters, not bytes") {
  Status s = ErrorOf("RETURN '\xC3\xA9\xC3\xA9' ?");
  CHECK(s.position().column == 13);
  CHECK(s.position().offset == 14);
}

TEST_CASE("a long line is shown around the error only") {
  Status s = ErrorOf("RETURN " + std::string(5000, ' ') + "?" + std::string(5000, ' '));
  CHECK(s.message().size() < 400);
}

TEST_CASE("each detail word of openCypher is given where the text alone decides") {
  auto detail = [](std::string_view text) { return ErrorOf(text).detail(); };
  CHECK(detail("RETURN 9223372h54775808 AS x") == "InvalidNumberLiteral");
  CHECK(detail("RETURN 0x AS x") == "InvalidNumberLiteral");
  CHECK(detail("RETURN {1B2c3e67:1} AS x") == "UnexpectedSyntax");
  CHECK(detail("RETURN 9223372036854775808") == "IntegerOverflow");
  CHECK(detail("RETURN -9223372036854775809") == "IntegerOverflow");
  CHECK(detail("RETURN 1e999") == "FloatingPointOverflow");
  CHECK(detail("RETURN '\\uH'") == "InvalidUnicodeLiteral");
  CHECK(detail("RETURN '\\uD83D'") == "InvalidUnicodeLiteral");
  CHECK(detail("MATCH (a)-[:LIKES..]->(c) RETURN c") == "InvalidRelationshipPattern");
  CHECK(detail("MATCH (a)-[:LIKES*-2]->(c) RETURN c") == "InvalidRelationshipPattern");
  CHECK(detail("MATCH (n $param) RETURN n") == "InvalidParameterUse");
  CHECK(detail("RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a") == "InvalidClauseComposition");
  CHECK(detail("MATCH (n) WHERE exists { MATCH (n)-->(m) SET m.x = 1 } RETURN n") == "InvalidClauseComposition");
  CHECK(detail("MATCH (n) DELETE n:Person") == "InvalidDelete");
  CHECK(detail("MATCH (a), (b) RETURN size((a)--(b))") == "UnexpectedSyntax");
  CHECK(detail("MATCH (n) RETURN n MATCH (m) RETURN m") == "UnexpectedSyntax");
  CHECK(detail("MATCH (n)") == "UnexpectedSyntax");
  CHECK(detail("CALL test.my.proc(1) YIELD * RETURN out") == "UnexpectedSyntax");
}

TEST_CASE("what comes later is refused by name") {
  CHECK(ErrorOf("RETURN 1 AS x NEXT RETURN x UNION RETURN 2 AS x").code() == Code::kNotAvailable);
  CHECK(ErrorOf("MATCH (p = (a)-->(b))+ RETURN a").code() == Code::kNotAvailable);
}

TEST_CASE("a script is cut at semicolons outside strings, names and comments") {
  using grammar::FirstStatementLength;
  CHECK(FirstStatementLength("RETURN 1; RETURN 2;") == 9);
  CHECK(FirstStatementLength("RETURN ';' // ;\n, `;` /* ; */; x") == 30);
  CHECK(FirstStatementLength("RETURN '\\';' ;") == 14);
  CHECK(FirstStatementLength("RETURN 1") == 0);
  CHECK(FirstStatementLength("RETURN 'open ;") == 0);
  CHECK(FirstStatementLength("RETURN 1 // ;") == 0);
}
