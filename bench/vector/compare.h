// What the comparisons of the vector index share: recall, the smallest beam that reaches one, time a query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "bench/common/report.h"
#include "bench/vector/dataset.h"

namespace fornix::bench {

// The ids that the side under test finds for a query of the data with a beam.
using Ask = std::function<void(size_t query, size_t beam, std::vector<uint32_t>* ids)>;

inline double RecallAt(const Dataset& data, const Ask& ask, size_t beam) {
  double sum = 0;
  std::vector<uint32_t> ids;
  for (size_t q = 0; q < data.queries.size(); ++q) {
    ask(q, beam, &ids);
    sum += data.Recall(q, ids);
  }
  return sum / static_cast<double>(data.queries.size());
}

// Each side takes the smallest beam that reaches the recall, since a faster answer that finds less is no faster answer.
inline size_t SmallestBeam(const Dataset& data, const Ask& ask, double recall) {
  size_t beam = kNeighbours;
  while (beam < 1000 && RecallAt(data, ask, beam) < recall) beam += beam < 40 ? 2 : beam < 120 ? 5 : 20;
  return beam;
}

// Microseconds a query, the mean of one round over all queries.
inline double Round(const Dataset& data, const Ask& ask, size_t beam) {
  std::vector<uint32_t> ids;
  const uint64_t start = MonotonicNanos();
  for (size_t q = 0; q < data.queries.size(); ++q) ask(q, beam, &ids);
  return static_cast<double>(MonotonicNanos() - start) / 1e3 / static_cast<double>(data.queries.size());
}

void CompareCodes(const Dataset& data, Report* report);

}  // namespace fornix::bench
