// Delta: one generation of what commits wrote over the layers below it (layers.h), in memory, readable at every live snapshot
// without a lock.
//
//   nodes / relationships   ElementMap of NodeDelta / RelDelta
//   labels                  per label bitmaps of the nodes that ever had it: a superset, the node's state decides
//   types                   per type bitmaps of relationships likewise
//   ranges                  per range index a list of what its keys became (index/range_index.h)
//   counts                  nodes, relationships, per label, per type: absolute numbers, each with its history
// It says nothing of what it doesn't hold: an element's kind of fact (labels and existence, properties) without a version
// here is as in the layers below. A relationship from below that ends here has an end and no begin.
//
// Only the commit sequencer writes, in commit order, under its mutex: first Reserve* (may allocate, may throw, changes
// nothing that a reader can tell), then the log append, then the rest (never allocates). A reader at snapshot S sees
// what has begin <= S < end. Structures are described in directory.h, versions.h and adjacency.h.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "base/memory_budget.h"
#include "storage/graph/adjacency.h"
#include "storage/graph/directory.h"
#include "storage/graph/label_set.h"
#include "storage/graph/stored_properties.h"
#include "storage/graph/versions.h"
#include "storage/index/range_index.h"
#include "storage/txn/retire.h"

namespace fornix::storage {

struct PropertyVersion {
  Timestamp begin = 0;
  Timestamp trimmed_at = 0;
  PropertyVersion* older = nullptr;
  StoredProperties properties;
  size_t bytes = 0;                            // of everything, set by Measure
  size_t memory_bytes() const { return bytes; }
  void Measure();
};

// Labels and existence, which share a stamp.
struct NodeState {
  Timestamp begin = 0;
  Timestamp trimmed_at = 0;
  NodeState* older = nullptr;
  const LabelSet* labels = nullptr;            // null: the node doesn't exist
  size_t memory_bytes() const { return sizeof(NodeState) + kAllocationBytes; }
};

struct NodeDelta {
  std::atomic<NodeState*> state{nullptr};
  std::atomic<PropertyVersion*> properties{nullptr};
  std::atomic<AdjacencyTable*> adjacency{nullptr};
  Timestamp relationship_added = 0;            // of the newest one at either side; the sequencer's

  NodeDelta() = default;
  NodeDelta(const NodeDelta&) = delete;
  NodeDelta& operator=(const NodeDelta&) = delete;
  ~NodeDelta();
  const LabelSet* LabelsAt(Timestamp s) const {
    const NodeState* found = VersionAt(state, s);
    return found == nullptr ? nullptr : found->labels;
  }
};

struct RelDelta {
  std::atomic<Timestamp> begin{kNever}, end{kNever};   // no begin: it comes from below
  NodeId start, end_node;                      // written before anything else is
  TypeId type;
  std::atomic<PropertyVersion*> properties{nullptr};

  RelDelta() = default;
  RelDelta(const RelDelta&) = delete;
  RelDelta& operator=(const RelDelta&) = delete;
  ~RelDelta() { FreeVersions(&properties); }
  bool LiveAt(Timestamp s) const {
    return begin.load(std::memory_order_acquire) <= s && s < end.load(std::memory_order_acquire);
  }
  bool EndedAt(Timestamp s) const { return end.load(std::memory_order_acquire) <= s; }
  bool IsFromBelow() const { return begin.load(std::memory_order_acquire) == kNever; }
};

// A place for a range index's list, which is made elsewhere when the index is filled.
struct RangeSlot {
  std::atomic<RangeIndex*> list{nullptr};
  ~RangeSlot() { delete list.load(std::memory_order_relaxed); }
};

class Delta {
 public:
  explicit Delta(MemoryBudget* budget = nullptr) : budget_(budget) {}
  Delta(const Delta&) = delete;
  Delta& operator=(const Delta&) = delete;
  ~Delta() { if (budget_ != nullptr) budget_->Release(MemoryUse::kDelta, charged_); }

  // The last commit of this generation; kNever while it is the active one. Under the sequencer's mutex.
  Timestamp last = kNever;
  // What was unlinked in it. It goes with the generation at the latest: nobody else can stand on it.
  RetireList& retired() { return retired_; }

