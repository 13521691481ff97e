// Killing a writer; see crash_show.h.
#include "tools/demo/crash_show.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "fornix/database.h"

namespace fornix::demo {

int RunWriter(const std::string& path, int pipe_fd) {
  auto database = Database::Open(path);
  if (!database.ok()) {
    std::fprintf(stderr, "%s\n", database.status().ToString().c_str());
    return 1;
  }
  auto connection = (*database)->Connect();
  for (int64_t n = 0;; ++n) {
    auto rows = connection->Query(
        "MATCH (e:Episode {id: $episode}) "
        "CREATE (:Memory:Event {id: 'demo-' + toString($n), text: 'written while the power was about to go', created: date('2026-02-28'), "
        "occurred: date('2026-02-28'), n: $n})-[:EXTRACTED_FROM {created: date('2026-02-28'), confidence: 1.0}]->(e)",
        Map({{"n", Value(n)}, {"episode", Value("ep-topics")}}));
    if (!rows.ok()) {
      std::fprintf(stderr, "%s\n", rows.status().ToString().c_str());
      return 1;
    }
    if (write(pipe_fd, &n, sizeof n) != sizeof n) return 1;
  }
}

Result<CrashResult> KillAWriter(const std::string& path, int millis) {
  int fds[2];
  if (pipe(fds) != 0) return Status(Code::kIoError, "can't make a pipe");
  pid_t child = fork();
  if (child == 0) {
    close(fds[0]);
    std::string fd = std::to_string(fds[1]);
    execl("/proc/self/exe", "fornix_demo", "--writer", path.c_str(), fd.c_str(), nullptr);
    _exit(127);
  }
  close(fds[1]);
  if (child < 0) return Status(Code::kIoError, "can't start a process");
  CrashResult result;
  uint64_t kill_at = 0;                  // after the first commit, so that opening doesn't count
  bool killed = false;
  for (;;) {
    uint64_t now = MonotonicNanos();
    if (kill_at && !killed && now >= kill_at) {
      kill(child, SIGKILL);
      killed = true;
    }
    pollfd wait{fds[0], POLLIN, 0};
    if (poll(&wait, 1, 5) <= 0) continue;
    int64_t n;
    if (read(fds[0], &n, sizeof n) != sizeof n) break;
    if (!kill_at) kill_at = MonotonicNanos() + static_cast<uint64_t>(millis) * 1000000;
    result.acknowledged.push_back(n);
  }
  close(fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!killed) return Status(Code::kInternal, "the writing process ended by itself");
  return result;
}

}  // namespace fornix::demo
