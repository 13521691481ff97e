// Which literals a plan need not know, and that everything else stays in the key.
#include "grammar/lift_literals.h"

#include <catch2/catch.hpp>

#include "base/value_format.h"

using fornix::SourcePosition;
using fornix::grammar::LiftLiterals;

namespace {

// The values taken, "1 'a'".
std::string Taken(const std::string& text) {
  std::string out;
  for (const fornix::Value& v : LiftLiterals(text).values) out += (out.empty() ? "" : " ") + fornix::ToText(v);
  return out;
}

}  // namespace

TEST_CASE("literals in property maps of patterns are taken") {
  CHECK(Taken("MATCH (n:A {x: 1, y: 'a', z: 2.5}) RETURN n") == "1 'a' 2.5");
  CHECK(Taken("MATCH (a {x: 1})-[r:T {w: 2}]->(b {y: 3}) RETURN r") == "1 2 3");
  CHECK(Taken("CREATE (:A {x: 1})-[:T {w: 2}]->(:B {y: 'b'})") == "1 2 'b'");
  CHECK(Taken("MERGE (a:A {id: 7}) ON CREATE SET a.x = 1 ON MATCH SET a.y = 'z' RETURN a") == "7 1 'z'");
  CHECK(Taken("OPTIONAL MATCH p = shortestPath((a {x: 1})-[*..3]-(b {x: 2})) RETURN p") == "1 2");
  // Inside the braces of a subquery those of a map aren't told apart: left where they are.
  CHECK(Taken("CALL { MATCH (n {x: 1}) RETURN n } RETURN n") == "");
  CHECK(Taken("MATCH (n) WHERE EXISTS { MATCH (n)-->(m {x: 1}) WHERE m.y = 2 } RETURN n") == "2");
}

TEST_CASE("whole terms of a MATCH's WHERE are taken, and whole items of SET") {
  CHECK(Taken("MATCH (n) WHERE n.x = 1 AND n.y < 2.0 OR (n.z >= 'a' AND NOT n.w <> 3) RETURN n") == "1 2.0 'a' 3");
  CHECK(Taken("MATCH (n) WHERE n.x STARTS WITH 'a' AND n.y ENDS WITH 'b' AND n.z CONTAINS 'c' RETURN n") == "'a' 'b' 'c'");
  CHECK(Taken("MATCH (n) WHERE id(n) = 5 RETURN n") == "5");
  CHECK(Taken("MATCH (n WHERE n.x = 1)-[r WHERE r.w > 2]->(m) RETURN n") == "1");   // a bracket ends no term
  CHECK(Taken("MATCH (n) SET n.x = 1, n.y = 'a' REMOVE n.z") == "1 'a'");
  CHECK(Taken("MATCH (n) WHERE n.x = 1;") == "1");
}

