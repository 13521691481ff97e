#include "storage/index/vector_index.h"

#include <algorithm>

#include "base/check.h"
#include "storage/index/vector_image.h"
#include "vector/validate.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kRepairShare = 10;          // of the slots in the graph
constexpr uint64_t kRepairSlotsMin = 128;      // fewer cost a walk next to nothing
constexpr uint64_t kRebuildSlotsMin = 4096;    // about a megabyte

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

bool VectorIndex::Fits(const VectorIndexOptions& options) const {
  return options.metric == options_.metric && options.quantization == options_.quantization && options.m == options_.m &&
         options.ef_construction == options_.ef_construction;
}

void VectorIndex::Begin(uint32_t dimensions, std::vector<float> centre) {
  if (graph() != nullptr) return;
  vector::HnswOptions options;
  options.dimensions = dimensions;
  options.metric = VectorMetric(options_.metric);
  options.m = options_.m;
  options.ef_construction = options_.ef_construction;
  options.quantization = options_.quantization;
  if (options_.quantization != vector::Quantization::kNone) options.centre = std::move(centre);
  auto made = vector::Hnsw::Create(options);
  CHECK(made.ok());                            // the options were judged when the index was created
  owned_graph_ = std::move(made).value();
  dimensions_.store(dimensions, std::memory_order_release);
  graph_.store(owned_graph_.get(), std::memory_order_release);
}

VectorIndex::VectorIndex(const VectorIndexOptions& options) : options_(options), dimensions_(options.dimensions), rebuild_from_(kRebuildSlotsMin) {}

VectorIndex::~VectorIndex() {
  if (budget_ != nullptr) budget_->Release(MemoryUse::kIndexes, charged_);
}

void VectorIndex::SetBudget(MemoryBudget* budget) {
  if (budget_ != nullptr) return;
  budget_ = budget;
  if (graph() != nullptr) Charge();
}

size_t VectorIndex::memory_bytes() const {
  return (graph() == nullptr ? 0 : graph()->memory_bytes()) + slots_.memory_bytes() + ended_.capacity() * sizeof(uint32_t);
}

// Rows and slots come in chunks, so this changes rarely.
void VectorIndex::Charge() {
  if (budget_ == nullptr) return;
  const uint64_t bytes = memory_bytes();
  if (bytes <= charged_) return;
  budget_->Add(MemoryUse::kIndexes, bytes - charged_);
  charged_ = bytes;
}

Status VectorIndex::HoldRoom(uint64_t rows, uint32_t dimensions, uint64_t* held) const {
  *held = 0;
  if (budget_ == nullptr || rows == 0) return Status::Ok();
  // A row of codes (the widest kind has four bytes a dimension), its links and its slot.
  const uint64_t links = 3 * uint64_t{options_.m} * sizeof(uint32_t);
  uint64_t codes = uint64_t{dimensions} * sizeof(float);
  switch (options_.quantization) {
    case vector::Quantization::kNone: break;
    case vector::Quantization::kHalf: codes /= 2; break;
    case vector::Quantization::kByte: codes /= 4; break;
    case vector::Quantization::kRabitq4: codes = codes * 5 / 32; break;
    case vector::Quantization::kRabitq8: codes = codes * 9 / 32; break;
  }
  constexpr uint64_t kSlotBytes = 64;          // with its places in tables and the heads of its codes
  const uint64_t bytes = rows * (codes + links + kSlotBytes);
  RETURN_IF_ERROR(budget_->TryCharge(MemoryUse::kIndexes, bytes, "the vectors of a vector index"));
  *held = bytes;
  return Status::Ok();
}

void VectorIndex::ReleaseRoom(uint64_t held) const {
  if (held != 0) budget_->Release(MemoryUse::kIndexes, held);
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
  Begin(static_cast<uint32_t>(v.size()));
  const uint32_t slot = graph()->size();
  // The slot is there before the row, for a search may come upon the row at once.
  slots_.Add(slot, id);
  const Status stored = graph()->Store(slot, v);
  CHECK(stored.ok());
  encoded_here_.fetch_add(1, std::memory_order_relaxed);
  Charge();
  return slot;
}

