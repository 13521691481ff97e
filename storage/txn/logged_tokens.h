// LoggedTokens: which tokens the log holds the names of. A record that uses one that isn't there yet brings its name; two
// records that run side by side may bring the same one, which does no harm. Marked under the sequencer's mutex together
// with the append, so whoever finds a mark is appended later.
// Threads: any.
#pragma once

#include <mutex>
#include <vector>

#include "base/ids.h"

namespace fornix::storage {

class LoggedTokens {
 public:
  bool Has(LabelId id) const { return In(labels_, id.value); }
  bool Has(TypeId id) const { return In(types_, id.value); }
  bool Has(PropertyId id) const { return In(properties_, id.value); }
  void Add(LabelId id) { Put(&labels_, id.value); }
  void Add(TypeId id) { Put(&types_, id.value); }
  void Add(PropertyId id) { Put(&properties_, id.value); }

 private:
  bool In(const std::vector<bool>& v, uint32_t i) const {
    std::lock_guard lock(mutex_);
    return i < v.size() && v[i];
  }
  void Put(std::vector<bool>* v, uint32_t i) {
    std::lock_guard lock(mutex_);
    if (i >= v->size()) v->resize(size_t{i} + 64);
    (*v)[i] = true;
  }
  mutable std::mutex mutex_;
  std::vector<bool> labels_, types_, properties_;
};

}  // namespace fornix::storage