TEST_CASE("nothing is taken where a value is a name, a limit, a shape, or part of something larger") {
  for (const char* text : {
           "RETURN 1",
           "RETURN 1 AS x, 'a' AS y, [1, 2] AS z, {a: 1} AS m",
           "MATCH (n) RETURN n.x = 1, n {.x, y: 2}",
           "MATCH (n) RETURN COUNT { MATCH (n {x: 1}) } ",
           "MATCH (n) RETURN EXISTS { MATCH (m {x: 1}) WHERE m.y = 2 } AND n.x = 3",
           "MATCH (n) RETURN [(n)-->(m {x: 1}) WHERE m.y = 2 | m.z]",
           "MATCH (n) RETURN n ORDER BY n.x = 1 SKIP 2 LIMIT 3",
           "MATCH (n) WITH n, 1 AS one ORDER BY n.x + 1 SKIP 1 LIMIT 5 WHERE n.x = 1 RETURN n",
           "UNWIND [1, 2, 3] AS i RETURN i",
           "UNWIND [{x: 1}] AS row CREATE (n) SET n = row",
           "MATCH (n) WHERE n.x IN [1, 2] RETURN n",
           "MATCH (n) WHERE n.x = -1 RETURN n",
           "MATCH (n) WHERE n.x = 1 + 2 RETURN n",
           "MATCH (n) WHERE 1 = n.x RETURN n",
           "MATCH (n) WHERE n.x =~ 'a.*' RETURN n",
           "MATCH (n) WHERE n['x'] = $p RETURN n",
           "MATCH (n) WHERE n.l[0] = n.x RETURN n",
           "MATCH (n) WHERE n.x = 1 = true RETURN n",
           "MATCH (n) WHERE n.x = 1 IS NULL RETURN n",
           "MATCH (n) WHERE CASE n.x WHEN 1 THEN true ELSE n.y = 2 END RETURN n",
           "MATCH (n) WHERE any(x IN n.l WHERE x.y = 1) RETURN n",
           "MATCH (n) WHERE coalesce(n.x = 1, false) RETURN n",
           "MATCH (n) WHERE date('2020-01-01') < n.d RETURN n",
           "MATCH (n {x: -1, y: [1], z: {a: 1}, w: 1 + 2, v: null, u: true}) RETURN n",
           "MATCH (n)-[*1..3]->(m) RETURN n",
           "MATCH (n) SET n = {x: 1}, n += {y: 2}, n.z = 1 + 2, n.v = -1, n['w'] = 3",
           "MATCH (n) SET n.x = coalesce(n.y = 1, true)",
           "FOREACH (i IN [1, 2] | CREATE (:A {x: 1}) SET i.x = 2)",
           "CALL db.index.vector.queryNodes('i', 10, $q) YIELD node, score WHERE node.x = 1 RETURN node",
           "CREATE VECTOR INDEX i FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 3}}",
           "CREATE CONSTRAINT c FOR (n:A) REQUIRE n.x IS UNIQUE",
           "SHOW INDEXES YIELD name, type WHERE name = 'a' RETURN name",
           "EXPLAIN MATCH (n {x: 1}) RETURN n",
           "PROFILE MATCH (n {x: 1}) RETURN n",
           "MATCH (m:M) SEARCH m IN (VECTOR INDEX i FOR $q WHERE m.x = 1 LIMIT 10) RETURN m",
           "MATCH (n {x: 99999999999999999999}) RETURN n",
           "MATCH (n {x: 1}",
           "MATCH (n {x: 'a",
       }) {
    CAPTURE(text);
    if (std::string(text) == "MATCH (n {x: 1}") {
      CHECK(Taken(text) == "1");   // no statement: the parser says so, whatever was taken
    } else {
      CHECK(Taken(text).empty());
    }
  }
}

TEST_CASE("texts share a key only if they differ in taken literals of the same type") {
  auto key = [](const std::string& text) { return LiftLiterals(text).key; };
  CHECK(key("MATCH (n {x: 1}) RETURN n") == key("MATCH (n {x: 234}) RETURN n"));
  CHECK(key("MATCH (n {x: 1}) RETURN n") != key("MATCH (n {x: 1.0}) RETURN n"));
  CHECK(key("MATCH (n {x: 1}) RETURN n") != key("MATCH (n {x: '1'}) RETURN n"));
  CHECK(key("MATCH (n {x: 1}) RETURN n") != key("MATCH (n {y: 1}) RETURN n"));
  CHECK(key("MATCH (n {x: 1}) RETURN 1") != key("MATCH (n {x: 1}) RETURN 2"));
  CHECK(key("MATCH (n {x: 1}) RETURN n LIMIT 1") != key("MATCH (n {x: 1}) RETURN n LIMIT 2"));
  CHECK(key("MATCH (n {x: 1})  RETURN n") != key("MATCH (n {x: 1}) RETURN n"));
}

TEST_CASE("a place moves by what the literals before it are longer") {
  const std::string a = "MATCH (n {x: 1}) WHERE n.y = 'a' RETURN 1/n.z", b = "MATCH (n {x: 234}) WHERE n.y = '\n\xC3\xA4' RETURN 1/n.z";
  const auto from = LiftLiterals(a), to = LiftLiterals(b);
  REQUIRE(from.key == to.key);
  const auto at = static_cast<uint32_t>(a.find("1/n"));
  const SourcePosition moved = fornix::grammar::MovePosition({1, at + 1, at}, from.spans, to.spans, b);
  CHECK(moved.offset == b.find("1/n"));
  CHECK(moved.line == 2);
  CHECK(moved.column == 11);   // ä' RETURN: ten characters before it
}
