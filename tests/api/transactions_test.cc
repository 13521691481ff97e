// Statements and transactions as a program meets them: several open results, writes beside them, doomed transactions, what a clause
// sees of the clauses before it, at every batch size.
#include <atomic>
#include <filesystem>
#include <thread>
#include <unistd.h>

#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

Strings RowsAt(Session& s, uint32_t batch, const std::string& text) {
  ExecuteOptions options;
  options.batch_rows = batch;
  auto cursor = s.connection->Execute(text, {}, options);
  INFO(text << ": " << cursor.status().ToString());
  REQUIRE(cursor.ok());
  std::vector<Row> rows;
  while (!(*cursor)->done()) {
    Status status = (*cursor)->Fetch(3, &rows);
    INFO(text << ": " << status.ToString());
    REQUIRE(status.ok());
  }
  Strings out;
  for (const Row& row : rows) {
    std::string line;
    for (const Value& v : row) line += (line.empty() ? "" : " | ") + ToText(v);
    out.push_back(line);
  }
  return out;
}

}  // namespace

TEST_CASE("a clause sees exactly what the clauses before it wrote, at batch sizes 1, 64 and 1,024") {
  for (uint32_t batch : {1u, 64u, 1024u, 0u}) {
    INFO("batch " << batch);
    Session s;
    s.Run("UNWIND range(1, 100) AS i CREATE (:A {i: i})");
    CHECK(RowsAt(s, batch, "MATCH (n:A) CREATE (m:A {i: n.i + 100}) RETURN count(*)") == Strings{"100"});
    CHECK(s.One("MATCH (n:A) RETURN count(*)") == "200");
    CHECK(RowsAt(s, batch, "UNWIND [1, 2] AS x CREATE (:B) WITH x MATCH (n:B) RETURN count(*)") == Strings{"4"});
    CHECK(RowsAt(s, batch, "UNWIND [1, 2, 1, 2, 3] AS x MERGE (t:T {x: x}) RETURN count(DISTINCT t)") == Strings{"3"});
    CHECK(RowsAt(s, batch, "MATCH (t:T) SET t.y = t.x WITH t MATCH (u:T) WHERE u.y = t.x RETURN count(*)") == Strings{"3"});
    CHECK(RowsAt(s, batch, "MATCH (t:T {x: 1}), (u:T) SET t.sum = coalesce(t.sum, 0) + u.x RETURN DISTINCT t.sum") == Strings{"6"});
    CHECK(RowsAt(s, batch, "MATCH (t:T {x: 2}) SET t.a = 1, t.b = t.a + 1, t.a = t.b + 1 RETURN t.a, t.b") == Strings{"3 | 2"});
    CHECK(RowsAt(s, batch, "MATCH (t:T) DETACH DELETE t WITH count(*) AS gone OPTIONAL MATCH (t:T) RETURN gone, count(t)") == Strings{"3 | 0"});
    CHECK(RowsAt(s, batch, "UNWIND [1, 2, 3] AS i CALL (i) { CREATE (c:C {i: i}) RETURN c } WITH i MATCH (c:C) RETURN count(*)") == Strings{"9"});
  }
}

TEST_CASE("several results of one transaction are open at once and each keeps what it saw") {
  Session s;
  s.Run("UNWIND range(1, 10) AS i CREATE (:N {i: i})");
  REQUIRE(s.connection->Begin().ok());
  auto one = s.connection->Execute("MATCH (n:N) RETURN n.i ORDER BY n.i");
  auto two = s.connection->Execute("UNWIND range(1, 5) AS x RETURN x");
  REQUIRE((one.ok() && two.ok()));
  std::vector<Row> first, second;
  REQUIRE((*one)->Fetch(2, &first).ok());
  REQUIRE((*two)->Fetch(1, &second).ok());
  s.Run("MATCH (n:N) SET n.i = n.i + 1000");
  s.Run("CREATE (:N {i: -1})");
  while (!(*one)->done()) REQUIRE((*one)->Fetch(3, &first).ok());
  while (!(*two)->done()) REQUIRE((*two)->Fetch(3, &second).ok());
  REQUIRE(first.size() == 10);
  REQUIRE(second.size() == 5);
  for (int i = 0; i < 10; ++i) CHECK(first[static_cast<size_t>(i)][0] == Value(i + 1));
  REQUIRE(s.connection->Commit().ok());
}

TEST_CASE("an error dooms a transaction until it is rolled back") {
  Session s;
  REQUIRE(s.connection->Begin().ok());
  s.Run("CREATE (:N)");
  (void)s.Error("RETURN 1 / 0 AS x");
  Status later = s.Error("RETURN 1");
  CHECK(later.code() == Code::kTransactionClosed);
  CHECK(later.message().find("ROLLBACK") != std::string::npos);
  CHECK(!s.connection->Commit().ok());
  CHECK(!s.connection->in_transaction());
  CHECK(s.One("MATCH (n:N) RETURN count(*)") == "0");
}

TEST_CASE("a failing statement outside a transaction leaves nothing behind") {
  Session s;
  (void)s.Error("UNWIND [1, 2, 0] AS x CREATE (:N {y: 6 / x})");
  CHECK(s.One("MATCH (n) RETURN count(*)") == "0");
}

TEST_CASE("an explicit transaction is seen by others after the commit alone") {
  Session s;
  auto other = s.database->Connect();
  auto count = [&] { return (*other->Query("MATCH (n:N) RETURN count(*)"))[0][0].AsInteger(); };
  REQUIRE(s.connection->Begin().ok());
  s.Run("CREATE (:N)");
  CHECK(s.One("MATCH (n:N) RETURN count(*)") == "1");
  CHECK(count() == 0);
  REQUIRE(s.connection->Commit().ok());
  CHECK(count() == 1);
}

