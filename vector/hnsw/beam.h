// Beam: what a walk over one layer collects, and when it gives up. Part of Hnsw; used by its files alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vector/hnsw/hnsw.h"

namespace fornix::vector {

struct Hnsw::Beam {
  size_t width = 1;
  uint32_t count_below = ~uint32_t{0};  // from here on slots are walked through only: the scan of the tail finds them
  FunctionRef<bool(uint32_t)> visible;
  FunctionRef<bool(uint32_t)> passes;
  FunctionRef<Status()> interrupt;
  bool equals = false;    // also the chains of equal vectors
  bool two_hops = false;  // only slots that count are compared; see ExpandTwoHops
  uint64_t distances_max = ~uint64_t{0};  // the walk gives up there if the beam isn't full

  bool Counts(uint32_t slot) const {
    return slot < count_below && (!visible || visible(slot)) && (!passes || passes(slot));
  }
};

// The beam of a walk over all slots counts passing ones, so it would grow by 1 / selectivity by itself. It is kept to
// kWalkAllWidening times as many of all slots.
inline constexpr size_t kWalkAllWidening = 4;
inline size_t WalkAllWidth(size_t width, uint32_t k, uint64_t passing, uint32_t linked) {
  const auto narrowed = static_cast<size_t>(static_cast<double>(width) * kWalkAllWidening * static_cast<double>(passing) / linked);
  return std::max<size_t>(k, std::min(width, narrowed));
}

}  // namespace fornix::vector
