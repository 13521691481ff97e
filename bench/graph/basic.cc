// bench basic: medians of the short paths, through the public interface: point lookup and 1-hop expansion with a cached plan, a
// text never seen before, and one durable create beside a raw O_DSYNC append of the same size in the same run.
//
//   bench_basic [--json] [--nodes N]
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "base/file.h"
#include "bench/common/report.h"
#include "fornix/database.h"

namespace {

using namespace fornix;
using namespace fornix::bench;

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench_basic: %s\n", status.ToString().c_str());
  std::exit(1);
}
template <typename T>
T Take(Result<T> result) {
  Check(result.status());
  return std::move(result).value();
}

size_t RunOnce(Connection& connection, const Prepared& prepared, const Map& parameters) {
  auto cursor = Take(connection.Execute(prepared, parameters));
  std::vector<Row> rows;
  while (!cursor->done()) Check(cursor->Fetch(1024, &rows));
  return rows.size();
}

// Median microseconds of `times` runs with random keys.
double MedianOf(Connection& connection, const std::string& text, int64_t keys, int times, size_t rows_min) {
  auto prepared = Take(connection.Prepare(text));
  std::vector<double> us;
  uint64_t state = 88172645463325252ull;
  for (int i = 0; i < times; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    Map parameters({{"k", Value(static_cast<int64_t>(state % static_cast<uint64_t>(keys)))}});
    uint64_t start = MonotonicNanos();
    size_t rows = RunOnce(connection, *prepared, parameters);
    us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
    if (rows < rows_min) {
      std::fprintf(stderr, "bench_basic: %zu rows from %s\n", rows, text.c_str());
      std::exit(1);
    }
  }
  return Median(us);
}

}  // namespace

int main(int argc, char** argv) {
  Report report("basic", HasFlag(argc, argv, "--json"));
  int64_t nodes = 100000;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--nodes") nodes = std::atoll(argv[i + 1]);
  }
  std::string folder = "/tmp/fornix-bench-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  {
    auto database = Take(Database::Open(folder + "/basic.fornix"));
    auto connection = database->Connect();
    Check(connection->Query("CREATE CONSTRAINT person_id FOR (p:Person) REQUIRE p.id IS UNIQUE").status());
    for (int64_t from = 0; from < nodes; from += 10000) {
      Map range({{"a", Value(from)}, {"b", Value(std::min(nodes, from + 10000) - 1)}});
      Check(connection->Query("UNWIND range($a, $b) AS i CREATE (:Person {id: i, name: 'person ' + toString(i), age: i % 90})", range).status());
    }
    for (int64_t from = 0; from < nodes; from += 10000) {
      Map range({{"a", Value(from)}, {"b", Value(std::min(nodes, from + 10000) - 1)}, {"n", Value(nodes)}});
      Check(connection->Query("UNWIND range($a, $b) AS i MATCH (p:Person {id: i}) UNWIND [1, 7, 31] AS s "
                              "MATCH (q:Person {id: (i * s + 13 * s) % $n}) CREATE (p)-[:KNOWS {since: s}]->(q)", range).status());
    }

    report.Add({"point lookup by key, cached plan", "aim", "us",
                MedianOf(*connection, "MATCH (p:Person {id: $k}) RETURN p.name", nodes, 20000, 1), 10});
    report.Add({"1-hop typed expansion, cached plan", "aim", "us",
                MedianOf(*connection, "MATCH (p:Person {id: $k})-[:KNOWS]->(q) RETURN q.name", nodes, 20000, 1), 15});
    report.Add({"2-hop typed expansion, cached plan", "aim", "us",
                MedianOf(*connection, "MATCH (p:Person {id: $k})-[:KNOWS]->()-[:KNOWS]->(q) RETURN q.age", nodes, 10000, 1), 0});

    std::vector<double> fresh_us;
    for (int i = 0; i < 400; ++i) {
      // About 100 characters, new each time: a literal and a name change.
      std::string text = "MATCH (p:Person {id: " + std::to_string(1000 + i) + "})-[:KNOWS]->(q" + std::to_string(i) +
                         ":Person) WHERE q" + std::to_string(i) + ".age > 30 RETURN q" + std::to_string(i) + ".name AS name";
      uint64_t start = MonotonicNanos();
      Check(connection->Query(text).status());
      if (i >= 50) fresh_us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
    }
    report.Add({"new text of 100 characters, warm", "aim", "ms", Median(fresh_us) / 1e3, 0.5});

    // Durable create, interleaved with raw appends of about the same bytes into a zeroed file.
    fornix::OpenOptions raw_options;
    raw_options.write = raw_options.create = raw_options.dsync = true;
    auto raw = Take(PosixFileSystem().Open(folder + "/raw", raw_options));
    Check(raw->WriteZeros(0, 4 << 20));
    Check(raw->Sync());
    std::vector<std::byte> record(512, std::byte{7});
    auto create = Take(connection->Prepare("CREATE (:Note {id: $k, text: 'a durable note'})"));
    std::vector<double> ours, theirs;
    for (int i = 0; i < 1500; ++i) {
      uint64_t start = MonotonicNanos();
      Check(raw->WriteAt(static_cast<uint64_t>(i) * 512, record));
      theirs.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
      start = MonotonicNanos();
      RunOnce(*connection, *create, Map({{"k", Value(static_cast<int64_t>(i))}}));
      ours.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
    }
    report.Add({"raw O_DSYNC append of 512 B", "aim", "us", Median(theirs), 0});
    report.Add({"durable create", "aim", "us", Median(ours), 0});
    report.Add({"durable create / raw append", "aim", "ratio", Median(ours) / Median(theirs), 1.5});
    connection.reset();
    Check(database->Close());
  }
  std::filesystem::remove_all(folder);
  return report.Finish() ? 0 : 1;
}
