// TempFiles: the temporary files of a bulk load, in a directory of their own that goes with the object.
//
// Nothing here is synced: a load that is cut short is begun anew, and a directory that it left is emptied then.
// Threads: Create by one; a TempFile's Append and Read from any.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"

namespace fornix::storage {

class TempFile {
 public:
  explicit TempFile(std::unique_ptr<File> file) : file_(std::move(file)) {}
  // Where the bytes are.
  Result<uint64_t> Append(std::span<const std::byte> bytes) {
    const uint64_t at = Reserve(bytes.size());
    RETURN_IF_ERROR(file_->WriteAt(at, bytes));
    return at;
  }
  // A place for `bytes`, which the caller fills in steps.
  uint64_t Reserve(uint64_t bytes) { return size_.fetch_add(bytes, std::memory_order_relaxed); }
  Status WriteAt(uint64_t at, std::span<const std::byte> bytes) { return file_->WriteAt(at, bytes); }
  Status Read(uint64_t at, std::span<std::byte> out) { return file_->ReadExactAt(at, out); }
  uint64_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  std::unique_ptr<File> file_;
  std::atomic<uint64_t> size_{0};
};

class TempFiles {
 public:
  static Result<std::unique_ptr<TempFiles>> Create(FileSystem& files, const std::string& dir);
  ~TempFiles();
  Result<std::unique_ptr<TempFile>> NewFile(const std::string& name);
  // Its bytes are given back at once; `file` is closed.
  Status Remove(std::unique_ptr<TempFile> file, const std::string& name);

 private:
  TempFiles(FileSystem& files, std::string dir) : files_(files), dir_(std::move(dir)) {}
  Status Empty();
  FileSystem& files_;
  const std::string dir_;
};

// Reads [begin, end) of a file front to back through a buffer.
class SequentialReader {
 public:
  SequentialReader(TempFile* file, uint64_t begin, uint64_t end, size_t buffer_bytes)
      : file_(file), next_(begin), end_(end), buffer_bytes_(buffer_bytes) {}
  bool at_end() const { return position_ == buffer_.size() && next_ == end_; }
  // At least `n` bytes from here on, or all that are left.
  Result<std::span<const std::byte>> Peek(size_t n) {
    if (buffer_.size() - position_ < n && next_ < end_) RETURN_IF_ERROR(Refill(n));
    return std::span<const std::byte>(buffer_).subspan(position_);
  }
  void Skip(size_t n) { position_ += n; }

 private:
  Status Refill(size_t n);
  TempFile* file_;
  uint64_t next_, end_;
  size_t buffer_bytes_, position_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace fornix::storage
