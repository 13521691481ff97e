// Named time zones, as far as Bolt needs them: what a zone's offset is at an instant, and which instant a local time of it means.
// Thread-safe after the first call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fornix::bolt {

// Seconds east of UTC; nothing for a name that the system's zone data doesn't have.
std::optional<int32_t> OffsetAt(const std::string& zone, int64_t utc_seconds);
// The earlier one where a local time comes twice; where it is skipped, as if the clock hadn't been set yet.
std::optional<int64_t> UtcOfLocal(const std::string& zone, int64_t local_seconds);

}  // namespace fornix::bolt
