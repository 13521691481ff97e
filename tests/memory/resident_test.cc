// A database four times the memory budget works, and its process never holds more than the budget and 64 MiB.
//
//   test_memory [BUDGET_MIB]        32 by default
// A child fills a file with nodes that have texts, relationships and a range index, then scans, sorts, groups, expands and changes it
// at random, and is killed meanwhile; another one opens what is left, looks whether everything that was acknowledged is there, and
// goes on, beside others that hold old snapshots. This process looks every other millisecond how much the child holds (VmRSS of /proc/PID/status). What the test's own
// statements hold in the child, some 100 KiB of parameters and rows, counts too.
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <filesystem>

#include "base/clock.h"
#include "base/random.h"
#include "fornix/database.h"
#include "tests/memory/resident.h"

namespace {

using namespace fornix;

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kBeside = 64 * kMiB;        // code, stacks, the allocator's slack
constexpr size_t kTextBytes = 240;
constexpr int64_t kBatch = 500;

[[noreturn]] void Fail(const std::string& why) {
  std::printf("memory test: %s\n", why.c_str());
  std::fflush(stdout);
  std::exit(1);
}

void Say(const char* line) {
  std::printf("%s\n", line);
  std::fflush(stdout);
}

// A text that no compression makes smaller by much.
std::string TextOf(Random* random) {
  std::string text(kTextBytes, ' ');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('0' + random->Below(75));
  return text;
}

class Load {
 public:
  Load(const std::string& path, uint64_t budget, int64_t nodes) : nodes_(nodes), random_(static_cast<uint64_t>(nodes)) {
    DatabaseOptions options;
    options.memory_bytes_max = budget;
    auto database = Database::Open(path, options);
    if (!database.ok()) Fail("open: " + database.status().ToString());
    database_ = std::move(*database);
    connection_ = database_->Connect();
  }

  // Runs a statement and hands each row to `see`.
  template <typename See>
  void Each(const char* text, const Map& parameters, See&& see) {
    auto cursor = connection_->Execute(text, parameters);
    if (!cursor.ok()) Fail(std::string(text) + ": " + cursor.status().ToString());
    std::vector<Row> rows;
    while (!(*cursor)->done()) {
      rows.clear();
      if (const Status status = (*cursor)->Fetch(256, &rows); !status.ok()) Fail(std::string(text) + ": " + status.ToString());
      for (const Row& row : rows) see(row);
    }
  }
  void Run(const char* text, const Map& parameters = {}) { Each(text, parameters, [](const Row&) {}); }
  int64_t One(const char* text, const Map& parameters = {}) {
    int64_t result = -1;
    Each(text, parameters, [&](const Row& row) { result = row[0].AsInteger(); });
    return result;
  }
  void Expect(const char* text, int64_t wanted) {
    if (const int64_t found = One(text); found != wanted) {
      Fail(std::string(text) + " gives " + std::to_string(found) + ", expected " + std::to_string(wanted));
    }
  }

