// Golden plans: the shapes that matter, as EXPLAIN prints them, without the numbers.
#include <chrono>

#include "tests/unit/planner/fixture.h"

using fornix::planner::test::Planner;

TEST_CASE("a node is found by the range index that its conditions reach") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (n:Person {id: 7}) RETURN n.name)") ==
        R"(ProduceResults n.name
Projection n.name
NodeIndexSeek (n:Person) person_id = 7
)");
  CHECK(p.Explain(R"(MATCH (n:Person) WHERE n.city = $c AND n.age > 30 AND n.age <= 40 RETURN n)") ==
        R"(ProduceResults n
NodeIndexSeek (n:Person) person_city_age = $c, > 30, <= 40
)");
  CHECK(p.Explain(R"(MATCH (n:Person) WHERE n.id IN [1, 2] RETURN n)") ==
        R"(ProduceResults n
NodeIndexSeek (n:Person) person_id IN [1, 2]
)");
  CHECK(p.Explain(R"(MATCH (c:Company) WHERE c.name STARTS WITH 'A' RETURN c)") ==
        R"(ProduceResults c
NodeIndexSeek (c:Company) company_name STARTS WITH 'A'
)");
}

TEST_CASE("id(n) = x is a lookup") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (n) WHERE id(n) = $id RETURN n)") ==
        R"(ProduceResults n
Filter id(n) = $id
NodeByIdSeek (n) id $id
)");
}

TEST_CASE("a pattern starts at its rarest node and closes what is known") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (p:Person)-[:WORKS_AT]->(c:Company) WHERE c.name = 'X' RETURN p)") ==
        R"(ProduceResults p
Filter p:Person
Expand(All) (c)<-[:WORKS_AT]-(p)
NodeIndexSeek (c:Company) company_name = 'X'
)");
  CHECK(p.Explain(R"(MATCH (a:Person {id: 1})-[:KNOWS]->(b), (b)-[:KNOWS]->(c)-[:KNOWS]->(a) RETURN c)") ==
        R"(ProduceResults c
Intersect (b)-[:KNOWS]->(c), (a)<-[:KNOWS]-(c)
Expand(All) (a)-[:KNOWS]->(b)
NodeIndexSeek (a:Person) person_id = 1
)");
  CHECK(p.Explain(R"(MATCH ()-[r:ABOUT]->() RETURN count(*))") ==
        R"(ProduceResults count(*)
EagerAggregation count(*)
RelationshipTypeScan ()-[r:ABOUT]->()
)");
}

TEST_CASE("two points are two seeks, also when written as two clauses") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (a:Person {id: 1}) MATCH (b:Person {id: 2}) CREATE (a)-[:KNOWS]->(b))") ==
        R"(EmptyResult
Create (a)-[:KNOWS]->(b)
Apply
| + NodeIndexSeek (b:Person) person_id = 2
NodeIndexSeek (a:Person) person_id = 1
)");
}

TEST_CASE("a predicate after WITH reaches the index, and LIMIT reaches the sort") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (a:Person) WITH a, a.age AS age WHERE a.id = 3 RETURN age ORDER BY age DESC SKIP 2 LIMIT 3)") ==
        R"(ProduceResults age
Limit 3
Skip 2
Top age DESC LIMIT 5
Projection a.age AS age
NodeIndexSeek (a:Person) person_id = 3
)");
}

TEST_CASE("OPTIONAL MATCH keeps its conditions inside") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (a:Person {id: 1}) OPTIONAL MATCH (a)-[:KNOWS*1..2]->(b:Person) WHERE b.age > 3 RETURN a, collect(b) AS bs)") ==
        R"(ProduceResults a, bs
EagerAggregation collect(b) BY a
Optional
| + Filter b:Person AND b.age > 3
| VarLengthExpand(All) (a)-[:KNOWS*1..2]->(b)
| Argument
NodeIndexSeek (a:Person) person_id = 1
)");
}

TEST_CASE("MERGE looks by the index") {
  Planner p;
  CHECK(p.Explain(R"(UNWIND $rows AS row MERGE (n:Person {id: row.id}) ON CREATE SET n.name = row.name ON MATCH SET n.seen = true)") ==
        R"(EmptyResult
Merge (n:Person)
| + NodeIndexSeek (n:Person) person_id = row.id
Unwind $rows AS row
Argument
)");
}

