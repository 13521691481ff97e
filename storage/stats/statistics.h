// Counts for the planner's estimates, without the transaction's own writes. Counts of nodes, labels, relationships and types are
// exact for what is committed: each commit moves them. What relationships connect is known from a sample of each type, which is
// taken when it is asked for and taken anew when the counts have moved; so commits pay nothing for it and no file holds it.
// Thread safety: any thread.
#pragma once

#include <memory>
#include <vector>

#include "base/ids.h"

namespace fornix::storage {

// Relationships of one type by the labels of their ends. A small type is seen whole.
struct TypeSample {
  struct Kind {
    std::vector<LabelId> start, end;             // sorted
    uint64_t seen = 0;
  };
  std::vector<Kind> kinds;
  uint64_t seen = 0;                             // the sum
  uint64_t type_count = 0;                       // of the type, when it was taken
};

class Statistics {
 public:
  virtual ~Statistics() = default;
  virtual uint64_t NodeCount() const = 0;
  virtual uint64_t LabelCount(LabelId label) const = 0;
  virtual uint64_t RelationshipCount() const = 0;
  virtual uint64_t TypeCount(TypeId type) const = 0;
  // Distinct keys in a range index, at least 1; an estimate.
  virtual uint64_t DistinctKeys(IndexId index) const = 0;
  // Null when nothing is known.
  virtual std::shared_ptr<const TypeSample> Sample(TypeId) const { return nullptr; }
  // Moves when a count has left the range in which it was when the epoch began (a factor of kEpochFactor, and some hundreds): plans
  // made before it may be bad ones by now.
  virtual uint64_t Epoch() const { return 0; }
};

}  // namespace fornix::storage
