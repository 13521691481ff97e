// Random numbers: a small seedable generator (xoshiro256**) for tests, samples and HNSW levels, and numbers from the
// operating system for what nobody may guess. The same seed gives the same numbers on every machine. One thread each.
#pragma once

#include <cstdint>

namespace fornix {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {   // splitmix64 spreads even the seed 0 over the whole state
      seed += 0x9e3779b97f4a7c15ull;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
      word = z ^ (z >> 31);
    }
  }
  uint64_t Next() {
    const uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }
  // A number in [0, n), n > 0; the bias of the multiplication is below n / 2^64.
  uint64_t Below(uint64_t n) { return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * n) >> 64); }
  // A number in [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  // So that it fits std::shuffle.
  using result_type = uint64_t;
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return ~uint64_t{0}; }
  uint64_t operator()() { return Next(); }

 private:
  static uint64_t Rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t state_[4];
};

// 64 bits from the operating system's generator.
uint64_t SystemRandom64();

}  // namespace fornix
