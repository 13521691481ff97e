// Scans of an overlay: candidates of all layers merged by id; included by overlay.h alone.
//
// A candidate of the upper layers is only an id, and the overlay's rule decides on it. One of the base stands unless an upper layer
// says something of it, so that a scan of what no commit touched never asks the base twice.
#pragma once

#include <algorithm>

#include "storage/graph/overlay.h"

namespace fornix::storage {

namespace internal {
// Merges ascending sources of candidates; each refills a small buffer, so that no source's cursor lives across visits.
// The first source is the base's.
class CandidateMerge {
 public:
  // fill(from, out, max) -> count, ascending ids >= from; fewer than max: the end.
  using Fill = std::function<size_t(uint64_t from, uint64_t* out, size_t max)>;
  void AddSource(Fill fill) { sources_.push_back({std::move(fill), {}, 0, false}); }
  // Calls visit(id, in_base) with each distinct candidate until it returns false.
  template <typename Visit>
  void Run(uint64_t from, Visit&& visit) {
    for (Source& source : sources_) source.Refill(from);
    Source& base = sources_[0];
    for (;;) {
      uint64_t least = kNone;
      for (size_t i = 1; i < sources_.size(); ++i) least = std::min(least, sources_[i].Front());
      for (uint64_t id; (id = base.Front()) < least; base.Pop()) {
        if (!visit(id, true)) return;
      }
      if (least == kNone || !visit(least, base.Front() == least)) return;
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

// Candidates of one delta: with a token those of its bitmaps, else every element.
template <typename T>
size_t FillFrom(const ElementMap<T>& elements, bool all, const ChunkDirectory<ChunkBitmap>* bits, uint64_t from, uint64_t* out,
                size_t max) {
  size_t n = 0;
  auto take = [&](uint64_t id) { out[n++] = id; return n < max; };
  if (all) {
    elements.VisitFrom(from, [&](uint64_t id, T*) { return take(id); });
  } else if (bits != nullptr) {
    VisitBits(*bits, from, take);
  }
  return n;
}
}  // namespace internal

template <typename Visit>
void Overlay::VisitNodes(std::optional<LabelId> label, uint64_t from, Visit&& visit) const {
  auto judge = [&](uint64_t id) {
    const LabelsSeen seen = LabelsOf(NodeId(id));
    return !seen.exists || (label && !seen.Has(*label)) || visit(NodeId(id));
  };
  const SortedIds* own = label ? own_->WithLabel(*label) : &own_->created_nodes();
  auto bits = [&](const Delta& delta) { return label ? delta.NodesOf(*label) : nullptr; };
  if ((own == nullptr || own->empty()) && frozen_ == nullptr && base_->empty()) {   // the common case in memory needs no merge
    if (!label) {
      active_->nodes().VisitFrom(from, [&](uint64_t id, NodeDelta*) { return judge(id); });
    } else if (const auto* found = bits(*active_)) {
      VisitBits(*found, from, judge);
    }
    return;
  }
  internal::CandidateMerge merge;
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) { return base_->Nodes(label, f, out, max); });
  for (const Delta* delta : {frozen_, active_}) {
    if (delta == nullptr) continue;
    merge.AddSource([delta, &label, found = bits(*delta)](uint64_t f, uint64_t* out, size_t max) {
      return internal::FillFrom(delta->nodes(), !label, found, f, out, max);
    });
  }
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) { return internal::FillFrom(own, f, out, max); });
  merge.Run(from, [&](uint64_t id, bool in_base) {
    const bool stands = in_base && !OwnLabels(NodeId(id)) && StateVersion(NodeId(id)) == nullptr;
    return stands ? visit(NodeId(id)) : judge(id);
  });
}

template <typename Visit>
void Overlay::VisitRelationships(std::optional<TypeId> type, uint64_t from, Visit&& visit) const {
  auto judge = [&](uint64_t id) { return StateOf(RelId(id)) != ElementState::kVisible || visit(RelId(id)); };
  const SortedIds* own = type ? own_->OfType(*type) : &own_->created_relationships();
  auto bits = [&](const Delta& delta) { return type ? delta.RelationshipsOf(*type) : nullptr; };
  if ((own == nullptr || own->empty()) && frozen_ == nullptr && base_->empty()) {
    if (!type) {
      active_->relationships().VisitFrom(from, [&](uint64_t id, RelDelta*) { return judge(id); });
    } else if (const auto* found = bits(*active_)) {
      VisitBits(*found, from, judge);
    }
    return;
  }
  internal::CandidateMerge merge;
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) { return base_->Relationships(type, f, out, max); });
  for (const Delta* delta : {frozen_, active_}) {
    if (delta == nullptr) continue;
    merge.AddSource([delta, &type, found = bits(*delta)](uint64_t f, uint64_t* out, size_t max) {
      return internal::FillFrom(delta->relationships(), !type, found, f, out, max);
    });
  }
  merge.AddSource([&](uint64_t f, uint64_t* out, size_t max) { return internal::FillFrom(own, f, out, max); });
  merge.Run(from, [&](uint64_t id, bool in_base) {
    if (!in_base) return judge(id);
    return SaidOf(RelId(id)) == Said::kGone || OwnDeleted(RelId(id)) || visit(RelId(id));
  });
}

}  // namespace fornix::storage
