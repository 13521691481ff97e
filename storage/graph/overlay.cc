#include "storage/graph/overlay.h"

#include <algorithm>

namespace fornix::storage {

namespace internal {
size_t FillFrom(const SortedIds* ids, uint64_t from, uint64_t* out, size_t max) {
  if (ids == nullptr) return 0;
  const uint64_t* at = ids->From(from);
  if (at == nullptr) return 0;
  const size_t n = std::min(max, static_cast<size_t>(ids->end() - at));
  std::copy(at, at + n, out);
  return n;
}
}  // namespace internal

LabelsSeen Overlay::LabelsOf(NodeId id) const {
  if (!own_->empty()) {
    if (const OwnNode* own = own_->Find(id)) {
      if (own->deleted) return {};
      if (own->created || own->labels_changed) return {true, own->labels};
    }
  }
  const LabelSet* set = nullptr;
  if (const NodeDelta* node = delta_->Find(id)) {
    if (const NodeState* state = VersionAt(node->state, snapshot_)) {
      if (state->labels == nullptr) return {};
      set = state->labels;
    }
  }
  if (set == nullptr && !base_->empty()) set = base_->Labels(id);
  if (set == nullptr) return {};
  return {true, set->labels};
}

ElementState Overlay::StateOf(NodeId id) const {
  if (!own_->empty()) {
    const OwnNode* own = own_->Find(id);
    if (own != nullptr && own->deleted) return ElementState::kDeletedHere;
  }
  return LabelsOf(id).exists ? ElementState::kVisible : ElementState::kAbsent;
}

ElementState Overlay::StateOf(RelId id) const {
  if (!own_->empty()) {
    if (const OwnRelationship* own = own_->Find(id)) {
      if (own->deleted) return ElementState::kDeletedHere;
      if (own->created) return ElementState::kVisible;
    }
  }
  if (const RelDelta* rel = delta_->Find(id)) {
    if (rel->LiveAt(snapshot_)) return ElementState::kVisible;
    // Ended in (C, S], or not yet there; one that the base holds has no begin in the delta.
    if (base_->empty() || rel->end.load(std::memory_order_acquire) <= snapshot_) return ElementState::kAbsent;
  }
  if (base_->empty()) return ElementState::kAbsent;
  return base_->Ends(id) ? ElementState::kVisible : ElementState::kAbsent;
}

std::optional<RelationshipEnds> Overlay::EndsOf(RelId id) const {
  if (!own_->empty()) {
    if (const OwnRelationship* own = own_->Find(id)) return RelationshipEnds{own->start, own->end, own->type};
  }
  if (const RelDelta* rel = delta_->Find(id)) {
    if (rel->LiveAt(snapshot_)) return RelationshipEnds{rel->start, rel->end_node, rel->type};
    if (base_->empty() || rel->end.load(std::memory_order_acquire) <= snapshot_) return std::nullopt;
  }
  return base_->Ends(id);
}

namespace {

// The two kinds of elements differ only in their entry types.
template <typename OwnT, typename Id>
const PropertyList* OwnProperties(const WriteSet& own, Id id) {
  if (own.empty()) return nullptr;
  const OwnT* entry = own.Find(id);
  return entry != nullptr && (entry->created || entry->properties_changed) ? &entry->properties : nullptr;
}

template <typename Element>
const PropertyVersion* CommittedProperties(const Element* element, Timestamp s) {
  return element == nullptr ? nullptr : VersionAt(element->properties, s);
}

Value ValueIn(const PropertyList& properties, PropertyId key) {
  const Value* found = FindProperty(properties, key);
  return found == nullptr ? Value() : *found;
}

template <typename OwnT, typename Id>
Value ReadProperty(const Delta& delta, const Base& base, const WriteSet& own, Timestamp s, Id id, PropertyId key) {
  if (const PropertyList* mine = OwnProperties<OwnT>(own, id)) return ValueIn(*mine, key);
  if (const PropertyVersion* version = CommittedProperties(delta.Find(id), s)) {
    const StoredProperty* found = FindStored(version->properties, key);
    return found == nullptr ? Value() : UnpackProperty(*found);
  }
  if (base.empty()) return Value();
  PropertyList all;
  base.Properties(id, &all);
  return ValueIn(all, key);
}

template <typename OwnT, typename Id>
void ReadProperties(const Delta& delta, const Base& base, const WriteSet& own, Timestamp s, Id id, PropertyList* out) {
  if (const PropertyList* mine = OwnProperties<OwnT>(own, id)) {
    *out = *mine;
  } else if (const PropertyVersion* version = CommittedProperties(delta.Find(id), s)) {
    UnpackProperties(version->properties, out);
  } else {
    base.Properties(id, out);
  }
}

}  // namespace

Value Overlay::Property(NodeId id, PropertyId key) const {
  return ReadProperty<OwnNode>(*delta_, *base_, *own_, snapshot_, id, key);
}
Value Overlay::Property(RelId id, PropertyId key) const {
  return ReadProperty<OwnRelationship>(*delta_, *base_, *own_, snapshot_, id, key);
}
void Overlay::Properties(NodeId id, PropertyList* out) const {
  ReadProperties<OwnNode>(*delta_, *base_, *own_, snapshot_, id, out);
}
void Overlay::Properties(RelId id, PropertyList* out) const {
  ReadProperties<OwnRelationship>(*delta_, *base_, *own_, snapshot_, id, out);
}

void Overlay::Neighbours(NodeId id, TypeId type, bool incoming, uint64_t from, size_t max,
                         std::vector<Neighbour>* out) const {
  const size_t first = out->size();
  const bool has_own = !own_->empty();
  bool sorted = true;
  if (!base_->empty()) {
    std::vector<Neighbour> hits;
    base_->Neighbours(id, type, incoming, from, max, &hits);
    for (const Neighbour& hit : hits) {
      if (StateOf(hit.relationship) == ElementState::kVisible) out->push_back(hit);
    }
    sorted = hits.empty();
  }
  const NodeDelta* node = delta_->Find(id);
  const AdjacencyTable* table = node == nullptr ? nullptr : node->adjacency.load(std::memory_order_acquire);
  const AdjacencyList* list = table == nullptr ? nullptr : table->Find(type, incoming);
  if (const AdjacencyBlock* block = list == nullptr ? nullptr : list->block()) {
    const std::span<const AdjacencyEntry> entries = block->view();
    const bool in_order = block->sorted.load(std::memory_order_relaxed);
    sorted = sorted && in_order;
    const AdjacencyEntry* at = entries.data();
    const AdjacencyEntry* end = at + entries.size();
    if (in_order && from != 0) {
      at = std::lower_bound(at, end, from, [](const AdjacencyEntry& e, uint64_t rel) { return e.relationship < rel; });
    }
    size_t left = max;
    for (; at != end && (left > 0 || !in_order); ++at) {
      if (at->relationship < from || !at->LiveAt(snapshot_)) continue;
      if (own_->deletes_committed_relationships()) {
        const OwnRelationship* own = own_->Find(RelId(at->relationship));
        if (own != nullptr && own->deleted) continue;
      }
      out->push_back({NodeId(at->neighbour), RelId(at->relationship)});
      --left;
    }
  }
  if (has_own) {
    if (const OwnNode* own = own_->Find(id)) {
      for (const OwnRelationship* rel : incoming ? own->in : own->out) {
        if (rel->deleted || rel->type != type || rel->id.value < from) continue;
        if (out->size() > first && rel->id < out->back().relationship) sorted = false;
        out->push_back({incoming ? rel->start : rel->end, rel->id});
      }
    }
  }
  if (!sorted) {
    std::sort(out->begin() + static_cast<ptrdiff_t>(first), out->end(),
              [](const Neighbour& a, const Neighbour& b) { return a.relationship < b.relationship; });
  }
  if (out->size() - first > max) out->resize(first + max);
}

Overlay::Degrees Overlay::DegreesOf(NodeId id, TypeId type, bool out, bool in) const {
  Degrees degrees;
  if (own_->deletes_committed_relationships() || !base_->empty()) {
    std::vector<Neighbour> all;
    if (out) Neighbours(id, type, false, 0, ~size_t{0}, &all);
    degrees.out = all.size();
    if (out && in) {
      for (const Neighbour& n : all) degrees.loops += n.node == id;
    }
    if (in) Neighbours(id, type, true, 0, ~size_t{0}, &all);
    degrees.in = all.size() - degrees.out;
    return degrees;
  }
  const NodeDelta* node = delta_->Find(id);
  const AdjacencyTable* table = node == nullptr ? nullptr : node->adjacency.load(std::memory_order_acquire);
  for (const bool incoming : {false, true}) {
    if (table == nullptr || !(incoming ? in : out)) continue;
    const AdjacencyList* list = table->Find(type, incoming);
    const AdjacencyBlock* block = list == nullptr ? nullptr : list->block();
    if (block == nullptr) continue;
    const AdjacencyBlock::Counts counts = block->CountAt(snapshot_, id.value);
    (incoming ? degrees.in : degrees.out) = counts.degree;
    if (!incoming) degrees.loops = counts.loops;
  }
  const OwnNode* own = own_->empty() ? nullptr : own_->Find(id);
  const OwnNode::Degree* mine = own == nullptr ? nullptr : own->FindDegree(type);
  if (mine != nullptr) {
    if (out) degrees.out += static_cast<uint64_t>(mine->out);
    if (in) degrees.in += static_cast<uint64_t>(mine->in);
    degrees.loops += static_cast<uint64_t>(mine->loops);
  }
  return degrees;
}

void Overlay::TypesOf(NodeId id, std::vector<TypeId>* out) const {
  out->clear();
  if (!base_->empty()) base_->Types(id, out);
  if (const NodeDelta* node = delta_->Find(id)) {
    if (const AdjacencyTable* table = node->adjacency.load(std::memory_order_acquire)) {
      for (const AdjacencyTable::Item& item : table->items) out->push_back(TypeId(item.type));
    }
  }
  if (!own_->empty()) {
    if (const OwnNode* own = own_->Find(id)) {
      for (const OwnRelationship* rel : own->out) out->push_back(rel->type);
      for (const OwnRelationship* rel : own->in) out->push_back(rel->type);
    }
  }
  std::sort(out->begin(), out->end());
  out->erase(std::unique(out->begin(), out->end()), out->end());
}

}  // namespace fornix::storage
