// A hit of the plan cache: what a statement costs before it runs, once its text is known. With 1 and with 1,000 texts inside, a
// short and a long text (the whole text is the key), and from two threads that share the one lock.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/plan_cache.h"

namespace fornix::engine {
namespace {

std::string Text(int64_t number, size_t bytes) {
  std::string text = "MATCH (n:Memory {id: $id}) RETURN n.text AS t" + std::to_string(number);
  text.resize(std::max(text.size(), bytes), ' ');
  return text;
}

// Arguments: texts in the cache, bytes of each.
void PlanCacheHit(benchmark::State& state) {
  static std::unique_ptr<PlanCache> cache;   // shared by the threads of one run
  const PlanKey key{.schema_epoch = 1, .statistics_epoch = 1, .optimize = true};
  std::vector<std::string> texts;
  for (int64_t i = 0; i < state.range(0); ++i) texts.push_back(Text(i, static_cast<size_t>(state.range(1))));
  if (state.thread_index() == 0) {
    cache = std::make_unique<PlanCache>();
    for (const std::string& text : texts) cache->Insert(text, key, {std::make_shared<planner::PhysicalPlan>(), {}});
  }
  size_t next = 0;
  uint64_t missed = 0;
  for (auto _ : state) {
    auto plan = cache->Find(texts[next], key);
    missed += plan == nullptr;
    benchmark::DoNotOptimize(plan);
    if (++next == texts.size()) next = 0;
  }
  if (missed != 0) state.SkipWithError("a text was not found");
}
BENCHMARK(PlanCacheHit)->Args({1, 100})->Args({1000, 100})->Args({1000, 2000});
BENCHMARK(PlanCacheHit)->Args({1000, 100})->Threads(2)->UseRealTime();

void PlanCacheMiss(benchmark::State& state) {
  PlanCache cache;
  const PlanKey key;
  for (int i = 0; i < 1000; ++i) cache.Insert(Text(i, 100), key, {std::make_shared<planner::PhysicalPlan>(), {}});
  const std::string other = Text(5000, 100);
  for (auto _ : state) benchmark::DoNotOptimize(cache.Find(other, key));
}
BENCHMARK(PlanCacheMiss);

}  // namespace
}  // namespace fornix::engine