TEST_CASE("both spellings of a vector search are one plan, without a sort") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 10) SCORE AS s MATCH (m)-[:ABOUT|KNOWS]->(g) RETURN m, g, s ORDER BY s DESC LIMIT 5)") ==
        R"(ProduceResults m, g, s
Limit 5
Expand(All) (m)-[:ABOUT|KNOWS]->(g)
VectorSeed (m) emb LIMIT 10 FOR $q SCORE s
)");
  CHECK(p.Explain(R"(CALL db.index.vector.queryNodes('emb', 10, $q) YIELD node AS m, score AS s MATCH (m)-[:ABOUT|KNOWS]->(g) RETURN m, g, s ORDER BY s DESC LIMIT 5)") ==
        R"(ProduceResults m, g, s
Limit 5
Expand(All) (m)-[:ABOUT|KNOWS]->(g)
VectorSeed (m) emb LIMIT 10 FOR $q SCORE s
)");
  // Another order, or more than the score, is sorted.
  CHECK(p.Explain("CALL db.index.vector.queryNodes('emb', 10, $q) YIELD node AS m, score AS s RETURN m ORDER BY s").find("Sort s") != std::string::npos);
  CHECK(p.Explain("CALL db.index.vector.queryNodes('emb', 10, $q) YIELD node AS m, score AS s RETURN m ORDER BY s DESC, m.id").find("Sort s DESC") !=
        std::string::npos);
}

TEST_CASE("seeds take limits of their own, stand after other clauses, and filter before or after the search") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 4) SCORE AS s CALL (m) { MATCH (m)-[:ABOUT]->(g) RETURN g LIMIT 2 } RETURN m, g, s ORDER BY s DESC)") ==
        R"(ProduceResults m, g, s
Subquery
| + Limit 2
| Expand(All) (m)-[:ABOUT]->(g)
| Argument
VectorSeed (m) emb LIMIT 4 FOR $q SCORE s
)");
  CHECK(p.Explain(R"(MATCH (a:Person {id: 1}) CALL db.index.vector.queryNodes('emb', 3, a.embedding) YIELD node AS m MATCH (m)-[:ABOUT]->(a) RETURN m)") ==
        R"(ProduceResults m
Expand(Into) (m)-[:ABOUT]->(a) into
Apply
| + VectorSeed (m) emb LIMIT 3 FOR a.embedding
NodeIndexSeek (a:Person) person_id = 1
)");
  CHECK(p.Explain(R"(MATCH (m:Memory) WHERE m.x = 1 SEARCH m IN (VECTOR INDEX emb FOR $q WHERE m.age > 3 LIMIT 10) SCORE AS s RETURN m)") ==
        R"(ProduceResults m
Filter m.x = 1
VectorSeed (m) emb LIMIT 10 FOR $q WHERE m.age > 3 SCORE s
)");
}

TEST_CASE("subplans are asked last and shown below") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (n:Person) WHERE EXISTS { (n)-[:KNOWS]->(:Person {id: 1}) } AND n.age > 3 RETURN n, COUNT { (n)-->() } AS degree)") ==
        R"(ProduceResults n, degree
Projection COUNT { (n)-->() } AS degree
| ? Expand(All) (n)-->()
| Argument
SemiApply
| + Filter :Person AND .id = 1
| Expand(All) (n)-[:KNOWS]->()
| Argument
Filter n.age > 3
NodeByLabelScan (n:Person)
)");
}

TEST_CASE("a subquery that writes stands between barriers") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (n:Person) CALL (n) { CREATE (:Memory {of: n.id}) } RETURN count(*))") ==
        R"(ProduceResults count(*)
EagerAggregation count(*)
Eager
Subquery
| + Create (:Memory)
| Argument
Eager
NodeByLabelScan (n:Person)
)");
}

TEST_CASE("a known relationship gives its ends") {
  Planner p;
  CHECK(p.Explain(R"(MATCH ()-[r:ABOUT]->() MATCH (a)-[r]->(b) RETURN a, b)") ==
        R"(ProduceResults a, b
Projection startNode(r) AS a, endNode(r) AS b
Filter r IS NOT NULL
Projection r
RelationshipTypeScan ()-[r:ABOUT]->()
)");
}

