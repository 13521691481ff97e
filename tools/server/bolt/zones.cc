#include "tools/server/bolt/zones.h"

#include <date/tz.h>

namespace fornix::bolt {
namespace {

// Beyond it the library's years overflow; the rules of zones end long before.
constexpr int64_t kSecondsMax = int64_t{32000} * 366 * 86400;

const date::time_zone* Find(const std::string& zone, int64_t seconds) {
  if (seconds > kSecondsMax || seconds < -kSecondsMax) return nullptr;
  try {
    return date::locate_zone(zone);
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

}  // namespace

std::optional<int32_t> OffsetAt(const std::string& zone, int64_t utc_seconds) {
  const date::time_zone* found = Find(zone, utc_seconds);
  if (found == nullptr) return std::nullopt;
  return static_cast<int32_t>(found->get_info(date::sys_seconds(std::chrono::seconds(utc_seconds))).offset.count());
}

std::optional<int64_t> UtcOfLocal(const std::string& zone, int64_t local_seconds) {
  const date::time_zone* found = Find(zone, local_seconds);
  if (found == nullptr) return std::nullopt;
  const date::local_info info = found->get_info(date::local_seconds(std::chrono::seconds(local_seconds)));
  return local_seconds - info.first.offset.count();
}

}  // namespace fornix::bolt
