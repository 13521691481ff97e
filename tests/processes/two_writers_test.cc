// Two opens of one database, in one process or several: the right answer or an error that says what to do, and nothing damaged.
#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <thread>

#include "base/fault_file.h"
#include "engine/api/database_impl.h"
#include "tests/processes/process.h"

using namespace fornix;
using namespace fornix::processes;

namespace {

std::unique_ptr<Database> Open(const std::string& path, bool read_only = false) {
  DatabaseOptions options;
  options.read_only = read_only;
  auto database = Database::Open(path, options);
  INFO(database.status().ToString());
  REQUIRE(database.ok());
  return std::move(*database);
}
int64_t Count(Database& database) {
  auto rows = database.Connect()->Query("MATCH (n) RETURN count(*)");
  INFO(rows.status().ToString());
  REQUIRE(rows.ok());
  return (*rows)[0][0].AsInteger();
}
void Create(Database& database, int n = 1) {
  for (int i = 0; i < n; ++i) REQUIRE(database.Connect()->Query("CREATE (:A)").ok());
}
// Error code and text, as child.cc prints them.
std::string Busy() { return "error " + std::to_string(static_cast<int>(Code::kBusy)) + " "; }

}  // namespace

TEST_CASE("a second writer in the same process is told that this process has the database, and the first goes on") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  auto first = Open(path);
  const Status second = Database::Open(path).status();
  CHECK(second.code() == Code::kBusy);
  CHECK(second.message().find("in use by this process itself, process " + std::to_string(getpid())) != std::string::npos);
  Create(*first);
  CHECK(Count(*first) == 1);
  REQUIRE(first->Close().ok());
  CHECK(Count(*Open(path)) == 1);
}

TEST_CASE("a second process is told who has the database open for writing: pid, program, since when; its death frees it") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  Process holder({"hold", path});
  REQUIRE(holder.Line() == "open");
  const Status status = Database::Open(path).status();
  CHECK(status.code() == Code::kBusy);
  INFO(status.message());
  CHECK(std::regex_search(status.message(), std::regex("in use by process " + std::to_string(holder.pid()) +
                                                       " \\([^)]+\\) since 20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ; close it there first, or open it read-only")));
  holder.Kill();
  CHECK(Count(*Open(path)) == 0);               // what a dead process left locks nobody out
}

TEST_CASE("readers beside a writer see each commit at their next transaction, in the same process and in another") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  auto writer = Open(path);
  Create(*writer, 3);
  auto reader = Open(path, true);
  CHECK(Count(*reader) == 3);
  Create(*writer);
  CHECK(Count(*reader) == 4);
  Process other({"open", path});
  CHECK(other.Line() == "read 4");
  auto connection = reader->Connect();
  TransactionOptions reading;
  reading.read_only = true;
  REQUIRE(connection->Begin(reading).ok());
  CHECK(connection->Query("MATCH (n) RETURN count(*)").value()[0][0] == Value(int64_t{4}));
  Create(*writer, 2);
  CHECK(connection->Query("MATCH (n) RETURN count(*)").value()[0][0] == Value(int64_t{4}));   // its snapshot stays
  REQUIRE(connection->Commit().ok());
  CHECK(connection->Query("MATCH (n) RETURN count(*)").value()[0][0] == Value(int64_t{6}));
  CHECK(connection->Query("CREATE (:B)").status().code() == Code::kReadOnly);
  connection.reset();
  REQUIRE(writer->Close().ok());
  CHECK(Count(*reader) == 6);                    // the file alone
  writer = Open(path);
  Create(*writer);
  CHECK(Count(*reader) == 7);
}

TEST_CASE("a reader finds names, types, keys and indexes that came after it had opened") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  auto writer = Open(path);
  auto reader = Open(path, true);
  auto asks = reader->Connect(), writes = writer->Connect();
  auto ask = [&](std::string_view text) {
    auto rows = asks->Query(text);
    INFO(text << ": " << rows.status().ToString());
    REQUIRE(rows.ok());
    return (*rows)[0][0].AsInteger();
  };
  const std::string by_label = "MATCH (n:New {name: 'x'}) RETURN count(*)", by_type = "MATCH (:New)-[r:LINK]->(m) WHERE m.key = 1 RETURN count(r)";
  CHECK(ask(by_label) == 0);
  CHECK(ask(by_type) == 0);
  REQUIRE(writes->Query("CREATE (:New {name: 'x'})-[:LINK]->(:Other {key: 1})").ok());
  CHECK(ask(by_label) == 1);
  CHECK(ask(by_type) == 1);
  REQUIRE(writes->Query("CREATE INDEX new_name FOR (n:New) ON (n.name)").ok());
  CHECK(ask(by_label) == 1);
  REQUIRE(writer->Checkpoint().ok());
  CHECK(ask(by_label) == 1);
  REQUIRE(writes->Query("CREATE (:New {name: 'x'})").ok());
  CHECK(ask(by_label) == 2);
  REQUIRE(writes->Query("DROP INDEX new_name").ok());
  CHECK(ask(by_label) == 2);
  REQUIRE(writer->Checkpoint().ok());
  CHECK(ask(by_label) == 2);
}

