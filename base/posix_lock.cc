// Lock files on the machine's disk: open-file-description locks, which belong to one open() and not to a process.
//
// A child of fork shares the description, and the lock would live on in it after the parent's death. So the child closes
// every lock file right after the fork: the list of them is held still while a fork happens.
#include <sys/stat.h>

#include <atomic>
#include <ctime>
#include <mutex>
#include <set>

#include <pthread.h>

#include "base/posix_file.h"
#include "base/process.h"

namespace fornix {
namespace {

class PosixLockFile;

struct Process {
  std::atomic<int64_t> id{getpid()};
  std::mutex mutex;
  std::set<PosixLockFile*> open;
};
Process& TheProcess();

class PosixLockFile final : public LockFile {
 public:
  PosixLockFile(const std::string& path, posix::Descriptor fd, IoCounters* counters)
      : file_(path, std::move(fd), {.write = true}, counters) {
    std::lock_guard lock(TheProcess().mutex);
    TheProcess().open.insert(this);
  }
  ~PosixLockFile() override {
    std::lock_guard lock(TheProcess().mutex);
    TheProcess().open.erase(this);
    file_.Close();
  }
  void CloseInChild() { file_.Close(); }

  File& file() override { return file_; }
  Result<bool> TryLock(uint64_t begin, uint64_t size) override {
    struct flock range = Range(F_WRLCK, begin, size);
    if (fcntl(file_.fd(), F_OFD_SETLK, &range) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    return posix::ErrnoStatus(file_.path(), "lock", errno);
  }
  void Unlock(uint64_t begin, uint64_t size) override {
    struct flock range = Range(F_UNLCK, begin, size);
    fcntl(file_.fd(), F_OFD_SETLK, &range);
  }
  Result<bool> IsLocked(uint64_t begin, uint64_t size) override {
    struct flock range = Range(F_WRLCK, begin, size);
    if (fcntl(file_.fd(), F_OFD_GETLK, &range) != 0) return posix::ErrnoStatus(file_.path(), "look at the lock", errno);
    return range.l_type != F_UNLCK;
  }
  Result<bool> HasName() override {
    struct stat ours, named;
    if (fstat(file_.fd(), &ours) != 0) return posix::ErrnoStatus(file_.path(), "stat", errno);
    return stat(file_.path().c_str(), &named) == 0 && named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
  }

 private:
  static struct flock Range(short type, uint64_t begin, uint64_t size) {
    struct flock range = {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(begin);
    range.l_len = static_cast<off_t>(size);
    return range;
  }
  posix::PosixFile file_;
};

Process& TheProcess() {
  static Process* const process = [] {
    auto* made = new Process;  // never destroyed: forks may come at any time
    pthread_atfork([] { TheProcess().mutex.lock(); }, [] { TheProcess().mutex.unlock(); },
                   [] {
                     Process& child = TheProcess();
                     child.id.store(getpid(), std::memory_order_relaxed);
                     for (PosixLockFile* file : child.open) file->CloseInChild();
                     child.mutex.unlock();
                   });
    return made;
  }();
  return *process;
}

}  // namespace

int64_t ProcessId() { return TheProcess().id.load(std::memory_order_relaxed); }

Status CheckProcess(int64_t opened_by) {
  if (opened_by == ProcessId()) return Status::Ok();
  return UsageError("this process (" + std::to_string(ProcessId()) + ") is a fork of the one that opened the database (" +
                    std::to_string(opened_by) + "); open it anew here");
}

std::string ProcessWords() {
  char since[32] = "";
  const time_t now = time(nullptr);
  struct tm utc;
  if (gmtime_r(&now, &utc) != nullptr) strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return "process " + std::to_string(ProcessId()) + " (" + program_invocation_short_name + ") since " + since;
}

namespace posix {

Result<std::unique_ptr<LockFile>> OpenLockFile(const std::string& path, bool create, IoCounters* counters) {
  const int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (create ? O_CREAT : 0);
  Descriptor fd(RetryOnEintr([&] { return open(path.c_str(), flags, 0644); }));
  if (fd.get() < 0) return ErrnoStatus(path, "open lock file", errno);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return ErrnoStatus(path, "stat", errno);
  if (!S_ISREG(info.st_mode)) return IoError(path + ": the lock file is no regular file");
  return std::unique_ptr<LockFile>(std::make_unique<PosixLockFile>(path, std::move(fd), counters));
}

}  // namespace posix
}  // namespace fornix
