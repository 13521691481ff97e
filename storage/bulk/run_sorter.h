// RunSorter: sorts any number of records within a given memory: runs are sorted as they fill up, stay in memory as long as there
// is room and go to a temporary file beyond it, and are merged at the end.
//
// A record is a key of three numbers, compared in order, and some bytes. Keys are distinct, so the order doesn't depend on which
// writer or run a record came through.
//   writers (one a thread) -> runs -> one merger
// Threads: a Writer by one thread, several at once; Merge after all are closed, its Merger by one.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "storage/bulk/temp_files.h"

namespace fornix::storage {

struct SortKey {
  uint64_t a = 0, b = 0, c = 0;
  friend bool operator<(const SortKey& x, const SortKey& y) {
    if (x.a != y.a) return x.a < y.a;
    if (x.b != y.b) return x.b < y.b;
    return x.c < y.c;
  }
};

class RunSorter {
 public:
  // At most about `memory_bytes` are held, of which each writer may fill an eighth before it sorts; merging takes another eighth
  // for what has to be read again.
  RunSorter(TempFiles* temp, std::string name, uint64_t memory_bytes);
  ~RunSorter();

  class Writer {
   public:
    explicit Writer(RunSorter* sorter) : sorter_(sorter) {}
    Status Add(const SortKey& key, std::span<const std::byte> bytes) {
      if (entries_.capacity() == 0) {          // address space; memory is taken as it is written
        entries_.reserve(sorter_->run_bytes_ / sizeof(Entry) + 1);
        bytes_.reserve(sorter_->run_bytes_);
      }
      entries_.push_back({key, static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(bytes.size())});
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      if (entries_.size() * sizeof(Entry) + bytes_.size() >= sorter_->run_bytes_) return sorter_->TakeRun(&entries_, &bytes_);
      return Status::Ok();
    }
    Status Close() { return entries_.empty() ? Status::Ok() : sorter_->TakeRun(&entries_, &bytes_); }

   private:
    friend class RunSorter;
    struct Entry {
      SortKey key;
      uint32_t at = 0, size = 0;
    };
    RunSorter* sorter_;
    std::vector<Entry> entries_;
    std::vector<std::byte> bytes_;
  };

  class Merger {
   public:
    ~Merger();
    // False at the end. The record is valid until the next call.
    Result<bool> Next();
    const SortKey& key() const { return key_; }
    std::span<const std::byte> bytes() const { return bytes_; }

   private:
    friend class RunSorter;
    struct Cursor;
    Merger();
    Status Advance(Cursor* cursor);
    std::vector<std::unique_ptr<Cursor>> cursors_;
    std::vector<Cursor*> heap_;                // the smallest in front
    SortKey key_;
    std::span<const std::byte> bytes_;
    bool started_ = false;
  };
  Result<std::unique_ptr<Merger>> Merge();
  uint64_t records() const { return records_; }

 private:
  using Entry = Writer::Entry;
  struct Run {
    std::vector<Entry> entries;                // in memory, sorted
    std::vector<std::byte> bytes;
    uint64_t begin = 0, end = 0;               // else in the file
  };
  Status TakeRun(std::vector<Entry>* entries, std::vector<std::byte>* bytes);

  TempFiles* const temp_;
  const std::string name_;
  const uint64_t memory_bytes_, run_bytes_;
  std::mutex mutex_;
  std::unique_ptr<TempFile> file_;             // made for the first run that doesn't fit
  std::vector<Run> runs_;
  uint64_t held_ = 0, records_ = 0;
};

}  // namespace fornix::storage
