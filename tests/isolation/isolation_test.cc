// F10: concurrent transactions through the public interface: list-append histories, unique keys and MERGE, 8 writers.
// Counts: 15,000 transactions, 30,000 with FORNIX_MANY, 150,000 with FORNIX_LONG.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/fault_file.h"
#include "base/random.h"
#include "engine/api/database_impl.h"
#include "tests/bolt/served_database.h"
#include "tests/counts.h"
#include "tests/isolation/history.h"

namespace {

using namespace fornix;
using namespace fornix::isolation;

constexpr int kWriters = 8;
constexpr int64_t kKeys = 8;
constexpr int kRoundTransactions = 3000;   // of one history: the lists, and the checker's table, stay small

int Transactions() { return static_cast<int>(fornix::Counted(15'000, 30'000, 150'000)); }
uint64_t Seed() {
  const char* seed = std::getenv("FORNIX_SEED");
  uint64_t value = seed ? std::strtoull(seed, nullptr, 10) : MonotonicNanos();
  WARN("seed=" << value << " rerun: ./dev test isolation --seed=" << value);
  return value;
}

struct Errors {
  std::mutex mutex;
  std::vector<std::string> all;
  void Add(std::string text) {
    std::lock_guard lock(mutex);
    all.push_back(std::move(text));
  }
};

std::vector<int64_t> Integers(const Value& list) {
  std::vector<int64_t> out;
  for (const Value& v : list.AsList()) out.push_back(v.AsInteger());
  return out;
}

// With FORNIX_BOLT everything but the setting up goes over the network.
std::unique_ptr<Database> Served(std::unique_ptr<Database> database) {
  return std::getenv("FORNIX_BOLT") == nullptr ? std::move(database) : std::make_unique<bolt::ServedDatabase>(std::move(database));
}
std::unique_ptr<Database> OpenMemory() {
  auto database = Database::Open(":memory:");
  REQUIRE(database.ok());
  return Served(std::move(*database));
}
void Must(Connection& connection, std::string_view text, const Map& parameters = {}) {
  auto rows = connection.Query(text, parameters);
  INFO(text << ": " << rows.status().ToString());
  REQUIRE(rows.ok());
}

// One try of a transaction that reads some keys and appends to some. The status of whatever failed first.
Status TryOnce(Connection& connection, Random& random, int64_t first_key, std::atomic<int64_t>& next_value,
               CommittedTransaction* out, std::vector<int64_t>* used) {
  out->began_ns = MonotonicNanos();
  RETURN_IF_ERROR(connection.Begin());
  std::set<int64_t> touched;
  int steps = 1 + static_cast<int>(random.Below(3));
  for (int i = 0; i < steps; ++i) {
    int64_t key = first_key + static_cast<int64_t>(random.Below(kKeys));
    if (!touched.insert(key).second) continue;
    Map parameters({{"k", Value(key)}});
    ASSIGN_OR_RETURN(auto rows, connection.Query("MATCH (r:Register {key: $k}) RETURN r.values", parameters));
    out->reads.push_back({key, Integers(rows.at(0).at(0))});
    if (random.Below(3) == 0) continue;   // a read alone
    int64_t value = next_value.fetch_add(1);
    used->push_back(value);
    parameters.Set("v", Value(value));
    ASSIGN_OR_RETURN(auto written, connection.Query("MATCH (r:Register {key: $k}) SET r.values = r.values + $v RETURN r.values", parameters));
    if (Integers(written.at(0).at(0)).back() != value) return Status(Code::kInternal, "an own write was not seen");
    out->appends.emplace_back(key, value);
  }
  ASSIGN_OR_RETURN(uint64_t lsn, connection.Commit());
  (void)lsn;
  out->ended_ns = MonotonicNanos();
  return Status::Ok();
}

}  // namespace

namespace {

struct Tally {
  size_t committed = 0, conflicts = 0;
};

// One history: kWriters threads, `transactions` tries at kKeys registers, checked for cycles.
Tally CheckOneHistory(Database& database, uint64_t seed, int64_t first_key, int transactions) {
  auto setup = database.Connect();
  Must(*setup, "UNWIND range($first, $first + $n - 1) AS k CREATE (:Register {key: k, values: []})",
       Map({{"first", Value(first_key)}, {"n", Value(kKeys)}}));
  std::atomic<int64_t> next_value{1};
  std::atomic<int> left{transactions};
  std::mutex mutex;
  std::vector<CommittedTransaction> history;
  std::vector<int64_t> aborted;
  Errors errors;
  std::atomic<size_t> conflicts{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      Random random(seed + static_cast<uint64_t>(w));
      auto connection = database.Connect();
      while (left.fetch_sub(1) > 0) {
        CommittedTransaction transaction;
        std::vector<int64_t> used;
        Status status = TryOnce(*connection, random, first_key, next_value, &transaction, &used);
        (void)connection->Rollback();
        std::lock_guard lock(mutex);
        if (status.ok()) {
          history.push_back(std::move(transaction));
          continue;
        }
        aborted.insert(aborted.end(), used.begin(), used.end());
        if (status.retryable()) conflicts.fetch_add(1);
        else errors.Add(status.ToString());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& e : errors.all) UNSCOPED_INFO(e);
  REQUIRE(errors.all.empty());

  std::map<int64_t, std::vector<int64_t>> final_lists;
  auto rows = setup->Query("MATCH (r:Register) WHERE r.key >= " + std::to_string(first_key) + " RETURN r.key, r.values");
  REQUIRE(rows.ok());
  for (const Row& row : *rows) final_lists[row[0].AsInteger()] = Integers(row[1]);
  std::vector<std::string> problems = CheckHistory(history, final_lists, aborted);
  for (const std::string& p : problems) UNSCOPED_INFO("seed " << seed << ": " << p);
  CHECK(problems.empty());
  return {history.size(), conflicts.load()};
}

}  // namespace

TEST_CASE("list-append histories of concurrent transactions show no anomaly beyond snapshot isolation, checkpoints or not") {
  const uint64_t seed = Seed();
  FaultFileSystem disk;
  DatabaseOptions options;
  options.log_segment_bytes = 64 << 10;
  auto opened = engine::OpenDatabase(disk, "x.fornix", options, engine::DefaultCatalog());
  REQUIRE(opened.ok());
  const std::unique_ptr<Database> database = Served(std::move(*opened));
  Must(*database->Connect(), "CREATE CONSTRAINT register_key FOR (r:Register) REQUIRE r.key IS UNIQUE");
  Tally tally;
  // Checkpoints one behind the other, while the histories run.
  std::atomic<bool> stop{false};
  Status failed;
  int checkpoints = 0;
  std::thread checkpointer([&] {
    while (!stop && failed.ok()) {
      failed = database->Checkpoint().status();
      ++checkpoints;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const int rounds = Transactions() / kRoundTransactions;
  for (int round = 0; round < rounds; ++round) {
    const Tally one = CheckOneHistory(*database, seed + static_cast<uint64_t>(round) * 100, round * kKeys, kRoundTransactions);
    tally.committed += one.committed;
    tally.conflicts += one.conflicts;
  }
  stop = true;
  checkpointer.join();
  CHECK(failed.ok());
  CHECK(checkpoints > rounds);
  std::printf("F10: %zu transactions committed, %zu refused, %d histories, %d checkpoints meanwhile\n", tally.committed, tally.conflicts, rounds,
              checkpoints);
  CHECK(tally.committed > static_cast<size_t>(Transactions() / 10));
  CHECK(tally.conflicts > 0);   // else the test proves nothing
}

TEST_CASE("the history checker finds a lost update, a fractured read and a stale snapshot") {
  std::map<int64_t, std::vector<int64_t>> lists{{0, {1, 2}}, {1, {3}}};
  // T0 appends 1 to key 0; T1 read key 0 empty as well and appends 2: a lost update (both read the same version).
  std::vector<CommittedTransaction> lost = {{10, 20, {{0, {}}}, {{0, 1}}}, {11, 21, {{0, {}}}, {{0, 2}}}, {30, 40, {}, {{1, 3}}}};
  CHECK(!CheckHistory(lost, lists, {}).empty());
  std::vector<CommittedTransaction> good = {{10, 20, {{0, {}}}, {{0, 1}}}, {21, 29, {{0, {1}}}, {{0, 2}}}, {30, 40, {}, {{1, 3}}}};
  CHECK(CheckHistory(good, lists, {}).empty());
  std::vector<CommittedTransaction> stale = good;
  stale.push_back({50, 60, {{0, {1}}}, {}});             // began after T1 ended and doesn't see it
  CHECK(!CheckHistory(stale, lists, {}).empty());
  CHECK(!CheckHistory(good, lists, {2}).empty());        // a value of an aborted transaction is there
}

TEST_CASE("a unique key is taken by one of many concurrent writers") {
  auto database = OpenMemory();
  auto setup = database->Connect();
  Must(*setup, "CREATE CONSTRAINT email FOR (a:Account) REQUIRE a.email IS UNIQUE");
  std::atomic<int> created{0};
  Errors errors;
  constexpr int kEmails = 300;
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      auto connection = database->Connect();
      for (int i = 0; i < kEmails; ++i) {
        Map parameters({{"e", Value("user" + std::to_string(i) + "@example.org")}, {"w", Value(static_cast<int64_t>(w))}});
        auto rows = connection->Query("CREATE (:Account {email: $e, writer: $w})", parameters);
        if (rows.ok()) created.fetch_add(1);
        else if (rows.status().code() != Code::kConstraintViolation) errors.Add(rows.status().ToString());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& e : errors.all) UNSCOPED_INFO(e);
  CHECK(errors.all.empty());
  CHECK(created.load() == kEmails);
  auto rows = setup->Query("MATCH (a:Account) WITH a.email AS email, count(*) AS n RETURN count(*), max(n)");
  REQUIRE(rows.ok());
  CHECK((*rows)[0][0] == Value(static_cast<int64_t>(kEmails)));
  CHECK((*rows)[0][1] == Value(static_cast<int64_t>(1)));
}

TEST_CASE("concurrent MERGE makes no duplicate node and no duplicate relationship, without any constraint") {
  auto database = OpenMemory();
  auto setup = database->Connect();
  Must(*setup, "UNWIND range(0, 9) AS i CREATE (:Hub {id: i})");
  Errors errors;
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      auto connection = database->Connect();
      for (int i = 0; i < 300; ++i) {
        Map parameters({{"i", Value(static_cast<int64_t>(i / 3))}, {"a", Value(static_cast<int64_t>(i % 10))},
                        {"b", Value(static_cast<int64_t>(i / 10 % 10))}, {"w", Value(static_cast<int64_t>(w))}});
        for (const char* text : {"MERGE (t:Tag {name: $i}) ON CREATE SET t.by = $w",
                                 "MATCH (a:Hub {id: $a}), (b:Hub {id: $b}) MERGE (a)-[r:KNOWS]->(b) ON CREATE SET r.by = $w"}) {
          Result<std::vector<Row>> rows = connection->Query(text, parameters);
          for (int retry = 0; !rows.ok() && rows.status().retryable() && retry < 100; ++retry) rows = connection->Query(text, parameters);
          if (!rows.ok()) errors.Add(rows.status().ToString());
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& e : errors.all) UNSCOPED_INFO(e);
  CHECK(errors.all.empty());
  auto tags = setup->Query("MATCH (t:Tag) RETURN count(*), count(DISTINCT t.name)");
  REQUIRE(tags.ok());
  CHECK((*tags)[0][0] == Value(static_cast<int64_t>(100)));
  CHECK((*tags)[0][1] == Value(static_cast<int64_t>(100)));
  auto known = setup->Query("MATCH (a)-[r:KNOWS]->(b) WITH a, b, count(*) AS n RETURN max(n)");
  REQUIRE(known.ok());
  CHECK((*known)[0][0] == Value(static_cast<int64_t>(1)));
}

TEST_CASE("a reader's snapshot stays what it was while writers go on") {
  auto database = OpenMemory();
  auto writer = database->Connect();
  auto reader = database->Connect();
  Must(*writer, "CREATE (:Counter {n: 0})");
  REQUIRE(reader->Begin().ok());
  auto before = reader->Query("MATCH (c:Counter) RETURN c.n");
  for (int i = 0; i < 50; ++i) Must(*writer, "MATCH (c:Counter) WITH c ORDER BY c.n LIMIT 1 SET c.n = c.n + 1 CREATE (:Counter {n: 100})");
  auto after = reader->Query("MATCH (c:Counter) RETURN c.n");
  REQUIRE((before.ok() && after.ok()));
  CHECK(*before == *after);
  REQUIRE(reader->Commit().ok());
  auto now = reader->Query("MATCH (c:Counter) RETURN count(*)");
  REQUIRE(now.ok());
  CHECK((*now)[0][0].AsInteger() > 1);
}

TEST_CASE("any number of writers add relationships to one hub and none of them ever loses") {
  auto database = OpenMemory();
  auto setup = database->Connect();
  Must(*setup, "CREATE (:Hub)");
  Must(*setup, "UNWIND range(1, 200) AS i CREATE (:Leaf {i: i})");
  Errors errors;
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      auto connection = database->Connect();
      for (int i = 0; i < 100; ++i) {
        // Explicit, so that nothing is tried again unseen; both directions, one type or several.
        Map parameters({{"i", Value(static_cast<int64_t>(i % 200 + 1))}, {"w", Value(static_cast<int64_t>(w))}});
        Status status = connection->Begin();
        for (const char* text : {"MATCH (h:Hub) MATCH (l:Leaf {i: $i}) CREATE (h)-[:HAS {w: $w}]->(l)",
                                 "MATCH (h:Hub) CREATE (:New {w: $w})-[:TO]->(h)"}) {
          if (status.ok()) status = connection->Execute(text, parameters).status();
        }
        if (status.ok()) status = connection->Commit().status();
        if (!status.ok()) errors.Add(status.ToString());
        (void)connection->Rollback();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& e : errors.all) UNSCOPED_INFO(e);
  CHECK(errors.all.empty());
  auto rows = setup->Query("MATCH (h:Hub) RETURN COUNT { (h)-[:HAS]->() }, COUNT { (h)<-[:TO]-() }");
  REQUIRE(rows.ok());
  CHECK((*rows)[0][0] == Value(static_cast<int64_t>(kWriters * 100)));
  CHECK((*rows)[0][1] == Value(static_cast<int64_t>(kWriters * 100)));
}

TEST_CASE("a conflict names both transactions, the element and the statement; an auto-commit statement is tried again unseen") {
  auto database = OpenMemory();
  auto first = database->Connect(), second = database->Connect();
  Must(*first, "CREATE (:Account {name: 'a', n: 0})");
  const std::string text = "MATCH (a:Account) SET a.n = a.n + 10";
  REQUIRE(second->Begin().ok());
  Must(*second, "CREATE (:Other)");
  Must(*second, text);
  Must(*second, "CREATE (:Last)");
  Must(*first, "MATCH (a:Account) SET a.n = a.n + 1");
  const Status lost = second->Commit().status();
  CHECK(lost.code() == Code::kTransactionConflict);
  CHECK(lost.retryable());
  INFO(lost.message());
  CHECK(lost.message().find("transaction ") != std::string::npos);            // ours, with its snapshot
  CHECK(lost.message().find("snapshot ") != std::string::npos);
  CHECK(lost.message().find("commit at timestamp ") != std::string::npos);    // theirs
  CHECK(lost.message().find("node 0 (:Account)") != std::string::npos);
  CHECK(lost.message().ends_with("the statement was: " + text));
  (void)second->Rollback();
  CHECK(first->Query("MATCH (a:Account) RETURN a.n").value()[0][0] == Value(int64_t{1}));

  // A long statement is named by its beginning, which ends between two characters wherever they lie.
  for (const char* shift : {"", "x", "xx"}) {
    std::string note = shift;
    for (int i = 0; i < 100; ++i) note += "\u20ac";
    REQUIRE(second->Begin().ok());
    Must(*second, "MATCH (a:Account) SET a.note = '" + note + "'");
    Must(*first, "MATCH (a:Account) SET a.other = 1");
    const std::string message = second->Commit().status().message();
    INFO(message);
    REQUIRE(message.ends_with("\u20ac..."));
    CHECK(message.find("the statement was: MATCH (a:Account) SET a.note = '" + std::string(shift)) != std::string::npos);
    (void)second->Rollback();
  }

  // Eight sessions at one counter: each increment arrives, though nearly all of them lose at least once.
  Errors errors;
  std::atomic<int64_t> added{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&] {
      auto connection = database->Connect();
      for (int i = 0; i < 50; ++i) {
        const Status status = connection->Query("MATCH (a:Account) SET a.n = a.n + 1").status();
        if (status.ok()) added.fetch_add(1);
        else if (!status.retryable()) errors.Add(status.ToString());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(errors.all.empty());
  CHECK(first->Query("MATCH (a:Account) RETURN a.n").value()[0][0] == Value(int64_t{1 + added.load()}));
}

TEST_CASE("an error inside a transaction dooms it: every later statement says so until ROLLBACK") {
  auto database = OpenMemory();
  auto connection = database->Connect();
  REQUIRE(connection->Begin().ok());
  Must(*connection, "CREATE (:A)");
  CHECK(!connection->Query("RETURN 1 / 0").ok());
  for (const char* text : {"RETURN 1", "CREATE (:B)", "MATCH (n) RETURN n"}) {
    const Status status = connection->Query(text).status();
    CHECK(status.code() == Code::kTransactionClosed);
    CHECK(status.message().find("until ROLLBACK") != std::string::npos);
    CHECK(status.message().find("division by zero") != std::string::npos);
  }
  CHECK(connection->Commit().status().code() == Code::kTransactionClosed);
  CHECK(connection->Rollback().ok());
  CHECK(connection->Query("MATCH (n) RETURN count(*)").value()[0][0] == Value(int64_t{0}));
}
