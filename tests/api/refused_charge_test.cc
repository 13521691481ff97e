// The Nth wish for memory is refused, for every N, in forty statements: each run ends with a clean error or with the right answer (what
// spills may work all the same), nothing of a failed one stays, and all memory comes back.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "engine/api/database_impl.h"
#include "tests/api/api_test_util.h"
#include "tests/counts.h"

namespace fornix::test {
namespace {

const char* const kStatements[] = {
    "MATCH (n:N) RETURN n.i AS i ORDER BY i DESC",
    "MATCH (n:N) RETURN n.s AS s, n.i AS i ORDER BY s, i LIMIT 700",
    "MATCH (n:N) RETURN DISTINCT n.s AS s",
    "MATCH (n:N) RETURN n.s AS s, count(*) AS c, sum(n.i) AS t",
    "MATCH (n:N) RETURN n.k AS k, collect(n.i) AS l, collect(DISTINCT n.s) AS d",
    "MATCH (n:N) RETURN collect(n) AS l",
    "MATCH (n:N) RETURN count(DISTINCT n.s) AS c, percentileDisc(n.i, 0.5) AS p, max(n.s) AS m",
    "MATCH (a:N), (b:M) WHERE a.i = b.i RETURN count(*) AS c",
    "MATCH (a:N), (b:M) WHERE a.k = b.k RETURN a.i AS i, count(b) AS c ORDER BY i",
    "MATCH (a:N)-[:R]->(b) RETURN a.i AS i, b.i AS j ORDER BY j, i",
    "MATCH (a:N {i: 1})-[r:R*1..60]->(b) RETURN size(r) AS n",
    "MATCH p = shortestPath((a:N {i: 1})-[:R*]->(b:N {i: 150})) RETURN length(p) AS l",
    "MATCH p = allShortestPaths((a:N {i: 1})-[*]-(b:N {i: 90})) RETURN count(p) AS c",
    "RETURN size([x IN range(1, 30000) | [x, x]]) AS n",
    "RETURN size(reduce(s = 'ab', x IN range(1, 16) | s + s)) AS n",
    "RETURN size(reduce(l = [1], x IN range(1, 14) | l + l)) AS n",
    "RETURN size(range(1, 50000)) AS n",
    "RETURN size(split(reduce(s = 'a,', x IN range(1, 12) | s + s), ',')) AS n",
    "RETURN size(COLLECT { MATCH (n:N) RETURN n.s }) AS n",
    "UNWIND [x IN range(1, 20000) | toString(x)] AS x RETURN count(x) AS c",
    "UNWIND range(1, 40) AS x WITH range(1, 1000 + x) AS l RETURN sum(size(l)) AS n",
    "UNWIND range(1, 3) AS x CALL (x) { MATCH (n:N) RETURN n.i AS i ORDER BY n.s LIMIT 500 } RETURN sum(i * x) AS n",
    "UNWIND range(1, 3) AS x CALL (x) { MATCH (n:N) RETURN collect(n.s) AS l } RETURN x, size(l) AS n",
    "MATCH (n:N) WHERE EXISTS { (n)-[:R]->(:N) } RETURN count(n) AS c",
    "MATCH (n:N) RETURN n.s AS s UNION MATCH (m:M) RETURN m.s AS s",
    "MATCH (n:N) OPTIONAL MATCH (n)-[:X]->(m) RETURN n.i AS i, m ORDER BY i",
    "PROFILE MATCH (n:N) RETURN n.s AS s ORDER BY s",
    "UNWIND range(1, 600) AS x CREATE (:New {x: x})",
    "UNWIND range(1, 300) AS x CREATE (a:New {x: x})-[:T {w: x}]->(:New) RETURN a.x AS x",
    "MATCH (n:N) SET n.extra = n.s + n.s",
    "MATCH (n:N) SET n:More RETURN n",
    "MATCH (n:N) REMOVE n.s RETURN count(n) AS c",
    "MATCH (n:M) DETACH DELETE n",
    "MATCH (n:N)-[r:R]->() DELETE r",
    "UNWIND range(1, 40) AS x MERGE (n:N {i: x}) ON MATCH SET n.seen = true ON CREATE SET n.fresh = true",
    "MATCH (n:N) MERGE (m:Once {k: n.k}) RETURN count(m) AS c",
    "MATCH (n:N) WITH collect(n) AS l FOREACH (n IN l | SET n.f = 1)",
    "UNWIND range(1, 200) AS x CALL (x) { CREATE (:Inner {x: x}) } RETURN count(x) AS c",
    "MATCH (n:N) WITH n ORDER BY n.s SET n.rank = n.i RETURN n.rank AS r",
    "CREATE INDEX by_s FOR (n:N) ON (n.s)",
};
static_assert(std::size(kStatements) == 40);

struct Outcome {
  Status status;
  std::vector<std::string> rows;
};

Outcome Run(Connection& connection, const char* text) {
  ExecuteOptions options;
  options.memory_bytes_max = 4 << 20;
  Outcome outcome;
  auto cursor = connection.Execute(text, {}, options);
  outcome.status = cursor.status();
  std::vector<Row> rows;
  while (outcome.status.ok() && !(*cursor)->done()) {
    rows.clear();
    outcome.status = (*cursor)->Fetch(300, &rows);
    for (const Row& row : rows) {
      std::string line;
      for (const Value& v : row) line += ToText(v) + " | ";
      outcome.rows.push_back(std::move(line));
    }
  }
  std::sort(outcome.rows.begin(), outcome.rows.end());
  return outcome;
}

// Whether the refusal that was ordered has come.
bool WasRefused(MemoryBudget& budget, int64_t nth) {
  bool waiting = false;
  for (int64_t i = 0; i <= nth && !waiting; i++) waiting = !budget.CountForTest("a probe").ok();
  budget.StopRefusing();
  return !waiting;
}

// Every N with FORNIX_LONG; else every one of the first eight, with FORNIX_MANY of the first 64, then fewer.
int64_t Step(int64_t nth) { return static_cast<int64_t>(Counted(1 + static_cast<uint64_t>(nth) / 8, 1 + static_cast<uint64_t>(nth) / 64, 1)); }

void SetUp(Session& s) {
  s.Run("UNWIND range(1, 700) AS i CREATE (:N {i: i, k: i % 40, s: 'text ' + (i * 7919) % 601})");
  s.Run("UNWIND range(1, 150) AS i CREATE (:M {i: i * 3, k: i % 70, s: 'text ' + i})");
  s.Run("MATCH (a:N), (b:N) WHERE b.i = a.i + 1 CREATE (a)-[:R]->(b)");
}

}  // namespace

TEST_CASE("whichever wish for memory is refused, the statement fails alone and leaves nothing", "[refused]") {
  const char* kFingerprint =
      "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n), count(r), sum(n.i), count(n.s), count(n.extra), sum(size(labels(n)))";
  Session s;
  SetUp(s);
  MemoryBudget& budget = *engine::CoreOf(*s.database).budget;
  const std::string before = s.One(kFingerprint);
  auto held = [&] { return budget.used(MemoryUse::kQueries) + budget.used(MemoryUse::kWriteSets); };
  const uint64_t base = held();
  uint64_t runs = 0, errors = 0;
  for (const char* text : kStatements) {
    CAPTURE(text);
    // What the statement says when nothing is refused; its writes are rolled back. A definition can't stand beside writes, but alone it can.
    REQUIRE(s.connection->Begin().ok());
    const Outcome plain = Run(*s.connection, text);
    INFO(plain.status.ToString());
    REQUIRE(plain.status.ok());
    REQUIRE(s.connection->Rollback().ok());
    for (int64_t nth = 0;; nth += Step(nth)) {
      CAPTURE(nth);
      bool hit = false;
      for (bool for_ever : {false, true}) {
        REQUIRE(s.connection->Begin().ok());
        budget.RefuseForTest(nth, for_ever);
        const Outcome got = Run(*s.connection, text);
        if (for_ever) {
          budget.StopRefusing();
        } else {
          hit = WasRefused(budget, nth);
        }
        runs++;
        INFO(got.status.ToString());
        if (got.status.ok()) {
          if (std::string_view(text).find("ORDER BY n.s LIMIT") == std::string_view::npos) CHECK(got.rows == plain.rows);
        } else {
          errors++;
          CHECK(got.status.code() == Code::kResourceExhausted);
          const Status later = s.connection->Query("RETURN 1").status();
          CHECK(later.code() == Code::kTransactionClosed);
        }
        REQUIRE(s.connection->Rollback().ok());
        CHECK(held() == base);
        CHECK(s.One("RETURN 1") == "1");
      }
      // The same without an explicit transaction: the error must have rolled it back.
      if (hit && std::string_view(text).find("CREATE INDEX") == std::string_view::npos) {
        budget.RefuseForTest(nth, true);
        const Outcome got = Run(*s.connection, text);
        budget.StopRefusing();
        runs++;
        if (got.status.ok()) break;                      // it went through, and changed the data perhaps
        CHECK(got.status.code() == Code::kResourceExhausted);
        CHECK(s.One(kFingerprint) == before);
        CHECK(held() == base);
      }
      if (!hit) break;
    }
    if (s.One(kFingerprint) != before) {
      s.Run("MATCH (n) DETACH DELETE n");
      SetUp(s);
      REQUIRE(s.One(kFingerprint) == before);
    }
  }
  std::printf("refused charges: %llu runs, %llu of them errors\n", static_cast<unsigned long long>(runs), static_cast<unsigned long long>(errors));
  CHECK(errors > 100);
}

}  // namespace fornix::test
