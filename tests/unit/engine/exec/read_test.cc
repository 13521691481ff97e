// Reading operators, each through text, at all batch sizes.
#include "tests/unit/engine/exec/test_graph.h"

namespace fornix::engine {

namespace {
void People(TestGraph& g) {
  g.Run("CREATE (a:Person {name: 'Ann', age: 30}), (b:Person {name: 'Bob', age: 25}), (c:Person:Admin {name: 'Cid'}), (d:Pet {name: 'Dot'}) "
        "CREATE (a)-[:KNOWS {since: 1}]->(b), (b)-[:KNOWS {since: 2}]->(c), (a)-[:KNOWS {since: 3}]->(c), (a)-[:OWNS]->(d), (c)-[:SELF]->(c)");
}
}  // namespace

TEST_CASE("scans, filters and projections give the same rows at any batch size") {
  EachBatchSize([](TestGraph& g) {
    People(g);
    CHECK(g.Run("MATCH (n:Person) RETURN n.name ORDER BY n.name") == Rows{"'Ann'", "'Bob'", "'Cid'"});
    CHECK(g.Run("MATCH (n) WHERE n.age > 26 RETURN n.name, n.age + 1") == Rows{"'Ann' | 31"});
    CHECK(g.Run("MATCH (n) WHERE n.age < 26.5 AND n:Person RETURN n.name") == Rows{"'Bob'"});
    CHECK(g.Run("MATCH (n:Person) WHERE n.age IS NULL RETURN n.name") == Rows{"'Cid'"});
    CHECK(g.Run("MATCH (n) WHERE n:Admin OR n:Pet RETURN count(*)") == Rows{"2"});
    CHECK(g.Run("MATCH (n:Nothing) RETURN n").empty());
  });
}

TEST_CASE("expansions follow types and directions; a loop comes once without direction") {
  EachBatchSize([](TestGraph& g) {
    People(g);
    CHECK(g.Sorted("MATCH (a:Person)-[r:KNOWS]->(b) RETURN a.name, r.since, b.name") == Rows{"'Ann' | 1 | 'Bob'", "'Ann' | 3 | 'Cid'", "'Bob' | 2 | 'Cid'"});
    CHECK(g.Sorted("MATCH (a {name: 'Cid'})<-[:KNOWS]-(b) RETURN b.name") == Rows{"'Ann'", "'Bob'"});
    CHECK(g.Sorted("MATCH (a {name: 'Cid'})--(b) RETURN b.name") == Rows{"'Ann'", "'Bob'", "'Cid'"});
    CHECK(g.Run("MATCH (a)-[:SELF]-(a) RETURN count(*)") == Rows{"1"});
    CHECK(g.Sorted("MATCH (a)-[:KNOWS|OWNS]->(b) RETURN b.name") == Rows{"'Bob'", "'Cid'", "'Cid'", "'Dot'"});
    CHECK(g.Run("MATCH (a)-[:NOPE]->(b) RETURN a").empty());
    // Both ends known: the triangle.
    CHECK(g.Run("MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c), (a)-[:KNOWS]->(c) RETURN a.name, b.name, c.name") == Rows{"'Ann' | 'Bob' | 'Cid'"});
  });
}

TEST_CASE("a relationship occurs once in a pattern, and a path of variable length never repeats one") {
  EachBatchSize([](TestGraph& g) {
    People(g);
    CHECK(g.Run("MATCH (a)-[r1:KNOWS]-(b)-[r2:KNOWS]-(c) WHERE r1 = r2 RETURN a").empty());
    CHECK(g.Sorted("MATCH (a {name: 'Ann'})-[:KNOWS*1..3]->(b) RETURN b.name") == Rows{"'Bob'", "'Cid'", "'Cid'"});
    CHECK(g.Sorted("MATCH (a {name: 'Ann'})-[rs:KNOWS*0..1]->(b) RETURN size(rs), b.name") == Rows{"0 | 'Ann'", "1 | 'Bob'", "1 | 'Cid'"});
    // The cycle Ann-Bob-Cid-Ann without direction: six trails of three from any start, two from one.
    CHECK(g.Run("MATCH (a {name: 'Ann'})-[:KNOWS*3]-(b) RETURN b.name") == Rows{"'Ann'", "'Ann'"});
    CHECK(g.Run("MATCH (a {name: 'Ann'})-[rs:KNOWS* {since: 1}]->(b) RETURN b.name, [r IN rs | r.since]") == Rows{"'Bob' | [1]"});
    CHECK(g.Run("MATCH p = (a {name: 'Ann'})-[:KNOWS*2]->(c) RETURN [n IN nodes(p) | n.name], length(p)") == Rows{"['Ann', 'Bob', 'Cid'] | 2"});
    CHECK(g.Run("MATCH (c {name: 'Cid'}) MATCH p = (a:Person)-[:KNOWS*2]->(c) RETURN [n IN nodes(p) | n.name]") == Rows{"['Ann', 'Bob', 'Cid']"});
  });
}

TEST_CASE("a long chain is walked without recursion") {
  TestGraph g;
  g.Run("UNWIND range(1, 20000) AS i CREATE (:C {i: i})");
  g.Run("CREATE INDEX FOR (n:C) ON (n.i)");
  g.Run("MATCH (a:C) MATCH (b:C {i: a.i + 1}) CREATE (a)-[:NEXT]->(b)");
  CHECK(g.Run("MATCH (a:C {i: 1})-[:NEXT*]->(b) RETURN count(*)") == Rows{"19999"});
}

TEST_CASE("shortest paths: one or all, with bounds, direction and a condition on each step") {
  EachBatchSize([](TestGraph& g) {
    g.Run("CREATE (a:N {n: 'a'}), (b:N {n: 'b'}), (c:N {n: 'c'}), (d:N {n: 'd'}), (e:N {n: 'e'}) "
          "CREATE (a)-[:R]->(b), (a)-[:R]->(c), (b)-[:R]->(d), (c)-[:R]->(d), (d)-[:R {bad: true}]->(e), (a)-[:S]->(e)");
    const std::string ends = "MATCH (a:N {n: 'a'}), (d:N {n: 'd'}) ";
    CHECK(g.Run(ends + "MATCH p = shortestPath((a)-[:R*]->(d)) RETURN length(p)") == Rows{"2"});
    CHECK(g.Sorted(ends + "MATCH p = allShortestPaths((a)-[:R*]->(d)) RETURN [n IN nodes(p) | n.n]") == Rows{"['a', 'b', 'd']", "['a', 'c', 'd']"});
    CHECK(g.Run(ends + "MATCH p = shortestPath((d)-[:R*]->(a)) RETURN p").empty());
    CHECK(g.Run(ends + "MATCH p = shortestPath((d)-[:R*]-(a)) RETURN length(p)") == Rows{"2"});
    CHECK(g.Run(ends + "MATCH p = shortestPath((a)-[:R*..1]->(d)) RETURN p").empty());
    CHECK(g.Run("MATCH (a:N {n: 'a'}), (e:N {n: 'e'}) MATCH p = shortestPath((a)-[*]->(e)) RETURN length(p)") == Rows{"1"});
  });
}

TEST_CASE("OPTIONAL MATCH keeps rows without a match, in order, with nulls") {
  EachBatchSize([](TestGraph& g) {
    People(g);
    CHECK(g.Run("MATCH (a) WITH a ORDER BY a.name OPTIONAL MATCH (a)-[r:KNOWS]->(b) RETURN a.name, b.name, r.since ORDER BY a.name, b.name") ==
          Rows{"'Ann' | 'Bob' | 1", "'Ann' | 'Cid' | 3", "'Bob' | 'Cid' | 2", "'Cid' | null | null", "'Dot' | null | null"});
    CHECK(g.Run("OPTIONAL MATCH (n:Nothing) RETURN n") == Rows{"null"});
    CHECK(g.Run("OPTIONAL MATCH (n:Nothing) OPTIONAL MATCH (n)-->(m) RETURN n, m, n.x") == Rows{"null | null | null"});
    CHECK(g.Run("MATCH (a {name: 'Ann'}) OPTIONAL MATCH (a)-[:KNOWS]->(b) WHERE b.age > 100 RETURN b") == Rows{"null"});
  });
}

TEST_CASE("patterns as conditions keep or drop rows once each") {
  EachBatchSize([](TestGraph& g) {
    People(g);
    CHECK(g.Sorted("MATCH (a) WHERE (a)-[:KNOWS]->() RETURN a.name") == Rows{"'Ann'", "'Bob'"});
    CHECK(g.Sorted("MATCH (a) WHERE NOT (a)-[:KNOWS]-() RETURN a.name") == Rows{"'Dot'"});
    CHECK(g.Sorted("MATCH (a) WHERE EXISTS { (a)-[:KNOWS]->(b) WHERE b.age = 25 } RETURN a.name") == Rows{"'Ann'"});
    CHECK(g.Sorted("MATCH (a) RETURN a.name, COUNT { (a)-[:KNOWS]->() }") == Rows{"'Ann' | 2", "'Bob' | 1", "'Cid' | 0", "'Dot' | 0"});
    CHECK(g.Run("MATCH (a {name: 'Ann'}) RETURN COLLECT { MATCH (a)-[:KNOWS]->(b) RETURN b.name ORDER BY b.name }") == Rows{"['Bob', 'Cid']"});
    CHECK(g.Run("MATCH (a {name: 'Ann'}) RETURN [(a)-[:OWNS]->(p) | p.name]") == Rows{"['Dot']"});
  });
}

TEST_CASE("a hub is tested for existence without walking all of it, and expanded in pieces") {
  TestGraph g;
  g.options.profile = true;
  g.Run("CREATE (h:Hub) WITH h UNWIND range(1, 5000) AS i CREATE (h)-[:R]->(:Leaf {i: i})");
  CHECK(g.Run("MATCH (h:Hub)-[:R]->(x) RETURN count(x), sum(x.i)") == Rows{"5000 | 12502500"});
  CHECK(g.Run("MATCH (h:Hub) WHERE (h)-[:R]->() RETURN count(*)") == Rows{"1"});
  uint64_t rows = 0;
  for (const auto& p : g.profile) rows += p.rows;
  CHECK(rows < 200);
  CHECK(g.Run("MATCH (h:Hub)-[:R]->(x) RETURN x.i LIMIT 3").size() == 3);
  rows = 0;
  for (const auto& p : g.profile) rows += p.rows;
  CHECK(rows < 300);
}

TEST_CASE("aggregation groups by equivalence and gives one row for nothing without keys") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 1.0, 2, null, null, 'a'] AS x RETURN x, count(*) AS c ORDER BY x") == Rows{"'a' | 1", "1 | 2", "2 | 1", "null | 2"});
    CHECK(g.Run("UNWIND [] AS x RETURN count(x), sum(x), collect(x), min(x)") == Rows{"0 | 0 | [] | null"});
    CHECK(g.Run("UNWIND [] AS x RETURN x, count(*)").empty());
    CHECK(g.Run("UNWIND [1, 2, 2, null] AS x RETURN count(x), count(DISTINCT x), sum(DISTINCT x), collect(DISTINCT x), avg(x)")[0].substr(0, 18) == "3 | 2 | 3 | [1, 2]");
    CHECK(g.Run("UNWIND range(1, 3000) AS x WITH x % 7 AS k, count(*) AS c RETURN sum(c), count(k)") == Rows{"3000 | 7"});
    CHECK(g.Run("UNWIND range(1, 3000) AS x RETURN DISTINCT x % 3 AS k ORDER BY k") == Rows{"0", "1", "2"});
  });
}

