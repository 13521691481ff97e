// ISO 8601 text into dates, times and durations: the extended and the compact forms, calendar, week, ordinal and quarter
// dates, with parts left out from the right. Everything is checked: a date that doesn't exist is an error.
#pragma once

#include <string_view>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

// `type` is one of the five kinds of date and time. A DATETIME may have only a date (midnight is meant), and no zone (UTC).
Result<Value> ParseInstant(Type type, std::string_view text);
// "P1Y2M3W4DT5H6M7.8S", each number with a sign and a fraction if need be, or "P2012-02-02T14:37:21.545".
Result<Duration> ParseDuration(std::string_view text);

}  // namespace fornix::engine
