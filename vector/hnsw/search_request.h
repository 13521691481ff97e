// What a search is asked, and what it says about how it found its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fornix/status.h"
#include "vector/function_ref.h"

namespace fornix::vector {

// How a filtered search goes about it, chosen by the number of slots that the filter lets through; PROFILE names it.
enum class SearchStrategy : uint8_t {
  kWalk,     // no filter: the beam counts visible slots
  kScan,     // compares the passing slots one by one
  kTwoHops,  // walks over passing slots only, and through one that fails to those behind it
  kWalkAll,  // walks over all, collects passing ones, with a wider beam
};
std::string_view SearchStrategyName(SearchStrategy strategy);  // "walk", "scan", "two hops", "walk all"

struct SlotFilter {
  // Which slots may be answers; asked for a slot more than once. None: all.
  FunctionRef<bool(uint32_t)> passes;
  // How many slots pass, if that is known; else it is estimated from a sample.
  std::optional<uint64_t> count;
  // The passing slots, ascending, if the caller has them as a list; a scan then reads no others.
  std::span<const uint32_t> slots;
};

// Reads the vectors of `slots`, which ascend, in one batch, and hands each to `take` with its place in `slots`, in any
// order. A status that isn't ok ends the search with it. A slot that isn't handed over keeps its estimated distance.
using TakeOriginal = FunctionRef<void(size_t place, std::span<const float> v)>;
using ReadOriginals = FunctionRef<Status(std::span<const uint32_t> slots, TakeOriginal take)>;

struct SearchRequest {
  std::span<const float> query;
  uint32_t k = 10;
  uint32_t ef = 0;                      // 0 = the index's ef_search; at least k is used
  FunctionRef<bool(uint32_t)> visible;  // none = all; the snapshot's
  SlotFilter filter;                    // the statement's
  ReadOriginals originals;              // none: distances stay those of the finest codes
  // Deviations of an estimate's error within which a candidate may still be better; RaBitQ's epsilon_0, which finds
  // all but a few in 10,000 of what the beam found.
  float deviations = 1.9f;
  std::optional<SearchStrategy> strategy;  // instead of the one chosen by counts
  FunctionRef<Status()> interrupt;         // asked every so often; a status that isn't ok ends the search with it
};

struct SearchStats {
  uint64_t distances = 0;  // computed, in the graph and by scans
  uint64_t hops = 0;       // lists read
  uint64_t fine = 0;       // candidates compared by finer codes
  uint64_t originals = 0;  // candidates compared by their vectors
  SearchStrategy strategy = SearchStrategy::kWalk;
  uint64_t passing = 0;  // of the linked slots; counted or estimated; 0 without a filter
  bool scanned = false;  // promise 1 was kept by a scan of the linked slots
};

}  // namespace fornix::vector
