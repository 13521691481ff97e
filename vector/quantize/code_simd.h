// What the SIMD files of the code kernels share: rows four at a time, then singly, through one function a row
// count, so that a row's sum has the same order of additions either way.
//
// Included only by code_kernels_*.cc, each compiled with the flags of its own architecture
// (cmake/FornixVector.cmake). The rule of vector/distance/simd_kernels.h holds: nothing inline that another
// file could define too, so intrinsics alone, and all below in an unnamed namespace.
#pragma once

#include <immintrin.h>

#include "vector/quantize/code_kernels.h"

namespace fornix::vector {
namespace {

// kFour and kOne are one kernel of the file, with 4 and 1 as its row count.
template <typename Query, typename Sum, void (*kFour)(const Query*, CodeKernels::Rows, size_t, Sum*),
          void (*kOne)(const Query*, CodeKernels::Rows, size_t, Sum*)>
void OverRows(const Query* query, CodeKernels::Rows rows, size_t count, size_t n, Sum* out) {
  size_t r = 0;
  for (; r + 4 <= count; r += 4) kFour(query, rows + r, n, out + r);
  for (; r < count; ++r) kOne(query, rows + r, n, out + r);
}

}  // namespace
}  // namespace fornix::vector
