// The one door to the disk: everything Fornix reads or writes in files goes through a FileSystem and its Files.
//
// Two implementations: PosixFileSystem (the machine's) and FaultFileSystem (base/fault_file.h: a disk in memory that can
// lose power and fail). Code below the public interface takes a FileSystem& and never asks which.
//
// Every error names the path, the offset where there is one, and the system's own words. Calls come back whole: EINTR
// and short reads and writes are dealt with inside. What is durable:
//   File::WriteAt      in a file opened with dsync: the bytes, and a size they need, when the call returns
//   File::Sync         everything written to this file before, and its size (fdatasync)
//   FileSystem::SyncDir  the names created, renamed or removed in that directory before
// Nothing else is; a name without SyncDir may be lost although its bytes are synced. After a failed write or sync nothing
// is known about the bytes it covered, and a second sync that succeeds proves nothing: don't retry, reopen.
//
// Threads: a FileSystem may be used by all. A File's ReadAt and WriteAt may run at once (on ranges that don't overlap).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fornix/status.h"

namespace fornix {

struct OpenOptions {
  bool write = false;      // else read only
  bool create = false;     // made empty if it isn't there
  bool exclusive = false;  // with create: an error if it is there
  bool owner_only = false; // with create: nobody else may read it
  bool dsync = false;      // O_DSYNC: WriteAt returns when the bytes are durable
};

enum class FileKind : uint8_t { kNone, kFile, kDirectory, kOther };  // kOther: a FIFO, socket or device; links are followed

class File {
 public:
  virtual ~File() = default;
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  virtual const std::string& path() const = 0;
  // Fills `out` and returns its size, or less only where the file ends.
  virtual Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) = 0;
  virtual Status WriteAt(uint64_t offset, std::span<const std::byte> bytes) = 0;
  virtual Status Sync() = 0;
  virtual Result<uint64_t> Size() = 0;
  virtual Status Truncate(uint64_t size) = 0;
  // Makes the range real: blocks on disk that hold zeros, so that a later overwrite changes no metadata. Not yet durable.
  virtual Status WriteZeros(uint64_t offset, uint64_t size) = 0;
  // Reserves the blocks up to `size` (ENOSPC comes here rather than later); the content is zeros, the size grows.
  virtual Status Preallocate(uint64_t size) = 0;

  // ReadAt that must fill `out`: a file that ends before is Corruption naming what was expected.
  Status ReadExactAt(uint64_t offset, std::span<std::byte> out);
};

// A small file whose bytes processes hold alone, and in which they say who they are. The locks belong to this handle: a second
// one in the same process is refused like anybody else, a child of fork has no share in them, and the kernel frees
// them when the process dies. Bytes may be locked that the file doesn't have.
class LockFile {
 public:
  virtual ~LockFile() = default;  // frees its locks
  LockFile() = default;
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  virtual File& file() = 0;
  // False if another handle holds a part of the range. Never waits.
  virtual Result<bool> TryLock(uint64_t begin, uint64_t size) = 0;
  virtual void Unlock(uint64_t begin, uint64_t size) = 0;
  // Whether another handle holds a part of the range.
  virtual Result<bool> IsLocked(uint64_t begin, uint64_t size) = 0;
  // False once the path names another file, or none: then locks on this one keep nobody out.
  virtual Result<bool> HasName() = 0;
};

struct IoCounters {
  std::atomic<uint64_t> bytes_read{0};
  std::atomic<uint64_t> bytes_written{0};
  std::atomic<uint64_t> writes{0};
  std::atomic<uint64_t> syncs{0};  // a dsync write counts as one write and one sync
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // A path that is not a regular file gives an error that says what it is, and never blocks (a FIFO would).
  virtual Result<std::unique_ptr<File>> Open(const std::string& path, const OpenOptions& options) = 0;
  virtual Result<FileKind> Kind(const std::string& path) = 0;
  virtual Status CreateDir(const std::string& path) = 0;  // no error if the directory is there
  virtual Result<std::vector<std::string>> List(const std::string& dir) = 0;  // names, sorted
  virtual Status Rename(const std::string& from, const std::string& to) = 0;  // within one directory; replaces `to`
  virtual Status RemoveFile(const std::string& path) = 0;
  virtual Status RemoveDir(const std::string& path) = 0;  // must be empty
  virtual Status SyncDir(const std::string& dir) = 0;
  // For reading and writing; made if it isn't there and `create` is set. Where this user can't write it: an error.
  virtual Result<std::unique_ptr<LockFile>> OpenLockFile(const std::string& path, bool create) = 0;

  const IoCounters& counters() const { return counters_; }

 protected:
  IoCounters counters_;
};

FileSystem& PosixFileSystem();

// "a/b/c" -> "a/b", "c" -> ".".
std::string DirName(const std::string& path);
std::string JoinPath(const std::string& dir, const std::string& name);

}  // namespace fornix
