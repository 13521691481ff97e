// Indexes and rules over more data than one commit looks at: made beside other commits, wholly or not at all.
#include <atomic>
#include <filesystem>
#include <thread>
#include <unistd.h>

#include "base/fault_file.h"
#include "base/limits.h"
#include "engine/api/database_impl.h"
#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

constexpr int64_t kNodes = static_cast<int64_t>(kOnlineSchemaElements) + 2000;

struct OnDisk {
  FaultFileSystem disk;
  std::unique_ptr<Database> database;
  std::unique_ptr<Connection> connection;
  OnDisk() {
    REQUIRE(disk.CreateDir("d").ok());
    REQUIRE(disk.SyncDir(".").ok());
    Open(disk);
  }
  void Open(FileSystem& files) {
    connection.reset();
    database.reset();
    auto opened = engine::OpenDatabase(files, "d/x.fornix", {}, engine::DefaultCatalog());
    INFO(opened.status().ToString());
    REQUIRE(opened.ok());
    database = std::move(*opened);
    connection = database->Connect();
  }
  Status Try(const std::string& text) { return connection->Query(text).status(); }
  void Run(const std::string& text) {
    const Status status = Try(text);
    INFO(text << ": " << status.ToString());
    REQUIRE(status.ok());
  }
  int64_t Count(const std::string& text) {
    auto rows = connection->Query(text);
    INFO(text << ": " << rows.status().ToString());
    REQUIRE(rows.ok());
    return (*rows)[0][0].AsInteger();
  }
  void Fill() {
    Run("UNWIND range(1, " + std::to_string(kNodes) + ") AS i CREATE (:A {x: i, y: i % 10, e: [1.0 * (i % 7), 1.0, 0.5]})");
    REQUIRE(database->Checkpoint().ok());
  }
};

}  // namespace

TEST_CASE("an index over much data is made while others write, and then holds what the nodes say") {
  OnDisk db;
  db.Fill();
  std::atomic<bool> stop{false};
  std::atomic<int> written{0}, failed{0};
  std::thread writer([&] {
    auto connection = db.database->Connect();
    for (int64_t i = 1; !stop; ++i) {
      const Map parameters({{"i", Value(i)}, {"n", Value(kNodes + i)}});
      failed += !connection->Query("MATCH (a:A {x: $i}) SET a.x = -$i", parameters).ok();
      failed += !connection->Query("CREATE (:A {x: $n})", parameters).ok();
      ++written;
    }
  });
  while (written == 0) std::this_thread::yield();
  const Status made = db.Try("CREATE INDEX ax FOR (a:A) ON (a.x)");
  CHECK(made.ok());
  const Status unique = db.Try("DROP INDEX ax").ok() ? db.Try("CREATE CONSTRAINT ax FOR (a:A) REQUIRE a.x IS UNIQUE") : Status::Ok();
  const Status again = db.Try("CREATE INDEX ay FOR (a:A) ON (a.y)");
  stop = true;
  writer.join();
  INFO(unique.ToString() << again.ToString());
  REQUIRE((unique.ok() && again.ok()));
  CHECK(failed == 0);
  const int64_t all = db.Count("MATCH (a:A) RETURN count(*)");
  CHECK(all == kNodes + written);
  for (int reopened = 0; reopened < 2; ++reopened) {
    INFO("reopened " << reopened);
    CHECK(db.Count("SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE' RETURN count(*)") == 0);
    CHECK(db.Count("MATCH (a:A) WHERE a.x < 0 RETURN count(*)") == written);
    CHECK(db.Count("MATCH (a:A) WHERE a.x > " + std::to_string(kNodes) + " RETURN count(*)") == written);
    CHECK(db.Count("MATCH (a:A) WHERE a.y = 3 RETURN count(*)") == kNodes / 10);
    CHECK(db.Count("MATCH (a:A) WHERE a.x IS NOT NULL RETURN count(*)") == all);
    CHECK(db.Count("MATCH (a:A {x: " + std::to_string(kNodes) + "}) RETURN count(*)") == 1);
    CHECK_FALSE(db.Try("CREATE (:A {x: " + std::to_string(kNodes) + "})").ok());
    if (reopened == 0) {
      db.connection.reset();
      REQUIRE(db.database->Close().ok());
      db.Open(db.disk);
    }
  }
}

