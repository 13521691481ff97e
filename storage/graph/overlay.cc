#include "storage/graph/overlay.h"

#include <algorithm>

#include "storage/graph/stored_properties.h"

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

bool Overlay::LabelsAbove(NodeId id, LabelsSeen* out) const {
  if (!own_->empty()) {
    if (const OwnNode* own = own_->Find(id)) {
      if (own->deleted) return true;
      if (own->created || own->labels_changed) {
        *out = {true, own->labels};
        return true;
      }
    }
  }
  const NodeState* state = StateVersion(id);
  if (state == nullptr) return false;
  if (state->labels != nullptr) *out = {true, state->labels->labels};
  return true;
}

LabelsSeen Overlay::LabelsOf(NodeId id) const {
  LabelsSeen seen;
  if (LabelsAbove(id, &seen) || base_->empty()) return seen;
  const LabelSet* set = base_->Labels(id);
  if (set != nullptr) seen = {true, set->labels};
  return seen;
}

ElementState Overlay::StateOf(NodeId id) const {
  if (!own_->empty()) {
    const OwnNode* own = own_->Find(id);
    if (own != nullptr && own->deleted) return ElementState::kDeletedHere;
  }
  return LabelsOf(id).exists ? ElementState::kVisible : ElementState::kAbsent;
}

Overlay::Said Overlay::SaidOf(const Delta& delta, RelId id) const {
  const RelDelta* rel = delta.Find(id);
  if (rel == nullptr) return Said::kNothing;
  if (rel->LiveAt(snapshot_)) return Said::kLive;
  if (rel->EndedAt(snapshot_)) return Said::kGone;
  return Said::kNothing;                       // not yet there, or from below
}
Overlay::Said Overlay::SaidOf(RelId id) const {
  const Said said = SaidOf(*active_, id);
  return said != Said::kNothing || frozen_ == nullptr ? said : SaidOf(*frozen_, id);
}

ElementState Overlay::StateOf(RelId id) const {
  if (!own_->empty()) {
    if (const OwnRelationship* own = own_->Find(id)) {
      if (own->deleted) return ElementState::kDeletedHere;
      if (own->created) return ElementState::kVisible;
    }
  }
  const Said said = SaidOf(id);
  const bool there = said == Said::kLive || (said == Said::kNothing && !base_->empty() && base_->Has(id));
  return there ? ElementState::kVisible : ElementState::kAbsent;
}

