// LinkTable: the neighbour lists of one layer of the graph, at a fixed stride, readable while they change.
//
//   row:  [header][slot][slot] ... [slot]        all 32-bit words, always accessed as atomics
//   header:  version (17 bits) | marked (1) | writing (1) | owned (1) | count (12)
//
// The mark is one bit of a row for the graph's use, once set never cleared. Writers take the row (`owned`)
// one at a time and may keep it for long, say while they choose neighbours; readers don't look at that bit. A
// replacement sets `writing`, stores the words and bumps the version: a seqlock. A reader that meets a change
// reads again, but only kReadAttemptsMax times, and then walks on with what it has: each word of a row is at
// every moment a slot that may be read, so a mix of an old and a new list costs a neighbour, never safety. So
// searchers never wait for a writer that the scheduler has put aside.
//
// A page of a file holds rows as they are, without the version and the flags of the moment (CopyRow, LoadRow). Which
// rows have changed is known by groups of kDirtyRows.
//
// Ordering: words are stored with release and loaded with acquire. A reader that sees a new word therefore
// sees the `writing` header stored before it, and everything the writer knew of that slot: its vector and its
// own list.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "vector/hnsw/chunked_rows.h"

namespace fornix::vector {

class LinkTable {
 public:
  static constexpr uint32_t kDegreeMax = 4095;  // what the count's 12 bits hold
  static constexpr size_t kDirtyRows = 32;      // at m = 16 they fill a page of 4 KiB

  explicit LinkTable(uint32_t degree_max)
      : degree_max_(degree_max), rows_(size_t{degree_max} + 1, /*zeroed=*/true), dirty_(1, /*zeroed=*/true) {}

  uint32_t degree_max() const { return degree_max_; }
  void Grow(size_t rows) {
    rows_.Grow(rows);
    dirty_.Grow((rows + kDirtyRows - 1) / kDirtyRows);
  }
  size_t bytes() const { return rows_.bytes() + dirty_.bytes(); }

  // A row in a file: the header's count and mark, the slots, zeros; 32-bit words, little-endian.
  size_t words() const { return size_t{degree_max_} + 1; }
  void CopyRow(size_t row, uint32_t* out) const;
  // Before anyone else knows the table. False if the count is more than a row holds; nothing is written then. What the
  // slots are is the caller's to judge.
  bool LoadRow(size_t row, const uint32_t* words);
  // Whether a row of group `group`, those from group * kDirtyRows on, has changed since the last call for it. Copy the
  // rows after it: a change during the copy makes the group dirty again.
  bool TakeDirty(size_t group) { return std::atomic_ref(*dirty_.Row(group)).exchange(0, std::memory_order_acq_rel) != 0; }

  // Copies the list to `out`, which has room for degree_max, and returns its length.
  uint32_t Read(size_t row, uint32_t* out, bool* marked) const;
  void Prefetch(size_t row) const { __builtin_prefetch(rows_.Row(row)); }

  // Holds a row against other writers while it lives. Readers go on.
  class Owner {
   public:
    Owner(LinkTable* table, size_t row);
    ~Owner();
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    uint32_t count() const;
    uint32_t at(uint32_t i) const;
    // REQUIRES: count() < degree_max.
    void Append(uint32_t slot);
    // REQUIRES: slots.size() <= degree_max.
    void Replace(std::span<const uint32_t> slots);
    // What the owner wrote before is seen by a reader that sees the mark.
    void Mark();

   private:
    void SetDirty() { std::atomic_ref(*dirty_).store(1, std::memory_order_release); }

    uint32_t* words_;
    uint32_t* dirty_;
    uint32_t degree_max_;
  };

 private:
  static constexpr uint32_t kCountMask = (1u << 12) - 1;
  static constexpr uint32_t kOwned = 1u << 12;
  static constexpr uint32_t kWriting = 1u << 13;
  static constexpr uint32_t kMarked = 1u << 14;
  static constexpr uint32_t kVersionOne = 1u << 15;
  // A replacement is a few dozen stores; more tries mean that its thread isn't running.
  static constexpr int kReadAttemptsMax = 64;

  const uint32_t degree_max_;
  ChunkedRows<uint32_t> rows_;
  ChunkedRows<uint32_t> dirty_;  // a word a group
};

}  // namespace fornix::vector
