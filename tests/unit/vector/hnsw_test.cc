// The promises of vector/hnsw/hnsw.h with one thread. Recall on real data is in hnsw_recall_test.cc, threads
// in hnsw_threads_test.cc.
#include "vector/hnsw/hnsw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {
namespace {

SearchRequest Request(std::span<const float> query, uint32_t k) {
  SearchRequest request;
  request.query = query;
  request.k = k;
  return request;
}

}  // namespace

TEST_CASE("an empty index finds nothing and one vector is found") {
  auto index = NewHnsw({.dimensions = 3});
  SearchScratch scratch;
  const std::vector<float> v = {1, 2, 3};
  CHECK(Find(*index, Request(v, 10), &scratch).empty());
  CHECK(!index->LinkNext(&scratch));
  CHECK(index->CheckGraph().reachable == 0);
  REQUIRE(index->Add(0, v, &scratch).ok());
  const auto hits = Find(*index, Request(v, 10), &scratch);
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].slot == 0);
  CHECK(std::abs(hits[0].distance) < 1e-6f);
  CHECK(Find(*index, Request(v, 0), &scratch).empty());
}

TEST_CASE("bad options, vectors, queries and slots out of order are refused") {
  CHECK(!Hnsw::Create({.dimensions = 0}).ok());
  CHECK(!Hnsw::Create({.dimensions = 16385}).ok());
  CHECK(!Hnsw::Create({.dimensions = 8, .m = 0}).ok());
  CHECK(!Hnsw::Create({.dimensions = 8, .m = 513}).ok());
  CHECK(!Hnsw::Create({.dimensions = 8, .ef_construction = 0}).ok());
  CHECK(!Hnsw::Create({.dimensions = 8, .ef_construction = 3201}).ok());
  CHECK(!Hnsw::Create({.dimensions = 8, .ef_search = 0}).ok());
  auto index = NewHnsw({.dimensions = 2});
  SearchScratch scratch;
  const std::vector<float> good = {1, 0}, zero = {0, 0}, nan = {std::nanf(""), 1}, wide = {1, 2, 3};
  for (const auto* bad : {&zero, &nan, &wide}) {
    CHECK(index->Store(0, *bad).code() == Code::kArgumentError);
    CHECK(index->Search(Request(*bad, 1), &scratch).status().code() == Code::kArgumentError);
    CHECK(index->FlatScan(Request(*bad, 1), 0, 1, &scratch).status().code() == Code::kArgumentError);
  }
  CHECK(index->size() == 0);
  CHECK(index->Store(1, good).code() == Code::kInternal);
  CHECK(index->Store(0, good).ok());
  CHECK(index->Store(0, good).code() == Code::kInternal);
}

TEST_CASE("recall@10 is at least 0.98 on random clusters for every metric, and all slots are reachable") {
  std::mt19937 random(NewSeed("recall on clusters"));
  const Dataset data = Clusters(random, 4200, 48, 40);
  for (Metric metric : {Metric::kCosine, Metric::kEuclidean, Metric::kDot}) {
    auto index = Build(data, {.metric = metric}, 4000);
    const Measured measured = Measure(*index, data, 4000, 4200);
    INFO(MetricName(metric) << " recall " << measured.recall << " distances " << measured.distances);
    CHECK(measured.recall >=
          (metric == Metric::kDot ? 0.90 : 0.98));  // no metric, so the graph serves it less well
    CHECK(measured.distances < 2000);
    const GraphReport report = index->CheckGraph();
    CHECK(report.slots == 4000);
    CHECK(report.linked == 4000);
    CHECK(report.reachable == 4000);
    CHECK(report.bad_links == 0);
    CHECK(report.degree_max <= 32);
  }
}

TEST_CASE("every inserted vector finds itself first") {
  std::mt19937 random(NewSeed("finds itself"));
  const Dataset data = Clusters(random, 3000, 32, 30);
  for (Metric metric : {Metric::kCosine, Metric::kEuclidean}) {
    auto index = Build(data, {.metric = metric}, data.size());
    SearchScratch scratch;
    for (uint32_t i = 0; i < data.size(); ++i) {
      SearchRequest request = Request(data[i], 1);
      request.ef = 200;
      const auto hits = Find(*index, request, &scratch);
      if (hits[0].slot != i) FAIL_CHECK(MetricName(metric) << " slot " << i << " finds " << hits[0].slot);
    }
  }
}

