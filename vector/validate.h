// What may enter a vector index: the one gate for stored vectors and for queries. Behind it no distance is
// NaN or overflows, so sorting by distance is always a total order. A refusal names the index and the value
// of the culprit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fornix/status.h"
#include "vector/metric.h"

namespace fornix::vector {

// kArgumentError with detail "VectorDimension" or "VectorValue" unless `v` has `dimensions` values, all
// finite, and
//   kCosine: not all are zero (no direction); others:  the L2 norm is at most 9.2e18, so that neither |a|.|b|
//   nor (|a| + |b|)^2 leaves the range of a float.
Status ValidateVector(std::span<const float> v, uint32_t dimensions, Metric metric);
// The same for a list of doubles as a user gives it; values are judged as the floats they become, so 1e39 is
// refused.
Status ValidateVector(std::span<const double> v, uint32_t dimensions, Metric metric);

// The number of dimensions of an index: 1 .. kVectorDimensionsMax.
Status ValidateDimensions(uint64_t dimensions);

// REQUIRES: a validated list.
std::vector<float> ToFloats(std::span<const double> v);

}  // namespace fornix::vector
