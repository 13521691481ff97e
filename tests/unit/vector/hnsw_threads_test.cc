// Storing, linking and searching at once. Meant for the thread sanitizer (preset tsan); without it the checks
// of the answers remain.
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {

TEST_CASE("one storer, two linkers and four searchers work at once and every vector is found") {
  const uint32_t seed = NewSeed("threads");
  std::mt19937 random(seed);
  const Dataset data = Clusters(random, 3000, 16, 15);
  auto index = NewHnsw({.dimensions = 16, .metric = Metric::kEuclidean, .m = 8, .ef_construction = 40});
  std::atomic<bool> stored{false}, done{false};
  std::atomic<uint32_t> wrong{0}, searches{0};

  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (uint32_t i = 0; i < data.size(); ++i) {
      if (!index->Store(i, data[i]).ok()) ++wrong;
      if (i % 64 == 0) std::this_thread::yield();
    }
    stored = true;
  });
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      SearchScratch scratch;
      // The flag before the attempt: what was stored before it was set is then seen.
      for (bool all = stored; index->LinkNext(&scratch) || !all; all = stored) {
      }
    });
  }
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      SearchScratch scratch;
      std::mt19937 own(seed + t);
      while (!done) {
        const uint32_t size = index->size();
        if (size < 20) continue;
        const uint32_t slot = own() % size;
        SearchRequest request;
        request.query = data[slot];
        // A snapshot: only what was stored before the search began.
        const auto visible = [size](uint32_t s) { return s < size; };
        request.visible = visible;
        const auto hits = index->Search(request, &scratch);
        ++searches;
        if (!hits.ok() || hits->size() != 10 || !std::is_sorted(hits->begin(), hits->end()) ||
            std::any_of(hits->begin(), hits->end(), [&](const Hit& hit) { return !visible(hit.slot); }) ||
            std::adjacent_find(hits->begin(), hits->end()) != hits->end()) {
          ++wrong;
        }
      }
    });
  }
  for (int t = 0; t < 3; ++t) threads[static_cast<size_t>(t)].join();
  done = true;
  for (size_t t = 3; t < threads.size(); ++t) threads[t].join();

  CHECK(wrong == 0);
  CHECK(searches > 0);
  CHECK(index->linked_watermark() == data.size());
  const GraphReport report = index->CheckGraph();
  CHECK(report.bad_links == 0);
  CHECK(report.reachable == data.size());
  // A beam as wide as the index reaches all that is reachable, so a miss is a lost vector; a narrow beam may miss a few in
  // data of separate clusters, by design.
  SearchScratch scratch;
  uint32_t missed = 0;
  for (uint32_t i = 0; i < data.size(); ++i) {
    SearchRequest request;
    request.query = data[i];
    request.k = 1;
    request.ef = 200;
    missed += Find(*index, request, &scratch)[0].slot != i;
    if (i % 50 != seed % 50) continue;
    request.ef = static_cast<uint32_t>(data.size());
    if (Find(*index, request, &scratch)[0].slot != i) FAIL_CHECK("slot " << i << " isn't found by its own vector");
  }
  CHECK(missed <= data.size() / 100);
}

}  // namespace fornix::vector