TEST_CASE("stored vectors are found before they are linked, each once, sorted by distance and slot") {
  std::mt19937 random(NewSeed("flat tail"));
  const Dataset data = Clusters(random, 1000, 16, 10);
  auto index = NewHnsw({.dimensions = 16, .metric = Metric::kEuclidean});
  SearchScratch scratch;
  for (uint32_t i = 0; i < data.size(); ++i) {
    REQUIRE(index->Store(i, data[i]).ok());
    if (i % 3 == 0) CHECK(index->LinkNext(&scratch));
  }
  CHECK(index->linked_watermark() == 334);
  for (uint32_t i = 0; i < data.size(); i += 7) {
    const auto hits = Find(*index, Request(data[i], 10), &scratch);
    REQUIRE(hits.size() == 10);
    CHECK(hits[0] == Hit{0, i});
    CHECK(std::is_sorted(hits.begin(), hits.end()));
    std::vector<uint32_t> slots;
    for (const Hit& hit : hits) slots.push_back(hit.slot);
    std::sort(slots.begin(), slots.end());
    CHECK(std::adjacent_find(slots.begin(), slots.end()) == slots.end());
  }
  while (index->LinkNext(&scratch)) {
  }
  CHECK(index->linked_watermark() == 1000);
}

TEST_CASE("k rows come when k are visible, however few those are") {
  std::mt19937 random(NewSeed("filters"));
  const Dataset data = Clusters(random, 6000, 24, 20);
  auto index = Build(data, {}, data.size());
  SearchScratch scratch;
  for (uint32_t keep : {1000u, 100u, 10u, 2u}) {  // 1 of `keep` is visible
    const auto visible = [keep](uint32_t slot) { return slot % keep == keep / 2; };
    double recall = 0;
    for (uint32_t q = 0; q < 50; ++q) {
      SearchRequest request = Request(data[q * 100], 5);
      request.visible = visible;
      const auto hits = Find(*index, request, &scratch);
      CHECK(hits.size() == 5);
      for (const Hit& hit : hits) CHECK(visible(hit.slot));
      recall += Recall(Exact(*index, request, &scratch), hits) / 50;
    }
    INFO("1 of " << keep << " recall " << recall);
    CHECK(recall >= 0.98);
  }
  SearchRequest request = Request(data[0], 100);
  const auto three = [](uint32_t slot) { return slot < 3; };
  request.visible = three;
  SearchStats stats;
  CHECK(Find(*index, request, &scratch, &stats).size() == 3);
  CHECK(stats.scanned);
  const auto none = [](uint32_t) { return false; };
  request.visible = none;
  CHECK(Find(*index, request, &scratch).empty());
}

TEST_CASE("deletion churn leaves the newest versions findable") {
  // 500 keys, each replaced again and again: nine of ten slots are dead in the end.
  std::mt19937 random(NewSeed("churn"));
  const Dataset data = Clusters(random, 5000, 24, 25);
  auto index = NewHnsw({.dimensions = 24});
  SearchScratch scratch;
  std::vector<uint32_t> newest(500);
  std::vector<bool> live;
  for (uint32_t slot = 0; slot < data.size(); ++slot) {
    REQUIRE(index->Add(slot, data[slot], &scratch).ok());
    const uint32_t key = slot < 500 ? slot : random() % 500;
    if (slot >= 500) live[newest[key]] = false;
    newest[key] = slot;
    live.push_back(true);
  }
  const auto visible = [&](uint32_t slot) { return static_cast<bool>(live[slot]); };
  uint32_t lost = 0;
  for (uint32_t slot : newest) {
    SearchRequest request = Request(data[slot], 10);
    request.visible = visible;
    const auto hits = Find(*index, request, &scratch);
    REQUIRE(hits.size() == 10);
    lost += hits[0].slot != slot;
  }
  CHECK(lost == 0);
  CHECK(Measure(*index, data, 0, 200, visible).recall >= 0.98);
}

