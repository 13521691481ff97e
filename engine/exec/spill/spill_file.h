// Where a statement puts what its memory doesn't hold. SpillFolder is the database's place for such files, SpillFile the one
// file of a running statement.
//
// A file loses its name as soon as it is open, so nothing is left of it when the statement or the process ends; a crash between
// the two is cleaned up by the next open for writing. Files of a database opened for writing lie in X.fornix-spill/ beside it,
// others (":memory:", readers, who may not write there) in the system's folder for temporary files.
// A block is compressed with LZ4 where that makes it smaller and has a CRC32C over its place, sizes and bytes:
//   0 stored bytes u32   4 raw bytes u32   8 crc u32   12 the bytes       (little endian; docs/format.md, "Spilled runs")
// All errors are the statement's alone and say which file, where, and that a full disk or a small limit is behind it.
// Threads: a folder from any thread; a file belongs to one run.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "engine/exec/memory_tracker.h"

namespace fornix::engine {

class SpillFolder {
 public:
  // `data_path` empty: the system's temporary folder.
  SpillFolder(FileSystem& files, const std::string& data_path);
  ~SpillFolder();                                   // removes the folder if it was made here
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;

  // Removes what a crash left. For the one process that has the database open for writing.
  Status RemoveLeftOvers();
  Result<std::unique_ptr<File>> NewFile();

 private:
  FileSystem& files_;
  std::string path_;
  const bool temporary_;
  std::atomic<bool> made_{false};
};

struct SpillBlock {
  uint64_t offset = 0;
  uint32_t stored_bytes = 0;                        // header included
  uint32_t raw_bytes = 0;
};

class SpillFile {
 public:
  SpillFile(std::unique_ptr<File> file, MemoryTracker& memory);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  Result<SpillBlock> Append(std::span<const std::byte> raw);
  Status Read(const SpillBlock& block, std::vector<std::byte>* raw);
  // The block is of no use any more. Once none is left the file begins anew.
  void Drop(const SpillBlock& block);

  // How large blocks should get and how many runs are merged at once: the buffers stay within a quarter of the statement's limit.
  size_t block_bytes() const { return block_bytes_; }
  size_t fan_in() const { return fan_in_; }
  uint64_t bytes_written() const { return bytes_written_; }
  MemoryTracker& memory() { return memory_; }

 private:
  std::unique_ptr<File> file_;
  MemoryTracker& memory_;
  size_t block_bytes_, fan_in_;
  uint64_t end_ = 0, live_ = 0, bytes_written_ = 0;
  std::vector<std::byte> stored_;                   // one block as it lies on disk
  size_t charged_ = 0;
};

// What an operator put on disk, for PROFILE.
struct SpillCounts {
  uint64_t bytes = 0, runs = 0;
};

}  // namespace fornix::engine
