#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/storage/bench.h"

namespace fornix::bench {

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

}  // namespace fornix::bench