TEST_CASE("of two transactions that change the same node the first to commit wins and the other may run again") {
  Session s;
  s.Run("CREATE (:N {x: 0})");
  auto other = s.database->Connect();
  REQUIRE(s.connection->Begin().ok());
  REQUIRE(other->Begin().ok());
  s.Run("MATCH (n:N) SET n.x = 1");
  REQUIRE(other->Query("MATCH (n:N) SET n.x = 2").ok());
  REQUIRE(other->Commit().ok());
  Result<uint64_t> lost = s.connection->Commit();
  REQUIRE(!lost.ok());
  CHECK(lost.status().code() == Code::kTransactionConflict);
  CHECK(lost.status().retryable());
  CHECK(s.One("MATCH (n:N) RETURN n.x") == "2");
}

TEST_CASE("relationships at one node are added by many at once without conflict") {
  Session s;
  s.Run("CREATE (:Hub)");
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      auto connection = s.database->Connect();
      for (int i = 0; i < 50; ++i) {
        if (!connection->Begin().ok() || !connection->Query("MATCH (h:Hub) CREATE (h)-[:HAS]->(:Leaf)").ok() || !connection->Commit().ok()) failed.fetch_add(1);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(failed.load() == 0);
  CHECK(s.One("MATCH (h:Hub)-[:HAS]->(l) RETURN count(l)") == "200");
}

TEST_CASE("a commit without waiting calls back once and is there") {
  Session s;
  REQUIRE(s.connection->Begin().ok());
  s.Run("CREATE (:N)");
  std::atomic<int> calls{0};
  std::atomic<bool> ok{false};
  s.connection->CommitAsync([&](Result<uint64_t> result) {
    ok = result.ok();
    calls.fetch_add(1);
  });
  for (int i = 0; i < 5000 && calls.load() == 0; ++i) usleep(1000);
  CHECK(calls.load() == 1);
  CHECK(ok.load());
  CHECK(s.One("MATCH (n:N) RETURN count(*)") == "1");
}

TEST_CASE("cancel and deadline end a statement that would run for ever") {
  Session s;
  const char* endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a + b < 0 RETURN count(*)";
  ExecuteOptions options;
  options.timeout = std::chrono::milliseconds(100);
  auto cursor = s.connection->Execute(endless, {}, options);
  std::vector<Row> rows;
  Status status = cursor.ok() ? (*cursor)->Fetch(1, &rows) : cursor.status();
  CHECK(status.code() == Code::kDeadlineExceeded);
  std::thread canceller([&] {
    usleep(100000);
    s.connection->Cancel();
  });
  auto again = s.connection->Execute(endless);
  status = again.ok() ? (*again)->Fetch(1, &rows) : again.status();
  canceller.join();
  CHECK(status.code() == Code::kCancelled);
  CHECK(s.One("RETURN 1") == "1");
}

TEST_CASE("a statement over its memory limit fails alone and by name") {
  Session s;
  ExecuteOptions options;
  options.memory_bytes_max = 8 << 20;
  auto cursor = s.connection->Execute("UNWIND range(1, 3000000) AS x WITH collect(toString(x)) AS all RETURN size(all)", {}, options);
  std::vector<Row> rows;
  Status status = cursor.ok() ? (*cursor)->Fetch(1, &rows) : cursor.status();
  INFO(status.ToString());
  CHECK(status.code() == Code::kResourceExhausted);
  CHECK(s.One("RETURN 1") == "1");
}

TEST_CASE("a read-only transaction refuses every writing clause") {
  Session s;
  s.Run("CREATE (:N)");
  for (const char* text : {"CREATE (:N)", "MATCH (n) SET n.x = 1", "MATCH (n) DELETE n", "MERGE (:M)", "MATCH (n) REMOVE n:N",
                           "CREATE INDEX i FOR (n:N) ON (n.x)", "UNWIND [1] AS x CALL (x) { CREATE (:N) } RETURN x"}) {
    TransactionOptions options;
    options.read_only = true;
    REQUIRE(s.connection->Begin(options).ok());
    CHECK(s.Error(text).code() == Code::kReadOnly);
    REQUIRE(s.connection->Rollback().ok());
  }
}

TEST_CASE("what was committed is there after closing and opening again") {
  std::string folder = std::filesystem::temp_directory_path() / ("fornix-api-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (bool compact : {true, false}) {
    std::string path = folder + (compact ? "/a.fornix" : "/b.fornix");
    DatabaseOptions options;
    options.checkpoint_on_close = compact;
    std::string before;
    {
      Session s(path, options);
      s.Run("CREATE CONSTRAINT k FOR (n:N) REQUIRE n.k IS UNIQUE");
      s.Run("CREATE (a:N {k: 1, when: date('2026-01-02'), list: [1, 2.5], text: 'ä'})-[:T {p: duration('P1D')}]->(:M:L {q: point({x: 1, y: 2})})");
      s.Run("CREATE (:N {k: 2}) CREATE (:N {k: 3})");
      s.Run("MATCH (n:N {k: 2}) DELETE n");
      before = s.One("MATCH (n:N)-[t:T]->(m) RETURN n, t, m");
    }
    Session s(path, options);
    CHECK(s.One("MATCH (n:N)-[t:T]->(m) RETURN n, t, m") == before);
    CHECK(s.One("MATCH (n:N) RETURN count(*)") == "2");
    CHECK(s.Error("CREATE (:N {k: 3})").code() == Code::kConstraintViolation);
    s.Run("CREATE (:N {k: 2})");
    auto second = Database::Open(path, options);
    CHECK(!second.ok());
    CHECK(second.status().code() == Code::kBusy);
  }
  std::filesystem::remove_all(folder);
}
