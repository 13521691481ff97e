// Projection: a vector as the codes see it. It is brought to length 1 (cosine), taken relative to a centre, and
// rotated. What stays behind are two numbers, so that for a query q and a row x with projections q', x'
//
//   distance(q, x) = query_base(q) + row_base(x) + scale * <q', x'>
//
//   kEuclidean  |q'|^2         |x'|^2         scale -2
//   kCosine     |q'|^2 / 2     |x'|^2 / 2     scale -1     1 - <q, x> is half the squared distance of the two
//   kDot        -<q, c>        -<c, x'>       scale -1     c the centre
//
// so every metric comes down to an inner product of what is left after the centre, which is shorter than the
// vector where the data has a mean (all pictures, many embeddings); the error of a code goes with that length.
//
// Immutable, so safe from every thread. Parameters that a file must keep: kind, dimensions, metric, seed, centre.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vector/metric.h"
#include "vector/quantize/rotation.h"

namespace fornix::vector {

struct Projected {
  std::vector<float> values;  // padded() of them
  double query_base = 0;
  double row_base = 0;
  double norm2 = 0;  // |values|^2
};

class Projection {
 public:
  // `centre` has `dimensions` values or none, for the origin; for kCosine it is one of vectors of length 1, see
  // MeanOf. Rows are padded to a multiple of 64 dimensions if `rotated`, else of 16.
  Projection(uint32_t dimensions, Metric metric, std::vector<float> centre, bool rotated, uint64_t seed,
             const CodeKernels& kernels);

  uint32_t dimensions() const { return dimensions_; }
  Metric metric() const { return metric_; }
  size_t padded() const { return padded_; }
  double scale() const { return metric_ == Metric::kEuclidean ? -2 : -1; }
  bool centred() const { return !centre_.empty(); }
  double centre_norm2() const { return centre_norm2_; }

  // REQUIRES: ValidateVector accepts `v`. Keeps the buffer of `out`.
  void Apply(std::span<const float> v, Projected* out) const;

 private:
  const uint32_t dimensions_;
  const Metric metric_;
  const size_t padded_;
  const std::vector<float> centre_;
  double centre_norm2_ = 0;
  std::unique_ptr<Rotation> rotation_;  // may be null
};

// The mean of `count` vectors, of `dimensions` values each, one behind another; for kCosine of what they are at
// length 1. A few thousand are enough: the error of a mean over n is sqrt(n) times smaller than the spread.
std::vector<float> MeanOf(std::span<const float> vectors, uint32_t dimensions, Metric metric);

}  // namespace fornix::vector