TEST_CASE("SHOW is a query over a procedure") {
  Planner p;
  CHECK(p.Explain(R"(SHOW INDEXES YIELD name, type WHERE type = 'RANGE' RETURN name)") ==
        R"(ProduceResults name
Filter type = 'RANGE'
ProcedureCall show.indexes()
Argument
)");
}

TEST_CASE("UNION runs its parts side by side") {
  Planner p;
  CHECK(p.Explain(R"(RETURN 1 AS a UNION MATCH (c:Company) RETURN c.name AS a)") ==
        R"(ProduceResults a
Distinct a
Union
| + Projection c.name AS a
| NodeByLabelScan (c:Company)
Projection 1 AS a
Argument
)");
}

TEST_CASE("a repeated pattern is planned from the end that is known") {
  Planner p;
  CHECK(p.Explain(R"(MATCH ((x)-[r:KNOWS]->(y)){1,3} (b:Person {id: 2}) RETURN size(r))") ==
        R"(ProduceResults size(r)
Projection size(r)
Repeat(Trail) (b) ((y) ... (x)){1,3} ()
| + Expand(All) (y)<-[r:KNOWS]-(x)
| Argument
NodeIndexSeek (b:Person) person_id = 2
)");
}

TEST_CASE("conditions on the path of shortestPath are met by the search, or refused") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (a:Person {id: 1}), (b:Person {id: 2}), p = shortestPath((a)-[r:KNOWS*]-(b))
                     WHERE all(x IN r WHERE x.since > 3) AND length(p) < 4 RETURN 1)") ==
        R"(ProduceResults 1
Projection 1
Filter length(p) < 4
Projection path AS p
ShortestPath (a)-[r:KNOWS*1..]-(b) into WHERE x.since > 3
Apply
| + NodeIndexSeek (b:Person) person_id = 2
NodeIndexSeek (a:Person) person_id = 1
)");
  CHECK(p.Plan("MATCH p = shortestPath((a)-[*]-(b)) WHERE any(x IN nodes(p) WHERE x.y) RETURN p").status().code() == fornix::Code::kNotAvailable);
}

TEST_CASE("a shortest path is searched when both ends are known") {
  Planner p;
  CHECK(p.Explain(R"(MATCH (a:Person {id: 1}), p = shortestPath((a)-[:KNOWS*]-(b:Person {id: 2})) RETURN p)") ==
        R"(ProduceResults p
Projection path AS p
ShortestPath (a)-[:KNOWS*1..]-(b) into
Apply
| + NodeIndexSeek (b:Person) person_id = 2
NodeIndexSeek (a:Person) person_id = 1
)");
}

TEST_CASE("patterns tied by an equality alone are joined, but not above a write") {
  Planner p;
  CHECK(p.Explain("MATCH (a:Person), (c:Company) WHERE a.employer = c.title AND c.size > 3 RETURN a") ==
        R"(ProduceResults a
Filter a.employer = c.title
HashJoin a.employer
| + Projection a.employer
| NodeByLabelScan (a:Person)
Projection c.title AS a.employer
Filter c.size > 3
NodeByLabelScan (c:Company)
)");
  CHECK(p.Explain("MATCH (a:Person {id: 3}), (c:Company) WHERE a.employer = c.name RETURN a").find("IndexSeek (c:Company)") != std::string::npos);
  CHECK(p.Explain("MATCH (a:Person) SET a.x = 1 WITH a MATCH (c:Company) WHERE a.employer = c.title RETURN a").find("HashJoin") == std::string::npos);
}

TEST_CASE("without rewrites a plan follows the text") {
  Planner p;
  p.optimize = false;
  CHECK(p.Explain("MATCH (p:Person)-[:WORKS_AT]->(c:Company) WHERE c.name = 'X' RETURN p ORDER BY p.id LIMIT 2") ==
        R"(ProduceResults p
Limit 2
Sort p.id
Projection p.id
Filter c:Company AND c.name = 'X'
Expand(All) (p)-[:WORKS_AT]->(c)
Filter p:Person
AllNodesScan (p)
)");
}

