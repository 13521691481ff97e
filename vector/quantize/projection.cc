#include "vector/quantize/projection.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace fornix::vector {
namespace {

constexpr size_t kPlainMultiple = 16;  // floats of a cache line

size_t RoundUp(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

double Norm2(std::span<const float> v) {
  double sum = 0;
  for (float f : v) sum += static_cast<double>(f) * f;
  return sum;
}

}  // namespace

Projection::Projection(uint32_t dimensions, Metric metric, std::vector<float> centre, bool rotated, uint64_t seed,
                       const CodeKernels& kernels)
    : dimensions_(dimensions),
      metric_(metric),
      padded_(RoundUp(dimensions, rotated ? Rotation::kMultiple : kPlainMultiple)),
      centre_(std::move(centre)),
      centre_norm2_(Norm2(centre_)) {
  CHECK(centre_.empty() || centre_.size() == dimensions_);
  if (rotated) rotation_ = std::make_unique<Rotation>(dimensions, seed, kernels);
}

void Projection::Apply(std::span<const float> v, Projected* out) const {
  CHECK(v.size() == dimensions_);
  out->values.resize(padded_);
  float* values = out->values.data();
  if (metric_ == Metric::kCosine) {
    const double inverse = 1 / std::sqrt(Norm2(v));
    for (size_t i = 0; i < v.size(); ++i) values[i] = static_cast<float>(v[i] * inverse);
  } else {
    std::copy(v.begin(), v.end(), values);
  }
  std::fill(values + v.size(), values + padded_, 0.0f);
  double dot = 0;  // <centre, values>, for kDot
  if (!centre_.empty()) {
    if (metric_ == Metric::kDot) {
      for (size_t i = 0; i < v.size(); ++i) dot += static_cast<double>(centre_[i]) * values[i];
    }
    for (size_t i = 0; i < v.size(); ++i) values[i] -= centre_[i];
  }
  // Before the rotation, which keeps it, and doesn't add its rounding.
  out->norm2 = Norm2(out->values);
  switch (metric_) {
    case Metric::kEuclidean: out->query_base = out->row_base = out->norm2; break;
    case Metric::kCosine: out->query_base = out->row_base = out->norm2 / 2; break;
    case Metric::kDot:
      out->query_base = -dot;
      out->row_base = centre_norm2_ - dot;  // -<c, x - c>
      break;
  }
  if (rotation_ != nullptr) rotation_->Apply(values);
}

std::vector<float> MeanOf(std::span<const float> vectors, uint32_t dimensions, Metric metric) {
  std::vector<double> sums(dimensions, 0);
  const size_t count = vectors.size() / dimensions;
  for (size_t r = 0; r < count; ++r) {
    const std::span<const float> row = vectors.subspan(r * dimensions, dimensions);
    const double norm2 = metric == Metric::kCosine ? Norm2(row) : 1;
    const double weight = norm2 > 0 ? 1 / std::sqrt(norm2) : 0;
    for (size_t i = 0; i < dimensions; ++i) sums[i] += row[i] * weight;
  }
  std::vector<float> mean(dimensions);
  for (size_t i = 0; i < dimensions; ++i) mean[i] = static_cast<float>(count == 0 ? 0 : sums[i] / static_cast<double>(count));
  return mean;
}

}  // namespace fornix::vector