TEST_CASE("many threads read in one process while another commits, changes the schema and makes checkpoints") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  auto writer = Open(path);
  {
    auto connection = writer->Connect();
    for (const char* text : {"CREATE CONSTRAINT item_k FOR (i:Item) REQUIRE i.k IS UNIQUE", "CREATE (:Total {n: 0})"}) REQUIRE(connection->Query(text).ok());
  }
  auto reader = Open(path, true);
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::string wrong;
  std::vector<std::thread> threads;
  std::atomic<int> looks{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      auto connection = reader->Connect();
      int64_t before = 0;
      while (!stop) {
        TransactionOptions reading;
        reading.read_only = true;
        Status status = connection->Begin(reading);
        int64_t counts[3] = {0, 0, 0};
        const char* texts[] = {"MATCH (t:Total) RETURN t.n", "MATCH (i:Item) RETURN count(*)", "MATCH (i:Item) WHERE i.k >= 0 RETURN count(*)"};
        for (int i = 0; i < 3 && status.ok(); ++i) {
          auto rows = connection->Query(texts[i]);
          status = rows.status();
          if (rows.ok()) counts[i] = (*rows)[0][0].AsInteger();
        }
        if (status.ok()) status = connection->Commit().status();
        std::lock_guard lock(mutex);
        if (!status.ok()) wrong = status.ToString();
        if (counts[0] != counts[1] || counts[0] != counts[2] || counts[0] < before) {
          wrong = "thread " + std::to_string(t) + ": " + std::to_string(counts[0]) + " " + std::to_string(counts[1]) + " " +
                  std::to_string(counts[2]) + " after " + std::to_string(before);
        }
        before = counts[0];
        ++looks;
        if (!wrong.empty()) stop = true;
      }
    });
  }
  auto connection = writer->Connect();
  int64_t n = 0;
  for (int round = 0; round < 60 && !stop; ++round) {
    for (int i = 0; i < 5; ++i, ++n) {
      auto rows = connection->Query("MATCH (t:Total) SET t.n = t.n + 1 CREATE (:Item {k: $k})", Map({{"k", Value(n)}}));
      if (!rows.ok()) UNSCOPED_INFO(rows.status().ToString());
      REQUIRE(rows.ok());
    }
    if (round % 3 == 0) REQUIRE(writer->Checkpoint().ok());
    if (round % 10 == 5) REQUIRE(connection->Query("CREATE INDEX by_pad FOR (i:Item) ON (i.pad)").ok());
    if (round % 10 == 9) REQUIRE(connection->Query("DROP INDEX by_pad").ok());
  }
  for (int i = 0; i < 200 && looks < 40; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  stop = true;
  for (std::thread& t : threads) t.join();
  INFO(wrong);
  CHECK(wrong.empty());
  CHECK(looks >= 40);
  CHECK(reader->Connect()->Query("MATCH (i:Item) RETURN count(*)").value()[0][0] == Value(n));
}

TEST_CASE("a fork can't use its parent's database, whatever it tries, and harms it by nothing") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  auto database = Open(path);
  Create(*database);
  auto connection = database->Connect();
  REQUIRE(connection->Begin().ok());
  REQUIRE(connection->Query("CREATE (:A)").ok());
  const pid_t child = fork();
  if (child == 0) {
    auto refused = [](const Status& status) {
      return status.code() == Code::kUsage && status.message().find("fork") != std::string::npos &&
             status.message().find("open it anew") != std::string::npos;
    };
    int wrong = 0;
    wrong += !refused(connection->Commit().status());
    auto another = database->Connect();
    wrong += !refused(another->Begin()) << 1;
    wrong += !refused(another->Query("CREATE (:B)").status()) << 2;
    wrong += !refused(another->Query("MATCH (n) RETURN n").status()) << 3;
    wrong += !refused(database->Close()) << 4;
    wrong += !(Database::Open(path).status().code() == Code::kBusy) << 5;
    another.reset();
    connection.reset();
    database.reset();                            // ends without waiting for threads that aren't here
    _exit(wrong);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  REQUIRE(connection->Commit().ok());
  CHECK(Count(*database) == 2);
  // A child that lives on doesn't keep the lock when its parent has closed.
  const pid_t sleeper = fork();
  if (sleeper == 0) {
    pause();
    _exit(0);
  }
  connection.reset();
  REQUIRE(database->Close().ok());
  database = Open(path);
  CHECK(Count(*database) == 2);
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
}

TEST_CASE("a copy of the file and its log, taken beside an open database, opens as a database of its own") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix"), copy = folder.File("copy.fornix");
  auto database = Open(path);
  Create(*database, 5);
  std::filesystem::copy(path, copy);
  std::filesystem::copy(path + "-log", copy + "-log");
  auto copied = Open(copy);
  CHECK(Count(*copied) == 5);
  Create(*copied);
  Create(*database, 2);
  CHECK(Count(*database) == 7);
  REQUIRE(copied->Close().ok());
  REQUIRE(database->Close().ok());
  CHECK(Count(*Open(copy)) == 6);
  CHECK(Count(*Open(path)) == 7);
}

