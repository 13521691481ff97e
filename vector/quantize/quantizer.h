// Quantizer: codes of vectors, shorter than their floats, and estimates of distances from them.
//
//   kNone    f32: the row itself, padded. Exact.
//   kHalf    f16, each row with its own power of two as a scale. Half the bytes; wrong by 2^-12 a number.
//   kByte    8 bits a dimension of the rotated vector. A quarter; distances of unit vectors wrong by 2e-4.
//   kNibble  4 bits a dimension of the rotated vector.
//   kBit     1 bit a dimension of the rotated vector: its sign. To find the way; to be reranked always.
//
// kBit is RaBitQ:
//   J. Gao, C. Long: RaBitQ: Quantizing high-dimensional vectors with a theoretical error bound for approximate
//   nearest neighbor search. SIGMOD 2024 (arXiv 2405.12497)
// kByte and kNibble are its extension to more bits, on signed grids of 255 and 16 values:
//   J. Gao et al.: Practical and asymptotically optimal quantization of high-dimensional vectors in Euclidean
//   space for approximate nearest neighbor search. SIGMOD 2025 (arXiv 2409.09913)
// except that its search for the best scale of each vector tries eight steps, not all (quantizer_grid.cc).
//
// The mathematics. x' is a projected row (projection.h), y its rounding to the grid. y points nearly where x'
// does, but the length of its projection on x' is not |x'|; scaled by
//
//   factor = |x'|^2 / <y, x'>,    <q', x'> is estimated by factor * <q', y>
//
// which is without bias over the random rotation. With c = cos(y, x') the error has the standard deviation
//
//   |q'| * error,    error = |x'| * sqrt(1 / c^2 - 1) / sqrt(D - 1)
//
// (the papers' bound with epsilon_0 for the number of deviations; 1.9 there). Measured in tests/unit/vector.
//
// A code, little-endian, the same on every machine:
//   kNone          padded f32 values, of the vector at length 1 for kCosine
//   the others     f32 factor, f32 row_base (projection.h), f32 error, then a row of code_kernels.h
// Nothing in a code can make a distance NaN or a search fail: damage makes it a wrong distance. Telling damage
// is the work of the checksum of whoever keeps the bytes.
//
// Immutable, so safe from every thread; a PreparedQuery belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "vector/distance/distance.h"
#include "vector/metric.h"
#include "vector/quantize/code_kernels.h"
#include "vector/quantize/projection.h"

namespace fornix::vector {

// The values are those of files.
enum class CodeKind : uint8_t { kNone = 0, kHalf = 1, kByte = 2, kNibble = 3, kBit = 4 };

std::string_view CodeKindName(CodeKind kind);  // "f32", "f16", "8-bit", "4-bit", "1-bit"

// A query ready for one quantizer's codes; kept between searches so that its buffers are reused. Not copied, since
// it points into itself.
struct PreparedQuery {
  PreparedQuery() = default;
  PreparedQuery(PreparedQuery&&) = default;
  PreparedQuery& operator=(PreparedQuery&&) = default;

  // The query's numbers: in the buffers below, or in a code that must outlive this.
  const float* floats = nullptr;
  const int8_t* levels = nullptr;
  // distance = base + row_base + scale * factor * (weight * sum - offset), `sum` being the kernel's.
  double base = 0;
  double scale = 0;
  int32_t weight = 1;
  int32_t offset = 0;
  double error_scale = 0;  // of a row's `error`, in units of a distance
  double rounding = 0;     // kBit: the same of its `factor`: the query is rounded too

  std::vector<float> float_buffer;
  std::vector<int8_t> level_buffer;
  std::vector<uint64_t> planes;
};

class Quantizer {
 public:
  // `float_kernels` serve kNone. The projection must be rotated for kByte, kNibble and kBit, and neither rotated
  // nor centred for kNone.
  static std::unique_ptr<const Quantizer> Create(CodeKind kind, std::shared_ptr<const Projection> projection,
                                                 const CodeKernels& kernels, const DistanceKernels& float_kernels);
  static bool Rotates(CodeKind kind) { return kind == CodeKind::kByte || kind == CodeKind::kNibble || kind == CodeKind::kBit; }
  virtual ~Quantizer() = default;

  CodeKind kind() const { return kind_; }
  size_t code_bytes() const { return code_bytes_; }  // a multiple of 4
  const Projection& projection() const { return *projection_; }

  // Writes all code_bytes().
  virtual void Encode(const Projected& v, uint8_t* code) const = 0;
  virtual void Prepare(const Projected& v, PreparedQuery* query) const = 0;
  // A code as a query, for linking; `code` must stay while the query is used.
  virtual void PrepareCode(const uint8_t* code, PreparedQuery* query) const = 0;
  // Estimated distances to `count` codes; finite, whatever the codes hold. The same bits for a code in any
  // company.
  virtual void Distances(const PreparedQuery& query, const uint8_t* const* codes, size_t count, float* out) const = 0;
  // One standard deviation of the estimate's error, in units of the distance; 0 for kNone. The true distance
  // lies within `n` of them of the estimate: for 94 % of pairs at n = 1.9, for all but one in 10,000 at 4.
  virtual float ErrorOf(const PreparedQuery& query, const uint8_t* code) const = 0;

 protected:
  Quantizer(CodeKind kind, std::shared_ptr<const Projection> projection, size_t code_bytes)
      : kind_(kind), code_bytes_(code_bytes), projection_(std::move(projection)) {}

 private:
  const CodeKind kind_;
  const size_t code_bytes_;
  const std::shared_ptr<const Projection> projection_;
};

}  // namespace fornix::vector
