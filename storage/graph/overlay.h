// Overlay: one reader's layers as one: base at C, the committed delta at S, then the reader's own writes.
//
// The rule, for each element and each kind of fact (labels + existence, properties, one relationship):
//     own entry, if it says something of that kind
//     else the newest delta version with begin <= S
//     else the base.
// For a scan: base hits count only where the two upper layers say nothing; candidates of the upper layers are ids only,
// and the rule decides on each. Every access path of GraphView, the validation of commits and the making of a commit
// plan ask here. `own` may be an empty set, never null.
// Threads: one at a time an overlay; the delta below may grow meanwhile.
#pragma once

#include "storage/graph/base.h"
#include "storage/graph/delta.h"
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
  Overlay(const Delta* delta, const Base* base, Timestamp snapshot, const WriteSet* own)
      : delta_(delta), base_(base), snapshot_(snapshot), own_(own) {}

  Timestamp snapshot() const { return snapshot_; }
  const WriteSet& own() const { return *own_; }
  const Delta& delta() const { return *delta_; }

  ElementState StateOf(NodeId id) const;
  ElementState StateOf(RelId id) const;
  LabelsSeen LabelsOf(NodeId id) const;                     // exists = false also if deleted here
  std::optional<RelationshipEnds> EndsOf(RelId id) const;   // also of one deleted here
  Value Property(NodeId id, PropertyId key) const;
  Value Property(RelId id, PropertyId key) const;
  void Properties(NodeId id, PropertyList* out) const;
  void Properties(RelId id, PropertyList* out) const;

  // Visits visible ids >= from, ascending, until visit returns false.
  template <typename Visit>
  void VisitNodes(std::optional<LabelId> label, uint64_t from, Visit&& visit) const;
  template <typename Visit>
  void VisitRelationships(std::optional<TypeId> type, uint64_t from, Visit&& visit) const;

  // Appends the neighbours of one list with relationship >= from, ascending by it, at most max.
  void Neighbours(NodeId id, TypeId type, bool incoming, uint64_t from, size_t max, std::vector<Neighbour>* out) const;
  // Without a walk unless something changed after the snapshot, or committed relationships were deleted here.
  struct Degrees {
    uint64_t out = 0, in = 0, loops = 0;       // loops: known if both are asked for; each is in `out` and in `in`
  };
  Degrees DegreesOf(NodeId id, TypeId type, bool out, bool in) const;
  // The types that the node may have relationships of, sorted; a superset.
  void TypesOf(NodeId id, std::vector<TypeId>* out) const;

 private:
  const Delta* delta_;
  const Base* base_;
  Timestamp snapshot_;
  const WriteSet* own_;
};

namespace internal {
// Merges ascending sources of candidates; each refills a small buffer, so that no source's cursor lives across visits.
class CandidateMerge {
 public:
  // fill(from, out, max) -> count, ascending ids >= from.
  using Fill = std::function<size_t(uint64_t from, uint64_t* out, size_t max)>;
  void AddSource(Fill fill) { sources_.push_back({std::move(fill), {}, 0, false}); }
  // Calls visit with each distinct candidate until it returns false.
  template <typename Visit>
  void Run(uint64_t from, Visit&& visit) {
    for (Source& source : sources_) source.Refill(from);
    for (;;) {
      uint64_t least = kNone;
      for (Source& source : sources_) least = std::min(least, source.Front());
      if (least == kNone || !visit(least)) return;
      for (Source& source : sources_) {
        if (source.Front() == least) source.Pop();
      }
    }
  }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  static constexpr size_t kBuffer = 256;
  struct Source {
    Fill fill;
    std::vector<uint64_t> buffer;
    size_t at;
    bool ended;
    uint64_t Front() const { return at < buffer.size() ? buffer[at] : kNone; }
    void Pop() {
      const uint64_t last = buffer[at++];
      if (at == buffer.size() && !ended) Refill(last + 1);
    }
    void Refill(uint64_t from) {
      buffer.resize(kBuffer);
      const size_t n = fill(from, buffer.data(), kBuffer);
      buffer.resize(n);
      at = 0;
      ended = n < kBuffer;
    }
  };
  std::vector<Source> sources_;
};
size_t FillFrom(const SortedIds* ids, uint64_t from, uint64_t* out, size_t max);
}  // namespace internal

template <typename Visit>
void Overlay::VisitNodes(std::optional<LabelId> label, uint64_t from, Visit&& visit) const {
  auto judge = [&](uint64_t id) {
    const LabelsSeen seen = LabelsOf(NodeId(id));
    return !seen.exists || (label && !seen.Has(*label)) || visit(NodeId(id));
  };
  const SortedIds* own = label ? own_->WithLabel(*label) : &own_->created_nodes();
  const ChunkDirectory<ChunkBitmap>* bits = label ? delta_->NodesOf(*label) : nullptr;
  if ((own == nullptr || own->empty()) && base_->empty()) {   // the common case needs no merge
    if (!label) {
      delta_->nodes().VisitFrom(from, [&](uint64_t id, NodeDelta*) { return judge(id); });
    } else if (bits != nullptr) {
      VisitBits(*bits, from, judge);
    }
    return;
  }
  internal::CandidateMerge merge;
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) { return base_->Nodes(label, f, out, max); });
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) {
    size_t n = 0;
    auto take = [&](uint64_t id) { out[n++] = id; return n < max; };
    if (!label) {
      delta_->nodes().VisitFrom(f, [&](uint64_t id, NodeDelta*) { return take(id); });
    } else if (bits != nullptr) {
      VisitBits(*bits, f, take);
    }
    return n;
  });
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) { return internal::FillFrom(own, f, out, max); });
  merge.Run(from, judge);
}

template <typename Visit>
void Overlay::VisitRelationships(std::optional<TypeId> type, uint64_t from, Visit&& visit) const {
  auto judge = [&](uint64_t id) { return StateOf(RelId(id)) != ElementState::kVisible || visit(RelId(id)); };
  const SortedIds* own = type ? own_->OfType(*type) : &own_->created_relationships();
  const ChunkDirectory<ChunkBitmap>* bits = type ? delta_->RelationshipsOf(*type) : nullptr;
  internal::CandidateMerge merge;
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) { return base_->Relationships(type, f, out, max); });
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) {
    size_t n = 0;
    auto take = [&](uint64_t id) { out[n++] = id; return n < max; };
    if (!type) {
      delta_->relationships().VisitFrom(f, [&](uint64_t id, RelDelta*) { return take(id); });
    } else if (bits != nullptr) {
      VisitBits(*bits, f, take);
    }
    return n;
  });
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) { return internal::FillFrom(own, f, out, max); });
  merge.Run(from, judge);
}

}  // namespace fornix::storage
