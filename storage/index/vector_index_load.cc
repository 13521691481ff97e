// A vector index whose rows come from the data file: what commits bring before they are in, and how both become one.
//
//   BeginLoading ---- Store, Stamp, End go into the list ---- Adopt (the rows) -- FinishLoading (the list) --> as any other
//                                                       \---- GiveUpLoading --> takes nothing any more, finds nothing
// Of one commit the list has the new vectors first and then the ends, as the commit reserves and applies them; in the index the ends come
// first, or they would end what is new.
#include <algorithm>

#include "base/check.h"
#include "base/errors.h"
#include "base/interrupt.h"
#include "storage/index/vector_image.h"
#include "storage/index/vector_index.h"

namespace fornix::storage {
namespace {
constexpr uint32_t kVectorsBehindMin = 4096;   // to be filled again: about as much work as as many links
constexpr size_t kPendingInside = 64;          // commits wait while so many are stored: some milliseconds
}  // namespace

void VectorIndex::BeginLoading() { load_state_.store(LoadState::kLoading, std::memory_order_release); }

void VectorIndex::ReserveEnd() {
  if (!loading()) return;
  if (pending_.size() < pending_end_ + pending_reserved_ + 1) pending_.resize(2 * (pending_end_ + pending_reserved_) + 16);
  ++pending_reserved_;
}

uint32_t VectorIndex::StorePending(uint64_t id, std::span<const float> v) {
  if (!loading()) return 0;
  if (dimensions() == 0) dimensions_.store(static_cast<uint32_t>(v.size()), std::memory_order_release);
  ReserveEnd();
  --pending_reserved_;
  any_pending_ = true;
  pending_[pending_end_] = {id, kNever, {v.begin(), v.end()}};
  return static_cast<uint32_t>(pending_end_++);
}

void VectorIndex::StampPending(uint32_t at, Timestamp ts) {
  if (loading()) pending_[at].ts = ts;
}

void VectorIndex::EndPending(uint64_t id, Timestamp ts) {
  if (!loading()) return;
  CHECK(pending_end_ < pending_.size());
  any_pending_ = true;
  pending_[pending_end_++] = {id, ts, {}};
  pending_reserved_ -= pending_reserved_ > 0;
}

void VectorIndex::ApplyPending(std::span<const Pending> list) {
  for (size_t first = 0; first < list.size();) {
    if (list[first].ts == kNever) {            // its commit didn't come
      ++first;
      continue;
    }
    size_t last = first;
    for (; last < list.size() && (list[last].ts == list[first].ts || list[last].ts == kNever); ++last) {
      if (list[last].v.empty() && list[last].ts != kNever) EndRow(list[last].id, list[last].ts);
    }
    for (size_t i = first; i < last; ++i) {
      if (!list[i].v.empty() && list[i].ts != kNever) StampRow(StoreRow(list[i].id, list[i].v), list[i].ts);
    }
    first = last;
  }
}

void VectorIndex::Adopt(std::unique_ptr<vector::Hnsw> graph, std::span<const uint64_t> ids, const std::vector<bool>& live, Timestamp ts) {
  for (uint32_t slot = 0; slot < ids.size(); ++slot) slots_.Add(slot, ids[slot]);
  if (graph == nullptr) return;
  dimensions_.store(graph->options().dimensions, std::memory_order_release);
  owned_graph_ = std::move(graph);
  for (uint32_t slot = 0; slot < ids.size(); ++slot) {
    if (live[slot]) {
      slots_.Begin(slot, ts);
    } else if (!owned_graph_->Free(slot)) {
      RetireSlot(slot);                        // no snapshot sees it: all are of `ts` or later
    }
  }
  graph_.store(owned_graph_.get(), std::memory_order_release);
  Recount();
}

void VectorIndex::FinishLoading(std::mutex* sequencer, Timestamp ts, bool complete, std::unique_ptr<VectorImage> image) {
  {
    std::lock_guard lock(*sequencer);
    image_ = std::move(image);
    SetImaged(image_->complete(), image_->linked());
    if (graph() != nullptr) Charge();
  }
  for (bool last = false; !last;) {
    std::vector<Pending> list;
    std::unique_lock lock(*sequencer);
    const size_t count = std::exchange(pending_end_, 0);
    list.swap(pending_);
    pending_reserved_ = 0;
    last = count <= kPendingInside;
    if (!last) lock.unlock();
    ApplyPending(std::span(list).first(count));
    if (!last) continue;
    if (complete) SetUsableFrom(ts);
    EndLoading(LoadState::kNone, Status::Ok());
  }
}

void VectorIndex::GiveUpLoading(std::mutex* sequencer, const Status& status) {
  std::vector<Pending> list;
  std::lock_guard lock(*sequencer);
  list.swap(pending_);
  pending_end_ = pending_reserved_ = 0;
  EndLoading(LoadState::kGivenUp, status);
}

void VectorIndex::EndLoading(LoadState state, const Status& status) {
  std::lock_guard lock(load_mutex_);
  load_status_ = status;
  load_state_.store(state, std::memory_order_release);
  loaded_.notify_all();
}

Status VectorIndex::AwaitLoaded(const CancelCheck& cancel) const {
  if (load_state_.load(std::memory_order_acquire) == LoadState::kNone) return Status::Ok();
  std::unique_lock lock(load_mutex_);
  const auto pause = std::chrono::milliseconds(kInterruptWaitMillis);
  while (!loaded_.wait_for(lock, pause, [this] { return !loading(); })) {
    LookForInterrupt();
    if (cancel) RETURN_IF_ERROR(cancel());
  }
  return load_status_;
}

bool VectorIndex::ImageBehind() const {
  const vector::Hnsw* index = graph();
  if (index == nullptr || load_state_.load(std::memory_order_acquire) != LoadState::kNone || usable_from() == kNever) return false;
  const bool lacks_vectors = !imaged_complete_.load(std::memory_order_relaxed) && index->size() >= kVectorsBehindMin;
  return lacks_vectors ||
         VectorImage::LinksLag(index->linked_watermark(), imaged_linked_.load(std::memory_order_relaxed));
}

void VectorIndex::SetImage(std::unique_ptr<VectorImage> image) { image_ = std::move(image); }

}  // namespace fornix::storage
