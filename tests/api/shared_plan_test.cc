// Texts that differ in literals alone share plans, and nobody can tell: pairs of texts with different literals in every position of every
// clause are run one after the other, so that the second may get the first one's plan; then the second again with nothing cached. Rows,
// columns and errors, with their places, must be the same.
#include "engine/api/database_impl.h"
#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

void Forget(Session& s) {
  engine::CoreOf(*s.database).plans.Clear();
  engine::CoreOf(*s.database).shared_plans.Clear();
}

// Everything that a caller sees, with what the statement left in the graph; the graph is as before afterwards.
std::string Seen(Session& s, const std::string& text) {
  REQUIRE(s.connection->Begin({}).ok());
  std::string out;
  auto cursor = s.connection->Execute(text, Map({{"p", Value(1)}, {"", Value(77)}}));
  Status status = cursor.status();
  std::vector<Row> rows;
  if (status.ok()) {
    for (const std::string& column : (*cursor)->columns()) out += column + ";";
    out += "\n";
    while (status.ok() && !(*cursor)->done()) status = (*cursor)->Fetch(100, &rows);
    for (const Row& row : rows) {
      for (const Value& v : row) out += ToText(v) + " | ";
      out += "\n";
    }
    cursor->reset();
  }
  if (!status.ok()) {
    out += status.ToString() + " at " + std::to_string(status.position().line) + ":" + std::to_string(status.position().column) + " +" +
           std::to_string(status.position().offset);
  } else {
    for (const std::string& row : s.Rows("MATCH (n) RETURN labels(n) AS l, properties(n) AS p ORDER BY size(l), n.id, n.x, n.name")) out += row + "\n";
    for (const std::string& row : s.Rows("MATCH (a)-[r]->(b) RETURN type(r) AS t, properties(r), a.id, b.id ORDER BY t, a.id, b.id")) out += row + "\n";
  }
  REQUIRE(s.connection->Rollback().ok());
  return out;
}

void Load(Session& s) {
  s.Run("CREATE CONSTRAINT a_id FOR (n:A) REQUIRE n.id IS UNIQUE");
  s.Run("CREATE INDEX a_name FOR (n:A) ON (n.name)");
  s.Run("UNWIND range(0, 9) AS i CREATE (:A {id: i, x: i % 3, f: i / 2.0, name: 'n' + toString(i), l: [i, i + 1], z: 0})");
  s.Run("UNWIND range(0, 8) AS i MATCH (a:A {id: i}), (b:A {id: i + 1}) CREATE (a)-[:T {w: i}]->(b)");
}

// %1 is replaced by one literal of each pair.
struct Case {
  const char* text;
  std::vector<std::pair<const char*, const char*>> literals;
};

const std::vector<std::pair<const char*, const char*>> kInts = {{"1", "2"}, {"3", "12345"}, {"2", "0x1"}, {"1", "-1"}, {"1", "1.0"}, {"1", "'1'"},
                                                                {"1", "99999999999999999999"}, {"1", "null"}, {"1", "true"}, {"0", "0.5"}};
const std::vector<std::pair<const char*, const char*>> kStrings = {{"'n1'", "'n2'"}, {"'n1'", "'\\u006e3'"}, {"'n1'", "\"n\\n4\""}, {"'n'", "'no such name'"},
                                                                   {"''", "'n'"}, {"'n1'", "'n\xC3\xA4\n'"}};

}  // namespace

