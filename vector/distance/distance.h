// The distance kernels: dot product and squared L2 over 32-bit floats, one set for each kind of processor.
// The best set the processor and the operating system can run is chosen once; all sets stay reachable so that
// tests compare them. Stateless and safe from every thread.
//
// Tolerance. Kernels differ in the order of additions only. With u = 2^-24 and L = the partial sums of a
// kernel (at least 4), each result lies within (n / L + 16) * u * S of the exact one, where S = sum |a_i *
// b_i| (dot) or sum (a_i - b_i)^2 with (a_i - b_i) rounded (squared L2, which adds 2u * S). So two kernels
// agree within twice that: at n = 1,024, a relative difference of 3e-5 of S at worst.
//
// Within one set, the 4-at-a-time kernels give the same bits as the single ones, and dot(a, b) == dot(b, a):
// a vector's distance doesn't depend on the path by which a search came to it, so ties are ties and results
// repeat.
#pragma once

#include <cstddef>
#include <span>

namespace fornix::vector {

struct DistanceKernels {
  using One = float (*)(const float* a, const float* b, size_t n);
  // The query against four rows; each load of the query serves four rows, and four misses overlap.
  using Four = void (*)(const float* query, const float* const rows[4], size_t n, float out[4]);

  const char* name;  // "scalar", "sse4.2", "avx2", "avx512f"
  One dot;
  One squared_l2;
  Four dot4;
  Four squared_l2_4;
};

// Always there; the judge of the others.
const DistanceKernels& ScalarKernels();
// What this machine can run, slowest first, beginning with the scalar one.
std::span<const DistanceKernels* const> RunnableKernels();
// The last of these.
const DistanceKernels& BestKernels();

}  // namespace fornix::vector
