#include "storage/index/vector_index.h"

#include <algorithm>

#include "base/check.h"
#include "storage/index/vector_image.h"
#include "vector/validate.h"

namespace fornix::storage {
namespace {
constexpr uint32_t kNoSlot = ~uint32_t{0};

// Kept by the thread: a search then allocates nothing once the scratch has grown.
vector::SearchScratch* ThreadScratch() {
  static thread_local vector::SearchScratch scratch;
  return &scratch;
}
}  // namespace

vector::Metric VectorMetric(Metric metric) {
  switch (metric) {
    case Metric::kCosine: return vector::Metric::kCosine;
    case Metric::kEuclidean: return vector::Metric::kEuclidean;
    case Metric::kDot: return vector::Metric::kDot;
  }
  return vector::Metric::kCosine;
}

Status VectorIndex::Validate(std::span<const float> v, uint32_t dimensions) const {
  if (dimensions == 0) {
    RETURN_IF_ERROR(vector::ValidateDimensions(v.size()));
    dimensions = static_cast<uint32_t>(v.size());
  }
  return vector::ValidateVector(v, dimensions, VectorMetric(options_.metric));
}

void VectorIndex::Fix(uint32_t dimensions) {
  if (graph() != nullptr) return;
  vector::HnswOptions options;
  options.dimensions = dimensions;
  options.metric = VectorMetric(options_.metric);
  options.m = options_.m;
  options.ef_construction = options_.ef_construction;
  auto made = vector::Hnsw::Create(options);
  CHECK(made.ok());                            // the options were judged when the index was created
  owned_graph_ = std::move(made).value();
  dimensions_.store(dimensions, std::memory_order_release);
  graph_.store(owned_graph_.get(), std::memory_order_release);
}

VectorIndex::VectorIndex(const VectorIndexOptions& options) : options_(options), dimensions_(options.dimensions) {}

VectorIndex::~VectorIndex() {
  if (budget_ != nullptr) budget_->Release(MemoryUse::kIndexes, charged_);
}

void VectorIndex::SetBudget(MemoryBudget* budget) {
  if (budget_ != nullptr) return;
  budget_ = budget;
  if (graph() != nullptr) Charge(graph()->size());
}

void VectorIndex::Charge(uint64_t rows) {
  if (budget_ == nullptr) return;
  // The row, its links (2 m below, a few above), its slot and its place in the map.
  const uint64_t bytes = rows * ((uint64_t{dimensions()} + 3 * options_.m) * sizeof(float) + sizeof(Slot) + 48);
  budget_->Add(MemoryUse::kIndexes, bytes);
  charged_ += bytes;
}

uint32_t VectorIndex::Store(uint64_t id, std::span<const float> v) {
  return load_state_.load(std::memory_order_relaxed) == LoadState::kNone ? StoreRow(id, v) : StorePending(id, v);
}
void VectorIndex::Stamp(uint32_t slot, Timestamp ts) {
  if (load_state_.load(std::memory_order_relaxed) == LoadState::kNone) StampRow(slot, ts);
  else StampPending(slot, ts);
}
void VectorIndex::End(uint64_t id, Timestamp ts) {
  if (load_state_.load(std::memory_order_relaxed) == LoadState::kNone) EndRow(id, ts);
  else EndPending(id, ts);
}

uint32_t VectorIndex::StoreRow(uint64_t id, std::span<const float> v) {
  Fix(static_cast<uint32_t>(v.size()));
  const uint32_t slot = graph()->size();
  // The slot is there before the row, for a search may come upon the row at once.
  slots_.Ensure(slot / kChunkElements)->slots[slot % kChunkElements].id = id;
  live_slot_.try_emplace(id, kNoSlot);
  const Status stored = graph()->Store(slot, v);
  CHECK(stored.ok());
  encoded_here_.fetch_add(1, std::memory_order_relaxed);
  Charge(1);
  return slot;
}

void VectorIndex::StampRow(uint32_t slot, Timestamp ts) {
  Slot& s = At(slot);
  live_slot_.find(s.id)->second = slot;
  s.begin.store(ts, std::memory_order_release);
}

void VectorIndex::EndRow(uint64_t id, Timestamp ts) {
  const auto it = live_slot_.find(id);
  if (it == live_slot_.end() || it->second == kNoSlot) return;
  At(it->second).end.store(ts, std::memory_order_release);
  it->second = kNoSlot;
}

bool VectorIndex::HasLive(uint64_t id) const {
  const auto it = live_slot_.find(id);
  return it != live_slot_.end() && it->second != kNoSlot;
}

Status VectorIndex::Search(std::span<const float> query, size_t k, size_t ef, Timestamp snapshot,
                           const std::function<bool(uint64_t id)>& accept, const CancelCheck& cancel, std::vector<Hit>* out,
                           VectorSearchStats* stats) const {
  out->clear();
  const vector::Hnsw* index = graph();
  if (index == nullptr || k == 0) return Status::Ok();
  auto visible = [&](uint32_t slot) {
    const Slot& s = At(slot);
    const bool yes = s.begin.load(std::memory_order_acquire) <= snapshot && snapshot < s.end.load(std::memory_order_acquire) &&
                     accept(s.id);
    stats->candidates_rejected += !yes;
    return yes;
  };
  auto interrupt = [&]() -> Status { return cancel ? cancel() : Status::Ok(); };
  // Among equal distances the index prefers the older slot, we want the smaller id; so a few more are asked for, and more
  // of them as long as the tie at the k-th place may go on behind the last.
  constexpr size_t kMore = 4;
  for (size_t wanted = k + kMore;; wanted *= 2) {
    vector::SearchRequest request;
    request.query = query;
    request.k = static_cast<uint32_t>(std::min<size_t>(wanted, index->size()));
    request.ef = static_cast<uint32_t>(std::min<size_t>(ef, ~uint32_t{0}));
    request.visible = visible;
    request.interrupt = interrupt;
    vector::SearchStats one;
    ASSIGN_OR_RETURN(const std::span<const vector::Hit> hits, index->Search(request, ThreadScratch(), &one));
    stats->distance_computations += one.distances;
    stats->exact = stats->exact || one.scanned;
    stats->passing = one.passing;
    stats->reranked += one.fine + one.originals;
    stats->strategy = vector::SearchStrategyName(one.strategy);
    const bool tie_may_go_on = hits.size() >= wanted && hits.size() > k && hits[k - 1].distance == hits.back().distance;
    if (tie_may_go_on) continue;
    for (const vector::Hit& hit : hits) out->push_back({At(hit.slot).id, hit.distance});
    break;
  }
  std::sort(out->begin(), out->end(), [](const Hit& a, const Hit& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
  });
  if (out->size() > k) out->resize(k);
  return Status::Ok();
}

bool VectorIndex::LinkOne(vector::SearchScratch* scratch) {
  if (graph() == nullptr || !graph()->LinkNext(scratch)) return false;
  linked_here_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint64_t VectorIndex::unlinked() const {
  const vector::Hnsw* index = graph();
  if (index == nullptr) return 0;
  const uint32_t linked = index->linked_watermark();   // first: it may only have grown when size is read
  return index->size() - linked;
}

}  // namespace fornix::storage
