// The judge is judged: small graphs whose answers a person can check.
#include "tests/model/model.h"

#include <catch2/catch.hpp>

#include "base/value_format.h"

using namespace fornix;
using model::Model;

namespace {
std::vector<std::string> Rows(Model* model, std::string_view text, const Map& parameters = {}) {
  auto answer = model->Execute(text, parameters);
  INFO(text);
  INFO(answer.status().ToString());
  REQUIRE(answer.ok());
  std::vector<std::string> out;
  for (const Row& row : answer->rows) {
    std::string line;
    for (const Value& v : row) line += (line.empty() ? "" : " | ") + ToText(v);
    out.push_back(line);
  }
  return out;
}
using Strings = std::vector<std::string>;
}  // namespace

TEST_CASE("a triangle is matched in every way") {
  Model m;
  Rows(&m, "CREATE (a:A {k: 1})-[:T]->(b:B {k: 2})-[:T]->(c:C {k: 3})-[:U]->(a)");
  CHECK(Rows(&m, "MATCH (x)-->(y) RETURN x.k AS x, y.k ORDER BY x") == Strings{"1 | 2", "2 | 3", "3 | 1"});
  CHECK(Rows(&m, "MATCH (x)--(y) RETURN count(*)") == Strings{"6"});
  CHECK(Rows(&m, "MATCH (x:A)-[:T*]->(y) RETURN y.k ORDER BY y.k") == Strings{"2", "3"});
  CHECK(Rows(&m, "MATCH (x:A)-[*0..2]->(y) RETURN y.k ORDER BY y.k") == Strings{"1", "2", "3"});
  CHECK(Rows(&m, "MATCH (x:A)-[*]-(y) RETURN count(*)") == Strings{"6"});
  CHECK(Rows(&m, "MATCH p = (x:A)-[:T*2]->() RETURN length(p), [n IN nodes(p) | n.k]") == Strings{"2 | [1, 2, 3]"});
  CHECK(Rows(&m, "MATCH (a)-->(b), (b)-->(c) RETURN count(*)") == Strings{"3"});
  CHECK(Rows(&m, "MATCH (a)-->(b) MATCH (c)-->(d) RETURN count(*)") == Strings{"9"});
  CHECK(Rows(&m, "MATCH (a)-->(b), (c)-->(d) RETURN count(*)") == Strings{"6"});
  CHECK(Rows(&m, "MATCH (n) WHERE NOT (n)-[:U]->() AND EXISTS { (n)-->(:C) } RETURN n.k") == Strings{"2"});
}

TEST_CASE("OPTIONAL MATCH keeps the row") {
  Model m;
  Rows(&m, "CREATE (:A {k: 1})-[:T]->(:B {k: 2}), (:A {k: 3})");
  CHECK(Rows(&m, "MATCH (a:A) OPTIONAL MATCH (a)-->(b) RETURN a.k, b.k, b IS NULL ORDER BY a.k") ==
        Strings{"1 | 2 | false", "3 | null | true"});
}

TEST_CASE("a clause sees what clauses before it wrote, and MERGE its own rows") {
  Model m;
  Rows(&m, "CREATE (:A), (:A)");
  CHECK(Rows(&m, "MATCH (n:A) CREATE (m:A) WITH count(*) AS c MATCH (x:A) RETURN c, count(x)") == Strings{"2 | 4"});
  Rows(&m, "UNWIND [1, 2, 1, 2.0] AS x MERGE (n:M {x: x}) ON CREATE SET n.new = true ON MATCH SET n.old = true");
  CHECK(Rows(&m, "MATCH (n:M) RETURN n.x, n.new, n.old ORDER BY n.x") == Strings{"1 | true | true", "2 | true | true"});
  Rows(&m, "MATCH (n:M {x: 1}) SET n.a = 1, n.b = n.a + 1");
  CHECK(Rows(&m, "MATCH (n:M {x: 1}) RETURN n.b") == Strings{"2"});
}

TEST_CASE("DELETE takes effect at the end of its clause") {
  Model m;
  Rows(&m, "CREATE (a:A)-[:T]->(b:B), (c:C)");
  CHECK(m.Execute("MATCH (a:A) DELETE a").status().code() == Code::kDeleteConnected);
  CHECK(Rows(&m, "MATCH (n) RETURN count(*)") == Strings{"3"});
  auto answer = m.Execute("MATCH (a:A)-[r]->(b) DELETE a, r, b");
  REQUIRE(answer.ok());
  CHECK(answer->counters.nodes_deleted == 2);
  CHECK(answer->counters.relationships_deleted == 1);
}

