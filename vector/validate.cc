// The checks of validate.h. Sums run in double: the square of the smallest float is far above the smallest
// double, so "the norm is zero" is exact, and 16,384 squares of the largest float don't overflow.
#include "vector/validate.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "base/limits.h"

namespace fornix::vector {
namespace {

std::string Print(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

template <typename T>
Status Validate(std::span<const T> v, uint32_t dimensions, Metric metric) {
  if (v.size() != dimensions) {
    return Status(Code::kArgumentError, "a vector of " + std::to_string(v.size()) + " dimensions, expected " +
                                            std::to_string(dimensions))
        .Detail("VectorDimension");
  }
  double norm2 = 0;
  for (size_t i = 0; i < v.size(); ++i) {
    const float value = static_cast<float>(v[i]);
    if (!std::isfinite(value)) {
      return Status(Code::kArgumentError, "vector value " + Print(static_cast<double>(v[i])) + " at index " +
                                              std::to_string(i) + " is not a finite 32-bit float")
          .Detail("VectorValue");
    }
    norm2 += static_cast<double>(value) * value;
  }
  if (metric == Metric::kCosine) {
    if (norm2 == 0) {
      return Status(Code::kArgumentError, "a vector of zeros has no direction, so no cosine; all " +
                                              std::to_string(v.size()) + " values are 0")
          .Detail("VectorValue");
    }
    return Status::Ok();
  }
  // (|a| + |b|)^2 <= 4 * FLT_MAX / 4.
  if (norm2 > static_cast<double>(std::numeric_limits<float>::max()) / 4) {
    return Status(Code::kArgumentError, "a vector of length " + Print(std::sqrt(norm2)) +
                                            " is too long for 32-bit distances, at most 9.2e18")
        .Detail("VectorValue");
  }
  return Status::Ok();
}

}  // namespace

Status ValidateVector(std::span<const float> v, uint32_t dimensions, Metric metric) {
  return Validate(v, dimensions, metric);
}

Status ValidateVector(std::span<const double> v, uint32_t dimensions, Metric metric) {
  return Validate(v, dimensions, metric);
}

Status ValidateDimensions(uint64_t dimensions) {
  if (dimensions >= 1 && dimensions <= kVectorDimensionsMax) return Status::Ok();
  return Status(Code::kArgumentError, "a vector index of " + std::to_string(dimensions) +
                                          " dimensions, expected 1 to " +
                                          std::to_string(kVectorDimensionsMax))
      .Detail("VectorDimension");
}

std::vector<float> ToFloats(std::span<const double> v) {
  std::vector<float> floats(v.size());
  for (size_t i = 0; i < v.size(); ++i) floats[i] = static_cast<float>(v[i]);
  return floats;
}

}  // namespace fornix::vector