void VectorIndex::EndRow(uint64_t id, Timestamp ts) {
  const uint32_t slot = slots_.End(id, ts);
  if (slot == kNoSlot) return;
  try {
    ended_.push_back(slot);
    ended_count_.fetch_add(1, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    // Then it is never retired: a way through the graph that could be shorter.
  }
}

void VectorIndex::RetireSlot(uint32_t slot) {
  owned_graph_->Retire(slot);
  retired_.fetch_add(1, std::memory_order_relaxed);
}

void VectorIndex::Abandon(uint32_t slot) { RetireSlot(slot); }

bool VectorIndex::RetireEnded(Timestamp floor) {
  floor = std::min(floor, ended_kept_after());
  for (; ended_first_ < ended_.size() && slots_.EndOf(ended_[ended_first_]) <= floor; ++ended_first_) RetireSlot(ended_[ended_first_]);
  if (ended_first_ * 2 >= ended_.size()) {     // so that each is moved once, on average
    ended_.erase(ended_.begin(), ended_.begin() + static_cast<ptrdiff_t>(ended_first_));
    ended_first_ = 0;
  }
  ended_count_.store(ended_.size() - ended_first_, std::memory_order_relaxed);
  return ended_first_ < ended_.size();
}

bool VectorIndex::WantsRepair() const {
  const uint64_t retired = retired_.load(std::memory_order_relaxed);
  return retired >= kRepairSlotsMin && retired * kRepairShare >= size() - freed_.load(std::memory_order_relaxed);
}

bool VectorIndex::WantsRebuild() const { return size() >= rebuild_from_.load(std::memory_order_relaxed) && freed_.load(std::memory_order_relaxed) * 2 > size(); }

void VectorIndex::Recount() {
  uint64_t freed = 0;
  for (uint32_t slot = 0, slots = size(); slot < slots; ++slot) freed += graph()->Free(slot);
  freed_.store(freed, std::memory_order_relaxed);
}

Status VectorIndex::Repair(vector::SearchScratch* scratch, vector::FunctionRef<Status()> interrupt) {
  if (graph() == nullptr) return Status::Ok();
  std::lock_guard lock(image_mutex_);
  const uint64_t retired = retired_.load(std::memory_order_relaxed);
  const auto stop = [&]() -> Status {
    if (image_mutex_.asked()) return Status(Code::kCancelled, "an image is to be copied");
    return interrupt ? interrupt() : Status::Ok();
  };
  repairs_.fetch_add(1, std::memory_order_acq_rel);
  const Status status = graph()->Repair(scratch, stop).status();
  Recount();
  // What a Repair leaves retired (a place of equal vectors, what ended meanwhile) the next one takes, with others.
  if (status.ok()) retired_.fetch_sub(retired, std::memory_order_relaxed);
  return status;
}

bool VectorIndex::LinkOne(vector::SearchScratch* scratch) {
  if (graph() == nullptr || stopped() || !graph()->LinkNext(scratch)) return false;
  linked_here_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint64_t VectorIndex::unlinked() const {
  const vector::Hnsw* index = graph();
  if (index == nullptr) return 0;
  const uint32_t linked = index->linked_watermark();   // first: it may only have grown when size is read
  return index->size() - linked;
}

double VectorIndex::PercentLinked() const {
  const uint64_t all = usable_from() == kNever ? std::max<uint64_t>(expected_.load(std::memory_order_relaxed), size()) : size();
  if (all == 0) return usable_from() == kNever ? 0 : 100;
  const uint64_t linked = graph() == nullptr ? 0 : graph()->linked_watermark();
  return std::min(100.0, 100.0 * static_cast<double>(linked) / static_cast<double>(all));
}

Status VectorIndex::failure() const {
  std::lock_guard lock(failure_mutex_);
  return failure_;
}

void VectorIndex::SetFailure(Status status) {
  std::lock_guard lock(failure_mutex_);
  failure_ = std::move(status);
}

}  // namespace fornix::storage
