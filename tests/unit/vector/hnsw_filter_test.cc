// Filtered search: k rows at every selectivity, correlated with the query or not, by each strategy.
#include <algorithm>

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {
namespace {

struct Answer {
  double recall = 0;
  double distances = 0;
  size_t rows = 0;
};

struct Ask {
  const Hnsw& index;
  const Dataset& data;
  uint32_t first, last;
  std::vector<uint32_t> passing;
  bool listed = false;
  std::optional<SearchStrategy> strategy;
  SearchStrategy taken = SearchStrategy::kWalk;

  Answer operator()() {
    std::vector<bool> passes(index.size(), false);
    for (uint32_t slot : passing) passes[slot] = true;
    const auto in = [&](uint32_t slot) { return static_cast<bool>(passes[slot]); };
    Answer answer;
    SearchScratch scratch;
    for (uint32_t q = first; q < last; ++q) {
      SearchRequest request;
      request.query = data[q];
      request.filter.passes = in;
      const std::vector<Hit> exact = Exact(index, request, &scratch);
      if (listed) request.filter.slots = passing;
      request.strategy = strategy;
      SearchStats stats;
      const std::vector<Hit> found = Find(index, request, &scratch, &stats);
      for (const Hit& hit : found) CHECK(in(hit.slot));
      CHECK(found.size() == std::min<size_t>(10, passing.size()));
      taken = stats.strategy;
      answer.recall += Recall(exact, found) / (last - first);
      answer.distances += static_cast<double>(stats.distances) / (last - first);
    }
    return answer;
  }
};

}  // namespace

TEST_CASE("filtered recall is at least 0.95 at every selectivity, correlated or not, and the strategy follows the counts") {
  std::mt19937 random(NewSeed("filter grid"));
  constexpr uint32_t kCount = 20000;
  const Dataset data = Clusters(random, kCount + 60, 32, 50);
  const auto index = Build(data, {.m = 12, .ef_construction = 60}, kCount);
  const std::span<const float> anchor = data[kCount + 1];
  // By how near they are to a point that has nothing to do with most queries: a filter that correlates with place.
  std::vector<std::pair<float, uint32_t>> by_place(kCount);
  for (uint32_t i = 0; i < kCount; ++i) by_place[i] = {BestKernels().squared_l2(anchor.data(), data[i].data(), 32), i};
  std::sort(by_place.begin(), by_place.end());
  for (double part : {0.5, 0.1, 0.01, 0.001}) {
    for (int correlated = 0; correlated < 3; ++correlated) {
      std::vector<uint32_t> passing;
      const auto count = static_cast<uint32_t>(kCount * part);
      if (correlated == 0) {
        for (uint32_t slot = 0; slot < kCount; ++slot) {
          if (random() % 1000 < part * 1000) passing.push_back(slot);
        }
        passing.push_back(kCount - 1);
      } else {
        for (uint32_t i = 0; i < count; ++i) passing.push_back(by_place[correlated == 1 ? i : kCount - 1 - i].second);
      }
      std::sort(passing.begin(), passing.end());
      passing.erase(std::unique(passing.begin(), passing.end()), passing.end());
      for (bool listed : {false, true}) {
        Ask ask{*index, data, kCount, kCount + 60, passing, listed, {}};
        const Answer answer = ask();
        INFO("part " << part << " correlated " << correlated << " listed " << listed << ": " << SearchStrategyName(ask.taken) << ", recall "
                     << answer.recall << ", " << answer.distances << " distances");
        CHECK(answer.recall >= 0.95);
        if (part == 0.5) CHECK(ask.taken == SearchStrategy::kWalkAll);
        if (part <= 0.01) CHECK(ask.taken == SearchStrategy::kScan);
      }
    }
  }
}

TEST_CASE("each strategy can be asked for, and two hops cost less than a walk over all") {
  std::mt19937 random(NewSeed("strategies"));
  constexpr uint32_t kCount = 20000;
  const Dataset data = Clusters(random, kCount + 60, 32, 50);
  const auto index = Build(data, {.m = 12, .ef_construction = 60}, kCount);
  std::vector<uint32_t> passing;
  for (uint32_t slot = 0; slot < kCount; ++slot) {
    if (random() % 20 == 0) passing.push_back(slot);
  }
  Answer answers[4];
  for (SearchStrategy strategy : {SearchStrategy::kScan, SearchStrategy::kTwoHops, SearchStrategy::kWalkAll}) {
    Ask ask{*index, data, kCount, kCount + 60, passing, true, strategy};
    const Answer answer = ask();
    CHECK(ask.taken == strategy);
    INFO(SearchStrategyName(strategy) << ": recall " << answer.recall << ", " << answer.distances << " distances");
    CHECK(answer.recall >= (strategy == SearchStrategy::kScan ? 1.0 : 0.9));
    answers[static_cast<int>(strategy)] = answer;
  }
  CHECK(answers[static_cast<int>(SearchStrategy::kTwoHops)].distances < answers[static_cast<int>(SearchStrategy::kWalkAll)].distances * 2);
}

TEST_CASE("invisible slots are no answers of any strategy, and the counts are reported") {
  std::mt19937 random(NewSeed("visible and filtered"));
  const Dataset data = Clusters(random, 8000, 16, 20);
  const auto index = Build(data, {}, data.size());
  SearchScratch scratch;
  const auto visible = [](uint32_t slot) { return slot % 3 != 0; };
  const auto passes = [](uint32_t slot) { return slot % 4 == 1; };
  for (SearchStrategy strategy : {SearchStrategy::kScan, SearchStrategy::kTwoHops, SearchStrategy::kWalkAll}) {
    SearchRequest request;
    request.query = data[5];
    request.k = 50;
    request.visible = visible;
    request.filter.passes = passes;
    request.filter.count = 2000;
    request.strategy = strategy;
    SearchStats stats;
    const auto found = Find(*index, request, &scratch, &stats);
    CHECK(found.size() == 50);
    CHECK(stats.passing == 2000);
    for (const Hit& hit : found) CHECK((visible(hit.slot) && passes(hit.slot)));
    request.filter.count.reset();
    (void)Find(*index, request, &scratch, &stats);
    CHECK(stats.passing >= 1200);
    CHECK(stats.passing <= 2800);
  }
}

}  // namespace fornix::vector
