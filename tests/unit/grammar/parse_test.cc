// The tree that a text becomes: clauses, expressions, spans.
#include "grammar/parse.h"

#include <catch2/catch.hpp>

#include <string>

using namespace fornix;
using ast::ClauseKind;
using ast::ExprKind;

namespace {
std::unique_ptr<ast::Statement> Tree(std::string_view text) {
  auto result = grammar::Parse(text);
  INFO(text);
  INFO(result.status().ToString());
  REQUIRE(result.ok());
  return std::move(*result);
}
// The expression of RETURN text.
std::unique_ptr<ast::Statement> expression_statement;
const ast::Expr& Expression(std::string_view text) {
  expression_statement = Tree("RETURN " + std::string(text));
  return *expression_statement->query->parts[0].clauses[0]->projection.items[0].expr;
}
std::string Shape(const ast::Expr& e);
std::string ShapeOf(std::string_view text) { return Shape(Expression(text)); }

// Operators as nested words, operands as text: enough to see precedence.
std::string Shape(const ast::Expr& e) {
  auto list = [&](const char* word) {
    std::string out = std::string(word) + "(";
    for (size_t i = 0; i < e.args.size(); ++i) out += (i == 0 ? "" : " ") + (e.args[i] ? Shape(*e.args[i]) : "-");
    return out + ")";
  };
  switch (e.kind) {
    case ExprKind::kAnd: return list("and");
    case ExprKind::kOr: return list("or");
    case ExprKind::kXor: return list("xor");
    case ExprKind::kNot: return list("not");
    case ExprKind::kComparison: return list("cmp");
    case ExprKind::kArithmetic: return list("num");
    case ExprKind::kUnaryMinus: return list("neg");
    case ExprKind::kIn: return list("in");
    case ExprKind::kStartsWith: return list("starts");
    case ExprKind::kIsNull: return list("null");
    case ExprKind::kSubscript: return list("at");
    case ExprKind::kSlice: return list("slice");
    case ExprKind::kProperty: return Shape(*e.args[0]) + "." + e.name;
    case ExprKind::kLabelCheck: return list("label");
    default: return std::string(ast::TextOf(*expression_statement, e.span));
  }
}
}  // namespace

TEST_CASE("operators bind as openCypher says") {
  CHECK(ShapeOf("a OR b AND NOT c = d") == "or(a and(b not(cmp(c d))))");
  CHECK(ShapeOf("a XOR b OR c") == "or(xor(a b) c)");
  CHECK(ShapeOf("1 + 2 * 3 ^ 2") == "num(1 num(2 num(3 2)))");
  CHECK(ShapeOf("-a ^ b") == "num(neg(a) b)");
  CHECK(ShapeOf("a = b IN c") == "cmp(a in(b c))");
  CHECK(ShapeOf("a + b IN c + d") == "in(num(a b) num(c d))");
  CHECK(ShapeOf("a IN b IS NULL") == "null(in(a b))");
  CHECK(ShapeOf("NOT a.b.c STARTS WITH 'x'") == "not(starts(a.b.c 'x'))");
  CHECK(ShapeOf("a[1][2..][..3]") == "slice(slice(at(a 1) 2 -) - 3)");
  CHECK(ShapeOf("n:A:B AND m:C|D") == "and(label(n) label(m))");
}

TEST_CASE("chains of one operator are flat and parentheses keep their level") {
  CHECK(ShapeOf("1 - 2 + 3") == "num(1 2 3)");
  CHECK(ShapeOf("1 - (2 + 3)") == "num(1 num(2 3))");
  CHECK(ShapeOf("(1 - 2) + 3") == "num(num(1 2) 3)");
  CHECK(ShapeOf("a < b <= c") == "cmp(a b c)");
  CHECK(ShapeOf("(a OR b) OR c") == "or(or(a b) c)");
}

TEST_CASE("a span is the text of its expression, blanks and case kept") {
  auto tree = Tree("RETURN  cOuNt( * ),  n . a  +1 ,(x) , [ 1,2 ]  ORDER BY x");
  const auto& items = tree->query->parts[0].clauses[0]->projection.items;
  CHECK(ast::TextOf(*tree, items[0].expr->span) == "cOuNt( * )");
  CHECK(ast::TextOf(*tree, items[1].expr->span) == "n . a  +1");
  CHECK(ast::TextOf(*tree, items[2].expr->span) == "(x)");
  CHECK(ast::TextOf(*tree, items[3].expr->span) == "[ 1,2 ]");
}

TEST_CASE("keywords are names where Cypher allows it") {
  Tree("MATCH (from:Node)-[to:TO]->(end:Case {order: 1}) WHERE from.match = end.return RETURN from, to, end, end.end AS return");
  Tree("WITH {type: 1, case: 2, not: 3, null: 4} AS index RETURN index.null, index.case AS case, index {.not, .type}");
  Tree("MATCH (match:Match)-[set:SET]->(order:Order) RETURN match, set.return, order ORDER BY order.limit DESC SKIP 1");
  Tree("UNWIND [1] AS node WITH node AS count RETURN count, count(count)");
  Tree("match (a) return a union all MATCH (a) RETURN a");
  Tree("MATCH (n) RETURN CASE WHEN n.end THEN n.when ELSE n.else END.x");
}