TEST_CASE("rows carry only columns that something later reads") {
  Planner p;
  auto plan = p.Plan("MATCH (a:Person {id: 1})-[r:KNOWS]->(b) RETURN b.name AS name");
  REQUIRE(plan.ok());
  const auto* op = (*plan)->root->children[0].get();   // Project
  CHECK(op->live.size() == 1);
  op = op->children[0].get();                          // Expand
  REQUIRE(op->live.size() == 1);
  CHECK((*plan)->slot_names[op->live[0]] == "b");
  op = op->children[0].get();                          // IndexSeek
  REQUIRE(op->live.size() == 1);
  CHECK((*plan)->slot_names[op->live[0]] == "a");
}

TEST_CASE("a subplan inside a comprehension gets the comprehension's variable") {
  Planner p;
  auto plan = p.Plan("MATCH q = (n:Person)-->() RETURN [x IN nodes(q) | size([(x)-->(:Person) | 1])] AS sizes");
  REQUIRE(plan.ok());
  const auto& comprehension = *(*plan)->root->children[0]->projections[0].expr;
  const auto& collect = *comprehension.args[2]->args[0];
  REQUIRE(collect.kind == fornix::planner::BoundKind::kCollectPlan);
  CHECK(collect.outer_slots == std::vector<fornix::planner::Slot>{comprehension.slot});
  const fornix::planner::PhysicalOperator* leaf = collect.plan.get();
  while (!leaf->children.empty()) leaf = leaf->children[0].get();
  CHECK(leaf->live == std::vector<fornix::planner::Slot>{comprehension.slot});
}

TEST_CASE("CREATE streams only where nothing before it reads") {
  Planner p;
  auto stream = [&](const char* text) {
    auto plan = p.Plan(text);
    REQUIRE(plan.ok());
    return (*plan)->root->children[0]->stream_input;
  };
  CHECK(stream("UNWIND range(1, 10) AS x CREATE (:Person {id: x})"));
  CHECK_FALSE(stream("MATCH (n) CREATE (:Person {id: n.id})"));
  CHECK_FALSE(stream("UNWIND range(1, 10) AS x CREATE (:Person {id: COUNT { MATCH (n) }})"));
  CHECK_FALSE(stream("UNWIND range(1, 10) AS x MERGE (:Person {id: x})"));
}

TEST_CASE("clauses of CREATE are one operator unless one reads what another made") {
  Planner p;
  CHECK(p.Explain("CREATE (a:Person) CREATE (b:Person) CREATE (a)-[:KNOWS]->(b)") ==
        "EmptyResult\nCreate (a:Person), (b:Person), (a)-[:KNOWS]->(b)\nArgument\n");
  CHECK(p.Explain("CREATE (a:Person) CREATE (b:Person {n: COUNT { (x:Person) }})").find("Create (b:Person)") != std::string::npos);
  CHECK(p.Explain("CREATE (a:Person {id: 1}) CREATE (b:Person {id: a.id})") ==
        "EmptyResult\nCreate (b:Person)\nCreate (a:Person)\nArgument\n");
}

TEST_CASE("the columns of a result are named as written, and * is alphabetical") {
  Planner p;
  auto columns = [&](const char* text) {
    auto plan = p.Plan(text);
    REQUIRE(plan.ok());
    std::string names;
    for (const auto& [name, slot] : (*plan)->root->columns) names += name + ";";
    return names;
  };
  CHECK(columns("MATCH (n) RETURN n.id,  cOuNt( * ), 1 +  2 AS `the sum`") == "n.id;cOuNt( * );the sum;");
  CHECK(columns("WITH 1 AS b, 2 AS a, 3 AS c RETURN *") == "a;b;c;");
  CHECK(columns("CALL test.add(1)") == "sum;text;");
  CHECK(columns("SHOW INDEXES") == "id;name;type;");
  CHECK(columns("SHOW INDEXES YIELD *") == "id;name;type;options;");
}

TEST_CASE("EXPLAIN is an aligned table and PROFILE adds what was done") {
  Planner p;
  auto plan = p.Plan("MATCH (n:Person {id: 7}) RETURN n.name");
  REQUIRE(plan.ok());
  CHECK(fornix::planner::ExplainText(**plan, {}) ==
        "Operator        Details                   Estimated\n"
        "ProduceResults  n.name                            1\n"
        "Projection      n.name                            1\n"
        "NodeIndexSeek   (n:Person) person_id = 7          1\n");
  std::vector<fornix::planner::OperatorProfile> profile((*plan)->operator_count);
  profile[2].rows = 1;
  profile[2].time_ns = 2'500'000;
  profile[2].distance_computations = 42;
  CHECK(fornix::planner::ExplainText(**plan, profile).find("1     0     2.50         42\n") != std::string::npos);
}

