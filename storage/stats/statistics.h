// Counts for the planner's estimates: exact for what is committed, without the transaction's own writes.
// Thread safety: any thread.
#pragma once

#include "base/ids.h"

namespace fornix::storage {

class Statistics {
 public:
  virtual ~Statistics() = default;
  virtual uint64_t NodeCount() const = 0;
  virtual uint64_t LabelCount(LabelId label) const = 0;
  virtual uint64_t RelationshipCount() const = 0;
  virtual uint64_t TypeCount(TypeId type) const = 0;
  // Distinct keys in a range index, at least 1; an estimate.
  virtual uint64_t DistinctKeys(IndexId index) const = 0;
};

}  // namespace fornix::storage
