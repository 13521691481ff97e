// The scalar kernels, and the choice among all sets.
#include "vector/distance/distance.h"

#include <array>

namespace fornix::vector {

#if defined(__x86_64__)
extern const DistanceKernels kSse42Kernels;
extern const DistanceKernels kAvx2Kernels;
extern const DistanceKernels kAvx512Kernels;
#endif

namespace {

float DotTerm(float a, float b) { return a * b; }
float SquaredL2Term(float a, float b) { return (a - b) * (a - b); }

// Four partial sums, which bound the rounding error and let the processor overlap the additions.
template <float (*kTerm)(float, float)>
float ScalarOne(const float* a, const float* b, size_t n) {
  float sums[4] = {0, 0, 0, 0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    sums[0] += kTerm(a[i], b[i]);
    sums[1] += kTerm(a[i + 1], b[i + 1]);
    sums[2] += kTerm(a[i + 2], b[i + 2]);
    sums[3] += kTerm(a[i + 3], b[i + 3]);
  }
  float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; i < n; ++i) sum += kTerm(a[i], b[i]);
  return sum;
}

template <float (*kTerm)(float, float)>
void ScalarFour(const float* query, const float* const rows[4], size_t n, float out[4]) {
  for (size_t r = 0; r < 4; ++r) out[r] = ScalarOne<kTerm>(query, rows[r], n);
}

constexpr DistanceKernels kScalarKernels = {"scalar", &ScalarOne<DotTerm>, &ScalarOne<SquaredL2Term>,
                                            &ScalarFour<DotTerm>, &ScalarFour<SquaredL2Term>};

struct Runnable {
  std::array<const DistanceKernels*, 4> sets{};
  size_t count = 0;

  Runnable() {
    sets[count++] = &kScalarKernels;
#if defined(__x86_64__)
    // The compiler's own detection, because it also asks whether the operating system saves the wide
    // registers.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) sets[count++] = &kSse42Kernels;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets[count++] = &kAvx2Kernels;
    if (__builtin_cpu_supports("avx512f")) sets[count++] = &kAvx512Kernels;
#endif
  }
};

}  // namespace

const DistanceKernels& ScalarKernels() { return kScalarKernels; }

std::span<const DistanceKernels* const> RunnableKernels() {
  static const Runnable runnable;
  return {runnable.sets.data(), runnable.count};
}

const DistanceKernels& BestKernels() { return *RunnableKernels().back(); }

}  // namespace fornix::vector
