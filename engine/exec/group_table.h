// GroupTable: a hash table from keys of several columns to dense group numbers, by Equivalent and Hash. Shared by Aggregate,
// Distinct and HashJoin. Groups are numbered in the order in which they first came.
#pragma once

#include <vector>

#include "base/interrupt.h"
#include "engine/exec/batch.h"

namespace fornix::engine {

class GroupTable {
 public:
  void Start(size_t key_columns) {
    keys_.assign(key_columns, Column());
    hashes_.clear();
    buckets_.assign(16, 0);
  }
  size_t size() const { return hashes_.size(); }
  const Column& key(size_t column) const { return keys_[column]; }

  static uint64_t HashRow(const std::vector<const Column*>& columns, size_t row) {
    uint64_t h = 0x9E3779B97F4A7C15ull;
    for (const Column* c : columns) h = (h ^ HashAt(*c, row)) * 0xFF51AFD7ED558CCDull;
    return h ^ (h >> 32);
  }
  // The group of the row's key; a new one if `*added`.
  size_t FindOrAdd(const std::vector<const Column*>& columns, size_t row, bool* added) { return FindOrAdd(columns, row, HashRow(columns, row), added); }
  size_t FindOrAdd(const std::vector<const Column*>& columns, size_t row, uint64_t hash, bool* added) {
    const size_t place = Find(columns, row, hash);
    *added = buckets_[place] == 0;
    if (!*added) return buckets_[place] - 1;
    for (size_t k = 0; k < keys_.size(); k++) keys_[k].AppendFrom(*columns[k], row);
    hashes_.push_back(hash);
    buckets_[place] = static_cast<uint32_t>(hashes_.size());
    if (hashes_.size() * 2 > buckets_.size()) Grow();
    return hashes_.size() - 1;
  }
  // size() if there is none.
  size_t Find(const std::vector<const Column*>& columns, size_t row) const { return FindHashed(columns, row, HashRow(columns, row)); }
  size_t FindHashed(const std::vector<const Column*>& columns, size_t row, uint64_t hash) const {
    const size_t place = Find(columns, row, hash);
    return buckets_[place] == 0 ? size() : buckets_[place] - 1;
  }
  uint64_t hash(size_t group) const { return hashes_[group]; }
  // What a group takes here. Entries of columns that grow by doubling count twice: while they move, the old place is still there.
  size_t KeyBytes(size_t group) const {
    size_t bytes = 2 * sizeof(uint64_t) + 4 * sizeof(uint32_t);
    for (const Column& c : keys_) bytes += c.kind() == ColumnKind::kBoxed ? c.boxed_at(group).MemoryBytes() + sizeof(Value) : 2 * sizeof(uint64_t);
    return bytes;
  }

 private:
  // The bucket that holds the key, or the empty one where it would go.
  size_t Find(const std::vector<const Column*>& columns, size_t row, uint64_t hash) const {
    const size_t mask = buckets_.size() - 1;
    for (size_t place = hash & mask;; place = (place + 1) & mask) {
      const uint32_t entry = buckets_[place];
      if (entry == 0) return place;
      if (hashes_[entry - 1] != hash) continue;
      bool equal = true;
      for (size_t k = 0; k < keys_.size() && equal; k++) equal = EquivalentAt(keys_[k], entry - 1, *columns[k], row);
      if (equal) return place;
    }
  }
  void Grow() {
    buckets_.assign(buckets_.size() * 2, 0);
    const size_t mask = buckets_.size() - 1;
    for (size_t g = 0; g < hashes_.size(); g++) {
      CountEntry(g, hashes_.size());
      size_t place = hashes_[g] & mask;
      while (buckets_[place] != 0) place = (place + 1) & mask;
      buckets_[place] = static_cast<uint32_t>(g + 1);
    }
  }

  std::vector<Column> keys_;
  std::vector<uint64_t> hashes_;      // by group
  std::vector<uint32_t> buckets_;     // group + 1; 0 is empty
};

}  // namespace fornix::engine
