#include "fornix/maintenance.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "fornix/database.h"
#include "tests/tools/random_graph.h"
#include "tools/dump/dump.h"

namespace fornix::tools {
namespace {

struct Opened {
  std::unique_ptr<Database> database;
  std::unique_ptr<Connection> connection;
  explicit Opened(const std::string& path, const DatabaseOptions& options = {}) {
    auto opened = Database::Open(path, options);
    INFO(opened.status().ToString());
    REQUIRE(opened.ok());
    database = std::move(*opened);
    connection = database->Connect();
  }
  void Run(std::string_view text) {
    auto rows = connection->Query(text);
    INFO(text << ": " << rows.status().ToString());
    REQUIRE(rows.ok());
  }
  int64_t Count(std::string_view text) { return connection->Query(text)->at(0).at(0).AsInteger(); }
  void Close() {
    connection.reset();
    REQUIRE(database->Close().ok());
  }
};

DatabaseCheckReport Check(const std::string& path) {
  DatabaseCheckReport report;
  const Status status = CheckDatabase(path, {}, &report);
  INFO(status.ToString());
  REQUIRE(status.ok());
  return report;
}

void MustBeSound(const std::string& path) {
  const DatabaseCheckReport report = Check(path);
  for (const std::string& problem : report.problems) UNSCOPED_INFO(problem);
  REQUIRE(report.problem_count == 0);
}

void MakeDatabase(const std::string& path, uint64_t seed) {
  Opened g(path);
  test::FillRandomly(g.connection.get(), seed, 200, 400);
  g.Run("CREATE INDEX named FOR (n:Person) ON (n.name, n.v)");
  g.Run("CREATE CONSTRAINT u FOR (n:Thing) REQUIRE n.uid IS UNIQUE");
  g.Run("CREATE (:Big {text: reduce(s = 'x', i IN range(1, 14) | s + s), e: [i IN range(1, 300) | toFloat(i) / 8]})");
  g.Run("UNWIND range(1, 3000) AS i MATCH (h:Big) CREATE (h)-[:HUB {i: i}]->(:Leaf {i: i})");
  g.Close();
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

}  // namespace

TEST_CASE("check: a database is sound after writing, deleting, reopening, and while it is open") {
  test::ScratchDirectory dir;
  const uint64_t seed = test::TestSeed();
  MakeDatabase(dir / "g.fornix", seed);
  MustBeSound(dir / "g.fornix");
  for (int round = 0; round < 3; ++round) {
    Opened g(dir / "g.fornix");
    g.Run("MATCH (n:Leaf) WHERE n.i % 7 = " + std::to_string(round) + " DETACH DELETE n");
    g.Run("MATCH (n:Person) SET n.v = n.v / 2, n.name = n.name + 'x'");
    g.Run("UNWIND range(1, 500) AS i CREATE (:Leaf {i: -i})-[:T]->(:Thing {uid: 100000 * (1 + " + std::to_string(round) + ") + i})");
    REQUIRE(g.database->Checkpoint().ok());
    g.Run("MATCH (n:Thing) WHERE n.uid > 100400 REMOVE n:Thing");
    const DatabaseCheckReport open = Check(dir / "g.fornix");
    CHECK(open.problem_count == 0);
    CHECK(open.log_records == 1);              // since the checkpoint
    g.Close();
    const DatabaseCheckReport report = Check(dir / "g.fornix");
    for (const std::string& problem : report.problems) UNSCOPED_INFO(problem);
    CHECK(report.problem_count == 0);
    CHECK(report.index_entries > 0);
    CHECK(report.nodes > 2000);
  }
}

TEST_CASE("check and dump: every damaged page that is in use is found, and neither stops at it") {
  test::ScratchDirectory dir;
  Random random(test::TestSeed());
  MakeDatabase(dir / "g.fornix", 1);
  const std::string whole = ReadFile(dir / "g.fornix");
  const uint64_t pages = whole.size() / 4096;
  uint64_t found = 0, free = 0;
  for (int round = 0; round < 40; ++round) {
    std::string damaged = whole;
    // The whole page: its end may be slack behind what its extent stores.
    const uint64_t page = 2 + random.Below(pages - 2);
    for (uint64_t i = 0; i < 4096; ++i) damaged[page * 4096 + i] ^= 0x10;
    std::ofstream(dir / "d.fornix", std::ios::binary) << damaged;
    const DatabaseCheckReport report = Check(dir / "d.fornix");
    found += report.problem_count > 0;
    free += report.problem_count == 0;
    CHECK(DumpFile(PosixFileSystem(), dir / "d.fornix", false).find("roots") != std::string::npos);
    CHECK(DumpFile(PosixFileSystem(), dir / "d.fornix", true).front() == '{');
  }
  const DatabaseCheckReport sound = Check(dir / "g.fornix");
  INFO(found << " found, " << free << " in free pages; " << sound.free_pages << " of " << sound.pages << " are free");
  CHECK(found > 0);
  if (sound.free_pages == 0) CHECK(free == 0);
}

TEST_CASE("check and dump: files whose roots are damaged, cut files and files of other kinds are told, not crashed on") {
  test::ScratchDirectory dir;
  MakeDatabase(dir / "g.fornix", 1);
  const std::string whole = ReadFile(dir / "g.fornix");
  auto put = [&](const std::string& text) { std::ofstream(dir / "d.fornix", std::ios::binary) << text; };
  std::string no_roots = whole;
  no_roots[40] ^= 1;
  no_roots[4096 + 40] ^= 1;
  for (const std::string& text : {no_roots, whole.substr(0, 4096), whole.substr(0, whole.size() / 2), std::string("hello"), std::string(100'000, '\0')}) {
    put(text);
    DatabaseCheckReport report;
    const Status status = CheckDatabase(dir / "d.fornix", {}, &report);
    CHECK((!status.ok() || report.problem_count > 0));
    CHECK(DumpFile(PosixFileSystem(), dir / "d.fornix", false).find("damaged") != std::string::npos);
  }
  DatabaseCheckReport report;
  CHECK(CheckDatabase(dir / "none.fornix", {}, &report).code() == Code::kIoError);
  // One damaged slot: the other counts.
  std::string one_root = whole;
  one_root[40] ^= 1;
  put(one_root);
  CHECK(Check(dir / "d.fornix").problem_count == 0);
}

TEST_CASE("backup: of a closed database, of one that is open here with commits since the checkpoint; equal, sound, one file") {
  test::ScratchDirectory dir;
  MakeDatabase(dir / "g.fornix", test::TestSeed());
  REQUIRE(BackupDatabase(dir / "g.fornix", dir / "closed.fornix").ok());
  Opened g(dir / "g.fornix");
  const auto content = test::ContentOf(g.connection.get());
  MustBeSound(dir / "closed.fornix");
  {
    Opened copy(dir / "closed.fornix");
    CHECK(test::ContentOf(copy.connection.get()) == content);
    copy.Close();
  }
  g.Run("MATCH (n:Leaf) WHERE n.i < 1000 DETACH DELETE n");
  REQUIRE(g.database->Checkpoint().ok());
  g.Run("MATCH (n:Person) SET n.name = 'new'");
  REQUIRE(BackupDatabase(dir / "g.fornix", dir / "open.fornix").ok());
  CHECK(!std::filesystem::exists(dir / "open.fornix-log"));
  CHECK(!std::filesystem::exists(dir / "open.fornix.new"));
  MustBeSound(dir / "open.fornix");
  Opened copy(dir / "open.fornix");
  CHECK(test::ContentOf(copy.connection.get()) == test::ContentOf(g.connection.get()));
  CHECK(BackupDatabase(dir / "g.fornix", dir / "open.fornix").code() == Code::kUsage);
  CHECK(BackupDatabase(dir / "none.fornix", dir / "x.fornix").code() == Code::kIoError);
}

TEST_CASE("backup: beside a writer and its checkpoints each copy is the state between two commits") {
  test::ScratchDirectory dir;
  DatabaseOptions options;
  Opened g(dir / "g.fornix", options);
  g.Run("CREATE INDEX FOR (n:A) ON (n.i)");
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    auto connection = g.database->Connect();
    for (int i = 0; !stop; ++i) {
      // Each commit adds a pair; with pairs gone at the other end, so that pages are used again.
      if (!connection->Query("CREATE (:A {i: " + std::to_string(i) + ", pad: '" + std::string(500, 'x') + "'})-[:T]->(:A {i: " + std::to_string(i) + "})").ok()) std::abort();
      if (i % 3 == 0 && !connection->Query("MATCH (n:A {i: " + std::to_string(i / 2) + "}) DETACH DELETE n").ok()) std::abort();
      if (i % 50 == 49 && !g.database->Checkpoint().ok()) std::abort();
    }
  });
  for (int round = 0; round < 6; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::string to = dir / ("copy" + std::to_string(round) + ".fornix");
    const Status status = BackupDatabase(dir / "g.fornix", to);
    INFO(status.ToString());
    CHECK(status.ok());
    if (!status.ok()) continue;
    MustBeSound(to);
    Opened copy(to);
    CHECK(copy.Count("MATCH (n:A) RETURN count(n)") == 2 * copy.Count("MATCH (:A)-[r:T]->(:A) RETURN count(r)"));
  }
  stop = true;
  writer.join();
  g.Close();
  MustBeSound(dir / "g.fornix");
}

}  // namespace fornix::tools
