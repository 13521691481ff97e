// Rotation: a random orthogonal map that costs n log n, for any number of dimensions. After it the energy of a
// vector lies evenly over the dimensions, whatever made the vector, which is what the codes rely on: one step
// width suits all dimensions, and errors of rounding behave as random.
//
// Four rounds. Each flips the signs of a block of P dimensions by a random pattern and applies the Hadamard
// transform to it; P is the greatest power of two that fits. The blocks begin at the first dimension and end at
// the last one in turn; they overlap, since P is more than half of all. After
//   N. Ailon, B. Chazelle: The fast Johnson-Lindenstrauss transform and approximate nearest neighbors.
//   SIAM J. Comput. 39(1), 2009
// repeated as others do so that no input stays sparse. Vectors are padded with zeros to a multiple of 64
// dimensions first, which become dimensions like the others.
//
// The result has the same bits on every machine. Immutable, so safe from every thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vector/quantize/code_kernels.h"

namespace fornix::vector {

class Rotation {
 public:
  static constexpr size_t kMultiple = 64;

  Rotation(uint32_t dimensions, uint64_t seed, const CodeKernels& kernels);
  size_t padded() const { return padded_; }
  // `v` has padded() values, zeros behind the vector's own.
  void Apply(float* v) const;

 private:
  static constexpr size_t kRounds = 4;

  const size_t padded_;
  const size_t block_;
  const CodeKernels& kernels_;
  std::vector<float> factors_;  // a round: block_ times +-1/sqrt(block_)
};

}  // namespace fornix::vector
