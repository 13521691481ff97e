// The finaliser of SplitMix64: every bit of the result depends on every bit of the argument. In place of random
// numbers wherever the same graph or rotation must come again from the same seed.
#pragma once

#include <cstdint>

namespace fornix::vector {

inline constexpr uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

}  // namespace fornix::vector
