// Bounds of the store that it alone knows, each with its reason; docs/limits.md is printed from here and from base/limits.h.
#pragma once

#include <cstdint>

namespace fornix::storage {

// Snapshots (storage/limits.h).
inline constexpr uint64_t kSnapshotAgePressedMillis = 10'000;   // the deltas hold half of the budget: the oldest snapshot that pins some is ended when so old

}  // namespace fornix::storage
