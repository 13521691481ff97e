// The machine's disk behind base/file.h. EINTR is retried, short reads and writes are continued, every error says path,
// offset and the system's words. Nothing else in the tree opens a file, except its sister base/posix_lock.cc.
#include "base/posix_file.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>

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

namespace posix {

Result<size_t> PosixFile::ReadAt(uint64_t offset, std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size()) {
    const size_t want = std::min(out.size() - done, kFileCallBytesMax);
    const ssize_t n = RetryOnEintr([&] { return calls_.read(fd(), out.data() + done, want, static_cast<off_t>(offset + done)); });
    if (n < 0) return ErrnoStatus(path_, "read", offset + done, want, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  counters_->bytes_read.fetch_add(done, std::memory_order_relaxed);
  return done;
}

Status PosixFile::WriteAt(uint64_t offset, std::span<const std::byte> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const size_t want = std::min(bytes.size() - done, kFileCallBytesMax);
    const ssize_t n = RetryOnEintr([&] { return calls_.write(fd(), bytes.data() + done, want, static_cast<off_t>(offset + done)); });
    if (n < 0) return ErrnoStatus(path_, "write", offset + done, want, errno);
    done += static_cast<size_t>(n);
  }
  counters_->bytes_written.fetch_add(done, std::memory_order_relaxed);
  counters_->writes.fetch_add(1, std::memory_order_relaxed);
  if (dsync_) counters_->syncs.fetch_add(1, std::memory_order_relaxed);
  return Status::Ok();
}

Status PosixFile::Sync() {
  if (RetryOnEintr([&] { return calls_.sync(fd()); }) != 0) {
    // A file system that can't be written (a mounted image) has nothing pending, and some of them don't know the call.
    if (!write_ && (errno == EROFS || errno == EINVAL)) return Status::Ok();
    return ErrnoStatus(path_, "sync", errno);
  }
  counters_->syncs.fetch_add(1, std::memory_order_relaxed);
  return Status::Ok();
}

Result<uint64_t> PosixFile::Size() {
  struct stat info;
  if (fstat(fd(), &info) != 0) return ErrnoStatus(path_, "stat", errno);
  return static_cast<uint64_t>(info.st_size);
}

Status PosixFile::Truncate(uint64_t size) {
  if (RetryOnEintr([&] { return ftruncate(fd(), static_cast<off_t>(size)); }) != 0) return ErrnoStatus(path_, "truncate", errno);
  return Status::Ok();
}

Status PosixFile::WriteZeros(uint64_t offset, uint64_t size) {
  static const std::byte kZeros[64 << 10] = {};
  while (size > 0) {
    const uint64_t n = std::min<uint64_t>(size, sizeof(kZeros));
    RETURN_IF_ERROR(WriteAt(offset, {kZeros, static_cast<size_t>(n)}));
    offset += n;
    size -= n;
  }
  return Status::Ok();
}

Status PosixFile::Preallocate(uint64_t size) {
  if (RetryOnEintr([&] { return fallocate(fd(), 0, 0, static_cast<off_t>(size)); }) == 0) return Status::Ok();
  if (errno != EOPNOTSUPP) return ErrnoStatus(path_, "preallocate", 0, size, errno);
  // A file system that can't reserve: the size is right, and ENOSPC may come with a later write.
  ASSIGN_OR_RETURN(const uint64_t now, Size());
  return now >= size ? Status::Ok() : Truncate(size);
}

}  // namespace posix

using posix::Descriptor;
using posix::ErrnoStatus;
using posix::RetryOnEintr;

namespace {

const char* KindWord(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

class PosixFiles : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Open(const std::string& path, const OpenOptions& options) override {
    // O_NONBLOCK keeps a FIFO from blocking us before we can refuse it; on a regular file it means nothing.
    int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (options.write ? O_RDWR : O_RDONLY);
    if (options.create) flags |= O_CREAT;
    if (options.exclusive) flags |= O_EXCL;
    if (options.dsync) flags |= O_DSYNC;
    Descriptor fd(RetryOnEintr([&] { return open(path.c_str(), flags, options.owner_only ? 0600 : 0644); }));
    if (fd.get() < 0) {
      const int error = errno;
      return error == EISDIR ? IoError(path + ": is a directory, not a file") : ErrnoStatus(path, "open", error);
    }
    struct stat info;
    if (fstat(fd.get(), &info) != 0) return ErrnoStatus(path, "stat", errno);
    if (!S_ISREG(info.st_mode)) return IoError(path + ": is " + KindWord(info.st_mode) + ", not a file");
    return std::unique_ptr<File>(std::make_unique<posix::PosixFile>(path, std::move(fd), options, &counters_));
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

  Result<std::unique_ptr<LockFile>> OpenLockFile(const std::string& path, bool create) override {
    return posix::OpenLockFile(path, create, &counters_);
  }
};

}  // namespace

FileSystem& PosixFileSystem() {
  static PosixFiles* const files = new PosixFiles;  // never destroyed: a database may be closed by a static destructor
  return *files;
}

}  // namespace fornix
