// Writing operators: what a clause sees, null and error rules, counters; at all batch sizes.
#include "tests/unit/engine/exec/test_graph.h"

namespace fornix::engine {

TEST_CASE("a clause sees the writes of the clauses before it and none of its own") {
  EachBatchSize([](TestGraph& g) {
    g.Run("UNWIND range(1, 10) AS i CREATE (:A)");
    g.Run("MATCH (n:A) CREATE (:A)");
    CHECK(g.Run("MATCH (n:A) RETURN count(*)") == Rows{"20"});
    CHECK(g.Run("MATCH (n:A) CREATE (m:A) WITH n MATCH (x:A) RETURN count(*)") == Rows{"800"});
    g.Run("MATCH (n:A) SET n.v = 1 WITH count(*) AS c MATCH (n:A) WHERE n.v = 1 SET n.v = n.v + 1");
    CHECK(g.Run("MATCH (n:A) RETURN DISTINCT n.v") == Rows{"2"});
    g.Run("CREATE (:Counter {c: 0})");
    g.Run("UNWIND range(1, 5) AS i MATCH (c:Counter) SET c.c = c.c + i");
    CHECK(g.Run("MATCH (c:Counter) RETURN c.c") == Rows{"15"});
  });
}

TEST_CASE("LIMIT above a write hides rows but keeps all writes") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND range(1, 100) AS i CREATE (n:L {i: i}) RETURN n.i LIMIT 2") == Rows{"1", "2"});
    CHECK(g.Run("UNWIND range(1, 100) AS i CREATE (n:L {i: i}) RETURN n.i LIMIT 0").empty());
    CHECK(g.Run("MATCH (n:L) RETURN count(*)") == Rows{"200"});
  });
}

TEST_CASE("CREATE makes nodes and relationships, drops null properties, and refuses null ends") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("CREATE (a:A {x: 1, y: null})-[r:R {z: 2}]->(b:B), (a)<-[:S]-(c) RETURN a, r, b, c") == Rows{"(:A {x: 1}) | [:R {z: 2}] | (:B) | ()"});
    CHECK(g.counters.nodes_created == 3);
    CHECK(g.counters.relationships_created == 2);
    CHECK(g.counters.properties_set == 2);
    CHECK(g.counters.labels_added == 2);
    CHECK(g.Run("CREATE (a {x: 5}), (b {y: a.x}) RETURN b.y") == Rows{"5"});
    CHECK(g.Run("CREATE (a $p) RETURN a.q", Map{{"p", Value(Map{{"q", Value(7)}})}}) == Rows{"7"});
    CHECK(g.Error("OPTIONAL MATCH (n:None) CREATE (n)-[:R]->()").code() == Code::kSemanticError);
    const Status bad = g.Error("CREATE ({x: {a: 1}})");
    CHECK(bad.code() == Code::kTypeError);
    CHECK(bad.detail() == "InvalidPropertyType");
  });
}

TEST_CASE("SET runs left to right, removes with null, replaces or merges from maps and elements") {
  EachBatchSize([](TestGraph& g) {
    g.Run("CREATE (:S {a: 1, b: 2}), (:T {t: 9, b: 3})");
    CHECK(g.Run("MATCH (n:S) SET n.a = n.b + 1, n.b = n.a + 1 RETURN n.a, n.b") == Rows{"3 | 4"});
    CHECK(g.Run("MATCH (n:S) SET n.a = null RETURN n") == Rows{"(:S {b: 4})"});
    CHECK(g.Run("MATCH (n:S) SET n += {c: 5, b: null} RETURN n") == Rows{"(:S {c: 5})"});
    CHECK(g.Run("MATCH (n:S), (t:T) SET n = t RETURN n") == Rows{"(:S {b: 3, t: 9})"});
    CHECK(g.Run("MATCH (n:S) SET n = {z: 1} RETURN n") == Rows{"(:S {z: 1})"});
    CHECK(g.Run("MATCH (n:S) SET n:X:Y, n.q = 1 REMOVE n:S, n.z RETURN n") == Rows{"(:X:Y {q: 1})"});
    CHECK(g.Run("OPTIONAL MATCH (n:None) SET n.x = 1, n:L REMOVE n.y RETURN n") == Rows{"null"});
    CHECK(g.Error("MATCH (n:X) SET n.x = {a: 1}").detail() == "InvalidPropertyType");
    CHECK(g.Run("MATCH (n:X) SET n[$k] = 5 RETURN n.dyn", Map{{"k", Value("dyn")}}) == Rows{"5"});
  });
}

