// IndexBuild: all (key, element) entries of one range index at one snapshot, ascending, for IndexTree::Build.
//
// Entries are collected in one scan and sorted. If they don't fit the memory given, the scan only samples them, the key space is cut
// into parts that do fit, and each part is collected by a scan of its own: slower, never larger.
// For a unique index the first two elements with one key are remembered (NaN equals nothing).
// Threads: one; the overlay's snapshot stays alive.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "storage/graph/overlay.h"
#include "storage/index/tree/index_tree.h"

namespace fornix::storage {

class IndexBuild {
 public:
  struct Duplicate {
    uint64_t first = 0, second = 0;
  };
  IndexBuild(const Overlay& overlay, const IndexDefinition& definition, MemoryBudget* budget, uint64_t memory_bytes);
  ~IndexBuild();
  // The next entry; its key lives until the next call. Throws ReadFailure.
  Result<std::optional<TreeEntry>> Next();
  const std::optional<Duplicate>& duplicate() const { return duplicate_; }
  // An element whose key no page of a tree takes: it is left out, for the checkpoint must go on; whoever made the index takes it back.
  struct TooLong {
    uint64_t id = 0;
    size_t bytes = 0;
  };
  const std::optional<TooLong>& too_long() const { return too_long_; }

 private:
  struct Item {
    uint64_t prefix;             // the key's first 8 bytes, big endian: decides most comparisons
    uint64_t offset;             // of the key in bytes_
    uint32_t size;
    bool nan;
    uint64_t id;
  };
  std::string_view KeyOfItem(const Item& item) const { return {bytes_.data() + item.offset, item.size}; }
  uint64_t held() const { return bytes_.size() + items_.size() * sizeof(Item); }
  template <typename Visit>
  void ScanKeys(Visit&& visit);
  void CollectFirst();
  void CutIntoParts(std::vector<std::string> sample, uint64_t total_bytes);
  void Collect(const std::string& lower, const std::string& upper);
  void Sort();
  void Charge();

  const Overlay& overlay_;
  const IndexDefinition& definition_;
  MemoryBudget* const budget_;
  const uint64_t memory_bytes_;
  std::vector<std::string> bounds_;            // part i: [bounds_[i], bounds_[i + 1]); the last is open
  size_t part_ = 0;                            // the next to collect
  std::vector<char> bytes_;
  std::vector<Item> items_;
  size_t at_ = 0;
  uint64_t charged_ = 0;
  std::string previous_key_;
  uint64_t previous_id_ = 0;
  bool has_previous_ = false;
  std::optional<Duplicate> duplicate_;
  std::optional<TooLong> too_long_;
};

}  // namespace fornix::storage
