#include "storage/graph/view.h"

#include "base/check.h"
#include "base/errors.h"
#include "base/read_failure.h"
#include "storage/txn/old_snapshots.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

KeyRange ExactKey(List values) {
  KeyRange range;
  range.lower = KeyBound{values, true};
  range.upper = KeyBound{std::move(values), true};
  return range;
}

const SchemaVersion& View::schema() const { return transaction_->schema(); }

void View::CheckAge() const {
  if (transaction_->asked_to_end()) [[unlikely]] throw ReadFailure(SnapshotTooOld());
}

void View::Labels(NodeId id, std::vector<LabelId>* out) const {
  const LabelsSeen seen = overlay_.LabelsOf(id);
  out->assign(seen.labels.begin(), seen.labels.end());
}

RelationshipEnds View::Ends(RelId id) const {
  const std::optional<RelationshipEnds> ends = overlay_.EndsOf(id);
  if (ends) return *ends;
  // The caller has the id from this view. Where there is a base, a list of it or an index names a relationship that it doesn't have.
  CHECK(!overlay_.base().empty());
  throw ReadFailure(Corruption(overlay_.base().path() + ": relationship " + std::to_string(id.value) +
                               " is listed at a node or in an index but isn't there; `fornix check` says what else is wrong"));
}

// What the layers above the base don't say is asked from it for all ids together.
template <typename Id>
void View::Gather(std::span<const Id> ids, PropertyId key, Value* out) const {
  CheckAge();
  std::vector<uint32_t> places;                // of ids that only the base knows
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + 8 < ids.size()) __builtin_prefetch(overlay_.active().Find(ids[i + 8]));
    if (overlay_.PropertyAbove(ids[i], key, &out[i])) continue;
    if (overlay_.base().empty()) {
      out[i] = Value();
    } else {
      places.push_back(static_cast<uint32_t>(i));
    }
  }
  if (places.empty()) return;
  if (places.size() == ids.size()) return overlay_.base().Gather(ids, key, out);
  std::vector<Id> wanted;
  for (const uint32_t place : places) wanted.push_back(ids[place]);
  std::vector<Value> values(wanted.size());
  overlay_.base().Gather(wanted, key, values.data());
  for (size_t i = 0; i < places.size(); ++i) out[places[i]] = std::move(values[i]);
}
void View::GatherProperty(std::span<const NodeId> ids, PropertyId key, Value* out) const { Gather(ids, key, out); }
void View::GatherProperty(std::span<const RelId> ids, PropertyId key, Value* out) const { Gather(ids, key, out); }

void View::GatherLabel(std::span<const NodeId> ids, LabelId label, uint8_t* keep) const {
  CheckAge();
  std::vector<uint32_t> places;
  std::vector<NodeId> wanted;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + 8 < ids.size()) __builtin_prefetch(overlay_.active().Find(ids[i + 8]));
    LabelsSeen seen;
    if (overlay_.LabelsAbove(ids[i], &seen) || overlay_.base().empty()) {
      keep[i] = seen.Has(label);
    } else {
      places.push_back(static_cast<uint32_t>(i));
      wanted.push_back(ids[i]);
    }
  }
  if (places.empty()) return;
  std::vector<const LabelSet*> sets(wanted.size());
  overlay_.base().GatherLabels(wanted, sets.data());
  for (size_t i = 0; i < places.size(); ++i) keep[places[i]] = sets[i] != nullptr && sets[i]->Has(label);
}

uint64_t View::CountNodes() const { return overlay_.NodeCount() + static_cast<uint64_t>(overlay_.own().node_delta()); }
uint64_t View::CountLabel(LabelId label) const {
  return overlay_.LabelCount(label) + static_cast<uint64_t>(overlay_.own().LabelDelta(label));
}
uint64_t View::CountRelationships(std::optional<TypeId> type) const {
  if (!type) return overlay_.RelationshipCount() + static_cast<uint64_t>(overlay_.own().relationship_delta());
  return overlay_.TypeCount(*type) + static_cast<uint64_t>(overlay_.own().TypeDelta(*type));
}

}  // namespace fornix::storage
