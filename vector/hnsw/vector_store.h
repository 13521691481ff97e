// VectorStore: the codes of an index by slot, and the distances between them: the graph's source of distances. The
// graph knows vectors through this class alone, so that the kind of code, or where rows are kept, changes nothing
// but this. With CodeKind::kNone the codes are the vectors, ready for their kernel: normalised for cosine (in
// double, so a length is 1 to 1e-7), and padded with zeros to whole cache lines. The length of the original isn't
// kept: the property the vector came from has the truth.
//
// Threads: Append and Overwrite by one at a time; all else by anyone, for slots below size() or learned from a
// link. Overwrite needs that nobody reads the slot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vector/distance/distance.h"
#include "vector/hnsw/chunked_rows.h"
#include "vector/metric.h"
#include "vector/quantize/quantizer.h"

namespace fornix::vector {

class VectorStore {
 public:
  explicit VectorStore(std::unique_ptr<const Quantizer> quantizer);
  // Of whole vectors.
  VectorStore(uint32_t dimensions, Metric metric, const DistanceKernels& kernels);

  const Quantizer& quantizer() const { return *quantizer_; }

  // REQUIRES: ValidateVector accepts `v`. The new slot is the old size().
  void Append(std::span<const float> v);
  void Append(const Projected& v);
  // The code as another store gave it (Row), of code_bytes() bytes.
  void AppendCode(const uint8_t* code);
  void Overwrite(uint32_t slot, const Projected& v) { quantizer_->Encode(v, rows_.Row(slot)); }
  uint32_t size() const { return size_.load(std::memory_order_acquire); }

  void Prepare(std::span<const float> v, PreparedQuery* query) const;
  // A row as a query, which lives as long as the row is the same.
  void PrepareRow(uint32_t slot, PreparedQuery* query) const { quantizer_->PrepareCode(rows_.Row(slot), query); }
  const uint8_t* Row(uint32_t slot) const { return rows_.Row(slot); }

  bool Equal(uint32_t a, uint32_t b) const;

  // The distances of a prepared query to `slots`; fetches the next rows while it computes the last.
  void Distances(const PreparedQuery& query, std::span<const uint32_t> slots, float* out) const;
  float ErrorOf(const PreparedQuery& query, uint32_t slot) const { return quantizer_->ErrorOf(query, rows_.Row(slot)); }

  size_t bytes() const { return rows_.bytes(); }

 private:
  void Prefetch(const uint8_t* row) const;
  uint8_t* NewRow();

  const std::unique_ptr<const Quantizer> quantizer_;
  const size_t prefetch_bytes_;  // of a row
  const size_t group_;           // rows fetched ahead
  ChunkedRows<uint8_t> rows_;
  Projected projected_;  // the appender's
  std::atomic<uint32_t> size_{0};
};

}  // namespace fornix::vector
