// CommitPlan: a write set turned into changes of the delta, in three steps with one rule each.
//
//   Build     outside the mutex, on the own snapshot: versions are made, packed and sized. May fail.
//   Reserve   inside, before the log append: the delta that is active now gets slots, rooms and bitmaps. May throw bad_alloc or
//             ReadFailure; nothing it did can be seen.
//   Apply     inside, after the append: stamps and publishes. Never allocates, never fails.
// Recovery goes the same way with the write set it read from a record.
#pragma once

#include "storage/graph/overlay.h"
#include "storage/index/index_plan.h"
#include "storage/txn/sequencer.h"

namespace fornix::storage {

class CommitPlan {
 public:
  struct NodeChange {
    const OwnNode* own = nullptr;
    const LabelSet* before = nullptr;          // null: not there
    const LabelSet* after = nullptr;
    std::unique_ptr<NodeState> state;          // null: unchanged
    std::unique_ptr<PropertyVersion> properties;
    NodeDelta* delta = nullptr;
    std::vector<ChunkBitmap*> bits;            // of labels that the node gets
  };
  struct RelChange {
    const OwnRelationship* own = nullptr;
    std::unique_ptr<PropertyVersion> properties;
    RelDelta* delta = nullptr;
    NodeDelta *start = nullptr, *end = nullptr;
    AdjacencyList *out = nullptr, *in = nullptr;   // created or deleted
    bool from_below = false;                       // lives in a layer under the active delta
    ChunkBitmap* bits = nullptr;
  };

  // `committed` has no own writes; `own` and `schema` outlive the plan.
  void Build(LabelSets* label_sets, const Overlay& committed, const WriteSet& own, const SchemaState& schema);
  // For commits that must not break a unique key (a replayed one doesn't).
  void FindHolders(const Overlay& committed) { indexes_.FindHolders(committed); }
  void Reserve(const Layers& layers, Sequencer* sequencer);
  void Apply(Timestamp ts, Sequencer* sequencer);

  const std::vector<NodeChange>& nodes() const { return nodes_; }
  const std::vector<RelChange>& relationships() const { return relationships_; }
  const IndexPlan& indexes() const { return indexes_; }
  IndexPlan& mutable_indexes() { return indexes_; }

 private:
  struct CountChange {
    VersionedCount* target;
    std::unique_ptr<CountVersion> version;     // with its value
  };
  void BuildIndexes(const Overlay& committed, const SchemaState& schema);
  void ReserveCounts(const Layers& layers, Timestamp last);
  void ReserveAdjacency(Timestamp floor, RetireList* retired);

  Delta* delta_ = nullptr;
  const WriteSet* own_ = nullptr;
  std::vector<NodeChange> nodes_;
  std::vector<RelChange> relationships_;
  std::vector<CountChange> counts_;
  IndexPlan indexes_;
  size_t index_bytes_freed_ = 0;
};

}  // namespace fornix::storage
