// RangeLayers: one range index as a snapshot sees it without own writes: the lists of its delta generations over the base's tree.
//
// For each (key, id) the topmost list that says something of it at S decides; what none speaks of is as in the tree. Walks
// merge the three in (key, id) order, upwards or downwards, from any (key, id) on: a walk may be broken off and resumed with
// nothing but the last (key, id), whatever was committed or written in between.
// Threads: any; everything that it points to lives as long as the snapshot.
#pragma once

#include <functional>

#include "storage/graph/overlay.h"
#include "storage/index/range_index.h"

namespace fornix::storage {

class RangeLayers {
 public:
  RangeLayers(IndexId index, const Overlay& overlay);

  // Visits entries with (key, id) >= (lower, from_id) and key < upper (empty: no end), ascending, until visit(key, id)
  // returns false. Keys are valid during the call of visit alone. May throw ReadFailure.
  using Visitor = std::function<bool(std::string_view key, uint64_t id)>;
  void Visit(std::string_view lower, uint64_t from_id, std::string_view upper, const Visitor& visit) const;
  // Downwards: entries with key >= lower and (key, id) < (upper, before_id); upper empty: from the end.
  void VisitDown(std::string_view lower, std::string_view upper, uint64_t before_id, const Visitor& visit) const;

 private:
  void VisitMerged(bool down, std::string_view lower, std::string_view upper, uint64_t id, const Visitor& visit) const;

  const RangeIndex* active_;                   // each may be null
  const RangeIndex* frozen_;
  const IndexTree* tree_;
  Timestamp snapshot_;
};

}  // namespace fornix::storage
