// VectorStore: the vectors of an index by slot, and the distances between them. The graph code knows vectors
// through this class alone, so that codes shorter than 32-bit floats, or rows kept in pages, change nothing
// but this.
//
// A stored row is the vector ready for its kernel: normalised for cosine (in double, so its length is 1 to
// 1e-7), and padded with zeros to whole cache lines, which add nothing to any of the sums and spare the
// kernels their tail. The length of the original isn't kept: the property the vector came from has the truth.
//
// Threads: Append by one at a time; all else by anyone, for slots below size() or learned from a link.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vector/distance/distance.h"
#include "vector/hnsw/chunked_rows.h"
#include "vector/metric.h"

namespace fornix::vector {

class VectorStore {
 public:
  VectorStore(uint32_t dimensions, Metric metric, const DistanceKernels& kernels);

  // REQUIRES: ValidateVector accepts `v`. The new slot is the old size().
  void Append(std::span<const float> v);
  uint32_t size() const { return size_.load(std::memory_order_acquire); }

  // The query in the form of a row. The buffer is reused; the pointer lives as long as it is unchanged.
  const float* Prepare(std::span<const float> v, std::vector<float>* buffer) const;
  // The row of a slot, good as a query.
  const float* Row(uint32_t slot) const { return rows_.Row(slot); }

  bool Equal(uint32_t a, uint32_t b) const;

  // The distances of a prepared query to `slots`; fetches each next rows while it computes the last.
  void Distances(const float* query, std::span<const uint32_t> slots, float* out) const;

  size_t bytes() const { return rows_.bytes(); }

 private:
  void Fill(std::span<const float> v, float* row) const;
  void Prefetch(uint32_t slot) const;

  const uint32_t dimensions_;
  const Metric metric_;
  const size_t padded_;  // floats of a row
  const DistanceKernels::One one_;
  const DistanceKernels::Four four_;
  const float scale_, offset_;  // distance = offset_ + scale_ * kernel
  ChunkedRows<float> rows_;
  std::atomic<uint32_t> size_{0};
};

}  // namespace fornix::vector
