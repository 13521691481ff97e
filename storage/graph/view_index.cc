// Index paths of View. The overlay's rule for hits: a committed entry (of any layer, index/range_layers.h) counts only if the
// element wasn't touched by this transaction; touched ones come from its own keys.
#include <algorithm>

#include "storage/graph/view.h"
#include "storage/index/key.h"
#include "storage/index/range_layers.h"
#include "storage/index/vector_originals.h"
#include "storage/index/vector_scan.h"
#include "storage/txn/transaction_impl.h"
#include "vector/similarity.h"

namespace fornix::storage {
namespace {

const size_t kVectorEfDefault = vector::HnswOptions().ef_search;

// Own keys of an interval in the direction of a seek.
class OwnCursor {
 public:
  OwnCursor(const OwnKeys::Keys& keys, bool down, const KeyInterval& interval, uint64_t id) : down_(down) {
    first_ = keys.lower_bound({interval.lower, down ? 0 : id});
    last_ = interval.upper.empty() ? keys.end() : keys.lower_bound({interval.upper, down ? id : 0});
  }
  const OwnKeys::Keys::value_type* at() const { return first_ == last_ ? nullptr : down_ ? &*std::prev(last_) : &*first_; }
  void Take() { down_ ? --last_ : ++first_; }

 private:
  const bool down_;
  OwnKeys::Keys::const_iterator first_, last_;
};

// What the index knows, then what this transaction wrote.
Status SearchIndex(const VectorBinding& binding, const Overlay& overlay, OwnVectors* own_vectors, const VectorQuery& query,
                   std::vector<VectorIndex::Hit>* hits, VectorSearchStats* stats) {
  const IndexDefinition& definition = *binding.definition;
  const WriteSet& own = overlay.own();
  const auto hidden = [&](uint64_t id) { return TouchedHere(own, definition.entity, id); };
  const auto originals = [&](std::span<const uint64_t> ids, vector::TakeOriginal take) {
    ReadVectors(overlay, definition.entity, definition.properties[0], ids, take);
    return Status::Ok();
  };
  VectorIndex::Query wanted;
  wanted.vector = query.vector;
  wanted.k = query.k;
  wanted.ef = query.ef;
  if (query.ef == 0 && definition.vector.expansion_factor > 0) {   // never less than the index looks at anyway
    wanted.ef = std::max(kVectorEfDefault, static_cast<size_t>(definition.vector.expansion_factor * static_cast<double>(query.k)));
  }
  wanted.snapshot = overlay.snapshot();
  if (!own.empty()) wanted.hidden = hidden;
  if (query.filter) wanted.filter = query.filter;
  wanted.ids = query.ids;
  if (definition.vector.quantization != vector::Quantization::kNone) wanted.originals = originals;
  if (query.cancel) wanted.interrupt = query.cancel;
  RETURN_IF_ERROR(binding.index->Search(wanted, hits, stats));
  if (own.empty()) return Status::Ok();
  std::function<bool(uint64_t)> filter = query.filter;
  if (query.ids) {
    filter = [&](uint64_t id) { return std::binary_search(query.ids->begin(), query.ids->end(), id) && (!query.filter || query.filter(id)); };
  }
  return own_vectors->Search(binding, overlay, query.vector, filter, query.cancel, hits, stats);
}

}  // namespace

IndexProgress View::ProgressOf(IndexId index) const {
  const VectorBinding* binding = transaction_->schema_state().FindVector(index);
  if (binding == nullptr) return {};
  IndexProgress progress;
  // Behind an opening: its rows are being read, and a search waits for them. That is no filling.
  if (binding->index->loading()) {
    progress.percent = 100;
    progress.filled = true;
    return progress;
  }
  progress.percent = binding->index->PercentLinked();
  progress.filled = binding->index->usable_from() != kNever;
  progress.failure = binding->index->failure();
  return progress;
}

Status View::SeekIndex(IndexId index, const KeyRange& range, bool descending, SeekPosition* position, size_t max,
                       std::vector<uint64_t>* out) const {
  CheckAge();
  if (position->done || max == 0) return Status::Ok();
  const RangeBinding* binding = transaction_->schema_state().FindRange(index);
  if (binding == nullptr) {
    return Status(Code::kSchemaNotFound, "there is no range index number " + std::to_string(index.value));
  }
  KeyInterval interval;
  if (!IntervalOf(range, &interval)) {
    position->done = true;
    return Status::Ok();
  }
  // The rest of the interval: [(lower, id), upper) upwards, [lower, (upper, id)) downwards.
  uint64_t id = 0;
  if (position->started) {
    (descending ? interval.upper : interval.lower) = position->key;
    id = position->id + !descending;
  }
  const WriteSet& own = overlay_.own();
  const EntityKind entity = binding->definition->entity;
  OwnCursor mine(transaction_->own_keys().Of(*binding, overlay_), descending, interval, id);
  size_t taken = 0;
  auto take = [&](std::string_view key, uint64_t element) {
    out->push_back(element);
    if (++taken < max) return true;
    position->key.assign(key);
    position->id = element;
    position->started = true;
    return false;
  };
  auto take_mine_before = [&](std::string_view key, uint64_t element) {
    const std::pair place(key, element);
    for (const OwnKeys::Keys::value_type* at; (at = mine.at()) != nullptr; mine.Take()) {
      const std::pair here(std::string_view(at->first), at->second);
      if (descending ? here < place : place < here) return true;
      if (!take(at->first, at->second)) return false;
    }
    return true;
  };
  bool full = false;
  const RangeLayers layers(index, overlay_);
  auto visit = [&](std::string_view key, uint64_t element) {
    full = !take_mine_before(key, element) || (!TouchedHere(own, entity, element) && !take(key, element));
    return !full;
  };
  if (descending) {
    layers.VisitDown(interval.lower, interval.upper, id, visit);
  } else {
    layers.Visit(interval.lower, id, interval.upper, visit);
  }
  for (; !full && mine.at() != nullptr; mine.Take()) full = !take(mine.at()->first, mine.at()->second);
  position->done = !full;
  return Status::Ok();
}

Status View::SearchVector(IndexId index, const VectorQuery& query, std::vector<VectorHit>* out, VectorSearchStats* stats) const {
  CheckAge();
  out->clear();
  const VectorBinding* binding = transaction_->schema_state().FindVector(index);
  if (binding == nullptr) {
    return Status(Code::kSchemaNotFound, "there is no vector index number " + std::to_string(index.value));
  }
  const VectorIndex& vectors = *binding->index;
  if (const Status status = vectors.Validate(query.vector, vectors.dimensions()); !status.ok()) {
    return Status(status.code(), "query of vector index '" + binding->definition->name + "': " + status.message())
        .Detail(status.detail());
  }
  RETURN_IF_ERROR(vectors.AwaitLoaded(query.cancel));
  VectorSearchStats unwanted;
  if (stats == nullptr) stats = &unwanted;
  *stats = {};
  std::vector<VectorIndex::Hit> hits;
  if (overlay_.snapshot() < vectors.usable_from()) {   // it is being filled
    std::function<bool(uint64_t)> filter = query.filter;
    if (query.ids) {
      filter = [&](uint64_t id) { return std::binary_search(query.ids->begin(), query.ids->end(), id) && (!query.filter || query.filter(id)); };
    }
    stats->strategy = "exact scan";
    RETURN_IF_ERROR(ScanVectors(*binding, overlay_, query.vector, query.k, filter, query.cancel, &hits, stats));
  } else {
    RETURN_IF_ERROR(SearchIndex(*binding, overlay_, &transaction_->own_vectors(), query, &hits, stats));
  }

  const vector::Metric metric = VectorMetric(binding->definition->vector.metric);
  for (const VectorIndex::Hit& hit : hits) {
    out->push_back({hit.id, static_cast<float>(vector::ScoreOfDistance(metric, hit.distance))});
  }
  std::sort(out->begin(), out->end(), [](const VectorHit& a, const VectorHit& b) {
    return a.score != b.score ? a.score > b.score : a.id < b.id;
  });
  if (out->size() > query.k) out->resize(query.k);
  return Status::Ok();
}

}  // namespace fornix::storage
