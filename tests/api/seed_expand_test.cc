// Vector search and typed expansion in one plan: both spellings give the same plan, the order of scores ends work early, and the
// answers hold with own writes, after rollback and under an old snapshot.
#include <cmath>

#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

constexpr char kSearch[] =
    "MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 10) SCORE AS s "
    "MATCH (m)-[:SUPPORTS|ABOUT]->(g) RETURN m.id AS m, g.id AS g, s";
constexpr char kProcedure[] =
    "CALL db.index.vector.queryNodes('emb', 10, $q) YIELD node AS m, score AS s "
    "MATCH (m)-[:SUPPORTS|ABOUT]->(g) RETURN m.id AS m, g.id AS g, s";

// 60 memories on an arc, each with three goals it is about or supports and one that it only mentions.
void Load(Session& s) {
  s.Run("CREATE VECTOR INDEX emb FOR (m:Memory) ON (m.embedding) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}");
  s.Run("UNWIND range(0, 99) AS i CREATE (:Goal {id: i})");
  for (int i = 0; i < 60; ++i) {
    Map p({{"i", Value(i)}, {"e", Value(List{Value(std::cos(i * 0.02)), Value(std::sin(i * 0.02))})}});
    s.Run("CREATE (m:Memory {id: $i, embedding: $e}) WITH m MATCH (a:Goal {id: $i}), (b:Goal {id: $i + 1}), (c:Goal {id: $i + 2}), (d:Goal {id: $i + 3}) "
          "CREATE (m)-[:SUPPORTS]->(a), (m)-[:ABOUT]->(b), (m)-[:ABOUT]->(c), (m)-[:MENTIONS]->(d)", p);
  }
}
Map Query(double angle = 0) { return Map({{"q", Value(List{Value(std::cos(angle)), Value(std::sin(angle))})}}); }

std::unique_ptr<Cursor> RunAll(Session& s, const std::string& text, std::vector<Row>* rows) {
  auto cursor = s.connection->Execute(text, Query());
  INFO(cursor.status().ToString());
  REQUIRE(cursor.ok());
  while (!(*cursor)->done()) REQUIRE((*cursor)->Fetch(100, rows).ok());
  return std::move(*cursor);
}
uint64_t ExpandedRows(const Cursor& cursor) {
  return Sum(*cursor.summary().plan, [](const PlanNode& n) { return n.op.starts_with("Expand") ? n.rows : 0; });
}

}  // namespace

TEST_CASE("the SEARCH clause and the procedure explain to the same plan, with a vector seed and an expansion") {
  Session s;
  Load(s);
  auto one = s.connection->Execute(std::string("EXPLAIN ") + kSearch, Query());
  auto two = s.connection->Execute(std::string("EXPLAIN ") + kProcedure, Query());
  REQUIRE((one.ok() && two.ok()));
  CHECK((*one)->summary().plan_text == (*two)->summary().plan_text);
  CHECK(FindOperator(*(*one)->summary().plan, "VectorSeed") != nullptr);
  CHECK(FindOperator(*(*one)->summary().plan, "Expand(All)") != nullptr);
}

TEST_CASE("both spellings give the same rows, and the right ones") {
  Session s;
  Load(s);
  Strings rows = s.Rows(std::string(kSearch) + " ORDER BY s DESC, m, g", Query());
  CHECK(rows.size() == 30);
  CHECK(rows == s.Rows(std::string(kProcedure) + " ORDER BY s DESC, m, g", Query()));
  // The ten nearest to angle 0 are memories 0 to 9, each with three typed neighbours; MENTIONS is not followed.
  CHECK(s.One("MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 10) SCORE AS s MATCH (m)-[:SUPPORTS|ABOUT]->(g) "
              "RETURN min(m.id), max(m.id), count(*), min(g.id - m.id), max(g.id - m.id)", Query()) == "0 | 9 | 30 | 0 | 2");
}

TEST_CASE("ORDER BY score DESC LIMIT expands fewer rows than without LIMIT") {
  Session s;
  Load(s);
  std::vector<Row> all, five;
  auto whole = RunAll(s, std::string("PROFILE ") + kSearch + " ORDER BY s DESC", &all);
  auto limited = RunAll(s, std::string("PROFILE ") + kSearch + " ORDER BY s DESC LIMIT 5", &five);
  REQUIRE(all.size() == 30);
  REQUIRE(five.size() == 5);
  CHECK(ExpandedRows(*limited) < ExpandedRows(*whole));
  CHECK(ExpandedRows(*limited) >= 5);
  for (size_t i = 0; i < 5; ++i) CHECK(five[i][2] == all[i][2]);
  CHECK(FindOperator(*limited->summary().plan, "VectorSeed")->distance_computations > 0);
}

