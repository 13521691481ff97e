// Which way a search goes: sorts by similarity from an index or from all rows, and filters as lists of ids or asked of candidates; what
// EXPLAIN, PROFILE and notifications say of it.
#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

struct Ran {
  std::vector<Row> rows;
  Summary summary;
  std::string seed;                    // the details of its VectorSeed; "" without one
  std::string Codes() const {
    std::string codes;
    for (const Notification& n : summary.notifications) codes += n.code.substr(n.code.rfind('.') + 1) + ";";
    return codes;
  }
};

Ran Run(Session& s, const std::string& text, const Map& parameters = {}) {
  Ran ran;
  auto cursor = s.connection->Execute(text, parameters);
  INFO(text << ": " << cursor.status().ToString());
  REQUIRE(cursor.ok());
  while (!(*cursor)->done()) {
    const Status status = (*cursor)->Fetch(100, &ran.rows);
    INFO(status.ToString());
    REQUIRE(status.ok());
  }
  ran.summary = (*cursor)->summary();
  if (const PlanNode* seed = ran.summary.plan ? FindOperator(*ran.summary.plan, "VectorSeed") : nullptr) ran.seed = seed->details;
  return ran;
}

bool Says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void Load(Session& s) {
  s.Run("CREATE VECTOR INDEX emb FOR (n:A|B) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.quantization.type`: 'none'}}");
  s.Run("CREATE INDEX tenant_a FOR (n:A) ON (n.tenant)");
  s.Run("CREATE INDEX tenant_b FOR (n:B) ON (n.tenant)");
  s.Run("UNWIND range(1, 6000) AS i CREATE (:A {id: i, tenant: i % 50, e: [1.0 * i, 100.0]})");
  s.Run("UNWIND range(1, 20) AS i CREATE (b:B {id: -i, tenant: i % 50, e: [-1.0 * i, 100.0]}) WITH b, i MATCH (a:A) WHERE a.id % 1000 = i CREATE (a)-[:OF]->(b)");
  s.Run("MATCH (a:A) WHERE a.id < 300 SET a:Old");
  s.Run("CALL db.awaitIndexes()");
}

constexpr char kSort[] = " WITH n, vector.similarity.cosine(n.e, [50.0, 100.0]) AS score ORDER BY score DESC LIMIT 3 RETURN n.id";

}  // namespace

TEST_CASE("a sort by similarity is a search where the answer is the same, and says that it is approximate") {
  Session s;
  Load(s);
  for (const std::string where : {"WHERE n.e IS NOT NULL", "WHERE size(n.e) = 2 AND n.id > 0", "WHERE vector.similarity.cosine(n.e, [50.0, 100.0]) >= 0.3"}) {
    const Ran ran = Run(s, "PROFILE MATCH (n:A) " + where + kSort);
    INFO(where << "\n" << ran.summary.plan_text);
    CHECK(Says(ran.seed, "(n) emb LIMIT"));
    CHECK(Says(ran.seed, "n:A"));                        // the index has B too
    CHECK_FALSE(Says(ran.seed, "scanned rows"));
    CHECK(ran.Codes() == "ApproximateVectorSearch;");
    REQUIRE(ran.rows.size() == 3);
    CHECK(ran.rows[0][0] == Value(50));
  }
}

TEST_CASE("a sort by similarity stays a scan where an index can't give the same answer") {
  Session s;
  Load(s);
  s.Run("UNWIND range(1, 4500) AS i CREATE (:C {id: i, e: [1.0 * i, 100.0]})");
  const std::string call = "vector.similarity.cosine(n.e, [50.0, 100.0])";
  for (const std::string& text : std::vector<std::string>{
           "MATCH (n:A)" + std::string(kSort),                                                                       // rows without a score come first
           "MATCH (n:C) WHERE n.e IS NOT NULL" + std::string(kSort),                                                 // not in the index
           "MATCH (n:B) WHERE n.e IS NOT NULL" + std::string(kSort),                                                 // few
           "MATCH (n:A) WHERE n.e IS NOT NULL AND n.tenant = 7" + std::string(kSort),                                // few by their index
           "MATCH (n:A) WHERE n.e IS NOT NULL RETURN n.id ORDER BY " + call + " LIMIT 3",                            // the farthest
           "MATCH (n:A) WHERE n.e IS NOT NULL RETURN n.id ORDER BY " + call + " DESC",                               // all
           "MATCH (n:A) WHERE n.e IS NOT NULL RETURN n.id ORDER BY " + call + " DESC, n.id LIMIT 3",                 // ties are told apart
           "MATCH (n:A) WHERE n.e IS NOT NULL RETURN n.id ORDER BY vector.similarity.euclidean(n.e, [5.0, 1.0]) DESC LIMIT 3",   // another function
           "MATCH (n:A) WHERE n.e IS NOT NULL AND " + call + " < 0.9 RETURN n.id ORDER BY vector.similarity.cosine(n.e, n.e) DESC LIMIT 3",
           "MATCH (n:A) WHERE n.e IS NOT NULL RETURN DISTINCT n.tenant, " + call + " AS c ORDER BY c DESC LIMIT 3",
           "CYPHER vectorSearch=exact MATCH (n:A) WHERE n.e IS NOT NULL" + std::string(kSort),
       }) {
    const Ran ran = Run(s, "EXPLAIN " + text);
    INFO(text << "\n" << ran.summary.plan_text);
    CHECK(ran.seed.empty());
    CHECK(ran.Codes() == "");
  }
}

