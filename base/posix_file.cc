// The machine's disk behind base/file.h. EINTR is retried, short reads and writes are continued, every error says path,
// offset and the system's words. Nothing else in the tree opens a file.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/bytes.h"
#include "base/errors.h"
#include "base/file.h"
#include "base/limits.h"

namespace fornix {

std::string DirName(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string JoinPath(const std::string& dir, const std::string& name) {
  return dir.empty() || dir.back() == '/' ? dir + name : dir + "/" + name;
}

Status File::ReadExactAt(uint64_t offset, std::span<std::byte> out) {
  ASSIGN_OR_RETURN(const size_t n, ReadAt(offset, out));
  if (n == out.size()) return Status::Ok();
  return Corruption(path() + ": offset " + std::to_string(offset) + ": expected " + std::to_string(out.size()) +
                    " bytes, the file ends after " + std::to_string(n));
}

namespace {

// ENOSPC, EDQUOT and the like are told apart by their text; the code is the same: the disk would not take it.
Status ErrnoStatus(const std::string& path, const char* what, int error) {
  return IoError(path + ": " + what + ": " + std::strerror(error));
}
Status ErrnoStatus(const std::string& path, const char* what, uint64_t offset, uint64_t size, int error) {
  return IoError(path + ": " + what + " of " + std::to_string(size) + " bytes at offset " + std::to_string(offset) + ": " +
                 std::strerror(error));
}

template <typename Call>
auto RetryOnEintr(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Descriptor() {
    // Linux has closed it even after EINTR. What close could report was reported by the sync before.
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

const char* KindWord(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

class PosixFile : public File {
 public:
  PosixFile(std::string path, Descriptor fd, bool dsync, IoCounters* counters)
      : path_(std::move(path)), fd_(std::move(fd)), dsync_(dsync), counters_(counters) {}

  const std::string& path() const override { return path_; }

  Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const size_t want = std::min(out.size() - done, kFileCallBytesMax);
      const ssize_t n = RetryOnEintr(
          [&] { return pread(fd_.get(), out.data() + done, want, static_cast<off_t>(offset + done)); });
      if (n < 0) return ErrnoStatus(path_, "read", offset + done, want, errno);
      if (n == 0) break;
      done += static_cast<size_t>(n);
    }
    counters_->bytes_read.fetch_add(done, std::memory_order_relaxed);
    return done;
  }

  Status WriteAt(uint64_t offset, std::span<const std::byte> bytes) override {
    size_t done = 0;
    while (done < bytes.size()) {
      const size_t want = std::min(bytes.size() - done, kFileCallBytesMax);
      const ssize_t n = RetryOnEintr(
          [&] { return pwrite(fd_.get(), bytes.data() + done, want, static_cast<off_t>(offset + done)); });
      if (n < 0) return ErrnoStatus(path_, "write", offset + done, want, errno);
      done += static_cast<size_t>(n);
    }
    counters_->bytes_written.fetch_add(done, std::memory_order_relaxed);
    counters_->writes.fetch_add(1, std::memory_order_relaxed);
    if (dsync_) counters_->syncs.fetch_add(1, std::memory_order_relaxed);
    return Status::Ok();
  }

  Status Sync() override {
    if (RetryOnEintr([&] { return fdatasync(fd_.get()); }) != 0) return ErrnoStatus(path_, "sync", errno);
    counters_->syncs.fetch_add(1, std::memory_order_relaxed);
    return Status::Ok();
  }

  Result<uint64_t> Size() override {
    struct stat info;
    if (fstat(fd_.get(), &info) != 0) return ErrnoStatus(path_, "stat", errno);
    return static_cast<uint64_t>(info.st_size);
  }

  Status Truncate(uint64_t size) override {
    if (RetryOnEintr([&] { return ftruncate(fd_.get(), static_cast<off_t>(size)); }) != 0) {
      return ErrnoStatus(path_, "truncate", errno);
    }
    return Status::Ok();
  }

  Status WriteZeros(uint64_t offset, uint64_t size) override {
    static const std::byte kZeros[64 << 10] = {};
    while (size > 0) {
      const uint64_t n = std::min<uint64_t>(size, sizeof(kZeros));
      RETURN_IF_ERROR(WriteAt(offset, {kZeros, static_cast<size_t>(n)}));
      offset += n;
      size -= n;
    }
    return Status::Ok();
  }

  Status Preallocate(uint64_t size) override {
    if (RetryOnEintr([&] { return fallocate(fd_.get(), 0, 0, static_cast<off_t>(size)); }) == 0) return Status::Ok();
    if (errno != EOPNOTSUPP) return ErrnoStatus(path_, "preallocate", 0, size, errno);
    // A file system that can't reserve: the size is right, and ENOSPC may come with a later write.
    ASSIGN_OR_RETURN(const uint64_t now, Size());
    return now >= size ? Status::Ok() : Truncate(size);
  }

 private:
  const std::string path_;
  Descriptor fd_;
  const bool dsync_;
  IoCounters* const counters_;
};

class PosixLock : public FileLock {
 public:
  explicit PosixLock(Descriptor fd) : fd_(std::move(fd)), owner_(getpid()) {}
  ~PosixLock() override {
    // A forked child shares the description: unlock by name, or the child would keep our lock; and never for the parent.
    if (getpid() != owner_) return;
    struct flock lock = {};
    lock.l_type = F_UNLCK;
    lock.l_whence = SEEK_SET;
    fcntl(fd_.get(), F_OFD_SETLK, &lock);
  }

 private:
  Descriptor fd_;
  pid_t owner_;
};

std::string Holder(int fd) {
  char text[200];
  const ssize_t n = RetryOnEintr([&] { return pread(fd, text, sizeof(text) - 1, 0); });
  if (n <= 0) return "another process";
  const std::string_view line(text, static_cast<size_t>(n));
  return std::string(line.substr(0, line.find('\n')));
}

class PosixFiles : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Open(const std::string& path, const OpenOptions& options) override {
    // O_NONBLOCK keeps a FIFO from blocking us before we can refuse it; on a regular file it means nothing.
    int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (options.write ? O_RDWR : O_RDONLY);
    if (options.create) flags |= O_CREAT;
    if (options.exclusive) flags |= O_EXCL;
    if (options.dsync) flags |= O_DSYNC;
    Descriptor fd(RetryOnEintr([&] { return open(path.c_str(), flags, 0644); }));
    if (fd.get() < 0) {
      const int error = errno;
      return error == EISDIR ? IoError(path + ": is a directory, not a file") : ErrnoStatus(path, "open", error);
    }
    struct stat info;
    if (fstat(fd.get(), &info) != 0) return ErrnoStatus(path, "stat", errno);
    if (!S_ISREG(info.st_mode)) return IoError(path + ": is " + KindWord(info.st_mode) + ", not a file");
    return std::unique_ptr<File>(std::make_unique<PosixFile>(path, std::move(fd), options.dsync, &counters_));
  }

  Result<FileKind> Kind(const std::string& path) override {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return FileKind::kNone;
      return ErrnoStatus(path, "stat", errno);
    }
    if (S_ISREG(info.st_mode)) return FileKind::kFile;
    return S_ISDIR(info.st_mode) ? FileKind::kDirectory : FileKind::kOther;
  }

  Status CreateDir(const std::string& path) override {
    if (mkdir(path.c_str(), 0755) == 0) return Status::Ok();
    const int error = errno;
    if (error == EEXIST) {
      ASSIGN_OR_RETURN(const FileKind kind, Kind(path));
      if (kind == FileKind::kDirectory) return Status::Ok();
    }
    return ErrnoStatus(path, "create directory", error);
  }

  Result<std::vector<std::string>> List(const std::string& dir) override {
    DIR* handle = opendir(dir.c_str());
    if (handle == nullptr) return ErrnoStatus(dir, "list directory", errno);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = readdir(handle)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
      errno = 0;
    }
    const int error = errno;
    closedir(handle);
    if (error != 0) return ErrnoStatus(dir, "list directory", error);
    std::sort(names.begin(), names.end());
    return names;
  }

  Status Rename(const std::string& from, const std::string& to) override {
    if (rename(from.c_str(), to.c_str()) != 0) return ErrnoStatus(from, ("rename to " + to).c_str(), errno);
    return Status::Ok();
  }

  Status RemoveFile(const std::string& path) override {
    if (unlink(path.c_str()) != 0) return ErrnoStatus(path, "remove", errno);
    return Status::Ok();
  }

  Status RemoveDir(const std::string& path) override {
    if (rmdir(path.c_str()) != 0) return ErrnoStatus(path, "remove directory", errno);
    return Status::Ok();
  }

  Status SyncDir(const std::string& dir) override {
    Descriptor fd(RetryOnEintr([&] { return open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    if (fd.get() < 0) return ErrnoStatus(dir, "open directory", errno);
    if (RetryOnEintr([&] { return fsync(fd.get()); }) != 0) return ErrnoStatus(dir, "sync directory", errno);
    counters_.syncs.fetch_add(1, std::memory_order_relaxed);
    return Status::Ok();
  }

  Result<std::unique_ptr<FileLock>> LockExclusive(const std::string& path) override {
    // A clean close removes the lock file while it holds it, so the file we locked may have lost its name meanwhile: then
    // somebody else may hold a newer one. Each further round needs one more close in between; 100 never happen.
    for (int round = 0; round < 100; ++round) {
      Descriptor fd(RetryOnEintr([&] { return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644); }));
      if (fd.get() < 0) return ErrnoStatus(path, "open lock file", errno);
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      lock.l_whence = SEEK_SET;
      if (fcntl(fd.get(), F_OFD_SETLK, &lock) != 0) {
        if (errno == EAGAIN || errno == EACCES) {
          return Busy(path + ": the database is in use by " + Holder(fd.get()) + "; close it there first");
        }
        return ErrnoStatus(path, "lock", errno);
      }
      struct stat ours, named;
      if (fstat(fd.get(), &ours) != 0) return ErrnoStatus(path, "stat", errno);
      if (stat(path.c_str(), &named) != 0 || named.st_ino != ours.st_ino || named.st_dev != ours.st_dev) continue;
      WriteHolder(fd.get());
      return std::unique_ptr<FileLock>(std::make_unique<PosixLock>(std::move(fd)));
    }
    return IoError(path + ": lock: the file is replaced again and again");
  }

 private:
  // For the message of whoever comes second; the lock itself is the kernel's, so a failure here costs a word only.
  static void WriteHolder(int fd) {
    char since[32] = "";
    const time_t now = time(nullptr);
    struct tm utc;
    if (gmtime_r(&now, &utc) != nullptr) strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%SZ", &utc);
    const std::string text = "process " + std::to_string(getpid()) + " (" + program_invocation_short_name + ") since " +
                             since + "\n";
    if (ftruncate(fd, 0) == 0) [[maybe_unused]] const ssize_t n = pwrite(fd, text.data(), text.size(), 0);
  }
};

}  // namespace

FileSystem& PosixFileSystem() {
  static PosixFiles* const files = new PosixFiles;  // never destroyed: a database may be closed by a static destructor
  return *files;
}

}  // namespace fornix