TEST_CASE("DELETE acts at the end of its clause, refuses connected nodes, and what is gone can't be read") {
  EachBatchSize([](TestGraph& g) {
    g.Run("CREATE (a:D {n: 1})-[:R]->(b:D {n: 2})");
    const Status connected = g.Error("MATCH (n:D) WHERE n.n = 1 DELETE n");
    CHECK(connected.code() == Code::kDeleteConnected);
    CHECK(connected.detail() == "DeleteConnectedNode");
    CHECK(g.Error("MATCH (n:D)-[r]->() DELETE r, n RETURN n.n").detail() == "DeletedEntityAccess");
    CHECK(g.Error("MATCH (n:D)-[r]->() DELETE r, n RETURN labels(n)").code() == Code::kEntityNotFound);
    CHECK(g.Run("MATCH (n:D)-[r]->(m) DELETE n, r, m RETURN type(r)") == Rows{"'R'"});
    CHECK(g.counters.nodes_deleted == 2);
    CHECK(g.Run("MATCH (n) RETURN count(*)") == Rows{"0"});
    g.Run("CREATE (a:D)-[:R]->(b:D)-[:R]->(c:D)");
    g.Run("MATCH p = (:D)-[:R]->(:D)-[:R]->(:D) DETACH DELETE p");
    CHECK(g.Run("MATCH (n) RETURN count(*)") == Rows{"0"});
    CHECK(g.Run("OPTIONAL MATCH (n:D) DELETE n RETURN n") == Rows{"null"});
    CHECK(g.Error("CREATE (n:E {l: [1]}) WITH n.l AS l DELETE l").code() != Code::kOk);
  });
}

TEST_CASE("MERGE finds or makes, row by row, with its own rows seen") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 2, 1, 2, 3] AS i MERGE (n:M {i: i}) ON CREATE SET n.made = true ON MATCH SET n.seen = true RETURN n.i, n.made, n.seen") ==
          Rows{"1 | true | true", "2 | true | true", "1 | true | true", "2 | true | true", "3 | true | null"});
    CHECK(g.counters.nodes_created == 3);
    g.Run("MATCH (a:M {i: 1}), (b:M {i: 2}) MERGE (a)-[:R]->(b)");
    g.Run("MATCH (a:M {i: 1}), (b:M {i: 2}) MERGE (b)-[:R]-(a)");
    CHECK(g.Run("MATCH (:M)-[r:R]->(:M) RETURN count(*)") == Rows{"1"});
    g.Run("UNWIND [1, 1] AS x MERGE (a:X {k: x})-[:TO]->(b:Y {k: x})");
    CHECK(g.Run("MATCH (:X)-[:TO]->(:Y) RETURN count(*)") == Rows{"1"});
    const Status null_property = g.Error("MERGE (n:M {i: null})");
    CHECK(null_property.code() == Code::kSemanticError);
    CHECK(null_property.detail() == "MergeReadOwnWrites");
  });
}

TEST_CASE("FOREACH writes for each entry and passes its rows on") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("WITH [1, 2, 3] AS l FOREACH (x IN l | CREATE (:F {x: x}) MERGE (:G {k: x % 2})) RETURN size(l)") == Rows{"3"});
    CHECK(g.Run("MATCH (f:F) RETURN sum(f.x)") == Rows{"6"});
    CHECK(g.Run("MATCH (n:G) RETURN count(*)") == Rows{"2"});
    CHECK(g.Run("FOREACH (x IN null | CREATE (:H))").empty());
  });
}

TEST_CASE("a subquery that writes runs row by row; a unit one keeps the rows") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 2, 3] AS x CALL (x) { CREATE (n:U {x: x}) RETURN n } RETURN n.x, x") == Rows{"1 | 1", "2 | 2", "3 | 3"});
    CHECK(g.Run("UNWIND [1, 2, 3] AS x CALL (x) { MATCH (n:U) WHERE n.x >= x SET n.y = x } RETURN x") == Rows{"1", "2", "3"});
    CHECK(g.Run("MATCH (n:U) RETURN n.y ORDER BY n.x") == Rows{"1", "2", "3"});
  });
}

