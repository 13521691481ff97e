// Index paths of View. The overlay's rule for hits: a committed entry counts only if the element wasn't touched by this
// transaction; touched ones come from its own keys. (Entries of the base will count only if unchanged in (C, S].)
#include <algorithm>

#include "storage/graph/view.h"
#include "storage/index/key.h"
#include "storage/txn/transaction_impl.h"
#include "vector/similarity.h"

namespace fornix::storage {

Status View::SeekIndex(IndexId index, const KeyRange& range, bool descending, std::vector<uint64_t>* out) const {
  out->clear();
  const RangeBinding* binding = transaction_->schema_state().FindRange(index);
  if (binding == nullptr) {
    return Status(Code::kSchemaNotFound, "there is no range index number " + std::to_string(index.value));
  }
  KeyInterval interval;
  if (!IntervalOf(range, &interval)) return Status::Ok();

  const WriteSet& own = overlay_.own();
  const EntityKind entity = binding->definition->entity;
  const OwnKeys::Keys& own_keys = transaction_->own_keys().Of(*binding, overlay_);
  auto mine = own_keys.lower_bound({interval.lower, 0});
  auto take_mine_before = [&](std::string_view key, uint64_t id) {
    for (; mine != own_keys.end() && std::pair(std::string_view(mine->first), mine->second) < std::pair(key, id); ++mine) {
      out->push_back(mine->second);
    }
  };
  binding->index->Visit(interval.lower, interval.upper, overlay_.snapshot(), [&](const RangeIndex::Entry& entry) {
    if (mine != own_keys.end()) take_mine_before(entry.key(), entry.id);
    if (!TouchedHere(own, entity, entry.id)) out->push_back(entry.id);
    return true;
  });
  for (; mine != own_keys.end() && (interval.upper.empty() || mine->first < interval.upper); ++mine) {
    out->push_back(mine->second);
  }
  if (descending) std::reverse(out->begin(), out->end());
  return Status::Ok();
}

Status View::SearchVector(IndexId index, std::span<const float> query, size_t k, size_t ef,
                          const std::function<bool(uint64_t id)>& filter, const CancelCheck& cancel,
                          std::vector<VectorHit>* out, VectorSearchStats* stats) const {
  out->clear();
  const VectorBinding* binding = transaction_->schema_state().FindVector(index);
  if (binding == nullptr) {
    return Status(Code::kSchemaNotFound, "there is no vector index number " + std::to_string(index.value));
  }
  const VectorIndex& vectors = *binding->index;
  if (const Status status = vectors.Validate(query, vectors.dimensions()); !status.ok()) {
    return Status(status.code(), "query of vector index '" + binding->definition->name + "': " + status.message())
        .Detail(status.detail());
  }
  VectorSearchStats unwanted;
  if (stats == nullptr) stats = &unwanted;
  const EntityKind entity = binding->definition->entity;
  auto accept = [&](uint64_t id) { return !TouchedHere(overlay_.own(), entity, id) && (!filter || filter(id)); };
  std::vector<VectorIndex::Hit> hits;
  RETURN_IF_ERROR(vectors.Search(query, k, ef, overlay_.snapshot(), accept, cancel, &hits, stats));
  RETURN_IF_ERROR(transaction_->own_vectors().Search(*binding, overlay_, query, filter, cancel, &hits, stats));

  const vector::Metric metric = VectorMetric(binding->definition->vector.metric);
  for (const VectorIndex::Hit& hit : hits) {
    out->push_back({hit.id, static_cast<float>(vector::ScoreOfDistance(metric, hit.distance))});
  }
  std::sort(out->begin(), out->end(), [](const VectorHit& a, const VectorHit& b) {
    return a.score != b.score ? a.score > b.score : a.id < b.id;
  });
  if (out->size() > k) out->resize(k);
  return Status::Ok();
}

}  // namespace fornix::storage
