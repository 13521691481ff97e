// What the quantizers of a file of codes share: the header before a row, and the step from a kernel's sums to
// distances. See quantizer.h for the layout.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "vector/quantize/quantizer.h"

namespace fornix::vector {

struct CodeHeader {
  float factor;
  float row_base;
  float error;
};
inline constexpr size_t kCodeHeaderBytes = sizeof(CodeHeader);
static_assert(kCodeHeaderBytes == 12);

inline CodeHeader HeaderOf(const uint8_t* code) {
  CodeHeader header;
  std::memcpy(&header, code, sizeof header);
  return header;
}

// Rows of one call to a kernel.
inline constexpr size_t kRowsAtOnce = 32;

inline float Greatest(const std::vector<float>& values) {
  float greatest = 0;
  for (float f : values) greatest = std::max(greatest, std::abs(f));
  return greatest;
}

// factor and error of a row that was rounded to the grid point y.  sum = <y, x'>, norm2 = |y|^2.
inline CodeHeader MakeHeader(const Projected& v, double sum, double norm2, double rounding2) {
  CodeHeader header{0, static_cast<float>(v.row_base), 0};
  if (v.norm2 <= 0 || sum <= 0) return header;  // the centre itself: no direction, and its inner products are 0
  header.factor = static_cast<float>(v.norm2 / sum);
  const double sine2 = std::max(0.0, v.norm2 * norm2 / (sum * sum) - 1) + rounding2;  // 1 / c^2 - 1
  header.error = static_cast<float>(std::sqrt(v.norm2 * sine2 / static_cast<double>(v.values.size() - 1)));
  return header;
}

// Sums run in double: query_base and row_base may each be near the greatest float.
template <typename Sum>
void DistancesFromSums(const PreparedQuery& query, const uint8_t* const* codes, const Sum* sums, size_t count, float* out) {
  constexpr double kFarthest = std::numeric_limits<float>::max();
  for (size_t i = 0; i < count; ++i) {
    const CodeHeader header = HeaderOf(codes[i]);
    const double inner = header.factor * (query.weight * static_cast<double>(sums[i]) - query.offset);
    const double distance = query.base + header.row_base + query.scale * inner;
    // Written so that NaN, which a damaged header makes, becomes the farthest.
    out[i] = distance < kFarthest ? (distance > -kFarthest ? static_cast<float>(distance) : -std::numeric_limits<float>::max())
                                  : std::numeric_limits<float>::max();
  }
}

// Calls kernel(rows, count, sums) for the rows behind the headers, a few at a time.
template <typename Sum, typename Kernel>
void CodedDistances(const PreparedQuery& query, const uint8_t* const* codes, size_t count, float* out, const Kernel& kernel) {
  const uint8_t* rows[kRowsAtOnce];
  Sum sums[kRowsAtOnce];
  for (size_t done = 0; done < count; done += kRowsAtOnce) {
    const size_t n = std::min(kRowsAtOnce, count - done);
    for (size_t i = 0; i < n; ++i) rows[i] = codes[done + i] + kCodeHeaderBytes;
    kernel(rows, n, sums);
    DistancesFromSums(query, codes + done, sums, n, out + done);
  }
}

// For a code taken as a query: its row_base as a query's base.
inline double QueryBaseOf(const Projection& projection, const CodeHeader& header) {
  return projection.metric() == Metric::kDot ? header.row_base - projection.centre_norm2() : header.row_base;
}

std::unique_ptr<const Quantizer> NewGridQuantizer(CodeKind kind, std::shared_ptr<const Projection> projection, const CodeKernels& kernels);
std::unique_ptr<const Quantizer> NewBitQuantizer(std::shared_ptr<const Projection> projection, const CodeKernels& kernels);

}  // namespace fornix::vector