std::optional<RelationshipEnds> Overlay::EndsOf(RelId id) const {
  if (!own_->empty()) {
    if (const OwnRelationship* own = own_->Find(id)) return RelationshipEnds{own->start, own->end, own->type};
  }
  for (const Delta* delta : {active_, frozen_}) {
    if (delta == nullptr) continue;
    const Said said = SaidOf(*delta, id);
    if (said == Said::kGone) return std::nullopt;
    if (said == Said::kNothing) continue;
    const RelDelta* rel = delta->Find(id);
    return RelationshipEnds{rel->start, rel->end_node, rel->type};
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

Value ValueIn(const PropertyList& properties, PropertyId key) {
  const Value* found = FindProperty(properties, key);
  return found == nullptr ? Value() : *found;
}

template <typename OwnT, typename Id>
bool FindAbove(const WriteSet& own, const PropertyVersion* version, Id id, PropertyId key, Value* out) {
  if (const PropertyList* mine = OwnProperties<OwnT>(own, id)) {
    *out = ValueIn(*mine, key);
    return true;
  }
  if (version == nullptr) return false;
  const StoredProperty* found = FindStored(version->properties, key);
  *out = found == nullptr ? Value() : UnpackProperty(*found);
  return true;
}

template <typename OwnT, typename Id>
bool FindFloatsAbove(const WriteSet& own, const PropertyVersion* version, Id id, PropertyId key, std::vector<float>* out, bool* is_vector) {
  if (const PropertyList* mine = OwnProperties<OwnT>(own, id)) {
    const Value* found = FindProperty(*mine, key);
    *is_vector = found != nullptr && FloatsOf(*found, out);
    return true;
  }
  if (version == nullptr) return false;
  const StoredProperty* found = FindStored(version->properties, key);
  *is_vector = found != nullptr && FloatsOf(*found, out);
  return true;
}

}  // namespace

bool Overlay::FloatsAbove(NodeId id, PropertyId key, std::vector<float>* out, bool* is_vector) const {
  return FindFloatsAbove<OwnNode>(*own_, PropertyVersionOf(id), id, key, out, is_vector);
}
bool Overlay::FloatsAbove(RelId id, PropertyId key, std::vector<float>* out, bool* is_vector) const {
  return FindFloatsAbove<OwnRelationship>(*own_, PropertyVersionOf(id), id, key, out, is_vector);
}

bool Overlay::PropertyAbove(NodeId id, PropertyId key, Value* out) const {
  return FindAbove<OwnNode>(*own_, PropertyVersionOf(id), id, key, out);
}
bool Overlay::PropertyAbove(RelId id, PropertyId key, Value* out) const {
  return FindAbove<OwnRelationship>(*own_, PropertyVersionOf(id), id, key, out);
}
Value Overlay::Property(NodeId id, PropertyId key) const {
  Value value;
  return PropertyAbove(id, key, &value) || base_->empty() ? value : base_->Property(id, key);
}
Value Overlay::Property(RelId id, PropertyId key) const {
  Value value;
  return PropertyAbove(id, key, &value) || base_->empty() ? value : base_->Property(id, key);
}

void Overlay::Properties(NodeId id, PropertyList* out) const {
  if (const PropertyList* mine = OwnProperties<OwnNode>(*own_, id)) {
    *out = *mine;
  } else if (const PropertyVersion* version = PropertyVersionOf(id)) {
    UnpackProperties(version->properties, out);
  } else {
    base_->Properties(id, out);
  }
}
void Overlay::Properties(RelId id, PropertyList* out) const {
  if (const PropertyList* mine = OwnProperties<OwnRelationship>(*own_, id)) {
    *out = *mine;
  } else if (const PropertyVersion* version = PropertyVersionOf(id)) {
    UnpackProperties(version->properties, out);
  } else {
    base_->Properties(id, out);
  }
}

namespace {
// The newest version of a count at the snapshot; null: the deltas say nothing.
template <typename At>
const CountVersion* CountIn(const Delta* active, const Delta* frozen, At&& at) {
  const CountVersion* version = at(*active);
  return version != nullptr || frozen == nullptr ? version : at(*frozen);
}
}  // namespace

uint64_t Overlay::NodeCount() const {
  const auto* version = CountIn(active_, frozen_, [&](const Delta& d) { return d.NodeCountAt(snapshot_); });
  return version == nullptr ? base_->NodeCount() : static_cast<uint64_t>(version->value);
}
uint64_t Overlay::RelationshipCount() const {
  const auto* version = CountIn(active_, frozen_, [&](const Delta& d) { return d.RelationshipCountAt(snapshot_); });
  return version == nullptr ? base_->RelationshipCount() : static_cast<uint64_t>(version->value);
}
uint64_t Overlay::LabelCount(LabelId label) const {
  const auto* version = CountIn(active_, frozen_, [&](const Delta& d) { return d.LabelCountAt(label, snapshot_); });
  return version == nullptr ? base_->LabelCount(label) : static_cast<uint64_t>(version->value);
}
uint64_t Overlay::TypeCount(TypeId type) const {
  const auto* version = CountIn(active_, frozen_, [&](const Delta& d) { return d.TypeCountAt(type, snapshot_); });
  return version == nullptr ? base_->TypeCount(type) : static_cast<uint64_t>(version->value);
}

}  // namespace fornix::storage