TEST_CASE("a log of another database beside a file is refused by its id, and brings nothing with it") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix"), other = folder.File("other.fornix");
  for (const std::string& p : {path, other}) {
    Process writer({"write", p, "1"});           // dies with its log beside it
    REQUIRE(!writer.Line().empty());             // no :Total there: the second statement matches nothing
    writer.Kill();
  }
  std::filesystem::remove_all(path + "-log");
  std::filesystem::copy(other + "-log", path + "-log");
  for (const bool read_only : {false, true}) {
    DatabaseOptions options;
    options.read_only = read_only;
    const Status status = Database::Open(path, options).status();
    CHECK(status.code() == Code::kCorruption);
    CHECK(status.message().find("this log is of another database: id ") != std::string::npos);
  }
  CHECK(Count(*Open(other)) > 0);                // untouched
}

TEST_CASE("a log that is missing or empty beside a file that needs it is named, and nothing is made in its place") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  Process writer({"write", path, "1"});
  REQUIRE(!writer.Line().empty());
  writer.Kill();
  std::filesystem::rename(path + "-log", path + "-kept");
  for (const bool read_only : {false, true}) {
    DatabaseOptions options;
    options.read_only = read_only;
    const Status status = Database::Open(path, options).status();
    CHECK(!status.ok());
    CHECK(status.message().find("-log") != std::string::npos);
  }
  std::filesystem::remove_all(path + "-log");
  std::filesystem::copy(path + "-kept", path + "-log");
  for (const auto& segment : std::filesystem::directory_iterator(path + "-log")) std::filesystem::resize_file(segment, 0);
  const Status status = Database::Open(path).status();
  CHECK(status.code() == Code::kCorruption);
  CHECK(status.message().find("-log/") != std::string::npos);
  std::filesystem::remove_all(path + "-log");
  std::filesystem::rename(path + "-kept", path + "-log");
  CHECK(Count(*Open(path)) > 0);                 // brought back, all is there
}

TEST_CASE("an old log beside a newer file that was closed is never applied") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  {
    Process writer({"write", path, "1"});
    REQUIRE(!writer.Line().empty());
    writer.Kill();
  }
  std::filesystem::copy(path + "-log", path + "-old");
  int64_t expected = 0;
  {
    auto database = Open(path);
    REQUIRE(database->Connect()->Query("MATCH (n) DETACH DELETE n").ok());
    Create(*database, 3);
    expected = Count(*database);
    REQUIRE(database->Close().ok());
  }
  std::filesystem::remove_all(path + "-log");
  std::filesystem::rename(path + "-old", path + "-log");
  auto database = Database::Open(path);          // an error that names it would do as well
  if (database.ok()) {
    CHECK(Count(**database) == expected);
    Create(**database);
    REQUIRE((*database)->Close().ok());
    CHECK(Count(*Open(path)) == expected + 1);
  } else {
    CHECK(database.status().message().find("-log") != std::string::npos);
  }
}

TEST_CASE("opening while another process opens, recovers or closes gives Busy or the database, never anything else") {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  Create(*Open(path));
  std::atomic<bool> stop{false};
  std::atomic<int64_t> committed{1};
  std::string wrong;
  std::thread others([&] {
    for (int i = 0; i < 60 && wrong.empty(); ++i) {
      Process other({i % 3 == 0 ? "hold" : "commit", path});
      const std::string line = other.Line();
      if (line == "committed") committed.fetch_add(1);
      else if (line == "open") other.Kill();     // the next open recovers
      else if (!line.starts_with(Busy())) wrong = line.empty() ? "no answer" : line;
    }
    stop = true;
  });
  int opened = 0, busy = 0;
  while (!stop) {
    auto database = Database::Open(path);
    if (!database.ok()) {
      INFO(database.status().ToString());
      CHECK(database.status().code() == Code::kBusy);
      ++busy;
      continue;
    }
    ++opened;
    Create(**database);
    committed.fetch_add(1);
    CHECK((*database)->Close().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  others.join();
  CHECK(wrong.empty());
  CHECK(opened > 0);
  INFO("opened " << opened << " times, busy " << busy << " times");
  CHECK(Count(*Open(path)) == committed.load());
}

TEST_CASE("where locks don't work, as on NFS without its lock service, opening for writing says so (on the faulty disk)") {
  FaultFileSystem disk;
  REQUIRE(engine::OpenDatabase(disk, "x.fornix", {}, engine::DefaultCatalog()).ok());
  disk.FailLocks(true);
  const Status status = engine::OpenDatabase(disk, "x.fornix", {}, engine::DefaultCatalog()).status();
  CHECK(status.code() == Code::kIoError);
  CHECK(status.message().find("x.fornix-lock: lock: No locks available") != std::string::npos);
  DatabaseOptions options;
  options.read_only = true;
  auto reader = engine::OpenDatabase(disk, "x.fornix", options, engine::DefaultCatalog());
  INFO(reader.status().ToString());
  CHECK(reader.ok());                            // without a slot
}
