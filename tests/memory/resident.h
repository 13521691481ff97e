// How much memory another process holds: its VmRSS, read from /proc every millisecond or two until it has ended, and which of the
// lines that it said was the last when it held most.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace fornix::memory {

// VmRSS of a process in bytes, 0 when it is gone.
inline uint64_t ResidentBytes(pid_t pid) {
  char path[64], text[4096];
  std::snprintf(path, sizeof path, "/proc/%d/status", static_cast<int>(pid));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* line = std::strstr(text, "VmRSS:");
  return line == nullptr ? 0 : std::strtoull(line + 6, nullptr, 10) * 1024;
}

// A child process, its standard output as lines, and what it held at most while each line was the last.
class WatchedProcess {
 public:
  explicit WatchedProcess(const std::vector<std::string>& command) {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      std::vector<char*> argv;
      for (const std::string& part : command) argv.push_back(const_cast<char*>(part.c_str()));
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(out[1]);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    out_ = out[0];
    phases_.emplace_back("start", 0);
  }
  ~WatchedProcess() {
    if (pid_ > 0) Kill();
    close(out_);
  }
  WatchedProcess(const WatchedProcess&) = delete;

  // Watches until the process says `line`, or ends; false if it ended.
  bool WatchUntil(const std::string& line) {
    for (;;) {
      phases_.back().second = std::max(phases_.back().second, ResidentBytes(pid_));
      if (TakeLines(line)) return true;
      int status = 0;
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        exit_ = status;
        TakeLines(line);
        return false;
      }
      usleep(1500);
    }
  }
  void Kill() {
    kill(pid_, SIGKILL);
    waitpid(pid_, &exit_, 0);
    pid_ = -1;
  }
  bool ended_well() const { return pid_ == -1 && exit_ == 0; }
  const std::vector<std::pair<std::string, uint64_t>>& phases() const { return phases_; }
  const std::string& last_line() const { return phases_.back().first; }

 private:
  bool TakeLines(const std::string& wanted) {
    char bytes[4096];
    for (ssize_t n = 0; (n = read(out_, bytes, sizeof bytes)) > 0;) buffer_.append(bytes, static_cast<size_t>(n));
    for (size_t end = 0; (end = buffer_.find('\n')) != std::string::npos;) {
      phases_.emplace_back(buffer_.substr(0, end), 0);
      buffer_.erase(0, end + 1);
      if (phases_.back().first == wanted) return true;
    }
    return false;
  }

  pid_t pid_ = -1;
  int out_ = -1, exit_ = -1;
  std::string buffer_;
  std::vector<std::pair<std::string, uint64_t>> phases_;
};

}  // namespace fornix::memory