TEST_CASE("sorting is stable and total, and a limit keeps the same rows as sorting all") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [[2, 'a'], [1, 'b'], [2, 'c'], [1, 'd']] AS p RETURN p[1] ORDER BY p[0] DESC") == Rows{"'a'", "'c'", "'b'", "'d'"});
    CHECK(g.Run("UNWIND [3, null, 'x', true, 1.5] AS x RETURN x ORDER BY x") == Rows{"'x'", "true", "1.5", "3", "null"});
    CHECK(g.Run("UNWIND range(1, 5000) AS x RETURN x % 10 AS k, x ORDER BY k LIMIT 3") == Rows{"0 | 10", "0 | 20", "0 | 30"});
    CHECK(g.Run("UNWIND range(1, 5000) AS x RETURN x ORDER BY x DESC SKIP 2 LIMIT 2") == Rows{"4998", "4997"});
    CHECK(g.Run("UNWIND range(1, 10) AS x RETURN x ORDER BY x LIMIT 0").empty());
  });
}

TEST_CASE("SKIP and LIMIT from parameters are checked when the statement runs") {
  TestGraph g;
  const Status negative = g.Error("UNWIND [1] AS x RETURN x LIMIT $n", Map{{"n", Value(-1)}});
  CHECK(negative.code() == Code::kSyntaxError);
  CHECK(negative.detail() == "NegativeIntegerArgument");
  CHECK_FALSE(negative.compile_time());
  const Status wrong = g.Error("UNWIND [1] AS x RETURN x SKIP $n", Map{{"n", Value(1.5)}});
  CHECK(wrong.detail() == "InvalidArgumentType");
  CHECK_FALSE(wrong.compile_time());
  CHECK(g.Run("UNWIND [1, 2, 3] AS x RETURN x SKIP $n", Map{{"n", Value(2)}}) == Rows{"3"});
  CHECK(g.Error("RETURN $missing").code() == Code::kParameterMissing);
}

