// Kernels of 16 lanes. The sum of lanes is spelled out because xsimd's needs AVX-512DQ, which this file
// doesn't ask for.
#if defined(__x86_64__)
#include "vector/distance/simd_kernels.h"

namespace fornix::vector {
namespace {
struct Sum512 {
  static inline float Of(xsimd::batch<float, xsimd::avx512f> batch) { return _mm512_reduce_add_ps(batch); }
};
}  // namespace

extern const DistanceKernels kAvx512Kernels;
const DistanceKernels kAvx512Kernels = MakeKernels<xsimd::avx512f, 2, Sum512>("avx512f");
}  // namespace fornix::vector
#endif