TEST_CASE("a per-seed limit bounds each seed's expansion") {
  Session s;
  Load(s);
  CHECK(s.Rows("MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 4) SCORE AS s "
               "CALL (m) { MATCH (m)-[:SUPPORTS|ABOUT]->(g) RETURN g ORDER BY g.id DESC LIMIT 1 } RETURN m.id, g.id ORDER BY s DESC", Query()) ==
        Strings{"0 | 2", "1 | 3", "2 | 4", "3 | 5"});
}

TEST_CASE("own writes are found before the commit, rollback leaves nothing, SET and DELETE take effect") {
  Session s;
  Load(s);
  const char* nearest = "CALL db.index.vector.queryNodes('emb', 1, $q) YIELD node RETURN node.id";
  CHECK(s.One(nearest, Query(1.5)) == "59");
  REQUIRE(s.connection->Begin().ok());
  s.Run("CREATE (:Memory {id: 1000, embedding: $q})", Query(1.5));
  CHECK(s.One(nearest, Query(1.5)) == "1000");
  s.Run("MATCH (m:Memory {id: 0}) SET m.embedding = $q", Query(1.4));
  CHECK(s.One(nearest, Query(1.4)) == "0");
  CHECK(s.One(nearest, Query(0)) == "1");
  s.Run("MATCH (m:Memory {id: 1}) DETACH DELETE m");
  CHECK(s.One(nearest, Query(0)) == "2");
  s.Run("MATCH (m:Memory {id: 2}) REMOVE m.embedding");
  s.Run("MATCH (m:Memory {id: 3}) REMOVE m:Memory");
  CHECK(s.One(nearest, Query(0)) == "4");
  REQUIRE(s.connection->Rollback().ok());
  CHECK(s.One(nearest, Query(1.5)) == "59");
  CHECK(s.One(nearest, Query(0)) == "0");
  s.Run("MATCH (m:Memory {id: 0}) SET m.embedding = $q", Query(1.5));
  CHECK(s.One(nearest, Query(1.5)) == "0");
  s.Run("MATCH (m:Memory {id: 0}) DETACH DELETE m");
  CHECK(s.One(nearest, Query(1.5)) == "59");
}

TEST_CASE("an old snapshot finds what was there, at the place where it was") {
  Session s;
  Load(s);
  auto reader = s.database->Connect();
  REQUIRE(reader->Begin().ok());
  auto nearest = [&](double angle) {
    auto rows = reader->Query("CALL db.index.vector.queryNodes('emb', 1, $q) YIELD node, score RETURN node.id", Query(angle));
    INFO(rows.status().ToString());
    REQUIRE(rows.ok());
    REQUIRE(rows->size() == 1);
    return (*rows)[0][0].AsInteger();
  };
  CHECK(nearest(0) == 0);
  s.Run("MATCH (m:Memory {id: 0}) SET m.embedding = $q", Query(1.5));
  s.Run("MATCH (m:Memory) WHERE m.id < 5 AND m.id > 0 DETACH DELETE m");
  s.Run("CREATE (:Memory {id: 2000, embedding: $q})", Query(0.0));
  CHECK(nearest(0) == 0);
  CHECK(nearest(0.02) == 1);
  CHECK(nearest(1.5) == 59);
  REQUIRE(reader->Commit().ok());
  CHECK(nearest(0) == 2000);
}

TEST_CASE("k rows come if k exist, with a filter that almost nothing passes") {
  Session s;
  Load(s);
  s.Run("MATCH (m:Memory) WHERE m.id > 55 SET m:Rare");
  CHECK(s.One("MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 60) SCORE AS s WITH m WHERE m:Rare RETURN count(*)", Query()) == "4");
  s.Run("MATCH (m:Memory) WHERE m.id < 50 DETACH DELETE m");
  CHECK(s.Rows("CALL db.index.vector.queryNodes('emb', 10, $q) YIELD node RETURN node.id", Query()).size() == 10);
}
