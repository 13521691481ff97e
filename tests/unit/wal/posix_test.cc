// The log on the machine's own disk: what the simulated one can't show, such as limits of the system, fork and the log
// thread's files.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/wal/log_harness.h"

namespace fornix::wal {
namespace {

class TempDir {
 public:
  TempDir() {
    char name[] = "/tmp/fornix-log-XXXXXX";
    path = mkdtemp(name);
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  std::string path;
};

Recovered RecoverFrom(const std::string& dir, const ReadOptions& options = {}) {
  Recovered result;
  Texts texts;
  auto end = ReadLog(PosixFileSystem(), dir, TestUuid(), options, texts);
  result.status = end.status();
  result.texts = std::move(texts.texts);
  if (end.ok()) result.end = std::move(end).value();
  return result;
}

// Runs `body` in a child process and gives its answer.
bool InChild(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("on a real disk: many segments, the next one made ahead, everything comes back over several lives") {
  TempDir temp;
  const std::string dir = temp.path + "/x.fornix-log";
  WriterOptions options;
  options.segment_bytes_first = 64 << 10;
  options.segment_bytes_max = 256 << 10;
  std::vector<std::string> expected;
  auto log = LogWriter::Create(PosixFileSystem(), dir, TestUuid(), {}, options).value();
  for (int life = 0; life < 3; ++life) {
    for (int i = 0; i < 300; ++i) {
      expected.push_back(std::to_string(life) + "." + std::to_string(i) + std::string(static_cast<size_t>(i * 10), 'p'));
      REQUIRE(Commit(*log, expected.back()).ok());
    }
    REQUIRE(log->Close().ok());
    CHECK_FALSE(std::filesystem::exists(dir + "/" + SpareName(1)));
    ReadOptions read;
    read.known_end_lsn = life == 1 ? expected.size() : 0;  // once as after a clean close
    Recovered got = RecoverFrom(dir, read);
    REQUIRE(got.status.ToString() == "ok");
    CHECK(got.texts == expected);
    log = LogWriter::Continue(PosixFileSystem(), dir, TestUuid(), std::move(got.end), options).value();
  }
}

TEST_CASE("a fork of the process that has the database open can't write into its log") {
  TempDir temp;
  const std::string dir = temp.path + "/x.fornix-log";
  auto log = LogWriter::Create(PosixFileSystem(), dir, TestUuid(), {}, TestOptions()).value();
  REQUIRE(Commit(*log, "one").ok());
  CHECK(InChild([&] {
    const Status status = Commit(*log, "from the child");
    return status.code() == Code::kUsage && status.message().find("fork") != std::string::npos;
  }));
  REQUIRE(Commit(*log, "two").ok());
  CHECK(RecoverFrom(dir).texts == std::vector<std::string>{"one", "two"});
}

TEST_CASE("a limit on file size or open files ends in an error that names the file, and the log stays readable") {
  TempDir temp;
  const std::string dir = temp.path + "/x.fornix-log";
  CHECK(InChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);  // the system's default is to kill
    auto log = LogWriter::Create(PosixFileSystem(), dir, TestUuid(), {}, TestOptions(64 << 10, 1 << 20)).value();
    const rlimit limit{300 << 10, 300 << 10};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    for (int i = 0; i < 1000; ++i) {
      const Status status = Commit(*log, std::string(5000, 'f'));
      if (!status.ok()) return status.code() == Code::kIoError && status.message().find("too large") != std::string::npos;
    }
    return false;
  }));
  const Recovered got = RecoverFrom(dir);
  CHECK(got.status.ToString() == "ok");
  CHECK(got.texts.size() > 50);
  CHECK(InChild([&] {
    auto end = RecoverFrom(dir).end;
    const rlimit limit{3, 3};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
    const auto log = LogWriter::Continue(PosixFileSystem(), dir, TestUuid(), std::move(end), TestOptions());
    return !log.ok() && log.status().message().find("Too many open files") != std::string::npos;
  }));
  CHECK(RecoverFrom(dir).texts.size() == got.texts.size());
}

TEST_CASE("a process killed in the middle of its commits loses none that it had reported") {
  TempDir temp;
  const std::string dir = temp.path + "/x.fornix-log";
  size_t reported = 0;
  {
    auto log = LogWriter::Create(PosixFileSystem(), dir, TestUuid(), {}, TestOptions()).value();
  }
  for (int round = 0; round < 10; ++round) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      Recovered got = RecoverFrom(dir);
      auto log = LogWriter::Continue(PosixFileSystem(), dir, TestUuid(), std::move(got.end), TestOptions());
      if (!log.ok()) _exit(1);
      for (size_t n = got.texts.size();; ++n) {
        if (!Commit(**log, std::to_string(n)).ok()) _exit(1);
        const auto count = static_cast<uint32_t>(n + 1);
        if (write(ends[1], &count, sizeof(count)) != sizeof(count)) _exit(1);
      }
    }
    close(ends[1]);
    uint32_t count = 0;
    const int commits = 20 + round * 7;
    for (int i = 0; i < commits && read(ends[0], &count, sizeof(count)) == sizeof(count); ++i) reported = count;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(ends[0], &count, sizeof(count)) == sizeof(count)) reported = count;
    close(ends[0]);
    const Recovered got = RecoverFrom(dir);
    REQUIRE(got.status.ToString() == "ok");
    REQUIRE(got.texts.size() >= reported);
    for (size_t i = 0; i < got.texts.size(); ++i) REQUIRE(got.texts[i] == std::to_string(i));
  }
  CHECK(reported >= 200);
}

}  // namespace
}  // namespace fornix::wal
