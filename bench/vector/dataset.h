// Real vectors for the benchmarks, with the exact answers computed here, by plain loops that share nothing with what is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vector/metric.h"

namespace fornix::bench {

struct Dataset {
  std::string name;
  vector::Metric metric = vector::Metric::kCosine;
  uint32_t dimensions = 0;
  std::vector<std::vector<float>> base, queries;
  // [query]: every row of base that is as near as the tenth nearest or nearer, sorted. More than ten where distances are equal:
  // any of those is a right answer.
  std::vector<std::vector<uint32_t>> nearest;
  // The part of ten answers that is right.
  double Recall(size_t query, const std::vector<uint32_t>& found) const;
};

inline constexpr uint32_t kNeighbours = 10;

// By plain loops; less is nearer.
double Distance(vector::Metric metric, const std::vector<float>& a, const std::vector<float>& b);

// 9,800 + 200 pictures of 784 numbers (cosine), and 5,000 + 100 image descriptors of 128 (euclidean), below
// $FORNIX_SHARED/data. What isn't there is left out.
std::vector<Dataset> LoadDatasets();

// The data that codes are compared on, `count` rows each and 200 queries: all 60,000 pictures where Debian's
// dataset-fashion-mnist is installed, and made-up embeddings of 1,024 numbers (cosine): 200 clusters in 64 latent dimensions,
// each of which reaches into 16 directions only and is spread over all numbers, so that a small beam misses a good part.
std::vector<Dataset> LoadLargeDatasets(size_t count);

}  // namespace fornix::bench