  void Fill() {
    Say("fill");
    Run("CREATE RANGE INDEX thing_key FOR (t:Thing) ON (t.key)");
    for (int64_t first = 0; first < nodes_; first += kBatch) {
      List rows;
      for (int64_t i = first; i < std::min(first + kBatch, nodes_); ++i) rows.push_back(Value(Map({{"key", Value(i)}, {"text", Value(TextOf(&random_))}})));
      Run("UNWIND $rows AS row CREATE (:Thing {key: row.key, text: row.text, n: 0})", Map({{"rows", Value(std::move(rows))}}));
    }
    Say("connect");
    for (int64_t first = 0; first < nodes_; first += kBatch) {
      List pairs;
      for (int64_t i = 0; i < kBatch; ++i) pairs.push_back(Value(List({AnyKey(), AnyKey()})));
      Run("UNWIND $pairs AS p MATCH (a:Thing {key: p[0]}) MATCH (b:Thing {key: p[1]}) CREATE (a)-[:KNOWS {since: p[0]}]->(b)",
          Map({{"pairs", Value(std::move(pairs))}}));
    }
    Say("checkpoint");
    if (auto report = database_->Checkpoint(); !report.ok()) Fail("checkpoint: " + report.status().ToString());
  }
  void Read() {
    Say("scan");
    Expect("MATCH (t:Thing) RETURN sum(size(t.text))", nodes_ * static_cast<int64_t>(kTextBytes));
    Say("sort");
    int64_t rows = 0;
    std::string last;
    Each("MATCH (t:Thing) RETURN t.text ORDER BY t.text", {}, [&](const Row& row) {
      if (row[0].AsString() < last) Fail("a sort that isn't one");
      last = row[0].AsString();
      ++rows;
    });
    if (rows != nodes_) Fail("a sort that lost rows");
    Say("group");
    rows = 0;
    Each("MATCH (t:Thing) RETURN t.key / 3 AS part, count(*), max(t.text)", {}, [&](const Row& row) { rows += row[1].AsInteger(); });
    if (rows != nodes_) Fail("groups that lost rows");
    Say("expand");
    Expect("MATCH (:Thing)-[:KNOWS]->(b:Thing) RETURN count(b)", (nodes_ + kBatch - 1) / kBatch * kBatch);
    One("MATCH (a:Thing)-[:KNOWS]->(b:Thing) WHERE a.key < $most RETURN count(b.text)", Map({{"most", Value(nodes_ / 50)}}));
    Say("join");
    Expect("MATCH (a:Thing)-[k:KNOWS]->(b) MATCH (c:Thing) WHERE c.key = k.since RETURN count(*)", One("MATCH ()-[k:KNOWS]->() RETURN count(*)"));
    Say("walk");
    for (int i = 0; i < 200; ++i) Run("MATCH (t:Thing {key: $key})-[:KNOWS*1..3]-(o) RETURN max(o.text)", Map({{"key", AnyKey()}}));
  }
  // At random, 20 elements a commit; a chain of numbers says what was acknowledged.
  void Change(int64_t from, int64_t commits) {
    Say("change");
    for (int64_t i = from; i < from + commits; ++i) {
      List keys;
      for (int k = 0; k < 20; ++k) keys.push_back(AnyKey());
      Run("UNWIND $keys AS k MATCH (t:Thing {key: k}) SET t.text = $text, t.changed = $i CREATE (:Change {i: $i})-[:OF]->(t)",
          Map({{"keys", Value(std::move(keys))}, {"text", Value(TextOf(&random_))}, {"i", Value(i)}}));
      std::printf("changed %" PRId64 "\n", i);
      std::fflush(stdout);
    }
  }
  // Others hold snapshots while it is changed: an open cursor and a transaction that waits, a new pair of them every 20 commits. Without
  // an end of the oldest ones the deltas of each would add up; no commit may be refused for it.
  void HoldOld(int64_t from) {
    Say("hold");
    struct Reader {
      std::unique_ptr<Connection> streaming, waiting;
      std::unique_ptr<Cursor> cursor;
    };
    std::vector<Reader> readers;
    const auto too_old = [](const Status& status) { return status.retryable() && status.message().starts_with("snapshot too old"); };
    size_t ended = 0;
    std::string text(8 * kTextBytes, 'x');
    const uint64_t until = MonotonicNanos() + 60'000'000'000;
    for (int64_t i = from; ended < 2; ++i) {
      if (MonotonicNanos() > until) Fail("no snapshot was ended in a minute");
      if ((i - from) % 20 == 0 && readers.size() < 12) {
        Reader reader{database_->Connect(), database_->Connect(), nullptr};
        std::vector<Row> rows;
        auto cursor = reader.streaming->Execute("MATCH (t:Thing) RETURN t.key");
        if (!cursor.ok() || !(*cursor)->Fetch(1, &rows).ok() || !reader.waiting->Begin().ok()) Fail("a reader that can't begin");
        reader.cursor = std::move(*cursor);
        readers.push_back(std::move(reader));
      }
      List keys;
      for (int k = 0; k < 200; ++k) keys.push_back(AnyKey());
      Run("UNWIND $keys AS k MATCH (t:Thing {key: k}) SET t.more = $text + toString(k)", Map({{"keys", Value(std::move(keys))}, {"text", Value(text)}}));
      usleep(5000);
      // The oldest pair is looked at when it is old: looking at it earlier would only use it.
      if ((i - from) % 50 != 49) continue;
      for (Reader& reader : readers) {
        std::vector<Row> rows;
        if (reader.cursor == nullptr) continue;
        if (const Status status = reader.cursor->Fetch(1, &rows); !status.ok()) {
          if (!too_old(status)) Fail("a held cursor: " + status.ToString());
          const Status waited = reader.waiting->Query("MATCH (t:Thing) RETURN count(t)").status();
          if (!waited.ok() && !too_old(waited)) Fail("a held transaction: " + waited.ToString());
          reader.cursor.reset();
          ++ended;
        }
      }
    }
    Run("MATCH (t:Thing) WHERE t.key < 1000 REMOVE t.more");
  }
  void Close() {
    Say("close");
    connection_.reset();
    if (const Status status = database_->Close(); !status.ok()) Fail("close: " + status.ToString());
  }

