// Time zones: the offset from UTC that holds at an instant, and the instant a local time means.
//
// Named zones come from the system's zone data through Hinnant's date library; it is seen in zone.cc alone. The data
// ends in 2037: later years borrow the rules of a year of the same shape, and years out of the library's range use
// the rules at its end. A gap in local time (clocks go forward) moves a local time later by the gap; in an overlap the
// first of the two instants is meant unless the caller knows the offset. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

struct Zone {
  std::string name;                    // empty: the fixed offset
  int32_t offset_seconds = 0;          // of a named zone: what it was when this was made, meaningless at other instants
  bool named() const { return !name.empty(); }
};

// "Z", "+01:00", "-0330", "+02:05:59" or a name as in the zone data: "Europe/Stockholm".
Result<Zone> ParseZone(std::string_view text);
// Cuts an offset ("Z" or from "+01" to "+01:00:00") off the front of `text`; no value if there is none.
std::optional<int32_t> TakeOffset(std::string_view* text);

DateTime AtInstant(int64_t utc_seconds, int32_t nanos, const Zone& zone);
DateTime FromLocal(int64_t local_seconds, int32_t nanos, const Zone& zone, std::optional<int32_t> preferred_offset = {});
inline Zone ZoneOf(const DateTime& t) { return {t.zone, t.offset_seconds}; }
inline int64_t LocalSeconds(const DateTime& t) { return t.seconds + t.offset_seconds; }
std::string FormatZoneOffset(int32_t offset_seconds);     // "+01:00", "Z"

}  // namespace fornix::engine
