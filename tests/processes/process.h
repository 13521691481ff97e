// Another process that runs child.cc: its lines, its end.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fornix::processes {

class TempFolder {
 public:
  TempFolder() {
    char name[] = "/tmp/fornix-processes-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TempFolder() {
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(path_);
  }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Process {
 public:
  // `before` runs in the child before the program is loaded: to drop rights, set limits.
  explicit Process(const std::vector<std::string>& arguments, const std::function<void()>& before = {},
                   const std::string& name = "test_processes_child") {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
    const int image = open(program.c_str(), O_RDONLY);   // opened here: whoever drops rights might not be allowed to
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      if (before) before();
      std::vector<char*> argv{const_cast<char*>("child")};
      for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      fexecve(image, argv.data(), environ);
      _exit(127);
    }
    close(image);
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Process() {
    if (pid_ > 0) Kill();
    EndInput();
    close(out_);
  }
  Process(const Process&) = delete;

  pid_t pid() const { return pid_; }
  // The next line; empty at the end or after `millis`.
  std::string Line(int millis = 60'000) {
    for (;;) {
      if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      pollfd wait{out_, POLLIN, 0};
      if (poll(&wait, 1, millis) <= 0) return "";
      char bytes[4096];
      const ssize_t n = read(out_, bytes, sizeof(bytes));
      if (n <= 0) return "";
      buffer_.append(bytes, static_cast<size_t>(n));
    }
  }
  std::string LastLine() {
    std::string last;
    for (std::string line = Line(); !line.empty(); line = Line()) last = line;
    return last;
  }
  void EndInput() {
    if (in_ >= 0) close(in_);
    in_ = -1;
  }
  void Kill() {
    kill(pid_, SIGKILL);
    Wait();
  }
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  std::string buffer_;
};

// In a child: no more rights than anybody.
inline void BecomeNobody() {
  if (geteuid() != 0) return;
  if (setgid(65534) != 0 || setuid(65534) != 0) _exit(126);
}

}  // namespace fornix::processes
