// Rules at commit: what a refused write says, and that it leaves nothing.
#include "tests/api/api_test_util.h"

namespace {
using namespace fornix;
using namespace fornix::test;

void Contains(const Status& status, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) {
    INFO(status.message() << "\nlacks: " << word);
    CHECK(status.message().find(word) != std::string::npos);
  }
}
}  // namespace

TEST_CASE("a unique constraint names the rule, the key and the node that holds it") {
  Session s;
  s.Run("CREATE CONSTRAINT email FOR (p:Person) REQUIRE p.email IS UNIQUE");
  s.Run("CREATE (:Person {email: 'a@b.c'})");
  Status status = s.Error("CREATE (:Person {email: 'a@b.c'})");
  CHECK(status.code() == Code::kConstraintViolation);
  Contains(status, {"email", "Person", "'a@b.c'"});
  s.Run("MATCH (p:Person) DELETE p CREATE (:Person {email: 'a@b.c'})");   // net effect
  CHECK(s.One("MATCH (p:Person) RETURN count(*)") == "1");
  CHECK(s.Error("CREATE (:Person {email: 'x'}), (:Person {email: 'x'})").code() == Code::kConstraintViolation);
}

TEST_CASE("existence and property type rules hold at commit and say what was given") {
  Session s;
  s.Run("CREATE CONSTRAINT named FOR (p:Person) REQUIRE p.name IS NOT NULL");
  s.Run("CREATE CONSTRAINT aged FOR (p:Person) REQUIRE p.age IS :: INTEGER");
  Contains(s.Error("CREATE (:Person {age: 1})"), {"named", "Person", "name"});
  Contains(s.Error("CREATE (:Person {name: 'x', age: 'old'})"), {"aged", "age", "INTEGER", "'old'"});
  s.Run("CREATE (p:Person) SET p.name = 'later'");   // only the end counts
  Contains(s.Error("MATCH (p:Person) REMOVE p.name"), {"named"});
  s.Run("CREATE (:Other {age: 'x'})");
  Contains(s.Error("MATCH (o:Other) SET o:Person, o.name = 'o'"), {"aged"});
  s.Run("CREATE CONSTRAINT since FOR ()-[k:KNOWS]-() REQUIRE k.since IS NOT NULL");
  Contains(s.Error("MATCH (p:Person) CREATE (p)-[:KNOWS]->(p)"), {"since", "KNOWS"});
}

TEST_CASE("a constraint over data that breaks it is refused and names an offender") {
  Session s;
  s.Run("CREATE (:P {k: 1}), (:P {k: 1}), (:P)");
  Contains(s.Error("CREATE CONSTRAINT u FOR (p:P) REQUIRE p.k IS UNIQUE"), {"1"});
  CHECK(!s.Error("CREATE CONSTRAINT e FOR (p:P) REQUIRE p.k IS NOT NULL").message().empty());
  CHECK(s.One("SHOW CONSTRAINTS YIELD name RETURN count(*)") == "0");
}

TEST_CASE("a closed vocabulary refuses labels and types outside it and lists what is allowed") {
  Session s;
  s.Run("ALTER CURRENT GRAPH TYPE SET { (m:Memory => {text :: STRING NOT NULL}), (g:Goal => {}), (:Memory)-[:SUPPORTS => {}]->(:Goal), (:Memory)-[:ABOUT => {}]->() } CLOSED");
  s.Run("CREATE (:Memory {text: 'a'})-[:SUPPORTS]->(:Goal)");
  Status type = s.Error("MATCH (m:Memory), (g:Goal) CREATE (m)-[:SUPPORT]->(g)");
  CHECK(type.code() == Code::kConstraintViolation);
  Contains(type, {"SUPPORT", "ABOUT", "SUPPORTS"});
  Status label = s.Error("CREATE (:Memry {text: 'b'})");
  Contains(label, {"Memry", "Memory", "Goal"});
  Contains(s.Error("CREATE (:Memory)"), {"text"});
  CHECK(s.One("MATCH (n) RETURN count(*)") == "2");
}

TEST_CASE("schema commands: IF NOT EXISTS, names in use, drops, and many at once") {
  Session s;
  s.Run("CREATE INDEX i FOR (n:N) ON (n.x)");
  s.Run("CREATE INDEX i IF NOT EXISTS FOR (n:N) ON (n.x)");
  CHECK(s.Error("CREATE INDEX i FOR (n:M) ON (n.y)").code() == Code::kSchemaConflict);
  CHECK(s.Error("CREATE INDEX j FOR (n:N) ON (n.x)").code() == Code::kSchemaConflict);
  CHECK(s.Error("DROP INDEX nothing").code() == Code::kSchemaNotFound);
  s.Run("DROP INDEX nothing IF EXISTS");
  s.Run("DROP INDEX i");
  CHECK(s.One("SHOW INDEXES YIELD name WHERE name = 'i' RETURN count(*)") == "0");
}

TEST_CASE("an index answers like a scan, also for what the transaction itself wrote") {
  Session s;
  s.Run("UNWIND range(1, 200) AS i CREATE (:N {x: i % 50, y: 'v' + toString(i % 20)})");
  const Strings queries = {"MATCH (n:N {x: 7}) RETURN count(*)", "MATCH (n:N) WHERE n.x > 40 RETURN count(*)", "MATCH (n:N) WHERE 10 <= n.x < 12 RETURN count(*)",
                           "MATCH (n:N) WHERE n.y STARTS WITH 'v1' RETURN count(*)", "MATCH (n:N) WHERE n.x IN [1, 2, 2, null] RETURN count(*)",
                           "MATCH (n:N) WHERE n.x = 1.0 RETURN count(*)", "MATCH (n:N) WHERE n.x = null RETURN count(*)"};
  REQUIRE(s.connection->Begin().ok());
  Strings expected;
  for (const std::string& q : queries) expected.push_back(s.One(q));
  REQUIRE(s.connection->Rollback().ok());
  s.Run("CREATE INDEX nx FOR (n:N) ON (n.x)");
  s.Run("CREATE INDEX ny FOR (n:N) ON (n.y)");
  for (size_t i = 0; i < queries.size(); ++i) CHECK(s.One(queries[i]) == expected[i]);
  REQUIRE(s.connection->Begin().ok());
  s.Run("CREATE (:N {x: 7})");
  s.Run("MATCH (n:N {x: 41}) SET n.x = 7");
  s.Run("MATCH (n:N {x: 42}) DELETE n");
  CHECK(s.One("MATCH (n:N {x: 7}) RETURN count(*)") == "9");
  CHECK(s.One("MATCH (n:N) WHERE n.x > 40 RETURN count(*)") == "28");
  REQUIRE(s.connection->Rollback().ok());
  for (size_t i = 0; i < queries.size(); ++i) CHECK(s.One(queries[i]) == expected[i]);
}
