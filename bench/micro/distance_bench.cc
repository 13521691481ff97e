// Time of one distance: every kernel set this machine runs, at the dimensions of common embeddings, with both
// vectors in the cache (arithmetic) and with rows picked at random from 256 MiB (what a search meets). "one"
// is one row a call, "four" four rows a call; the counter ns is per distance in both.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "vector/distance/distance.h"

namespace fornix::vector {
namespace {

constexpr size_t kPoolFloats = size_t{64} << 20;

const float* Pool() {
  static const std::vector<float>* const pool = [] {
    auto* floats = new std::vector<float>(kPoolFloats);
    uint32_t state = 12345;
    for (float& f : *floats) {
      state = state * 1664525u + 1013904223u;
      f = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
    }
    return floats;
  }();
  return pool->data();
}

// A fixed random order of row numbers, long enough that rows have left the cache when they come again.
std::vector<const float*> RowOrder(size_t n, bool cached) {
  std::mt19937 random(7);
  const size_t rows = cached ? 4 : kPoolFloats / n;
  std::vector<const float*> order(1 << 16);
  for (const float*& row : order) row = Pool() + (random() % rows) * n;
  return order;
}

void Run(benchmark::State& state, const DistanceKernels* kernels, bool l2, bool four, bool cached) {
  const size_t n = static_cast<size_t>(state.range(0));
  const std::vector<const float*> order = RowOrder(n, cached);
  const std::vector<float> query(Pool(), Pool() + n);
  size_t next = 0;
  float out[4];
  for (auto _ : state) {
    const float* const* rows = &order[next];
    next = (next + 4) & (order.size() - 1);
    if (four) {
      (l2 ? kernels->squared_l2_4 : kernels->dot4)(query.data(), rows, n, out);
    } else {
      for (int r = 0; r < 4; ++r)
        out[r] = (l2 ? kernels->squared_l2 : kernels->dot)(query.data(), rows[r], n);
    }
    benchmark::DoNotOptimize(out);
  }
  state.counters["ns"] = benchmark::Counter(static_cast<double>(state.iterations()) * 4e-9,
                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

const bool registered = [] {
  for (const DistanceKernels* kernels : RunnableKernels()) {
    for (bool l2 : {false, true}) {
      for (bool cached : {true, false}) {
        for (bool four : {false, true}) {
          const std::string name = std::string("distance/") + kernels->name + (l2 ? "/l2" : "/dot") +
                                   (cached ? "/cached" : "/random") + (four ? "/four" : "/one");
          benchmark::RegisterBenchmark(name.c_str(), Run, kernels, l2, four, cached)
              ->Arg(384)
              ->Arg(784)
              ->Arg(1024);
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace fornix::vector