TEST_CASE("two texts that differ in a literal answer alike, whether they share a plan or not") {
  Session s;
  Load(s);
  const std::vector<Case> cases = {
      {"MATCH (n:A {id: %1}) RETURN n.id, n.name", kInts},
      {"MATCH (n:A {name: %1}) RETURN n.id", kStrings},
      {"MATCH (n:A) WHERE n.id = %1 RETURN n.id AS id ORDER BY id", kInts},
      {"MATCH (n:A) WHERE n.id < %1 AND n.x >= 0 RETURN n.id AS id ORDER BY id", kInts},
      {"MATCH (n:A) WHERE n.f > %1 OR n.x <> 1 RETURN n.id AS id ORDER BY id", kInts},
      {"MATCH (n:A) WHERE n.name STARTS WITH %1 RETURN n.id AS id ORDER BY id", kStrings},
      {"MATCH (n:A) WHERE n.name CONTAINS %1 OR n.name ENDS WITH %1 RETURN n.id AS id ORDER BY id", kStrings},
      {"MATCH (n:A) WHERE n.name =~ %1 RETURN n.id AS id ORDER BY id", kStrings},
      {"MATCH (n:A) WHERE n.id IN [%1, 4] RETURN n.id AS id ORDER BY id", kInts},
      {"MATCH (n:A) WHERE n.l[%1] = 2 RETURN n.id AS id ORDER BY id", kInts},
      {"MATCH (n:A) WHERE n[%1] = 2 RETURN n.id AS id ORDER BY id", {{"'id'", "'x'"}, {"'id'", "1"}}},
      {"MATCH (n:A) WHERE id(n) = %1 RETURN n.id", kInts},
      {"MATCH (n:A)-[r:T {w: %1}]->(m) RETURN n.id, m.id", kInts},
      {"MATCH (n:A {id: 0})-[*%1..3]->(m) RETURN count(m)", {{"1", "2"}, {"2", "0"}, {"1", "4"}}},
      {"MATCH (n:A {id: %1}), (m:A {id: 3}) WHERE n.x + %1 = m.x + %1 RETURN n.id, m.id, %1", kInts},
      {"MATCH (n:A) RETURN n.x = %1, %1 + n.x ORDER BY n.id LIMIT 2", {{"1", "2"}, {"1", "1.5"}, {"1", "'a'"}}},
      {"MATCH (n:A) RETURN n.id AS id ORDER BY id SKIP %1 LIMIT %1", kInts},
      {"MATCH (n:A) WITH n.x AS x, count(*) AS c, %1 AS k WHERE c > %1 RETURN x, c, k ORDER BY x", kInts},
      {"MATCH (n:A) WITH n, n.x = %1 AS t WHERE n.x = %1 RETURN t, n.id AS id ORDER BY id", kInts},
      {"UNWIND [%1, 2] AS i MATCH (n:A {id: i}) RETURN n.id AS id ORDER BY id", kInts},
      {"RETURN %1", kInts},
      {"CYPHER 5 EXPLAIN MATCH (n:A {id: %1}) RETURN n", kInts},
      {"MATCH ((a:A {id: %1})-[:T]->(b)){1,2} RETURN size(b)", kInts},
      {"RETURN [%1, {a: %1}], toString(%1) AS s", kInts},
      {"RETURN date(%1)", {{"'2020-01-01'", "'2021-02-03'"}, {"'2020-01-01'", "'no date'"}}},
      {"RETURN CASE %1 WHEN 1 THEN 'a' ELSE 'b' END", kInts},
      {"MATCH (n:A) WHERE EXISTS { MATCH (n)-[:T]->(m {x: %1}) WHERE m.id > %1 } RETURN n.id AS id ORDER BY id", kInts},
      {"MATCH (n:A) RETURN COUNT { MATCH (n)-[:T]->(m {x: %1}) } ORDER BY n.id", kInts},
      {"MATCH (n:A) RETURN [(n)-[:T]->(m {x: %1}) WHERE m.id > %1 | m.id] ORDER BY n.id", kInts},
      {"MATCH (n:A) WHERE any(i IN n.l WHERE i = %1) RETURN n.id AS id ORDER BY id", kInts},
      {"CALL { MATCH (n:A {x: %1}) RETURN count(n) AS c } RETURN c", kInts},
      {"CALL { MATCH (n:A {x: %1}) RETURN count(n) AS c, %1 } RETURN *", kInts},
      {"CREATE (n:B {id: %1}) RETURN n.id", kInts},
      {"CREATE (n:B {id: %1, `%1`: 5})-[:U {w: %1}]->(:B {name: 'x'})", {{"1", "2"}, {"3", "44"}}},
      {"MERGE (n:A {id: %1}) ON CREATE SET n.x = %1 ON MATCH SET n.y = %1 RETURN n.id, n.x, n.y", kInts},
      {"MERGE (n:B {name: %1}) RETURN n.name", kStrings},
      {"MATCH (n:A {id: 1}) SET n.x = %1, n.y = 'a' RETURN n.x, n.y", kInts},
      {"MATCH (n:A {id: 1}) SET n = {id: %1, x: %1}", kInts},
      {"MATCH (n:A {id: 1}) SET n.x = %1 + 1", kInts},
      {"MATCH (n:A {id: %1}) DETACH DELETE n", kInts},
      {"FOREACH (i IN [1, %1] | CREATE (:C {id: i, x: %1}))", kInts},
      {"MATCH (n:A {id: 1}) WHERE n.name = 'n1' RETURN n.id / %1", {{"1", "0"}, {"0", "1"}}},
      {"MATCH (n:A {id: %1}) RETURN 1 / n.z", kInts},
      {"MATCH (n:A {name: %1}) RETURN\n 1 / n.z", kStrings},
      {"MATCH (n:A {id: %1})-[:NONE]->(m:A {id: %1}) RETURN count(*)", kInts},
      {"MATCH (a:A {id: 1}), (b:A) WHERE b.x = %1 AND a.x = b.x AND $`` = 77 AND $p = 1 RETURN b.id AS id ORDER BY id", kInts},
      {"MATCH (n:A) WHERE n.id = %1 RETURN n.id UNION ALL MATCH (n:A) WHERE n.x = %1 RETURN n.id", kInts},
      {"CREATE INDEX i%1 FOR (n:D) ON (n.x)", {{"1", "2"}}},
      {"SHOW INDEXES YIELD name WHERE name = %1 RETURN name", {{"'a_name'", "'a_id'"}}},
      {"CALL db.labels() YIELD label WHERE label = %1 RETURN label", {{"'A'", "'B'"}}},
  };
  auto fill = [](std::string text, const std::string& literal) {
    for (size_t at; (at = text.find("%1")) != std::string::npos;) text.replace(at, 2, literal);
    return text;
  };
  for (const Case& c : cases) {
    for (auto [a, b] : c.literals) {
      for (int turn = 0; turn < 2; ++turn) {
        const std::string first = fill(c.text, turn == 0 ? a : b), second = fill(c.text, turn == 0 ? b : a);
        CAPTURE(first, second);
        Forget(s);
        (void)Seen(s, first);
        const std::string after_first = Seen(s, second);
        Forget(s);
        CHECK(after_first == Seen(s, second));
      }
    }
  }
}

