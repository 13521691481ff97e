// A date or time taken apart: what it says on the calendar and on the clock, and the zone it is told in. Selection,
// truncation, components and distances work on parts, so that one function serves all five types.
#pragma once

#include <optional>
#include <string_view>

#include "engine/function/temporal/zone.h"
#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

struct Parts {
  std::optional<int64_t> days;         // local date
  std::optional<int64_t> nanos;        // local time of day
  std::optional<Zone> zone;            // its offset is the one in force
};

bool IsInstant(const Value& v);
Parts PartsOf(const Value& instant);   // requires IsInstant
int64_t LocalSeconds(const Parts& parts);   // a missing part counts as zero

// One component (`d.year`, `t.offset`, `dur.minutesOfHour`); an error if the type doesn't have it.
Result<Value> TemporalComponent(const Value& temporal, std::string_view name);

}  // namespace fornix::engine
