// The SIMD kernels, written once over xsimd. Included only by kernels_*.cc, each compiled with the flags of
// its own architecture (cmake/FornixVector.cmake). Such a file must not include or define any inline function
// that other files define too: the linker keeps one copy, and if that is the AVX-512 one an older processor
// dies far from here. So only xsimd (whose functions carry the architecture in their type) and this header
// come in, everything below is in an unnamed namespace, and no standard container or algorithm is used.
//
// kPartials independent sums a row hide the latency of the fused multiply-add (4 cycles, two a cycle). Single
// and 4-at-a-time kernels share RowSums and so the exact order of additions. The loops over rows and partials
// must unroll, or the sums live in memory and the kernel is three times slower; -O2 doesn't do it unasked.
#pragma once

#include <xsimd/xsimd.hpp>

#include "vector/distance/distance.h"

namespace fornix::vector {
namespace {

template <typename Arch>
struct DotStep {
  using Batch = xsimd::batch<float, Arch>;
  static inline Batch Apply(Batch a, Batch b, Batch sum) { return xsimd::fma(a, b, sum); }
  static inline float ApplyOne(float a, float b) { return a * b; }
};

template <typename Arch>
struct SquaredL2Step {
  using Batch = xsimd::batch<float, Arch>;
  static inline Batch Apply(Batch a, Batch b, Batch sum) {
    const Batch d = a - b;
    return xsimd::fma(d, d, sum);
  }
  static inline float ApplyOne(float a, float b) {
    const float d = a - b;
    return d * d;
  }
};

// kRows rows at once. Arch and Sum come from the file that includes this: Sum adds up the lanes of a batch.
template <typename Arch, template <typename> class Step, size_t kRows, size_t kPartials, typename Sum>
inline void RowSums(const float* query, const float* const* rows, size_t n, float* out) {
  using Batch = xsimd::batch<float, Arch>;
  constexpr size_t kLanes = Batch::size;
  Batch sums[kRows][kPartials];
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t p = 0; p < kPartials; ++p) sums[r][p] = Batch(0.0f);
  }
  size_t i = 0;
  for (; i + kLanes * kPartials <= n; i += kLanes * kPartials) {
#pragma GCC unroll 4
    for (size_t p = 0; p < kPartials; ++p) {
      const Batch q = Batch::load_unaligned(query + i + p * kLanes);
#pragma GCC unroll 4
      for (size_t r = 0; r < kRows; ++r) {
        sums[r][p] = Step<Arch>::Apply(q, Batch::load_unaligned(rows[r] + i + p * kLanes), sums[r][p]);
      }
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    const Batch q = Batch::load_unaligned(query + i);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      sums[r][0] = Step<Arch>::Apply(q, Batch::load_unaligned(rows[r] + i), sums[r][0]);
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
    Batch total = sums[r][0];
#pragma GCC unroll 4
    for (size_t p = 1; p < kPartials; ++p) total = total + sums[r][p];
    float sum = Sum::Of(total);
    for (size_t j = i; j < n; ++j) sum += Step<Arch>::ApplyOne(query[j], rows[r][j]);
    out[r] = sum;
  }
}

template <typename Arch, template <typename> class Step, size_t kPartials, typename Sum>
float One(const float* a, const float* b, size_t n) {
  float out;
  RowSums<Arch, Step, 1, kPartials, Sum>(a, &b, n, &out);
  return out;
}

template <typename Arch, template <typename> class Step, size_t kPartials, typename Sum>
void Four(const float* query, const float* const rows[4], size_t n, float out[4]) {
  RowSums<Arch, Step, 4, kPartials, Sum>(query, rows, n, out);
}

template <typename Arch, size_t kPartials, typename Sum>
constexpr DistanceKernels MakeKernels(const char* name) {
  return {name, &One<Arch, DotStep, kPartials, Sum>, &One<Arch, SquaredL2Step, kPartials, Sum>,
          &Four<Arch, DotStep, kPartials, Sum>, &Four<Arch, SquaredL2Step, kPartials, Sum>};
}

template <typename Arch>
struct LaneSum {
  static inline float Of(xsimd::batch<float, Arch> batch) { return xsimd::hadd(batch); }
};

}  // namespace
}  // namespace fornix::vector
