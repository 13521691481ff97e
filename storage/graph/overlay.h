// Overlay: one reader's layers as one: base at C, the committed deltas at S, then the reader's own writes.
//
// The rule, for each element and each kind of fact (labels + existence, properties, one relationship):
//     own entry, if it says something of that kind
//     else the newest version with begin <= S of the active delta, else of the frozen one
//     else the base.
// For a scan: base hits count only where the layers above say nothing; candidates of the layers above are ids only,
// and the rule decides on each. Every access path of GraphView, the validation of commits and the making of a commit
// plan ask here. `own` may be an empty set, never null. Reads of the base may throw ReadFailure.
// Threads: one at a time an overlay; the active delta may grow meanwhile.
#pragma once

#include "storage/graph/layers.h"
#include "storage/graph/write_set.h"

namespace fornix::storage {

struct LabelsSeen {
  bool exists = false;
  std::span<const LabelId> labels;             // sorted; lives until the next write of the same transaction
  bool Has(LabelId label) const {
    for (LabelId l : labels) {
      if (l == label) return true;
    }
    return false;
  }
};

class Overlay {
 public:
  // Borrows all three.
  Overlay(const Layers& layers, Timestamp snapshot, const WriteSet* own)
      : active_(layers.active.get()), frozen_(layers.frozen.get()), base_(layers.base.get()), snapshot_(snapshot), own_(own) {}

  Timestamp snapshot() const { return snapshot_; }
  const WriteSet& own() const { return *own_; }
  const Delta& active() const { return *active_; }
  const Delta* frozen() const { return frozen_; }
  const Base& base() const { return *base_; }

  ElementState StateOf(NodeId id) const;
  ElementState StateOf(RelId id) const;
  LabelsSeen LabelsOf(NodeId id) const;                     // exists = false also if deleted here
  // What the layers above the base say; false: nothing, so the base decides.
  bool LabelsAbove(NodeId id, LabelsSeen* out) const;
  bool PropertyAbove(NodeId id, PropertyId key, Value* out) const;
  bool PropertyAbove(RelId id, PropertyId key, Value* out) const;
  // The same of a property's numbers (FloatsOf); *is_vector: it has such.
  bool FloatsAbove(NodeId id, PropertyId key, std::vector<float>* out, bool* is_vector) const;
  bool FloatsAbove(RelId id, PropertyId key, std::vector<float>* out, bool* is_vector) const;
  std::optional<RelationshipEnds> EndsOf(RelId id) const;   // also of one deleted here
  Value Property(NodeId id, PropertyId key) const;
  Value Property(RelId id, PropertyId key) const;
  void Properties(NodeId id, PropertyList* out) const;
  void Properties(RelId id, PropertyList* out) const;

  // Whether a commit after the base changed labels, existence or properties.
  bool ChangedSinceBase(NodeId id) const { return StateVersion(id) != nullptr || PropertyVersionOf(id) != nullptr; }
  bool ChangedSinceBase(RelId id) const { return SaidOf(id) != Said::kNothing || PropertyVersionOf(id) != nullptr; }

  // Visits visible ids >= from, ascending, until visit returns false.
  template <typename Visit>
  void VisitNodes(std::optional<LabelId> label, uint64_t from, Visit&& visit) const;
  template <typename Visit>
  void VisitRelationships(std::optional<TypeId> type, uint64_t from, Visit&& visit) const;

  // One adjacency list, in two parts (overlay_adjacency.cc). Each appends at most max and moves *at behind what it gave; true when
  // the part has ended.
  // What the base holds, by (neighbour, relationship); *at is a place in the base's list.
  bool OldNeighbours(NodeId id, TypeId type, bool incoming, uint64_t* at, size_t max, std::vector<Neighbour>* out) const;
  // What is newer, by relationship; *at is the least relationship still to come.
  bool NewNeighbours(NodeId id, TypeId type, bool incoming, uint64_t* at, size_t max, std::vector<Neighbour>* out) const;
  // Whether only the base has relationships of this node, and nothing above ended one.
  bool OnlyBaseNeighbours(NodeId id) const;
  // Appends the relationships of one list that lead to `other`, in the order of the two parts.
  void Between(NodeId id, TypeId type, bool incoming, NodeId other, std::vector<RelId>* out) const;
  // Without a walk unless something changed after the snapshot, or committed relationships were deleted here.
  struct Degrees {
    uint64_t out = 0, in = 0, loops = 0;       // loops: known if both are asked for; each is in `out` and in `in`
  };
  Degrees DegreesOf(NodeId id, TypeId type, bool out, bool in) const;
  // The types that the node may have relationships of, sorted; a superset.
  void TypesOf(NodeId id, std::vector<TypeId>* out) const;

  // Committed at the snapshot, without own writes.
  uint64_t NodeCount() const;
  uint64_t RelationshipCount() const;
  uint64_t LabelCount(LabelId label) const;
  uint64_t TypeCount(TypeId type) const;

 private:
  // Of the deltas; null: they say nothing.
  const NodeState* StateVersion(NodeId id) const {
    if (const NodeDelta* node = active_->Find(id)) {
      if (const NodeState* state = VersionAt(node->state, snapshot_)) return state;
    }
    if (frozen_ != nullptr) {
      if (const NodeDelta* node = frozen_->Find(id)) return VersionAt(node->state, snapshot_);
    }
    return nullptr;
  }
  template <typename Id>
  const PropertyVersion* PropertyVersionOf(Id id) const {
    if (const auto* element = active_->Find(id)) {
      if (const PropertyVersion* version = VersionAt(element->properties, snapshot_)) return version;
    }
    if (frozen_ != nullptr) {
      if (const auto* element = frozen_->Find(id)) return VersionAt(element->properties, snapshot_);
    }
    return nullptr;
  }
  // What a delta says of a relationship's existence.
  enum class Said : uint8_t { kNothing, kLive, kGone };
  Said SaidOf(const Delta& delta, RelId id) const;
  Said SaidOf(RelId id) const;                 // by both deltas
  bool OwnDeleted(RelId id) const {
    if (!own_->deletes_committed_relationships()) return false;
    const OwnRelationship* own = own_->Find(id);
    return own != nullptr && own->deleted;
  }
  bool OwnLabels(NodeId id) const {            // the write set says something of labels or existence
    if (own_->empty()) return false;
    const OwnNode* own = own_->Find(id);
    return own != nullptr && (own->deleted || own->created || own->labels_changed);
  }

  const Delta* active_;
  const Delta* frozen_;                        // null: none
  const Base* base_;
  Timestamp snapshot_;
  const WriteSet* own_;
};

}  // namespace fornix::storage

#include "storage/graph/overlay_scan.h"