  const NodeDelta* Find(NodeId id) const { return nodes_.Find(id.value); }
  const RelDelta* Find(RelId id) const { return relationships_.Find(id.value); }
  const ElementMap<NodeDelta>& nodes() const { return nodes_; }
  const ElementMap<RelDelta>& relationships() const { return relationships_; }
  const ChunkDirectory<ChunkBitmap>* NodesOf(LabelId label) const { return label_bits_.Find(label.value); }
  const ChunkDirectory<ChunkBitmap>* RelationshipsOf(TypeId type) const { return type_bits_.Find(type.value); }
  const RangeIndex* RangeOf(IndexId index) const {   // null: it says nothing
    const RangeSlot* slot = ranges_.Find(index.value);
    return slot == nullptr ? nullptr : slot->list.load(std::memory_order_acquire);
  }

  // Null: no version of this generation is as old as `s`.
  const CountVersion* NodeCountAt(Timestamp s) const { return VersionAt(node_count_.head, s); }
  const CountVersion* RelationshipCountAt(Timestamp s) const { return VersionAt(relationship_count_.head, s); }
  const CountVersion* LabelCountAt(LabelId label, Timestamp s) const;
  const CountVersion* TypeCountAt(TypeId type, Timestamp s) const;

  // Memory: tables, versions, lists and entries; retired blocks and the allocator's slack aren't in it. It is charged to
  // the budget in steps, without asking: what is in a delta was let through before. Any thread may read it.
  size_t memory_bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // The sequencer's, after the rest of a commit: what its versions and entries brought and freed.
  void AddMemory(int64_t change);
  // Before anything is written.
  void set_budget(MemoryBudget* budget) { budget_ = budget; }

  // The sequencer's, before the log append.
  NodeDelta* ReserveNode(NodeId id) { return nodes_.Ensure(id.value); }
  RelDelta* ReserveRelationship(RelId id) { return relationships_.Ensure(id.value); }
  ChunkBitmap* ReserveLabelBits(LabelId label, NodeId id) {
    return ReserveBits(label_bits_.Ensure(label.value), ChunkOf(id.value));
  }
  ChunkBitmap* ReserveTypeBits(TypeId type, RelId id) {
    return ReserveBits(type_bits_.Ensure(type.value), ChunkOf(id.value));
  }
  AdjacencyList* ReserveAdjacency(NodeDelta* node, NodeId id, TypeId type, bool incoming, uint32_t n, uint32_t n_below,
                                  Timestamp floor, RetireList* retired);
  RangeSlot* ReserveRangeSlot(IndexId index) { return ranges_.Ensure(index.value); }
  RangeIndex* ReserveRange(IndexId index);
  VersionedCount* ReserveLabelCount(LabelId label) { return label_counts_.Ensure(label.value); }
  VersionedCount* ReserveTypeCount(TypeId type) { return type_counts_.Ensure(type.value); }
  VersionedCount* mutable_node_count() { return &node_count_; }
  VersionedCount* mutable_relationship_count() { return &relationship_count_; }

 private:
  ChunkBitmap* ReserveBits(ChunkDirectory<ChunkBitmap>* directory, uint64_t chunk) {
    const size_t before = directory->memory_bytes();
    ChunkBitmap* bits = directory->Ensure(chunk);
    inner_bytes_ += static_cast<int64_t>(directory->memory_bytes() - before);
    return bits;
  }

  ElementMap<NodeDelta> nodes_;
  ElementMap<RelDelta> relationships_;
  TokenArray<ChunkDirectory<ChunkBitmap>> label_bits_, type_bits_;
  TokenArray<RangeSlot> ranges_;
  VersionedCount node_count_, relationship_count_;
  TokenArray<VersionedCount> label_counts_, type_counts_;
  MemoryBudget* budget_;                       // null: nothing is charged
  int64_t inner_bytes_ = 0;                    // versions, blocks, bitmaps, entries
  uint64_t charged_ = 0;
  std::atomic<size_t> bytes_{0};
  RetireList retired_;
};

}  // namespace fornix::storage