TEST_CASE("patterns are told from parentheses") {
  CHECK(ShapeOf("(a) - (b)") == "num((a) (b))");
  CHECK(ShapeOf("(a) - [1]") == "num((a) [1])");
  CHECK(ShapeOf("(a) < -(b)") == "cmp((a) neg((b)))");
  auto tree = Tree("MATCH (a) WHERE (a)-[:T]->(:B) AND NOT (a)--() OR (a.x) - (1) > 2 RETURN a");
  const ast::Expr& where = *tree->query->parts[0].clauses[0]->where;
  CHECK(where.args[0]->args[0]->kind == ExprKind::kPattern);
  CHECK(where.args[0]->args[1]->args[0]->kind == ExprKind::kPattern);
  CHECK(where.args[1]->kind == ExprKind::kComparison);
}

TEST_CASE("brackets are lists, comprehensions or pattern comprehensions") {
  CHECK(Expression("[x IN xs WHERE x > 1 | x * 2]").kind == ExprKind::kListComprehension);
  CHECK(Expression("[x IN xs]").kind == ExprKind::kListComprehension);
  CHECK(Expression("[x IN xs, 1]").kind == ExprKind::kList);
  CHECK(Expression("[(a)-[:T|U]->(b:B|C) WHERE b:X|Y | b.name]").kind == ExprKind::kPatternComprehension);
  CHECK(Expression("[p = (a)-->(b) | p]").variable.text == "p");
  const ast::Expr& labels = Expression("[n IN ns WHERE n:A|B | n.x]");
  CHECK(labels.args[1]->kind == ExprKind::kLabelCheck);
  CHECK(labels.args[2]->kind == ExprKind::kProperty);
}

TEST_CASE("numbers, strings and names") {
  CHECK(Expression("0x1F").value == Value(31));
  CHECK(Expression("0o17").value == Value(15));
  CHECK(Expression("-9223372036854775808").value == Value(INT64_MIN));
  CHECK(Expression("-0x8000000000000000").value == Value(INT64_MIN));
  CHECK(Expression("1.5e3").value == Value(1500.0));
  CHECK(Expression(".5").value == Value(0.5));
  CHECK(Expression("1e-999").value == Value(0.0));
  CHECK(Expression("'a\\'b\\n\\u00e9\\uD83D\\uDE00'").value == Value("a'b\n\xC3\xA9\xF0\x9F\x98\x80"));
  CHECK(Expression("`a``b`").name == "a`b");
  CHECK(Expression("$`x y`").name == "x y");
  const ast::Expr& slice = Expression("xs[1..3]");
  CHECK(slice.kind == ExprKind::kSlice);
  CHECK(slice.args[1]->value == Value(1));
}

TEST_CASE("relationships carry direction, types and hops") {
  auto tree = Tree("MATCH (a)<-[r:T|:U*2..3 {x: 1}]-(b)-[*]->()<-->()--()-[*..4]-()-[*5]-() RETURN a");
  const auto& relationships = tree->query->parts[0].clauses[0]->patterns[0]->relationships;
  CHECK(relationships[0].direction == ast::Direction::kLeft);
  CHECK(relationships[0].types->children.size() == 2);
  CHECK(relationships[0].length->min == 2);
  CHECK(relationships[0].length->max == 3);
  CHECK((relationships[1].length.has_value() && !relationships[1].length->min && !relationships[1].length->max));
  CHECK(relationships[2].direction == ast::Direction::kBoth);
  CHECK((relationships[4].length->max == 4 && !relationships[4].length->min));
  CHECK((relationships[5].length->min == 5 && relationships[5].length->max == 5));
}

TEST_CASE("SEARCH, scoped CALL and transactions are read") {
  auto tree = Tree(
      "CYPHER 25 MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q WHERE m.x > 1 LIMIT $k * 2) SCORE AS s WHERE s > 0.5 "
      "CALL (m, s) { MATCH (m)-->(x) RETURN x LIMIT 3 } IN TRANSACTIONS OF 100 ROWS ON ERROR CONTINUE REPORT STATUS AS st RETURN "
      "m, x");
  CHECK(tree->cypher_version == 25);
  const ast::Clause& match = *tree->query->parts[0].clauses[0];
  REQUIRE(match.search);
  CHECK(match.search->index.text == "emb");
  CHECK(match.search->score.text == "s");
  CHECK(match.search->filter);
  CHECK(match.where);
  const ast::Clause& call = *tree->query->parts[0].clauses[1];
  CHECK(call.imports.size() == 2);
  CHECK(call.in_transactions->status.text == "st");
  CHECK(tree->parameters == std::vector<std::string>{"k", "q"});
}

TEST_CASE("procedures, yields and standalone calls") {
  auto tree = Tree("CALL db.labels");
  CHECK(tree->query->parts[0].clauses[0]->standalone);
  CHECK(tree->query->parts[0].clauses[0]->implicit_arguments);
  tree = Tree("CALL db.index.vector.queryNodes('i', 5, [1.0])YIELD node AS n, score WHERE score > 0 RETURN n");
  const ast::Clause& call = *tree->query->parts[0].clauses[0];
  CHECK(call.procedure == "db.index.vector.queryNodes");
  CHECK(call.yield.size() == 2);
  CHECK(call.where);
  CHECK_FALSE(call.implicit_arguments);
}
