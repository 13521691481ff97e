// Run: rows on disk in the order they were written, read back in that order, once or several times.
//
// Rows are made of entries of columns; who reads must ask for as many as were written. A run's blocks are given back when it is
// destroyed. The buffers that writers and readers need are charged without asking (MemoryTracker::Force): one block each.
#pragma once

#include <span>

#include "engine/exec/batch.h"
#include "engine/exec/spill/spill_file.h"
#include "engine/exec/spill/value_codec.h"

namespace fornix::engine {

class Run {
 public:
  Run() = default;
  explicit Run(SpillFile* file) : file_(file) {}
  ~Run() { Drop(); }
  Run(Run&& other) noexcept { *this = std::move(other); }
  Run& operator=(Run&& other) noexcept;
  bool empty() const { return rows_ == 0; }
  uint64_t rows() const { return rows_; }
  void Drop();

 private:
  friend class RunWriter;
  friend class RunReader;
  SpillFile* file_ = nullptr;
  std::vector<SpillBlock> blocks_;
  uint64_t rows_ = 0;
};

class RunWriter {
 public:
  RunWriter() = default;
  RunWriter(SpillFile* file, SpillCounts* counts) : file_(file), counts_(counts), run_(file) {}
  ~RunWriter();
  RunWriter(RunWriter&& other) noexcept { *this = std::move(other); }
  RunWriter& operator=(RunWriter&& other) noexcept;

  bool started() const { return file_ != nullptr; }
  Status Add(std::span<const Column* const> columns, size_t row) {
    for (const Column* column : columns) WriteEntry(*column, row, &bytes_);
    if (columns.empty()) bytes_.U8(0);                  // a row is at least a byte
    return EndRow();
  }
  Status AddValues(std::span<const Value> values);
  uint64_t rows() const { return run_.rows_; }
  // Writes what is left. Afterwards the writer is empty and may go.
  Result<Run> Finish();

 private:
  Status EndRow();
  Status Flush();
  SpillFile* file_ = nullptr;
  SpillCounts* counts_ = nullptr;
  Run run_;
  ByteWriter bytes_;
  size_t charged_ = 0;
};

class RunReader {
 public:
  RunReader() = default;
  explicit RunReader(const Run* run) : run_(run), file_(run->file_) {}   // the run stays where it is as long as it is read
  ~RunReader();
  RunReader(RunReader&& other) noexcept { *this = std::move(other); }
  RunReader& operator=(RunReader&& other) noexcept;

  // Appends rows to the columns, at most `rows_max`, fewer where they are large; returns how many, 0 at the end.
  Result<size_t> Read(std::span<Column* const> columns, size_t rows_max);
  // One row; false at the end.
  Result<bool> ReadValues(size_t count, std::vector<Value>* values);
  void Rewind() { next_block_ = 0; position_ = 0; raw_.clear(); }

 private:
  // False at the end of the run.
  Result<bool> Fill();
  ByteReader Rest() const { return ByteReader(std::span<const std::byte>(raw_).subspan(position_), "a spilled run", position_); }
  const Run* run_ = nullptr;
  SpillFile* file_ = nullptr;
  size_t next_block_ = 0;
  std::vector<std::byte> raw_;
  size_t position_ = 0;
  size_t charged_ = 0;
};

}  // namespace fornix::engine
