// Kernels of 8 lanes with fused multiply-add. Two partial sums: 4 rows x 2 leaves half of the 16 registers
// for loads.
#if defined(__x86_64__)
#include "vector/distance/simd_kernels.h"

namespace fornix::vector {
extern const DistanceKernels kAvx2Kernels;
const DistanceKernels kAvx2Kernels =
    MakeKernels<xsimd::fma3<xsimd::avx2>, 2, LaneSum<xsimd::fma3<xsimd::avx2>>>("avx2");
}  // namespace fornix::vector
#endif