TEST_CASE("a rule that much data breaks is refused with two of those who break it, and leaves nothing behind") {
  OnDisk db;
  db.Fill();
  const Status unique = db.Try("CREATE CONSTRAINT c FOR (a:A) REQUIRE a.y IS UNIQUE");
  CHECK(unique.code() == Code::kConstraintViolation);
  INFO(unique.message());
  CHECK(unique.message().find("y") != std::string::npos);
  const Status missing = db.Try("CREATE CONSTRAINT c FOR (a:A) REQUIRE a.z IS NOT NULL");
  CHECK(missing.code() == Code::kConstraintViolation);
  const Status type = db.Try("CREATE CONSTRAINT c FOR (a:A) REQUIRE a.x IS :: STRING");
  CHECK(type.code() == Code::kConstraintViolation);
  CHECK(db.Count("SHOW INDEXES YIELD name RETURN count(*)") == 0);
  CHECK(db.Count("SHOW CONSTRAINTS YIELD name RETURN count(*)") == 0);
  db.Run("CREATE (:A {x: 1, y: 1})");
  db.Run("CREATE CONSTRAINT c FOR (a:A) REQUIRE a.x IS NOT NULL");
  CHECK_FALSE(db.Try("CREATE (:A {y: 1})").ok());
}

TEST_CASE("a vector index over much data answers exactly while it is filled, and after") {
  OnDisk db;
  db.Fill();
  db.Run("CREATE VECTOR INDEX v FOR (a:A) ON (a.e) OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'euclidean'}}");
  db.Run("CREATE (:A {x: 0, e: [100.0, 100.0, 100.0]})");
  for (int reopened = 0; reopened < 2; ++reopened) {
    CHECK(db.Count("CALL db.index.vector.queryNodes('v', 1, [100.0, 100.0, 100.0]) YIELD node RETURN node.x") == 0);
    CHECK(db.Count("CALL db.index.vector.queryNodes('v', 50, [3.0, 1.0, 0.5]) YIELD node, score WHERE score > 0.999 RETURN count(*)") == 50);
    db.connection.reset();
    REQUIRE(db.database->Close().ok());
    db.Open(db.disk);
  }
}

TEST_CASE("a crash while an index is made leaves it populating, and opening makes it") {
  OnDisk db;
  db.Fill();
  const uint64_t before = db.disk.op_count();
  db.Run("CREATE CONSTRAINT c FOR (a:A) REQUIRE a.x IS UNIQUE");
  const uint64_t after = db.disk.op_count();
  int there = 0;
  for (uint64_t cut = before + 1; cut <= after; cut += std::max<uint64_t>(1, (after - before) / 12)) {
    INFO("cut before op " << cut << " of " << before << " to " << after);
    auto image = db.disk.ImageAt(cut, kAllDamage[cut % 4], cut);
    auto opened = engine::OpenDatabase(*image, "d/x.fornix", {}, engine::DefaultCatalog());
    INFO(opened.status().ToString());
    REQUIRE(opened.ok());
    auto connection = (*opened)->Connect();
    auto query = [&](const char* text) { return (*connection->Query(text))[0][0].AsInteger(); };
    if (query("SHOW CONSTRAINTS YIELD name RETURN count(*)") == 0) continue;
    ++there;
    while (query("SHOW INDEXES YIELD state WHERE state <> 'ONLINE' RETURN count(*)") != 0) std::this_thread::yield();
    CHECK(query("MATCH (a:A) WHERE a.x > 0 RETURN count(*)") == kNodes);
    CHECK(query("MATCH (a:A {x: 77}) RETURN count(*)") == 1);
    CHECK_FALSE(connection->Query("CREATE (:A {x: 77})").ok());
    connection.reset();
    CHECK((*opened)->Close().ok());
  }
  CHECK(there > 0);
}

TEST_CASE("an index over a value that no key can hold is refused by name, over little data and over much") {
  for (const bool much : {false, true}) {
    INFO(much);
    OnDisk db;
    if (much) db.Fill();
    db.Run("CREATE (:A {x: reduce(s = '', i IN range(1, 900) | s + '0123456789')})");
    REQUIRE(db.database->Checkpoint().ok());
    const Status refused = db.Try("CREATE INDEX ax FOR (a:A) ON (a.x)");
    INFO(refused.ToString());
    CHECK(refused.code() == Code::kLimitExceeded);
    CHECK(db.Count("SHOW INDEXES YIELD name RETURN count(*)") == 0);
    db.Run("CREATE INDEX ax FOR (a:A) ON (a.y)");
    CHECK(db.Try("CREATE (:A {y: reduce(s = '', i IN range(1, 900) | s + '0123456789')})").code() == Code::kLimitExceeded);
    db.connection.reset();
    CHECK(db.database->Close().ok());
  }
}