TEST_CASE("new literals of a known shape need no new plan, and the number of cached plans stays") {
  Session s;
  Load(s);
  auto cached = [&](const std::string& text) {
    auto cursor = s.connection->Execute(text, {});
    REQUIRE(cursor.ok());
    std::vector<Row> rows;
    while (!(*cursor)->done()) REQUIRE((*cursor)->Fetch(10, &rows).ok());
    return (*cursor)->summary().plan_cached;
  };
  CHECK_FALSE(cached("MATCH (n:A {id: 1}) RETURN n.name"));
  const size_t plans = engine::CoreOf(*s.database).plans.size() + engine::CoreOf(*s.database).shared_plans.size();
  for (int i = 2; i < 50; ++i) CHECK(cached("MATCH (n:A {id: " + std::to_string(i) + "}) RETURN n.name"));
  CHECK(engine::CoreOf(*s.database).plans.size() + engine::CoreOf(*s.database).shared_plans.size() == plans);
  CHECK_FALSE(cached("MATCH (n:A {id: 1.5}) RETURN n.name"));
  CHECK(s.One("MATCH (n:A {id: 5}) RETURN n.name") == "'n5'");
  // The schema is in the key.
  s.Run("DROP CONSTRAINT a_id");
  CHECK_FALSE(cached("MATCH (n:A {id: 1}) RETURN n.name"));
}

TEST_CASE("a prepared statement names its own parameters, not the literals of its text") {
  Session s;
  Load(s);
  auto prepared = s.connection->Prepare("MATCH (n:A {id: 3}) WHERE n.x = $x AND n.name <> 'q' RETURN n.name, $y");
  REQUIRE(prepared.ok());
  CHECK((*prepared)->parameters() == std::vector<std::string>{"x", "y"});
  auto cursor = s.connection->Execute(**prepared, Map({{"x", Value(0)}, {"y", Value(2)}}));
  REQUIRE(cursor.ok());
  std::vector<Row> rows;
  REQUIRE((*cursor)->Fetch(10, &rows).ok());
  REQUIRE(rows.size() == 1);
  CHECK(ToText(rows[0][0]) == "'n3'");
}
