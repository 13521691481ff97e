// The score formulas of similarity.h.
#include "vector/similarity.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace fornix::vector {

double ScoreOfDistance(Metric metric, float distance) {
  const double d = distance;
  switch (metric) {
    case Metric::kCosine:
      return std::clamp((2.0 - d) / 2.0, 0.0, 1.0);
    case Metric::kEuclidean:
      return 1.0 / (1.0 + std::max(d, 0.0));
    case Metric::kDot:
      return -d;
  }
  return 0;
}

double CosineScore(std::span<const float> a, std::span<const float> b) {
  CHECK(a.size() == b.size());
  double dot = 0, norm_a = 0, norm_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += static_cast<double>(a[i]) * b[i];
    norm_a += static_cast<double>(a[i]) * a[i];
    norm_b += static_cast<double>(b[i]) * b[i];
  }
  return std::clamp((1.0 + dot / (std::sqrt(norm_a) * std::sqrt(norm_b))) / 2.0, 0.0, 1.0);
}

double EuclideanScore(std::span<const float> a, std::span<const float> b) {
  CHECK(a.size() == b.size());
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(a[i]) - b[i];
    sum += d * d;
  }
  return 1.0 / (1.0 + sum);
}

}  // namespace fornix::vector
