// Scores: what a query returns for a distance, larger for nearer, with the values that Neo4j gives.
//   kCosine     (1 + cos) / 2, 0 .. 1
//   kEuclidean  1 / (1 + d^2), 0 .. 1, d the L2 distance
//   kDot        the dot product itself, unbounded. Neo4j has no such index; the raw value can be compared
//   with what an
//               embedding model's vendor documents, which a squashed one can't.
#pragma once

#include <span>

#include "vector/metric.h"

namespace fornix::vector {

// From a distance as metric.h defines it. Rounding is clamped here: cosine and euclidean stay within 0 .. 1.
double ScoreOfDistance(Metric metric, float distance);

// Straight from two vectors of equal size, summed in double. REQUIRES for cosine: neither is all zeros.
double CosineScore(std::span<const float> a, std::span<const float> b);
double EuclideanScore(std::span<const float> a, std::span<const float> b);

}  // namespace fornix::vector
