// Durations and what can be done with them: sums, multiples, instants moved by a duration, the distance of two instants.
//
// A duration has months, days and seconds, which don't convert into each other, but for fractions: the rest of a month
// counts as 30.436875 days (2,629,746 s, a 4,800th of 400 Gregorian years) and the rest of a day as 24 hours. Pure
// functions; results out of the range of 64 bits or of Cypher's years are an ArgumentError, NumberOutOfRange.
#pragma once

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

// Nanoseconds of any size are carried into seconds.
Result<Duration> MakeDuration(__int128 months, __int128 days, __int128 seconds, __int128 nanos);
// Fractions of a part go to the next smaller parts; what is below a nanosecond is cut.
Result<Duration> MakeFractionalDuration(long double months, long double days, long double seconds, long double nanos);
// The decimal a person wrote for this double (5.1, not 5.0999999999999996): fractions of a month would show the difference.
long double AsDecimal(double d);

Result<Duration> AddDurations(const Duration& a, const Duration& b);
Result<Duration> Negated(const Duration& d);
Result<Duration> Times(const Duration& d, const Value& number);
Result<Duration> DividedBy(const Duration& d, const Value& number);

// DATE takes whole days, LOCAL TIME and ZONED TIME only the time of day, the others all parts: first months (with the day
// clamped to the month), then days, then seconds. A zoned datetime moves by days on the wall clock, by seconds in real time.
Result<Value> AddToInstant(const Value& instant, const Duration& d);

enum class DurationUnit { kAll, kMonths, kDays, kSeconds };
// From a to b in whole units. A part that one of them lacks (date, time of day, zone) is taken from the other; if both
// lack the date, or one the time, they agree on it (the same day, midnight).
Result<Duration> Between(const Value& a, const Value& b, DurationUnit unit);

}  // namespace fornix::engine
