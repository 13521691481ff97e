// Time, as two kinds that don't mix: MonotonicNanos for spans, deadlines and timers (never jumps), WallMicros for what a
// user sees (may jump back). Nothing that decides about durability or order looks at either.
#pragma once

#include <chrono>
#include <cstdint>

namespace fornix {

inline uint64_t MonotonicNanos() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}
inline int64_t WallMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace fornix
