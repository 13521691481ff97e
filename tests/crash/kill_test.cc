// F3: a real process is killed with SIGKILL at a random moment while four of its threads commit; the parent has the list of
// acknowledged commits and looks for each in the file. 50 kills, 200 with FORNIX_MANY, 1,500 with FORNIX_LONG.
//
// Each transaction makes two nodes, a relationship between them and a vector: all or nothing. Every fifth life ends by a clean close
// (which compacts), so that kills also meet a fresh generation of the log, and some hit the close itself.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "fornix/database.h"
#include "tests/counts.h"

namespace {

using namespace fornix;

[[noreturn]] void Fail(const std::string& why) {
  std::printf("kill test: %s\n", why.c_str());
  std::exit(1);
}

// The child: commits until killed or until `stop_after` commits a thread, and writes each acknowledged number to the pipe.
int Child(const std::string& path, int pipe_fd, int64_t first, int stop_after) {
  auto database = Database::Open(path);
  if (!database.ok()) Fail("child: " + database.status().ToString());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      auto connection = (*database)->Connect();
      for (int i = 0; stop_after == 0 || i < stop_after; ++i) {
        int64_t n = first + int64_t{i} * 4 + t;
        auto rows = connection->Query("CREATE (:Left {n: $n, embedding: [1.0, $n * 0.001, 2.0]})-[:PAIR {n: $n}]->(:Right {n: $n})",
                                      Map({{"n", Value(n)}}));
        if (!rows.ok()) Fail("child: " + rows.status().ToString());
        if (write(pipe_fd, &n, sizeof n) != sizeof n) std::exit(1);   // at most 8 bytes: written whole
      }
    });
  }
  for (std::thread& t : threads) t.join();
  Status closed = (*database)->Close();
  return closed.ok() ? 0 : 1;
}

int64_t One(Connection& connection, const char* text) {
  auto rows = connection.Query(text);
  if (!rows.ok()) Fail(std::string(text) + ": " + rows.status().ToString());
  return (*rows)[0][0].AsInteger();
}

void Check(const std::string& path, const std::set<int64_t>& acknowledged) {
  auto database = Database::Open(path);
  if (!database.ok()) Fail("doesn't open: " + database.status().ToString());
  auto connection = (*database)->Connect();
  auto rows = connection->Query("MATCH (l:Left)-[p:PAIR]->(r:Right) WHERE l.n = p.n AND p.n = r.n RETURN p.n");
  if (!rows.ok()) Fail(rows.status().ToString());
  std::set<int64_t> found;
  for (const Row& row : *rows) found.insert(row[0].AsInteger());
  for (int64_t n : acknowledged) {
    if (!found.count(n)) Fail("lost the acknowledged commit " + std::to_string(n));
  }
  auto whole = static_cast<int64_t>(found.size());
  if (One(*connection, "MATCH (l:Left) RETURN count(*)") != whole || One(*connection, "MATCH (r:Right) RETURN count(*)") != whole ||
      One(*connection, "MATCH ()-[p:PAIR]->() RETURN count(*)") != whole ||
      One(*connection, "CALL db.index.vector.queryNodes('left_embedding', 1000000, [1.0, 0.0, 2.0]) YIELD node RETURN count(*)") != whole) {
    Fail("half a commit is there");
  }
  connection.reset();
  database->reset();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::strcmp(argv[1], "--child") == 0) {
    return Child(argv[2], std::atoi(argv[3]), std::atoll(argv[4]), std::atoi(argv[5]));
  }
  const char* seed_text = std::getenv("FORNIX_SEED");
  uint64_t seed = seed_text ? std::strtoull(seed_text, nullptr, 10) : MonotonicNanos();
  std::printf("seed=%llu rerun: ./dev test crash.kill --seed=%llu\n", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed));
  const auto kills = static_cast<int>(fornix::Counted(50, 200, 1500));
  Random random(seed);
  std::string folder = std::filesystem::temp_directory_path() / ("fornix-kill-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::string path = folder + "/kill.fornix";
  {
    auto database = Database::Open(path);
    if (!database.ok()) Fail(database.status().ToString());
    auto connection = (*database)->Connect();
    for (const char* text : {"CREATE CONSTRAINT left_n FOR (l:Left) REQUIRE l.n IS UNIQUE",
                             "CREATE VECTOR INDEX left_embedding FOR (l:Left) ON (l.embedding) OPTIONS {indexConfig: {`vector.dimensions`: 3, "
                             "`vector.similarity_function`: 'euclidean'}}"}) {
      if (auto rows = connection->Query(text); !rows.ok()) Fail(rows.status().ToString());
    }
  }
  std::set<int64_t> acknowledged;
  int64_t first = 0;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    int fds[2];
    if (pipe(fds) != 0) Fail("pipe");
    bool clean = kill_number % 5 == 4;
    std::string fd = std::to_string(fds[1]), from = std::to_string(first), stop = clean ? "10" : "0";
    pid_t child = fork();
    if (child == 0) {
      close(fds[0]);
      execl("/proc/self/exe", argv[0], "--child", path.c_str(), fd.c_str(), from.c_str(), stop.c_str(), nullptr);
      _exit(127);
    }
    close(fds[1]);
    // Three of four kills come some time after the first commit, the fourth whenever, so that opening and recovery are hit too.
    bool from_start = random.Below(4) == 0;
    uint64_t wait_ns = (1 + random.Below(60)) * 1000000;
    uint64_t deadline = MonotonicNanos() + (from_start ? random.Below(300) * 1000000 : uint64_t{20} * 1000000000);
    bool killed = false, first_seen = false;
    for (;;) {
      uint64_t now = MonotonicNanos();
      if (!killed && now >= deadline) {
        kill(child, SIGKILL);
        killed = true;
      }
      pollfd wait{fds[0], POLLIN, 0};
      if (poll(&wait, 1, killed ? 1000 : static_cast<int>((deadline - now) / 1000000) + 1) > 0) {
        int64_t n;
        if (read(fds[0], &n, sizeof n) != sizeof n) break;   // the end: the child is gone
        acknowledged.insert(n);
        if (!first_seen && !from_start) deadline = MonotonicNanos() + wait_ns;
        first_seen = true;
      }
    }
    close(fds[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!killed && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) Fail("the child ended by itself, status " + std::to_string(status));
    Check(path, acknowledged);
    first += 1000000;
  }
  std::filesystem::remove_all(folder);
  std::printf("F3: %d kills, %zu acknowledged commits, none lost, none half\n", kills, acknowledged.size());
  return acknowledged.size() > static_cast<size_t>(kills) ? 0 : 1;   // a run in which nothing was committed proves nothing
}
