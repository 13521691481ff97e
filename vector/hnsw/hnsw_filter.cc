// Filtered search: which way to go, and the walk over passing slots alone.
//
// With P of N slots passing, the costs in distances are
//   scan       P, and a call of the filter for each of N if there is no list (a sixteenth of a distance)
//   two hops   about as many as without a filter, and many calls of the filter: m * 2m a hop at worst
//   walk all   as without a filter times N / P, up to kWalkAllWidening
// and the walk over passing slots loses recall where these are no graph of their own any more, below about 1 in 200
// (measured by others too: plain two-hop search found 60 % at 1 in 100 of 10 million). After
//   S. Patel, P. Kraft, C. Guestrin, M. Zaharia: ACORN: Performant and predicate-agnostic search over vector
//   embeddings and structured data. SIGMOD 2024
//   G. Sehgal, S. Salihoglu: NaviX: A native vector index design for graph DBMSs with robust predicate-agnostic search
//   performance. VLDB 2025 (the choice by how many neighbours of a slot pass)
#include <algorithm>

#include "vector/hnsw/beam.h"
#include "vector/hnsw/hnsw.h"
#include "vector/mix.h"

namespace fornix::vector {
namespace {

constexpr uint32_t kSample = 512;     // at 1 in 10 right to a quarter, and 5 us
constexpr size_t kSeeds = 8;          // passing slots that a walk begins at, beside the nearest of all
constexpr uint64_t kScanPerWidth = 64;  // a walk costs some 20 distances for each place of the beam, and random ones
constexpr double kScanBelow = 0.005;
constexpr double kWalkAllFrom = 0.25;

}  // namespace

std::string_view SearchStrategyName(SearchStrategy strategy) {
  switch (strategy) {
    case SearchStrategy::kWalk: return "walk";
    case SearchStrategy::kScan: return "scan";
    case SearchStrategy::kTwoHops: return "two hops";
    case SearchStrategy::kWalkAll: return "walk all";
  }
  return "unknown";
}

// Leaves passing slots to begin at in scratch->seeds.
SearchStrategy Hnsw::ChooseStrategy(const SearchRequest& request, uint32_t linked, size_t width, SearchScratch* scratch,
                                    SearchStats* stats) const {
  const SlotFilter& filter = request.filter;
  scratch->seeds.clear();
  if (!filter.passes) return request.strategy == SearchStrategy::kScan ? SearchStrategy::kScan : SearchStrategy::kWalk;
  const auto seed = [&](uint32_t slot) {
    if (scratch->seeds.size() < kSeeds && slot < linked && (!request.visible || request.visible(slot)) && filter.passes(slot)) {
      scratch->seeds.push_back(slot);
    }
  };
  const bool listed = !filter.slots.empty();
  if (listed) {
    stats->passing = filter.slots.size();
    for (size_t i = 0; i < kSeeds; ++i) seed(filter.slots[filter.slots.size() * i / kSeeds]);
  } else {
    const uint32_t sampled = std::min(linked, kSample);
    uint64_t passing = 0;
    for (uint32_t i = 0; i < sampled; ++i) {
      const auto slot = static_cast<uint32_t>(sampled == linked ? i : Mix(options_.seed + i) % linked);
      if (!filter.passes(slot)) continue;
      ++passing;
      seed(slot);
    }
    stats->passing = filter.count.value_or(passing * linked / sampled);
  }
  std::sort(scratch->seeds.begin(), scratch->seeds.end());
  scratch->seeds.erase(std::unique(scratch->seeds.begin(), scratch->seeds.end()), scratch->seeds.end());
  if (request.strategy) return *request.strategy;

  const uint64_t scan_cost = stats->passing + (listed ? 0 : linked / 16);
  const double selectivity = static_cast<double>(stats->passing) / linked;
  if (scan_cost <= kScanPerWidth * width || selectivity < kScanBelow) return SearchStrategy::kScan;
  return selectivity >= kWalkAllFrom ? SearchStrategy::kWalkAll : SearchStrategy::kTwoHops;
}

// Like ExpandLinks on the base layer, but only slots that count are compared. Where fewer than half of a list do, the
// lists of the others are read too, until there are m.
bool Hnsw::ExpandTwoHops(const PreparedQuery& query, uint32_t slot, const Beam& beam, SearchScratch* scratch,
                         SearchStats* stats) const {
  scratch->links.resize(base_.degree_max());
  scratch->far_links.resize(base_.degree_max());
  scratch->fresh.clear();
  scratch->failing.clear();
  bool marked = false;
  const uint32_t count = base_.Read(slot, scratch->links.data(), &marked);
  ++stats->hops;
  uint32_t counting = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t link = scratch->links[i];
    if (!beam.Counts(link)) {
      // Through it once only.
      if (scratch->visited.Insert(link)) scratch->failing.push_back(link);
      continue;
    }
    ++counting;
    if (scratch->visited.Insert(link)) scratch->fresh.push_back(link);
  }
  if (counting * 2 < count) {
    for (uint32_t link : scratch->failing) base_.Prefetch(link);
    for (uint32_t link : scratch->failing) {
      if (scratch->fresh.size() >= options_.m) break;
      bool far_marked = false;
      const uint32_t far = base_.Read(link, scratch->far_links.data(), &far_marked);
      ++stats->hops;
      for (uint32_t i = 0; i < far; ++i) {
        const uint32_t slot_behind = scratch->far_links[i];
        if (beam.Counts(slot_behind) && scratch->visited.Insert(slot_behind)) scratch->fresh.push_back(slot_behind);
      }
      // The chain of one that fails may hold slots that pass.
      if (far_marked) {
        for (uint32_t next = NextEqual(link).load(std::memory_order_acquire); next != 0;
             next = NextEqual(next - 1).load(std::memory_order_acquire)) {
          if (beam.Counts(next - 1) && scratch->visited.Insert(next - 1)) scratch->fresh.push_back(next - 1);
        }
      }
    }
  }
  scratch->distances.resize(scratch->fresh.size());
  codes_.Distances(query, scratch->fresh, scratch->distances.data());
  stats->distances += scratch->fresh.size();
  return marked;
}

}  // namespace fornix::vector