TEST_CASE("UNION joins columns by name and keeps or drops duplicates") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 2] AS x RETURN x UNION ALL UNWIND [2, 3] AS x RETURN x") == Rows{"1", "2", "2", "3"});
    CHECK(g.Run("UNWIND [1, 2] AS x RETURN x UNION UNWIND [2, 3] AS x RETURN x") == Rows{"1", "2", "3"});
  });
}

TEST_CASE("subqueries run for each row, see its variables and may be limited for each") {
  EachBatchSize([](TestGraph& g) {
    People(g);
    CHECK(g.Sorted("MATCH (a:Person) CALL (a) { MATCH (a)-[:KNOWS]->(b) RETURN b ORDER BY b.name LIMIT 1 } RETURN a.name, b.name") ==
          Rows{"'Ann' | 'Bob'", "'Bob' | 'Cid'"});
    CHECK(g.Sorted("MATCH (a:Person) CALL (a) { MATCH (a)-[:KNOWS]->(b) RETURN count(b) AS c } RETURN a.name, c") ==
          Rows{"'Ann' | 2", "'Bob' | 1", "'Cid' | 0"});
    CHECK(g.Run("UNWIND [1, 2] AS x CALL (x) { RETURN x * 10 AS y UNION ALL RETURN x * 100 AS y } RETURN x, y") ==
          Rows{"1 | 10", "1 | 100", "2 | 20", "2 | 200"});
    CHECK(g.Run("UNWIND [1, 2, 3] AS x MATCH (a {name: 'Ann'}), (b {name: 'Bob'}) RETURN x, a.name, b.name").size() == 3);
  });
}

