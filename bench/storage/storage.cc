// bench storage: the store at size, through the public interface and the import tool.
//
//   bench_storage FORNIX [--json] [--nodes N] [--relationships N] [--dir PATH] [--keep]
// FORNIX is the executable that imports. Default 1 M nodes and 3 M relationships; the musts are stated for 10 M and 30 M, so that
// size is asked for by --nodes 10000000 --relationships 30000000 (about 1 GB of CSV under --dir).
// The graph: nodes (:N {id, v}) with ids 0..N-1, relationships [:R {w}] between random nodes.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "bench/common/report.h"
#include "fornix/database.h"

namespace {

using namespace fornix;
using namespace fornix::bench;

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "bench_storage: %s\n", text.c_str());
  std::exit(1);
}
void Check(const Status& status) {
  if (!status.ok()) Die(status.ToString());
}
template <typename T>
T Take(Result<T> result) {
  Check(result.status());
  return std::move(result).value();
}
double Seconds(uint64_t start) { return static_cast<double>(MonotonicNanos() - start) / 1e9; }

struct Random {
  uint64_t state = 88172645463325252ull;
  uint64_t Next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  }
  uint64_t Below(uint64_t n) { return Next() % n; }
};

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

int RunProgram(const std::vector<std::string>& arguments) {
  const pid_t pid = fork();
  if (pid == 0) {
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

size_t RunOnce(Connection& connection, const Prepared& prepared, const Map& parameters) {
  auto cursor = Take(connection.Execute(prepared, parameters));
  std::vector<Row> rows;
  while (!cursor->done()) Check(cursor->Fetch(1024, &rows));
  return rows.size();
}

std::vector<double> Times(Connection& connection, const std::string& text, uint64_t keys, int times, Random* random) {
  auto prepared = Take(connection.Prepare(text));
  std::vector<double> us;
  for (int i = 0; i < times; ++i) {
    const Map parameters({{"k", Value(static_cast<int64_t>(random->Below(keys)))}});
    const uint64_t start = MonotonicNanos();
    RunOnce(connection, *prepared, parameters);
    us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
  }
  return us;
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

// Durable commits a second of `sessions` threads.
double CommitRate(Database& database, int sessions, double seconds) {
  std::atomic<uint64_t> commits{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < sessions; ++t) {
    threads.emplace_back([&] {
      auto connection = database.Connect();
      auto create = Take(connection->Prepare("CREATE (:Note {id: $k, text: 'a durable note'})"));
      for (int64_t i = 0; !stop; ++i) {
        RunOnce(*connection, *create, Map({{"k", Value(i)}}));
        ++commits;
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (auto& t : threads) t.join();
  return static_cast<double>(commits) / seconds;
}

std::vector<double> CommitTimes(Connection& connection, const Prepared& create, double seconds, std::atomic<bool>* while_true) {
  std::vector<double> us;
  const uint64_t begin = MonotonicNanos();
  for (int64_t i = 0; while_true != nullptr ? while_true->load() : Seconds(begin) < seconds; ++i) {
    const uint64_t start = MonotonicNanos();
    RunOnce(connection, create, Map({{"k", Value(i)}}));
    us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
  }
  return us;
}

void CommitsDuringCheckpoint(Database& database, Report* report) {
  auto old = database.Connect();               // a snapshot that stays
  Check(old->Begin({.read_only = true}));
  Check(old->Query("MATCH (n:N) RETURN n.id LIMIT 1").status());
  auto connection = database.Connect();
  auto create = Take(connection->Prepare("CREATE (:Note {id: $k, text: 'a durable note, a bit longer than the other'})"));
  Check(connection->Query("UNWIND range(1, 200000) AS i CREATE (:Bulk {a: i, b: toString(i)})").status());
  Check(database.Checkpoint().status());
  const std::vector<double> idle = CommitTimes(*connection, *create, 5, nullptr);
  Check(connection->Query("MATCH (b:Bulk) SET b.a = b.a + 1").status());
  std::atomic<bool> running{true};
  Status status;
  std::thread checkpoint([&] {
    status = database.Checkpoint().status();
    running = false;
  });
  const std::vector<double> busy = CommitTimes(*connection, *create, 0, &running);
  checkpoint.join();
  Check(status);
  Check(old->Rollback());
  report->Add({"commits measured during the checkpoint", "aim", "n", static_cast<double>(busy.size()), 0, true});
  report->Add({"commit p50 during a checkpoint / idle", "must", "ratio", Percentile(busy, 0.5) / Percentile(idle, 0.5), 1.2});
  report->Add({"commit p99 during a checkpoint / idle", "must", "ratio", Percentile(busy, 0.99) / Percentile(idle, 0.99), 4});
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
  if (argc < 2 || argv[1][0] == '-') Die("usage: bench_storage FORNIX [--json] [--nodes N] [--relationships N] [--dir PATH] [--keep]");
  Report report("storage", HasFlag(argc, argv, "--json"));
  Sizes sizes;
  std::string folder = "/tmp/fornix-bench-" + std::to_string(getpid());
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--nodes") == 0) sizes.nodes = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--relationships") == 0) sizes.relationships = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--dir") == 0) folder = argv[i + 1];
  }
  const bool large = sizes.nodes >= 10'000'000 && sizes.relationships >= 30'000'000;
  std::filesystem::create_directories(folder);
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
  report.Add({"file", "aim", "MB", static_cast<double>(std::filesystem::file_size(path)) / 1e6, 0});
  report.Add({"open after a clean close + first point query", large ? "must" : "aim", "ms", OpenAndAsk(path, sizes.nodes / 2) * 1e3, 50});
  KillAWriter(path);
  report.Add({"open after kill -9 + first point query", large ? "must" : "aim", "ms", OpenAndAsk(path, sizes.nodes / 3) * 1e3, 1000});
  {
    auto database = Take(Database::Open(path));
    auto connection = database->Connect();
    Hops(*connection, sizes, &report);
    report.Add({"resident memory after the expansions", "aim", "MB", static_cast<double>(ResidentBytes()) / 1e6, 0});
    ScatteredUpdates(*database, *connection, sizes, &report);
    const double one = CommitRate(*database, 1, 3), sixteen = CommitRate(*database, 16, 3);
    report.Add({"durable commits of one session", "aim", "1/s", one, 0, true});
    report.Add({"durable commits of 16 sessions / of one", "must", "ratio", sixteen / one, 4, true});
    CommitsDuringCheckpoint(*database, &report);
    connection.reset();
    Check(database->Close());
  }
  SpaceReuse(folder, &report);
  if (!HasFlag(argc, argv, "--keep")) std::filesystem::remove_all(folder);
  return report.Finish() ? 0 : 1;
}