 private:
  Value AnyKey() { return Value(static_cast<int64_t>(random_.Below(static_cast<uint64_t>(nodes_)))); }

  const int64_t nodes_;
  Random random_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Connection> connection_;
};

int Child(const std::string& what, const std::string& path, uint64_t budget, int64_t nodes, int64_t acknowledged) {
  Load load(path, budget, nodes);
  if (what == "--make") {
    load.Fill();
    load.Read();
    load.Change(0, 1'000'000);                 // until it is killed
  }
  Say("recovered");
  load.Expect("MATCH (t:Thing) RETURN count(t)", nodes);
  const int64_t changes = load.One("MATCH (c:Change) RETURN coalesce(max(c.i), -1)");
  if (changes < acknowledged) Fail("lost the acknowledged change " + std::to_string(acknowledged));
  load.Expect("MATCH (c:Change)-[:OF]->(:Thing) RETURN count(*)", 20 * (changes + 1));
  load.Read();
  load.Change(changes + 1, 200);
  load.HoldOld(0);
  load.Close();
  Say("closed");
  return 0;
}

// The most of each phase, one line; false if it is too much.
bool Judge(const memory::WatchedProcess& process, uint64_t budget) {
  std::vector<std::pair<std::string, uint64_t>> most;
  for (const auto& [line, bytes] : process.phases()) {
    const std::string name = line.substr(0, line.find(' '));
    if (most.empty() || most.back().first != name) most.emplace_back(name, 0);
    most.back().second = std::max(most.back().second, bytes);
  }
  bool within = true;
  std::printf("budget %" PRIu64 " MiB, VmRSS in MiB at most:", budget / kMiB);
  for (const auto& [name, bytes] : most) {
    std::printf(" %s %.1f", name.c_str(), static_cast<double>(bytes) / static_cast<double>(kMiB));
    within = within && bytes <= budget + kBeside;
  }
  std::printf("\n");
  if (!within) std::printf("memory test: more than the budget and 64 MiB\n");
  return within;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6) return Child(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10), std::atoll(argv[4]), std::atoll(argv[5]));
  const uint64_t budget = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 32) * kMiB;
  const std::string nodes = std::to_string(4 * budget / kTextBytes);
  const std::string folder = std::filesystem::temp_directory_path() / ("fornix-memory-" + std::to_string(getpid()));
  const std::string path = folder + "/large.fornix", self = std::filesystem::read_symlink("/proc/self/exe"), bytes = std::to_string(budget);
  std::filesystem::create_directories(folder);
  bool good = true;
  int64_t acknowledged = -1;
  {
    memory::WatchedProcess child({self, "--make", path, bytes, nodes, "-1"});
    good = child.WatchUntil("changed 500");
    if (!good) std::printf("%s\n", child.last_line().c_str());
    if (good) child.Kill();
    acknowledged = 500;
    good = Judge(child, budget) && good;
  }
  if (good) {
    const uint64_t size = std::filesystem::file_size(path);
    std::printf("file of %.0f MiB\n", static_cast<double>(size) / static_cast<double>(kMiB));
    if (size < 4 * budget) Fail("a file that is too small to tell");
    memory::WatchedProcess child({self, "--open", path, bytes, nodes, std::to_string(acknowledged)});
    child.WatchUntil("");
    good = child.ended_well();
    if (!good) std::printf("%s\n", child.last_line().c_str());
    good = Judge(child, budget) && good;
  }
  std::filesystem::remove_all(folder);
  return good ? 0 : 1;
}
