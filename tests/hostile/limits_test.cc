// Statements that want all the memory there is: each ends by name or works, within its limit, and the next one runs.
//
// The process may grow by the limit and 64 MiB; how much it holds is read from the system. The limit here is 16 MiB, so that the whole
// takes seconds.
#include <malloc.h>

#include "base/clock.h"
#include "engine/api/database_impl.h"
#include "tests/api/api_test_util.h"
#include "tests/hostile/resident.h"

namespace fornix::test {
namespace {

constexpr uint64_t kLimit = 16 * kMiB;

struct Hostile {
  const char* text;
  Code code;                     // kOk: it works
};

}  // namespace

TEST_CASE("hostile statements end by name or work, within 64 MiB of their limit") {
  DatabaseOptions options;
  options.memory_bytes_max = 1024 * kMiB;
  options.statement_memory_bytes_max = kLimit;
  Session s(":memory:", options);
  s.Run("UNWIND range(1, 24) AS i CREATE (:K {i: i})");
  s.Run("MATCH (a:K), (b:K) WHERE a <> b CREATE (a)-[:R]->(b)");
  s.Run("UNWIND range(0, 19) AS x UNWIND range(0, 19) AS y CREATE (:G {x: x, y: y})");
  s.Run("MATCH (a:G), (b:G) WHERE (b.x = a.x + 1 AND b.y = a.y) OR (b.x = a.x AND b.y = a.y + 1) CREATE (a)-[:D]->(b)");
  s.Run("CREATE (h:Hub) WITH h UNWIND range(1, 20000) AS i CREATE (h)-[:H]->(:Leaf {text: 'some text of a leaf'})");
  const MemoryBudget& budget = *engine::CoreOf(*s.database).budget;
  const uint64_t base = budget.used(MemoryUse::kQueries);

  const Hostile statements[] = {
      {"UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c CREATE ()", Code::kResourceExhausted},
      {"RETURN size([x IN range(1, 100000) | [y IN range(1, 100000) | 1]])", Code::kResourceExhausted},
      {"RETURN size(range(0, 30000000))", Code::kResourceExhausted},
      {"UNWIND range(1, 9223372036854775807) AS x RETURN x LIMIT 3", Code::kOk},
      {"UNWIND range(1, 2000) AS a UNWIND range(1, 2000) AS b WITH collect([a, b]) AS l RETURN size(l) LIMIT 1", Code::kResourceExhausted},
      {"MATCH (a:Leaf), (b:Leaf) WITH collect({a: a, b: b}) AS l RETURN l[0] LIMIT 1", Code::kResourceExhausted},
      {"UNWIND range(1, 400000) AS a WITH a ORDER BY -a RETURN count(a)", Code::kOk},
      {"UNWIND range(1, 150000) AS a WITH DISTINCT toString(a) AS t RETURN count(t)", Code::kOk},
      {"UNWIND range(1, 100000) AS a WITH toString(a) AS k, count(*) AS c RETURN sum(c)", Code::kOk},
      {"UNWIND range(1, 3000) AS a UNWIND range(1, 1000) AS b RETURN count(DISTINCT a * 1000 + b)", Code::kResourceExhausted},
      {"UNWIND range(1, 5000) AS a UNWIND range(1, 1000) AS b RETURN percentileCont(a * b, 0.5)", Code::kResourceExhausted},
      {"UNWIND range(1, 100) AS a RETURN max(reduce(s = 'x', i IN range(1, 14) | s + s) + a)", Code::kOk},
      {"MATCH (a:K)-[r:R*1..30]->(b:K) RETURN r LIMIT 2000", Code::kOk},
      {"MATCH (a:K)-[r:R*]->(b:K) WHERE a.i = 1 WITH collect(r) AS l RETURN size(l)", Code::kResourceExhausted},
      {"MATCH p = allShortestPaths((a:G {x: 0, y: 0})-[:D*]->(b:G {x: 19, y: 19})) RETURN count(p)", Code::kResourceExhausted},
      {"MATCH p = allShortestPaths((a:G {x: 0, y: 0})-[:D*]->(b:G {x: 5, y: 5})) RETURN count(p)", Code::kOk},
      {"RETURN size(reduce(s = 'ab', i IN range(1, 40) | s + s))", Code::kResourceExhausted},
      {"RETURN size(reduce(l = [1], i IN range(1, 40) | l + l))", Code::kResourceExhausted},
      {"WITH reduce(s = 'a', i IN range(1, 20) | s + s) AS s RETURN size(replace(s, 'a', s))", Code::kResourceExhausted},
      {"WITH reduce(s = 'a,', i IN range(1, 20) | s + s) AS s RETURN size(split(s, ','))", Code::kResourceExhausted},
      {"WITH reduce(s = '[],', i IN range(1, 19) | s + s) AS s RETURN size(apoc.convert.fromJsonList('[' + s + '1]'))", Code::kResourceExhausted},
      {"UNWIND range(1, 1000) AS x WITH range(1, 20000 + x) AS a RETURN sum(size(a))", Code::kResourceExhausted},
      {"UNWIND range(1, 300) AS x WITH range(1, 2500 + x) AS a, range(2, 2500 + x) AS b, range(3, 2500 + x) AS c RETURN sum(size(a))",
       Code::kResourceExhausted},
      {"RETURN size(COLLECT { UNWIND range(1, 3000000) AS x RETURN toString(x) })", Code::kResourceExhausted},
      {"MATCH (a:Leaf), (b:Leaf) WITH a, b LIMIT 200000 RETURN size(collect(a))", Code::kOk},
      {"MATCH (h:Hub)-->(l) WITH collect(l) AS ls UNWIND range(1, 6) AS i RETURN [x IN ls | x], i", Code::kOk},
      {"RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+$'", Code::kOk},
      {"MATCH (a:Leaf), (b:Leaf) WHERE a.text = b.text WITH a, b LIMIT 100000 RETURN count(*)", Code::kOk},
      {"UNWIND range(1, 40) AS a CALL (a) { UNWIND range(1, 5000) AS b RETURN collect(b) AS l } RETURN sum(size(l))", Code::kOk},
  };
  for (const Hostile& hostile : statements) {
    CAPTURE(hostile.text);
    malloc_trim(0);
    const uint64_t start = MonotonicNanos();
    ResidentWatch watch;
    Status status;
    {
      auto cursor = s.connection->Execute(hostile.text);
      status = cursor.status();
      std::vector<Row> rows;
      while (status.ok() && !(*cursor)->done()) {
        rows.clear();
        status = (*cursor)->Fetch(10, &rows);
      }
    }
    const uint64_t growth = watch.Growth();
    INFO(status.ToString());
    INFO("grew by " << growth / kMiB << " MiB in " << (MonotonicNanos() - start) / 1000000 << " ms");
    CHECK(status.code() == hostile.code);
    if (!kSanitized) CHECK(growth <= kLimit + 64 * kMiB);
    CHECK(budget.used(MemoryUse::kQueries) == base);
    CHECK(s.One("RETURN 1") == "1");
  }
}

TEST_CASE("a result that nobody takes holds next to nothing, and 1,000 of them stay within the budget") {
  DatabaseOptions options;
  options.memory_bytes_max = 64 * kMiB;
  Session s(":memory:", options);
  std::vector<std::unique_ptr<Connection>> connections;
  std::vector<std::unique_ptr<Cursor>> cursors;
  for (int i = 0; i < 1000; i++) {
    connections.push_back(s.database->Connect());
    REQUIRE(connections.back()->Begin().ok());
    auto cursor = connections.back()->Execute("UNWIND range(1, 1000000) AS x RETURN x, toString(x) AS t");
    REQUIRE(cursor.ok());
    std::vector<Row> rows;
    REQUIRE((*cursor)->Fetch(1, &rows).ok());
    cursors.push_back(std::move(*cursor));
  }
  CHECK(engine::CoreOf(*s.database).budget->total() < 64 * kMiB);
  CHECK(s.One("RETURN 1") == "1");
  cursors.clear();
  connections.clear();
}

}  // namespace fornix::test
