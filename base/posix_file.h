// What base/posix_file.cc and base/posix_lock.cc share: descriptors, errors, and a file on the machine's disk. Nobody else
// includes it, but the test that puts its own system calls under a file.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.h"
#include "base/file.h"

namespace fornix::posix {

// ENOSPC, EDQUOT and the like are told apart by their text; the code is the same: the disk would not take it.
inline Status ErrnoStatus(const std::string& path, const char* what, int error) {
  return IoError(path + ": " + what + ": " + std::strerror(error));
}
inline Status ErrnoStatus(const std::string& path, const char* what, uint64_t offset, uint64_t size, int error) {
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
  ~Descriptor() { Close(); }
  int get() const { return fd_; }
  void Close() {
    // Linux has closed it even after EINTR. What close could report was reported by the sync before.
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// The system calls under a file. A test gives others, which are interrupted and do half of what they are asked.
struct Calls {
  ssize_t (*read)(int, void*, size_t, off_t) = ::pread;
  ssize_t (*write)(int, const void*, size_t, off_t) = ::pwrite;
  int (*sync)(int) = ::fdatasync;
};

class PosixFile final : public File {
 public:
  PosixFile(std::string path, Descriptor fd, const OpenOptions& options, IoCounters* counters, const Calls& calls = {})
      : path_(std::move(path)), fd_(std::move(fd)), write_(options.write), dsync_(options.dsync), counters_(counters), calls_(calls) {}

  const std::string& path() const override { return path_; }
  Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) override;
  Status WriteAt(uint64_t offset, std::span<const std::byte> bytes) override;
  Status Sync() override;
  Result<uint64_t> Size() override;
  Status Truncate(uint64_t size) override;
  Status WriteZeros(uint64_t offset, uint64_t size) override;
  Status Preallocate(uint64_t size) override;

  int fd() const { return fd_.get(); }
  void Close() { fd_.Close(); }

 private:
  const std::string path_;
  Descriptor fd_;
  const bool write_, dsync_;
  IoCounters* const counters_;
  const Calls calls_;
};

Result<std::unique_ptr<LockFile>> OpenLockFile(const std::string& path, bool create, IoCounters* counters);

}  // namespace fornix::posix
