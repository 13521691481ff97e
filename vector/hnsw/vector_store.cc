// Storage of rows and the choice of the kernel; see vector_store.h.
#include "vector/hnsw/vector_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace fornix::vector {
namespace {

constexpr size_t kLineFloats = 16;
// The processor's own prefetcher follows a row once a few lines of it were asked for.
constexpr size_t kPrefetchLinesMax = 8;

}  // namespace

VectorStore::VectorStore(uint32_t dimensions, Metric metric, const DistanceKernels& kernels)
    : dimensions_(dimensions),
      metric_(metric),
      padded_((dimensions + kLineFloats - 1) / kLineFloats * kLineFloats),
      one_(metric == Metric::kEuclidean ? kernels.squared_l2 : kernels.dot),
      four_(metric == Metric::kEuclidean ? kernels.squared_l2_4 : kernels.dot4),
      scale_(metric == Metric::kEuclidean ? 1.0f : -1.0f),
      offset_(metric == Metric::kCosine ? 1.0f : 0.0f),
      rows_(padded_, /*zeroed=*/false) {}

void VectorStore::Append(std::span<const float> v) {
  const uint32_t slot = size_.load(std::memory_order_relaxed);
  rows_.Grow(size_t{slot} + 1);
  Fill(v, rows_.Row(slot));
  size_.store(slot + 1, std::memory_order_release);
}

const float* VectorStore::Prepare(std::span<const float> v, std::vector<float>* buffer) const {
  buffer->resize(padded_);
  Fill(v, buffer->data());
  return buffer->data();
}

void VectorStore::Fill(std::span<const float> v, float* row) const {
  CHECK(v.size() == dimensions_);
  if (metric_ == Metric::kCosine) {
    double norm2 = 0;
    for (float f : v) norm2 += static_cast<double>(f) * f;
    const double inverse = 1 / std::sqrt(norm2);
    for (size_t i = 0; i < v.size(); ++i) row[i] = static_cast<float>(v[i] * inverse);
  } else {
    std::copy(v.begin(), v.end(), row);
  }
  std::fill(row + v.size(), row + padded_, 0.0f);
}

// By bytes, as the kernels can't tell 0 from -0 but a chain of equals needn't either: it would only miss one.
bool VectorStore::Equal(uint32_t a, uint32_t b) const {
  return std::memcmp(rows_.Row(a), rows_.Row(b), padded_ * sizeof(float)) == 0;
}

void VectorStore::Prefetch(uint32_t slot) const {
  const float* row = rows_.Row(slot);
  const size_t lines = std::min(padded_ / kLineFloats, kPrefetchLinesMax);
  for (size_t i = 0; i < lines; ++i) __builtin_prefetch(row + i * kLineFloats);
}

void VectorStore::Distances(const float* query, std::span<const uint32_t> slots, float* out) const {
  for (size_t i = 0; i < std::min<size_t>(4, slots.size()); ++i) Prefetch(slots[i]);
  size_t done = 0;
  for (; done + 4 <= slots.size(); done += 4) {
    for (size_t i = done + 4; i < std::min(done + 8, slots.size()); ++i) Prefetch(slots[i]);
    const float* const rows[4] = {rows_.Row(slots[done]), rows_.Row(slots[done + 1]),
                                  rows_.Row(slots[done + 2]), rows_.Row(slots[done + 3])};
    four_(query, rows, padded_, out + done);
  }
  for (; done < slots.size(); ++done) out[done] = one_(query, rows_.Row(slots[done]), padded_);
  for (size_t i = 0; i < slots.size(); ++i) out[i] = offset_ + scale_ * out[i];
}

}  // namespace fornix::vector