TEST_CASE("index seeks: equality, IN, ranges, prefixes, and null finds nothing") {
  EachBatchSize([](TestGraph& g) {
    g.Run("CREATE INDEX FOR (n:P) ON (n.k)");
    g.Run("UNWIND range(1, 200) AS i CREATE (:P {k: i})");
    g.Run("UNWIND ['anna', 'anton', 'berta'] AS s CREATE (:P {k: s})");
    CHECK(g.Run("MATCH (n:P {k: 7}) RETURN n.k") == Rows{"7"});
    CHECK(g.Run("MATCH (n:P) WHERE n.k = 7.0 RETURN n.k") == Rows{"7"});
    CHECK(g.Run("MATCH (n:P) WHERE n.k = null RETURN n.k").empty());
    CHECK(g.Sorted("MATCH (n:P) WHERE n.k IN [3, 'berta', 3, null, 999] RETURN n.k") == Rows{"'berta'", "3"});
    CHECK(g.Run("MATCH (n:P) WHERE n.k > 197 RETURN n.k ORDER BY n.k") == Rows{"198", "199", "200"});
    CHECK(g.Run("MATCH (n:P) WHERE 3 <= n.k < 5 RETURN n.k ORDER BY n.k") == Rows{"3", "4"});
    CHECK(g.Sorted("MATCH (n:P) WHERE n.k STARTS WITH 'an' RETURN n.k") == Rows{"'anna'", "'anton'"});
    CHECK(g.Run("UNWIND [1, 2, 3, 999] AS i MATCH (n:P {k: i}) RETURN n.k") == Rows{"1", "2", "3"});
    CHECK(g.Run("UNWIND [1, 999, 2] AS i OPTIONAL MATCH (n:P {k: i}) RETURN i, n.k") == Rows{"1 | 1", "999 | null", "2 | 2"});
  });
}

TEST_CASE("nodes by id give those that exist, once each") {
  EachBatchSize([](TestGraph& g) {
    People(g);
    const Rows id = g.Run("MATCH (n {name: 'Bob'}) RETURN id(n)");
    CHECK(g.Run("MATCH (n) WHERE id(n) = " + id[0] + " RETURN n.name") == Rows{"'Bob'"});
    CHECK(g.Run("MATCH (n) WHERE id(n) IN [" + id[0] + ", " + id[0] + ", 123456] RETURN n.name") == Rows{"'Bob'"});
    CHECK(g.Run("MATCH (n {name: 'Bob'}) WITH elementId(n) AS e MATCH (m) WHERE elementId(m) = e RETURN m.name") == Rows{"'Bob'"});
  });
}

TEST_CASE("results hold elements as they are, also inside lists, maps and paths") {
  TestGraph g;
  g.Run("CREATE (:A:B {x: 1})-[:R {y: 2}]->(:C)");
  CHECK(g.Run("MATCH (a:A) RETURN a") == Rows{"(:A:B {x: 1})"});
  CHECK(g.Run("MATCH (a:A)-[r]->(c) RETURN [a, r], {k: c}") == Rows{"[(:A:B {x: 1}), [:R {y: 2}]] | {k: (:C)}"});
  auto run = [&] {
    g.Begin();
    auto execution = std::move(g.Start("MATCH p = (:A)-->(:C) RETURN p")).value();
    std::vector<std::vector<Value>> rows;
    REQUIRE(execution->Next(10, &rows).ok());
    REQUIRE(rows.size() == 1);
    CHECK(rows[0][0].AsPath().nodes.at(0).type() == Type::kNode);
    CHECK(rows[0][0].AsPath().relationships.at(0).AsRelationship().type == "R");
    g.Rollback();
  };
  run();
}

}  // namespace fornix::engine
