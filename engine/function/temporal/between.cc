// The distance of two instants. Both are first brought to the same shape (a date, a time of day, and a zone or none);
// then whole months are counted on the calendar, whole days on what is left, and the rest in seconds of real time.
#include "base/calendar.h"
#include "engine/function/errors.h"
#include "engine/function/temporal/arithmetic.h"
#include "engine/function/temporal/parts.h"

namespace fornix::engine {
namespace {

struct Moment {                       // a local time and, if there is a zone, the instant it means
  int64_t days;
  int64_t nanos;
  std::optional<DateTime> instant;
};

Moment Resolve(int64_t days, int64_t nanos, const std::optional<Zone>& zone, std::optional<int32_t> offset) {
  Moment p{days, nanos, {}};
  if (zone) {
    p.instant = FromLocal(days * kSecondsPerDay + nanos / kNanosPerSecond, static_cast<int32_t>(nanos % kNanosPerSecond), *zone, offset);
  }
  return p;
}

// The same instant on the clocks of another zone.
Moment InZone(const Moment& p, const Zone& zone) {
  DateTime t = AtInstant(p.instant->seconds, p.instant->nanos, zone);
  Parts parts = PartsOf(Value(t));
  return {*parts.days, *parts.nanos, t};
}

// Whole days from a to b on the calendar: a day that isn't complete on the clock doesn't count.
int64_t EndDay(const Moment& a, const Moment& b) {
  int64_t end = b.days;
  if (end > a.days && b.nanos < a.nanos) --end;
  if (end < a.days && b.nanos > a.nanos) ++end;
  return end;
}

int64_t WholeMonths(const Moment& a, const Moment& b) {
  CivilDate from = CivilFromDays(a.days), to = CivilFromDays(EndDay(a, b));
  // Months and days packed into one number, 32 to a month: the division then cuts a month that isn't complete.
  return ((to.year * 12 + to.month) * 32 + to.day - ((from.year * 12 + from.month) * 32 + from.day)) / 32;
}

Result<Duration> SecondsBetween(const Moment& a, const Moment& b) {
  if (a.instant && b.instant) {
    return MakeDuration(0, 0, static_cast<__int128>(b.instant->seconds) - a.instant->seconds, b.instant->nanos - a.instant->nanos);
  }
  return MakeDuration(0, 0, static_cast<__int128>(b.days - a.days) * kSecondsPerDay, b.nanos - a.nanos);
}

}  // namespace

Result<Duration> Between(const Value& a, const Value& b, DurationUnit unit) {
  if (!IsInstant(a)) return WrongType("duration.between()", "a date or time", a);
  if (!IsInstant(b)) return WrongType("duration.between()", "a date or time", b);
  Parts pa = PartsOf(a), pb = PartsOf(b);
  std::optional<int32_t> offset_a, offset_b;
  if (pa.zone) offset_a = pa.zone->offset_seconds;
  if (pb.zone) offset_b = pb.zone->offset_seconds;
  // One without a zone stands in the other's.
  std::optional<Zone> zone_a = pa.zone ? pa.zone : pb.zone, zone_b = pb.zone ? pb.zone : pa.zone;
  int64_t day_a = pa.days.value_or(pb.days.value_or(0)), day_b = pb.days.value_or(pa.days.value_or(0));
  Moment from = Resolve(day_a, pa.nanos.value_or(0), zone_a, offset_a);
  Moment to = Resolve(day_b, pb.nanos.value_or(0), zone_b, offset_b);
  if (zone_a) to = InZone(to, *zone_a);
  if (unit == DurationUnit::kSeconds) return SecondsBetween(from, to);

  int64_t months = unit == DurationUnit::kDays ? 0 : WholeMonths(from, to);
  if (unit == DurationUnit::kMonths) return Duration{months, 0, 0, 0};
  if (months != 0) from = Resolve(AddMonths(from.days, months), from.nanos, zone_a, offset_a);
  int64_t days = EndDay(from, to) - from.days;
  if (unit == DurationUnit::kDays) return Duration{0, days, 0, 0};
  if (days != 0) from = Resolve(from.days + days, from.nanos, zone_a, offset_a);
  ASSIGN_OR_RETURN(Duration rest, SecondsBetween(from, to));
  return Duration{months, days, rest.seconds, rest.nanos};
}

}  // namespace fornix::engine
