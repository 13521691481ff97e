// Storage of rows and the fetching of them; see vector_store.h.
#include "vector/hnsw/vector_store.h"

#include <algorithm>
#include <cstring>

namespace fornix::vector {
namespace {

constexpr size_t kLineBytes = 64;
// The processor's own prefetcher follows a row once a few lines of it were asked for.
constexpr size_t kPrefetchBytesMax = 8 * kLineBytes;
// A processor keeps 10 to 20 misses in flight. Of short rows 16 are asked for at a time, of long ones 4.
constexpr size_t kShortRow = 4 * kLineBytes;
constexpr size_t kGroupMax = 16;

std::unique_ptr<const Quantizer> WholeVectors(uint32_t dimensions, Metric metric, const DistanceKernels& kernels) {
  auto projection = std::make_shared<Projection>(dimensions, metric, std::vector<float>(), /*rotated=*/false, 0, BestCodeKernels());
  return Quantizer::Create(CodeKind::kNone, std::move(projection), BestCodeKernels(), kernels);
}

}  // namespace

VectorStore::VectorStore(std::unique_ptr<const Quantizer> quantizer)
    : quantizer_(std::move(quantizer)),
      prefetch_bytes_(std::min(quantizer_->code_bytes(), kPrefetchBytesMax)),
      group_(quantizer_->code_bytes() <= kShortRow ? kGroupMax : 4),
      rows_(quantizer_->code_bytes(), /*zeroed=*/false) {}

VectorStore::VectorStore(uint32_t dimensions, Metric metric, const DistanceKernels& kernels)
    : VectorStore(WholeVectors(dimensions, metric, kernels)) {}

uint8_t* VectorStore::NewRow() {
  const uint32_t slot = size_.load(std::memory_order_relaxed);
  rows_.Grow(size_t{slot} + 1);
  return rows_.Row(slot);
}

void VectorStore::Append(std::span<const float> v) {
  quantizer_->projection().Apply(v, &projected_);
  Append(projected_);
}

void VectorStore::Append(const Projected& v) {
  quantizer_->Encode(v, NewRow());
  size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void VectorStore::AppendCode(const uint8_t* code) {
  std::memcpy(NewRow(), code, quantizer_->code_bytes());
  size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void VectorStore::Prepare(std::span<const float> v, PreparedQuery* query) const {
  Projected projected;
  quantizer_->projection().Apply(v, &projected);
  quantizer_->Prepare(projected, query);
}

// By bytes, as the kernels can't tell 0 from -0 but a chain of equals needn't either: it would only miss one.
bool VectorStore::Equal(uint32_t a, uint32_t b) const {
  return std::memcmp(rows_.Row(a), rows_.Row(b), quantizer_->code_bytes()) == 0;
}

void VectorStore::Prefetch(const uint8_t* row) const {
  for (size_t at = 0; at < prefetch_bytes_; at += kLineBytes) __builtin_prefetch(row + at);
  __builtin_prefetch(row + prefetch_bytes_ - 1);  // rows of codes begin anywhere in a line
}

void VectorStore::Distances(const PreparedQuery& query, std::span<const uint32_t> slots, float* out) const {
  const uint8_t* now[kGroupMax];
  const uint8_t* next[kGroupMax];
  size_t ahead = std::min(group_, slots.size());
  for (size_t i = 0; i < ahead; ++i) Prefetch(next[i] = rows_.Row(slots[i]));
  for (size_t done = 0; done < slots.size();) {
    const size_t n = ahead;
    std::copy_n(next, n, now);
    ahead = std::min(group_, slots.size() - done - n);
    for (size_t i = 0; i < ahead; ++i) Prefetch(next[i] = rows_.Row(slots[done + n + i]));
    quantizer_->Distances(query, now, n, out + done);
    done += n;
  }
}

}  // namespace fornix::vector
