// bench storage: the store at size, through the public interface and the import tool.
//
//   bench_storage FORNIX [--json] [--nodes N] [--relationships N] [--dir PATH] [--keep] [--only hub]
// FORNIX is the executable that imports. Default 1 M nodes and 3 M relationships; the musts are stated for 10 M and 30 M, so that
// size is asked for by --nodes 10000000 --relationships 30000000 (about 1 GB of CSV under --dir).
// The graph: nodes (:N {id, v}) with ids 0..N-1, relationships [:R {w}] between random nodes.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bench/storage/bench.h"

namespace {

using namespace fornix;
using namespace fornix::bench;

struct Sizes {
  uint64_t nodes = 1'000'000, relationships = 3'000'000;
};

void WriteCsv(const std::string& folder, const Sizes& sizes) {
  std::FILE* f = std::fopen((folder + "/nodes.csv").c_str(), "w");
  if (f == nullptr) Die("can't write " + folder + "/nodes.csv");
  std::fputs(":ID,id:int,v:int\n", f);
  Random random;
  for (uint64_t i = 0; i < sizes.nodes; ++i) {
    std::fprintf(f, "%llu,%llu,%llu\n", static_cast<unsigned long long>(i), static_cast<unsigned long long>(i),
                 static_cast<unsigned long long>(random.Below(1000)));
  }
  std::fclose(f);
  f = std::fopen((folder + "/relationships.csv").c_str(), "w");
  if (f == nullptr) Die("can't write " + folder + "/relationships.csv");
  std::fputs(":START_ID,:END_ID,w:int\n", f);
  for (uint64_t i = 0; i < sizes.relationships; ++i) {
    std::fprintf(f, "%llu,%llu,%llu\n", static_cast<unsigned long long>(random.Below(sizes.nodes)),
                 static_cast<unsigned long long>(random.Below(sizes.nodes)), static_cast<unsigned long long>(random.Below(1000)));
  }
  std::fclose(f);
}

uint64_t ResidentBytes() {
  std::ifstream in("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Opens, asks one point query, and says how long both took; in a process of its own, so that nothing is warm.
double OpenAndAsk(const std::string& path, uint64_t key) {
  int pipe_fds[2];
  if (pipe(pipe_fds) != 0) Die("pipe");
  const pid_t pid = fork();
  if (pid == 0) {
    const uint64_t start = MonotonicNanos();
    auto database = Take(Database::Open(path));
    auto connection = database->Connect();
    const auto rows = Take(connection->Query("MATCH (n:N {id: $k}) RETURN n.v", Map({{"k", Value(static_cast<int64_t>(key))}})));
    const double seconds = rows.size() == 1 ? Seconds(start) : -1;
    if (write(pipe_fds[1], &seconds, sizeof seconds) != sizeof seconds) _exit(1);
    connection.reset();
    Check(database->Close());
    _exit(0);
  }
  close(pipe_fds[1]);
  double seconds = -1;
  if (read(pipe_fds[0], &seconds, sizeof seconds) != sizeof seconds) seconds = -1;
  int status = 0;
  waitpid(pid, &status, 0);
  close(pipe_fds[0]);
  if (seconds < 0 || status != 0) Die("the point query after opening failed");
  return seconds;
}

// A writer that is killed with about 24 MiB of log behind its last checkpoint.
void KillAWriter(const std::string& path) {
  const pid_t pid = fork();
  if (pid == 0) {
    auto database = Take(Database::Open(path));
    auto connection = database->Connect();
    for (int64_t i = 0; i < 24; ++i) {
      Check(connection->Query("UNWIND range(1, 5000) AS i CREATE (:Tail {a: i, b: i * $x, text: 'some text of the tail'})", Map({{"x", Value(i)}})).status());
    }
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFSIGNALED(status)) Die("the writer that was to be killed ended by itself");
}

void Hops(Connection& connection, const Sizes& sizes, Report* report) {
  Random random;
  const struct {
    const char* name;
    const char* text;
    double target;
  } hops[] = {{"1-hop typed expansion, warm", "MATCH (n:N {id: $k})-[:R]->(a) RETURN count(a)", 8},
              {"2-hop typed expansion, warm", "MATCH (n:N {id: $k})-[:R]->()-[:R]->(a) RETURN count(a)", 15},
              {"3-hop typed expansion, warm", "MATCH (n:N {id: $k})-[:R]->()-[:R]->()-[:R]->(a) RETURN count(a)", 40}};
  for (const auto& hop : hops) {
    const uint64_t keys = std::min<uint64_t>(sizes.nodes, 20000);
    Times(connection, hop.text, keys, 40000, &random);
    report->Add({hop.name, "aim", "us", Median(Times(connection, hop.text, keys, 20000, &random)), hop.target});
  }
}

void ScatteredUpdates(Database& database, Connection& connection, const Sizes& sizes, Report* report) {
  Check(database.Checkpoint().status());
  Random random;
  random.state = 4711;
  for (int batch = 0; batch < 50; ++batch) {
    List keys;
    for (int i = 0; i < 100; ++i) keys.push_back(Value(static_cast<int64_t>(random.Below(sizes.nodes))));
    Check(connection.Query("UNWIND $keys AS k MATCH (n:N {id: k})-[r:R]->() WITH k, r LIMIT 100 SET r.w = r.w + 1", Map({{"keys", Value(std::move(keys))}})).status());
  }
  const CheckpointSummary summary = Take(database.Checkpoint());
  report->Add({"checkpoint after 5,000 scattered updates", "must", "MB", static_cast<double>(summary.bytes_written) / 1e6, 40});
}

void SpaceReuse(const std::string& folder, Report* report) {
  const std::string path = folder + "/reuse.fornix";
  double one = 0, last = 0;
  for (int round = 0; round < 10; ++round) {
    auto database = Take(Database::Open(path));
    auto connection = database->Connect();
    for (int64_t part = 0; part < 100; ++part) {
      Check(connection->Query("UNWIND range(1, 1000) AS i CREATE (:Blob {id: i + 1000 * $p, text: reduce(s = '', x IN range(1, 100) | s + toString((i * 7919 + x * 104729 + $p) % 1000000007))})",
                              Map({{"p", Value(part)}})).status());
    }
    Check(database->Checkpoint().status());
    if (round == 0) one = static_cast<double>(std::filesystem::file_size(path));
    for (int64_t part = 0; part < 100; ++part) {
      Check(connection->Query("MATCH (b:Blob) WITH b LIMIT 1000 DELETE b").status());
    }
    connection.reset();
    Check(database->Close());
    last = static_cast<double>(std::filesystem::file_size(path));
  }
  report->Add({"file after ten rounds of insert and delete / one copy", "must", "ratio", last / one, 2});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') Die("usage: bench_storage FORNIX [--json] [--nodes N] [--relationships N] [--dir PATH] [--keep] [--only hub]");
  Report report("storage", HasFlag(argc, argv, "--json"));
  Sizes sizes;
  std::string folder = "/tmp/fornix-bench-" + std::to_string(getpid());
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--nodes") == 0) sizes.nodes = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--relationships") == 0) sizes.relationships = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--dir") == 0) folder = argv[i + 1];
  }
  bool only_hub = false;
  for (int i = 2; i + 1 < argc; ++i) only_hub |= std::strcmp(argv[i], "--only") == 0 && std::strcmp(argv[i + 1], "hub") == 0;
  const bool large = sizes.nodes >= 10'000'000 && sizes.relationships >= 30'000'000;
  std::filesystem::create_directories(folder);
  if (only_hub) {
    Hub(argv[1], folder, large ? 5'000'000 : sizes.relationships / 6, &report);
    return report.Finish() ? 0 : 1;
  }
  const std::string path = folder + "/graph.fornix";
  if (!std::filesystem::exists(path)) {
    if (!std::filesystem::exists(folder + "/relationships.csv")) WriteCsv(folder, sizes);
    const uint64_t start = MonotonicNanos();
    if (RunProgram({argv[1], "import", path, "--nodes", "N=" + folder + "/nodes.csv", "--relationships", "R=" + folder + "/relationships.csv"}) != 0) Die("the import failed");
    report.Add({"import", large ? "must" : "aim", "s", Seconds(start), large ? 60.0 : 0.0});
    const double bytes = static_cast<double>(std::filesystem::file_size(path));
    report.Add({"file before the index", "aim", "MB", bytes / 1e6, 0});
    auto database = Take(Database::Open(path));
    auto connection = database->Connect();
    const uint64_t index_start = MonotonicNanos();
    Check(connection->Query("CREATE CONSTRAINT n_id FOR (n:N) REQUIRE n.id IS UNIQUE").status());
    report.Add({"unique constraint over all nodes", "aim", "s", Seconds(index_start), 0});
    connection.reset();
    Check(database->Close());
  }
  const double file_bytes = static_cast<double>(std::filesystem::file_size(path));
  report.Add({"file with the unique index", "aim", "MB", file_bytes / 1e6, 0});
  report.Add({"file / relationships, nodes and index included", "must", "bytes", file_bytes / static_cast<double>(sizes.relationships), 40});
  report.Add({"open after a clean close + first point query", large ? "must" : "aim", "ms", OpenAndAsk(path, sizes.nodes / 2) * 1e3, 50});
  KillAWriter(path);
  report.Add({"open after kill -9 + first point query", large ? "must" : "aim", "ms", OpenAndAsk(path, sizes.nodes / 3) * 1e3, 1000});
  {
    auto database = Take(Database::Open(path));
    auto connection = database->Connect();
    Hops(*connection, sizes, &report);
    report.Add({"resident memory after the expansions", "aim", "MB", static_cast<double>(ResidentBytes()) / 1e6, 0});
    ScatteredUpdates(*database, *connection, sizes, &report);
    Commits(*database, folder, large ? 60 : 5, &report);
    connection.reset();
    Check(database->Close());
  }
  SpaceReuse(folder, &report);
  Hub(argv[1], folder, large ? 5'000'000 : sizes.relationships / 6, &report);
  if (!HasFlag(argc, argv, "--keep")) std::filesystem::remove_all(folder);
  return report.Finish() ? 0 : 1;
}
