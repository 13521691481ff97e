#include "vector/quantize/rotation.h"

#include <bit>
#include <cmath>

#include "vector/mix.h"

namespace fornix::vector {

Rotation::Rotation(uint32_t dimensions, uint64_t seed, const CodeKernels& kernels)
    : padded_((size_t{dimensions} + kMultiple - 1) / kMultiple * kMultiple),
      block_(std::bit_floor(padded_)),
      kernels_(kernels) {
  const float scale = static_cast<float>(1 / std::sqrt(static_cast<double>(block_)));
  factors_.resize(kRounds * block_);
  uint64_t signs = 0;
  for (size_t i = 0; i < factors_.size(); ++i) {
    if (i % 64 == 0) signs = Mix(seed ^ Mix(i / 64));
    factors_[i] = (signs >> (i % 64) & 1) != 0 ? scale : -scale;
  }
}

void Rotation::Apply(float* v) const {
  for (size_t round = 0; round < kRounds; ++round) {
    float* block = round % 2 == 0 ? v : v + (padded_ - block_);
    const float* factors = factors_.data() + round * block_;
    for (size_t i = 0; i < block_; ++i) block[i] *= factors[i];
    kernels_.hadamard(block, block_);
  }
}

}  // namespace fornix::vector