TEST_CASE("names that the database has never seen are warned of, with the nearest one") {
  Planner p;
  auto warnings = [&](const char* text) {
    auto plan = p.Plan(text);
    REQUIRE(plan.ok());
    std::string all;
    for (const auto& n : (*plan)->notifications) all += n.description + ";";
    return all;
  };
  CHECK(warnings("MATCH (n:Persn)-[:KNOWS]->(m:Persn) RETURN n.agee") ==
        "nothing has the label `Persn` yet; did you mean `Person`?;nothing has the property `agee` yet; did you mean `age`?;");
  CHECK(warnings("MATCH ()-[:WORKSAT]->() RETURN 1 AS x") == "nothing has the relationship type `WORKSAT` yet; did you mean `WORKS_AT`?;");
  CHECK(warnings("MERGE (n:New {fresh: 1}) SET n.other = 1 RETURN n.other") == "");
}

TEST_CASE("a text of many nodes and relationships is planned in time") {
  Planner p;
  std::string parts = "MATCH (a0)", path = "MATCH (b0 {x: 0})";
  for (int i = 1; i < 2000; ++i) parts += ", (a" + std::to_string(i) + ")";
  for (int i = 1; i < 450; ++i) path += "-[:KNOWS]->(b" + std::to_string(i) + ":Person {x: " + std::to_string(i) + "})";
  const auto started = std::chrono::steady_clock::now();
  CHECK(p.Error(parts + " RETURN 1 AS x") == "");
  CHECK(p.Error(path + " RETURN 1 AS x") == "");
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(20));   // seconds in a debug build; quadratic would be minutes
}

TEST_CASE("a statement has a bounded number of clauses, but CREATE after CREATE is one") {
  Planner p;
  auto times = [](int n, const std::string& text) {
    std::string all;
    for (int i = 0; i < n; ++i) all += text;
    return all;
  };
  CHECK(p.Error(times(999, "WITH 1 AS x ") + "RETURN x") == "");
  CHECK(p.Error(times(1000, "WITH 1 AS x ") + "RETURN x").find("LimitExceeded") == 0);
  CHECK(p.Error(times(1001, "MATCH () ") + "RETURN 1").find("LimitExceeded") == 0);
  CHECK(p.Error("RETURN 1 AS x" + times(1000, " UNION RETURN 1 AS x")).find("LimitExceeded") == 0);
  CHECK(p.Error("FOREACH (x IN [1] | " + times(1000, "CREATE () ") + ")").find("LimitExceeded") == 0);
  std::string script;
  for (int i = 0; i < 3000; ++i) script += "CREATE (n" + std::to_string(i) + ":Person {id: " + std::to_string(i) + "}) ";
  CHECK(p.Error(script + "CREATE (n0)-[:KNOWS]->(n2999)") == "");
}

TEST_CASE("a grouping key named twice is one key, and what a subquery hands back is not the outer variable") {
  Planner p;
  CHECK(p.Explain("MATCH (a:Person) RETURN a, a AS b, count(*)").find("EagerAggregation count(*) BY a\n") != std::string::npos);
  auto plan = p.Plan("MATCH (a:Person) OPTIONAL CALL (a) { WITH a WHERE a.age > 3 RETURN a AS b } RETURN a, b");
  REQUIRE(plan.ok());
  const auto& columns = (*plan)->root->columns;
  CHECK(columns[0].second != columns[1].second);
}

TEST_CASE("a limit so large that SKIP overflows it is no limit") {
  Planner p;
  CHECK(p.Explain("MATCH (a:Person) RETURN a ORDER BY a.age SKIP 1 LIMIT 9223372036854775807").find("LIMIT 9223372036854775807") != std::string::npos);
  CHECK(p.Explain("MATCH (a:Person) RETURN a ORDER BY a.age SKIP $s LIMIT $n").find("LIMIT $n + $s") != std::string::npos);
}
