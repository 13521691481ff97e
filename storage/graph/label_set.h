// LabelSet: a set of labels that many nodes share. Each distinct set exists once and lives as long as the store, so a
// node's state is one pointer, and a test for a label reads a line that is already in the cache.
// Threads: Intern from any; a LabelSet never changes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/ids.h"

namespace fornix::storage {

struct LabelSet {
  uint32_t number = 0;                 // dense, in the order of first use
  std::vector<LabelId> labels;         // sorted
  bool Has(LabelId label) const {
    for (LabelId l : labels) {
      if (l == label) return true;
    }
    return false;
  }
};

class LabelSets {
 public:
  const LabelSet* Intern(std::span<const LabelId> sorted) {
    std::vector<LabelId> key(sorted.begin(), sorted.end());
    std::lock_guard lock(mutex_);
    auto it = sets_.find(key);
    if (it == sets_.end()) {
      auto made = std::make_unique<LabelSet>(LabelSet{static_cast<uint32_t>(sets_.size()), key});
      it = sets_.emplace(std::move(key), std::move(made)).first;
    }
    return it->second.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::vector<LabelId>, std::unique_ptr<LabelSet>> sets_;
};

}  // namespace fornix::storage
