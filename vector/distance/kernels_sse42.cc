// Kernels of 4 lanes without fused multiply-add: every processor that runs Fornix at all on x86-64.
#if defined(__x86_64__)
#include "vector/distance/simd_kernels.h"

namespace fornix::vector {
extern const DistanceKernels kSse42Kernels;
const DistanceKernels kSse42Kernels = MakeKernels<xsimd::sse4_2, 2, LaneSum<xsimd::sse4_2>>("sse4.2");
}  // namespace fornix::vector
#endif
