// Seeds and data for the tests of vector/: random clusters, the Fashion-MNIST images if they are there, and
// recall.
#pragma once

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "vector/hnsw/hnsw.h"

namespace fornix::vector {

// A new seed each time, printed; FORNIX_SEED=N repeats a run.
inline uint32_t NewSeed(const char* test) {
  const char* fixed = std::getenv("FORNIX_SEED");
  const uint32_t seed =
      fixed != nullptr ? static_cast<uint32_t>(std::strtoul(fixed, nullptr, 10)) : std::random_device{}();
  std::printf("vector %s: seed=%u rerun: FORNIX_SEED=%u test_vector\n", test, seed, seed);
  return seed;
}

struct Dataset {
  uint32_t dimensions = 0;
  std::vector<float> values;
  uint32_t size() const { return static_cast<uint32_t>(values.size() / dimensions); }
  std::span<const float> operator[](uint32_t i) const {
    return {values.data() + size_t{i} * dimensions, dimensions};
  }
};

// Gaussian clusters around uniform centres; overlapping, so that neighbours cross them.
inline Dataset Clusters(std::mt19937& random, uint32_t count, uint32_t dimensions, uint32_t clusters) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::normal_distribution<float> normal(0, 0.3f);
  std::vector<float> centres(size_t{clusters} * dimensions);
  for (float& f : centres) f = uniform(random);
  Dataset data{dimensions, {}};
  for (uint32_t i = 0; i < count; ++i) {
    const size_t centre = random() % clusters;
    for (uint32_t d = 0; d < dimensions; ++d)
      data.values.push_back(centres[centre * dimensions + d] + normal(random));
  }
  return data;
}

inline std::unique_ptr<Hnsw> NewHnsw(HnswOptions options) {
  auto index = Hnsw::Create(options);
  REQUIRE(index.ok());
  return std::move(index).value();
}

inline std::unique_ptr<Hnsw> Build(const Dataset& data, HnswOptions options, uint32_t count) {
  options.dimensions = data.dimensions;
  auto index = NewHnsw(options);
  SearchScratch scratch;
  for (uint32_t i = 0; i < count; ++i) REQUIRE(index->Add(i, data[i], &scratch).ok());
  return index;
}

inline std::vector<Hit> Exact(const Hnsw& index, const SearchRequest& request, SearchScratch* scratch) {
  auto hits = index.FlatScan(request, 0, index.size(), scratch);
  REQUIRE(hits.ok());
  return {hits->begin(), hits->end()};
}

inline std::vector<Hit> Find(const Hnsw& index, const SearchRequest& request, SearchScratch* scratch,
                             SearchStats* stats = nullptr) {
  auto hits = index.Search(request, scratch, stats);
  REQUIRE(hits.ok());
  return {hits->begin(), hits->end()};
}

// The share of the k nearest that was found. A hit as near as the k-th counts, whichever of equals it is.
inline double Recall(const std::vector<Hit>& exact, const std::vector<Hit>& found) {
  if (exact.empty()) return 1;
  size_t good = 0;
  for (const Hit& hit : found) good += hit.distance <= exact.back().distance;
  return static_cast<double>(std::min(good, exact.size())) / static_cast<double>(exact.size());
}

struct Measured {
  double recall = 0;
  double recall_min = 1;
  double distances = 0;  // mean of a query
  double hops = 0;
};

// Every query against exact search, k = 10, at the index's own beam width unless `ef` says other.
inline Measured Measure(const Hnsw& index, const Dataset& queries, uint32_t first, uint32_t last,
                        FunctionRef<bool(uint32_t)> visible = {}, uint32_t ef = 0) {
  Measured sum;
  SearchScratch scratch;
  for (uint32_t i = first; i < last; ++i) {
    SearchRequest request;
    request.query = queries[i];
    request.ef = ef;
    request.visible = visible;
    SearchStats stats;
    const std::vector<Hit> found = Find(index, request, &scratch, &stats);
    const double recall = Recall(Exact(index, request, &scratch), found);
    sum.recall += recall;
    sum.recall_min = std::min(sum.recall_min, recall);
    sum.distances += static_cast<double>(stats.distances);
    sum.hops += static_cast<double>(stats.hops);
  }
  const double n = last - first;
  sum.recall /= n;
  sum.distances /= n;
  sum.hops /= n;
  return sum;
}

}  // namespace fornix::vector
