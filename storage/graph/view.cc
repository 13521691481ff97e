#include "storage/graph/view.h"

#include "base/check.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

KeyRange ExactKey(List values) {
  KeyRange range;
  range.lower = KeyBound{values, true};
  range.upper = KeyBound{std::move(values), true};
  return range;
}

const SchemaVersion& View::schema() const { return transaction_->schema(); }

void View::Labels(NodeId id, std::vector<LabelId>* out) const {
  const LabelsSeen seen = overlay_.LabelsOf(id);
  out->assign(seen.labels.begin(), seen.labels.end());
}

RelationshipEnds View::Ends(RelId id) const {
  const std::optional<RelationshipEnds> ends = overlay_.EndsOf(id);
  CHECK(ends.has_value());                     // the caller has the id from this view
  return *ends;
}

void View::GatherProperty(std::span<const NodeId> ids, PropertyId key, Value* out) const {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + 8 < ids.size()) __builtin_prefetch(overlay_.active().Find(ids[i + 8]));
    out[i] = overlay_.Property(ids[i], key);
  }
}
void View::GatherProperty(std::span<const RelId> ids, PropertyId key, Value* out) const {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + 8 < ids.size()) __builtin_prefetch(overlay_.active().Find(ids[i + 8]));
    out[i] = overlay_.Property(ids[i], key);
  }
}
void View::GatherLabel(std::span<const NodeId> ids, LabelId label, uint8_t* keep) const {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + 8 < ids.size()) __builtin_prefetch(overlay_.active().Find(ids[i + 8]));
    keep[i] = overlay_.LabelsOf(ids[i]).Has(label);
  }
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