TEST_CASE("grouping, DISTINCT and ORDER BY") {
  Model m;
  CHECK(Rows(&m, "UNWIND [3, 1, 2, 1, null] AS x RETURN x, count(*) AS c, sum(x) ORDER BY c DESC, x") ==
        Strings{"1 | 2 | 2", "2 | 1 | 2", "3 | 1 | 3", "null | 1 | 0"});
  CHECK(Rows(&m, "UNWIND [1, 2, 1] AS x WITH DISTINCT x ORDER BY x DESC LIMIT 1 RETURN x") == Strings{"2"});
  CHECK(Rows(&m, "MATCH (n) RETURN count(*), collect(n.x)") == Strings{"0 | []"});
  CHECK(Rows(&m, "UNWIND [1, 2] AS x CALL (x) { UNWIND [10, 20] AS y RETURN x * y AS z } RETURN z ORDER BY z") ==
        Strings{"10", "20", "20", "40"});
  CHECK(Rows(&m, "RETURN 1 AS x UNION RETURN 1 AS x UNION RETURN 2 AS x") == Strings{"1", "2"});
}

TEST_CASE("rules of the schema hold at commit") {
  Model m;
  Rows(&m, "CREATE CONSTRAINT u FOR (n:A) REQUIRE n.id IS UNIQUE");
  Rows(&m, "CREATE (:A {id: 1})");
  CHECK(m.Execute("CREATE (:A {id: 1})").status().code() == Code::kConstraintViolation);
  CHECK(m.Execute("CREATE (:A {id: 1.0})").status().code() == Code::kConstraintViolation);
  m.Begin();
  Rows(&m, "CREATE (:A {id: 1})");
  Rows(&m, "MATCH (n:A {id: 1}) SET n.id = 2");
  CHECK(m.Commit().code() == Code::kConstraintViolation);
  CHECK(Rows(&m, "MATCH (n) RETURN n.id") == Strings{"1"});
  Rows(&m, "ALTER CURRENT GRAPH TYPE SET { (:A => {id :: INTEGER NOT NULL}), (:A)-[:T =>]->(:A) } CLOSED");
  CHECK(m.Execute("CREATE (:B)").status().code() == Code::kConstraintViolation);
  CHECK(m.Execute("CREATE (:A)").status().code() == Code::kConstraintViolation);
  CHECK(m.Execute("CREATE (:A {id: 'x'})").status().code() == Code::kConstraintViolation);
  CHECK(m.Execute("MATCH (a:A) CREATE (a)-[:U]->(a)").status().code() == Code::kConstraintViolation);
  Rows(&m, "MATCH (a:A) CREATE (a)-[:T]->(a)");
}

TEST_CASE("a copy is a snapshot") {
  Model m;
  Rows(&m, "CREATE (:A {x: 1})");
  Model snapshot = m;
  Rows(&m, "MATCH (n:A) SET n.x = 2 CREATE (:A {x: 3})");
  CHECK(Rows(&snapshot, "MATCH (n:A) RETURN n.x") == Strings{"1"});
  CHECK(Rows(&m, "MATCH (n:A) RETURN n.x ORDER BY n.x") == Strings{"2", "3"});
}

TEST_CASE("vector search looks at every node, in both spellings") {
  Model m;
  Rows(&m,
       "CREATE VECTOR INDEX emb FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: "
       "'cosine'}}");
  Rows(&m,
       "CREATE (:A {k: 1, e: [1.0, 0.0]}), (:A {k: 2, e: [0.0, 1.0]}), (:A {k: 3, e: [1.0, 1.0]}), (:B {k: 4, e: [1.0, 0.0]}), "
       "(:A {k: 5})");
  CHECK(Rows(&m, "MATCH (n:A) SEARCH n IN (VECTOR INDEX emb FOR [1.0, 0.0] LIMIT 2) SCORE AS s RETURN n.k, s") ==
        Strings{"1 | 1.0", "3 | 0.8535533905932737"});
  CHECK(Rows(&m, "CALL db.index.vector.queryNodes('emb', 1, [0.0, 2.0]) YIELD node RETURN node.k") == Strings{"2"});
  CHECK(Rows(&m, "MATCH (n:A) SEARCH n IN (VECTOR INDEX emb FOR [1.0, 0.0] WHERE n.k > 1 LIMIT 1) RETURN n.k") == Strings{"3"});
}
