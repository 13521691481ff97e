// How much a random test does. A sanitized build runs a few; the release build, as a suite of its own with FORNIX_MANY, the routine count of
// docs/testing.md; `--long` (FORNIX_LONG) as many as are run before a release.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace fornix {

inline bool LongRun() { return std::getenv("FORNIX_LONG") != nullptr; }
inline bool ManyRuns() { return std::getenv("FORNIX_MANY") != nullptr; }
inline uint64_t Counted(uint64_t few, uint64_t many, uint64_t all) { return LongRun() ? all : ManyRuns() ? many : few; }

}  // namespace fornix