TEST_CASE("CALL IN TRANSACTIONS commits by batches, and ON ERROR says what a failed one means") {
  EachBatchSize([](TestGraph& g) {
    // In an explicit transaction: a plain subquery.
    CHECK(g.Run("UNWIND [1, 2] AS x CALL (x) { CREATE (:P {x: x}) } IN TRANSACTIONS OF 1 ROW RETURN x") == Rows{"1", "2"});
    CHECK(g.counters.nodes_created == 2);
    g.options.auto_commit = true;
    g.Run("UNWIND range(1, 5) AS x CALL (x) { CREATE (:T {x: x}) } IN TRANSACTIONS OF 2 ROWS");
    CHECK(g.counters.nodes_created == 5);
    CHECK(g.Run("MATCH (n:T) RETURN count(*)") == Rows{"5"});
    CHECK(g.Error("UNWIND [1, 0, 2] AS x CALL (x) { CREATE (:V {x: 1 / x}) } IN TRANSACTIONS OF 1 ROW").code() == Code::kArithmeticError);
    CHECK(g.Run("MATCH (n:V) RETURN count(*)") == Rows{"1"});
    g.Run("UNWIND [1, 0, 2] AS x CALL (x) { CREATE (:W {x: 1 / x}) } IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE");
    CHECK(g.Run("MATCH (n:W) RETURN count(*)") == Rows{"2"});
    g.Run("UNWIND [1, 0, 2] AS x CALL (x) { CREATE (:Z {x: 1 / x}) } IN TRANSACTIONS OF 1 ROW ON ERROR BREAK");
    CHECK(g.Run("MATCH (n:Z) RETURN count(*)") == Rows{"1"});
  });
}

TEST_CASE("the memory limit counts what operators hold and what the transaction wrote, and names the operator") {
  TestGraph g;
  g.options.memory_bytes_max = 100'000;
  const Status sort = g.Error("UNWIND range(1, 300) AS a UNWIND range(1, 300) AS b RETURN a * 300 + b AS x ORDER BY x DESC");
  CHECK(sort.code() == Code::kResourceExhausted);
  CHECK(sort.message().find("Sort") != std::string::npos);
  CHECK(g.Error("UNWIND range(1, 100000) AS x RETURN collect(x)").code() == Code::kResourceExhausted);
  CHECK(g.Error("UNWIND range(1, 20000) AS x CREATE (:N {x: x})").code() == Code::kResourceExhausted);
  CHECK(g.Run("UNWIND range(1, 300) AS a UNWIND range(1, 300) AS b RETURN a * 300 + b AS x ORDER BY x LIMIT 2") == Rows{"301", "302"});
}

TEST_CASE("an open result can be drained before a write and then goes on from memory") {
  TestGraph g;
  g.Run("UNWIND range(1, 300) AS i CREATE (:N {i: i})");
  g.Begin();
  auto run = std::move(g.Start("MATCH (n:N) RETURN n.i ORDER BY n.i")).value();
  std::vector<std::vector<Value>> rows;
  REQUIRE(*run->Next(10, &rows) == 10);
  REQUIRE(run->Drain().ok());
  g.Run("MATCH (n:N) DETACH DELETE n");
  REQUIRE(*run->Next(1000, &rows) == 290);
  CHECK(rows.back()[0] == Value(300));
  CHECK(run->done());
}

TEST_CASE("PROFILE counts rows and hits of each operator") {
  TestGraph g;
  g.Run("UNWIND range(1, 100) AS i CREATE (:N {i: i})");
  g.options.profile = true;
  g.Run("MATCH (n:N) WHERE n.i > 90 RETURN n.i");
  REQUIRE(g.profile.size() == g.plan->operator_count);
  uint64_t hits = 0, most = 0;
  for (const auto& p : g.profile) {
    hits += p.db_hits;
    most = std::max(most, p.rows);
  }
  CHECK(most == 100);
  CHECK(hits >= 200);
}

}  // namespace fornix::engine
