// The three metrics. Everything in this folder compares vectors by a "distance" that is
// smaller for nearer vectors, so one search serves all metrics:
//   kCosine     1 - cos(a, b), computed as 1 - dot because vectors are normalised when stored; 0 .. 2
//   kEuclidean  the squared L2 distance; 0 .. inf. The root is monotone, so no search needs it.
//   kDot        -dot(a, b); unbounded on both sides, and not a metric: a vector need not be its own nearest.
// Rounding may make a cosine distance as small as -1e-6. It is left so: clamping would turn near neighbours
// into ties.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fornix::vector {

enum class Metric : uint8_t { kCosine,
                              kEuclidean,
                              kDot };

inline constexpr std::string_view MetricName(Metric metric) {
  switch (metric) {
    case Metric::kCosine:
      return "cosine";
    case Metric::kEuclidean:
      return "euclidean";
    case Metric::kDot:
      return "dot";
  }
  return "unknown";
}

// The name as a catalog stores it; the caller folds the case of what a user wrote.
inline constexpr std::optional<Metric> MetricFromName(std::string_view name) {
  for (Metric metric : {Metric::kCosine, Metric::kEuclidean, Metric::kDot}) {
    if (name == MetricName(metric)) return metric;
  }
  return std::nullopt;
}

}  // namespace fornix::vector