TEST_CASE("a heap of equal vectors stays findable, in order of slots, and does not hide the others") {
  std::mt19937 random(NewSeed("equal vectors"));
  Dataset data = Clusters(random, 3000, 16, 10);
  for (uint32_t i = 0; i < data.size(); i += 2)
    std::copy_n(data.values.begin(), 16, data.values.begin() + i * 16);
  auto index = Build(data, {.metric = Metric::kEuclidean}, data.size());
  CHECK(index->CheckGraph().reachable == data.size());
  SearchScratch scratch;
  const auto hits = Find(*index, Request(data[0], 50), &scratch);
  REQUIRE(hits.size() == 50);
  for (const Hit& hit : hits) CHECK(hit.distance == 0);
  for (uint32_t i = 0; i < 50; ++i) CHECK(hits[i] == Hit{0, 2 * i});
  for (uint32_t i = 1; i < data.size(); i += 2) {
    if (Find(*index, Request(data[i], 1), &scratch)[0].slot != i) FAIL_CHECK("slot " << i << " is hidden");
  }
  // The last of the heap, when it alone is visible among many others.
  SearchRequest request = Request(data[0], 5);
  const auto visible = [](uint32_t slot) { return slot % 2 == 1 || slot == 2998; };
  request.visible = visible;
  SearchStats stats;
  CHECK(Find(*index, request, &scratch, &stats)[0] == Hit{0, 2998});
  CHECK(!stats.scanned);
}

TEST_CASE("the same vectors and options give the same answers, whatever was searched between") {
  std::mt19937 random(NewSeed("determinism"));
  const Dataset data = Clusters(random, 1500, 20, 10);
  auto a = Build(data, {}, data.size());
  auto b = NewHnsw({.dimensions = 20});
  SearchScratch scratch;
  for (uint32_t i = 0; i < data.size(); ++i) {
    REQUIRE(b->Store(i, data[i]).ok());
    if (i % 5 == 4) {
      Find(*b, Request(data[i / 2], 10), &scratch);
      while (b->LinkNext(&scratch)) {
      }
    }
  }
  for (uint32_t i = 0; i < 200; ++i) {
    SearchStats stats_a, stats_b;
    CHECK(Find(*a, Request(data[i], 10), &scratch, &stats_a) ==
          Find(*b, Request(data[i], 10), &scratch, &stats_b));
    CHECK(stats_a.distances == stats_b.distances);
  }
  CHECK(a->CheckGraph().links == b->CheckGraph().links);
}

TEST_CASE("an interrupt ends a search with its own status") {
  std::mt19937 random(1);
  const Dataset data = Clusters(random, 3000, 8, 5);
  auto index = Build(data, {}, data.size());
  SearchScratch scratch;
  const auto interrupt = [] { return Status(Code::kCancelled, "stopped by the test"); };
  SearchRequest request = Request(data[0], 500);
  request.interrupt = interrupt;
  CHECK(index->Search(request, &scratch).status().code() == Code::kCancelled);
  CHECK(index->FlatScan(request, 0, 3000, &scratch).status().code() == Code::kCancelled);
  request.interrupt = {};
  CHECK(Find(*index, request, &scratch).size() == 500);
}

TEST_CASE("m from 1 to 512 works") {
  std::mt19937 random(NewSeed("extreme m"));
  const Dataset data = Clusters(random, 600, 8, 5);
  for (uint32_t m : {1u, 2u, 3u, 512u}) {
    auto index = Build(data, {.m = m}, data.size());
    const GraphReport report = index->CheckGraph();
    CHECK(report.bad_links == 0);
    CHECK(report.degree_max <= 2 * m);
    SearchScratch scratch;
    CHECK(Find(*index, Request(data[5], 20), &scratch).size() == 20);
  }
}

TEST_CASE("all kernel sets build an index of equal recall") {
  std::mt19937 random(NewSeed("kernels in the graph"));
  const Dataset data = Clusters(random, 1100, 40, 10);
  for (const DistanceKernels* kernels : RunnableKernels()) {
    HnswOptions options;
    options.kernels = kernels;
    INFO(kernels->name);
    CHECK(Measure(*Build(data, options, 1000), data, 1000, 1100).recall >= 0.98);
  }
}

}  // namespace fornix::vector