TEST_CASE("the scan is done by the same operator where a search wouldn't pay, or the query is none of the index") {
  Session s;
  Load(s);
  const std::string text = "PROFILE MATCH (n:A) WHERE n.e IS NOT NULL RETURN n.id ORDER BY vector.similarity.cosine(n.e, $v) DESC LIMIT $k";
  for (const Map& parameters : {Map{{"v", Value(List{Value(50), Value(100)})}, {"k", Value(5000)}}, Map{{"v", Value()}, {"k", Value(3)}}}) {
    const Ran ran = Run(s, text, parameters);
    INFO(ran.summary.plan_text);
    CHECK(Says(ran.seed, "scanned rows"));
    CHECK(ran.Codes() == "");
    CHECK(ran.rows.size() == static_cast<size_t>(parameters.Find("k")->AsInteger()));
  }
}

TEST_CASE("a scan of many rows names the index that it would need") {
  Session s;
  s.Run("UNWIND range(1, 10500) AS i CREATE (:A {id: i, e: [1.0 * i, 100.0]})");
  const Ran none = Run(s, "EXPLAIN MATCH (n:A) WHERE n.e IS NOT NULL" + std::string(kSort));
  CHECK(none.Codes() == "VectorScan;");
  CHECK(Says(none.summary.notifications[0].description, "CREATE VECTOR INDEX FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}}"));
  s.Run("CREATE VECTOR INDEX FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}}");
  CHECK(Run(s, "EXPLAIN MATCH (n:A) WHERE n.e IS NOT NULL" + std::string(kSort)).Codes() == "");
  const Ran unguarded = Run(s, "EXPLAIN MATCH (n:A)" + std::string(kSort));
  CHECK(unguarded.Codes() == "VectorScan;");
  CHECK(Says(unguarded.summary.notifications[0].description, "IS NOT NULL"));
}

TEST_CASE("the filter of a SEARCH is listed from indexes of all its labels, a smaller label or a pattern, or asked of candidates") {
  Session s;
  Load(s);
  const auto search = [&](const std::string& before, const std::string& filter) {
    return Run(s, "PROFILE " + before + "MATCH (n:A|B) SEARCH n IN (VECTOR INDEX emb FOR [50.0, 100.0] WHERE " + filter + " LIMIT 4) SCORE AS s RETURN n.id, s");
  };
  const Ran index = search("", "n.tenant = 3 AND n.id > 10");
  INFO(index.summary.plan_text);
  CHECK(Says(index.seed, "IDS FROM index tenant_a, index tenant_b"));
  CHECK(Says(index.seed, " ids given"));
  CHECK(index.rows.size() == 4);
  CHECK(index.rows[0][0] == Value(53));
  CHECK(Says(index.summary.plan_text, "| + NodeIndexSeek"));
  const Ran label = search("", "n:Old AND n.id > 100");
  CHECK(Says(label.seed, "IDS FROM label Old"));
  CHECK(label.rows[0][0] == Value(101));
  const Ran pattern = search("MATCH (b:B {id: -7}) ", "EXISTS { (n)-[:OF]->(b) }");
  INFO(pattern.summary.plan_text);
  CHECK(Says(pattern.seed, "IDS FROM pattern"));
  CHECK(pattern.rows.size() == 4);
  CHECK(pattern.rows[0][0] == Value(7));
  const Ran asked = search("", "n.id % 2 = 0");
  CHECK_FALSE(Says(asked.seed, "IDS FROM"));
  CHECK(asked.rows[0][0] == Value(50));
  // Too many for a list: the plan has the source, the run gives it up.
  s.Run("MATCH (a:A) SET a.tenant = 1");
  const Ran many = Run(s, "PROFILE MATCH (n:A) SEARCH n IN (VECTOR INDEX emb FOR [50.0, 100.0] WHERE n.tenant IN [1, 2] LIMIT 4) RETURN n.id");
  INFO(many.summary.plan_text);
  CHECK_FALSE(Says(many.seed, "ids given"));
  CHECK(many.rows.size() == 4);
}
