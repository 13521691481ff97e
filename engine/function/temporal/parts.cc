#include "engine/function/temporal/parts.h"

#include "base/calendar.h"
#include "base/nearest.h"
#include "base/value_format.h"
#include "engine/function/errors.h"

namespace fornix::engine {
namespace {

std::optional<Value> DateComponent(int64_t days, std::string_view name) {
  CivilDate date = CivilFromDays(days);
  IsoWeekDate week = WeekFromDays(days);
  if (name == "year") return Value(date.year);
  if (name == "month") return Value(date.month);
  if (name == "day") return Value(date.day);
  if (name == "quarter") return Value((date.month - 1) / 3 + 1);
  if (name == "week") return Value(week.week);
  if (name == "weekYear") return Value(week.week_year);
  if (name == "weekDay" || name == "dayOfWeek") return Value(week.day);
  if (name == "ordinalDay") return Value(DayOfYear(days));
  if (name == "dayOfQuarter") return Value(DayOfQuarter(days));
  return {};
}

std::optional<Value> TimeComponent(int64_t nanos, std::string_view name) {
  int64_t seconds = nanos / kNanosPerSecond, fraction = nanos % kNanosPerSecond;
  if (name == "hour") return Value(seconds / 3600);
  if (name == "minute") return Value(seconds / 60 % 60);
  if (name == "second") return Value(seconds % 60);
  if (name == "millisecond") return Value(fraction / 1'000'000);
  if (name == "microsecond") return Value(fraction / 1'000);
  if (name == "nanosecond") return Value(fraction);
  return {};
}

std::optional<Value> ZoneComponent(const Zone& zone, std::string_view name) {
  if (name == "timezone") return Value(zone.named() ? zone.name : FormatZoneOffset(zone.offset_seconds));
  if (name == "offset") return Value(FormatZoneOffset(zone.offset_seconds));
  if (name == "offsetMinutes") return Value(int64_t{zone.offset_seconds / 60});
  if (name == "offsetSeconds") return Value(int64_t{zone.offset_seconds});
  return {};
}

// The whole of one group (months, days, seconds) in a unit, or the rest of it within a larger unit.
std::optional<Value> DurationComponent(const Duration& d, std::string_view name) {
  if (name == "years") return Value(d.months / 12);
  if (name == "quarters") return Value(d.months / 3);
  if (name == "months") return Value(d.months);
  if (name == "weeks") return Value(d.days / 7);
  if (name == "days") return Value(d.days);
  if (name == "hours") return Value(d.seconds / 3600);
  if (name == "minutes") return Value(d.seconds / 60);
  if (name == "seconds") return Value(d.seconds);
  if (name == "quartersOfYear") return Value(d.months / 3 % 4);
  if (name == "monthsOfQuarter") return Value(d.months % 3);
  if (name == "monthsOfYear") return Value(d.months % 12);
  if (name == "daysOfWeek") return Value(d.days % 7);
  if (name == "minutesOfHour") return Value(d.seconds / 60 % 60);
  if (name == "secondsOfMinute") return Value(d.seconds % 60);
  if (name == "millisecondsOfSecond") return Value(int64_t{d.nanos / 1'000'000});
  if (name == "microsecondsOfSecond") return Value(int64_t{d.nanos / 1'000});
  if (name == "nanosecondsOfSecond") return Value(int64_t{d.nanos});
  return {};
}

// milliseconds, microseconds, nanoseconds, epochMillis: seconds in a smaller unit, which may not fit.
Result<Value> SmallUnits(int64_t seconds, int32_t nanos, int64_t units_per_second, std::string_view name) {
  __int128 total = static_cast<__int128>(seconds) * units_per_second + nanos / (kNanosPerSecond / units_per_second);
  if (total > INT64_MAX || total < INT64_MIN) return OutOfRange(std::string(name) + " doesn't fit an INTEGER");
  return Value(static_cast<int64_t>(total));
}

}  // namespace

bool IsInstant(const Value& v) {
  switch (v.type()) {
    case Type::kDate: case Type::kLocalTime: case Type::kTime: case Type::kLocalDateTime: case Type::kDateTime: return true;
    default: return false;
  }
}

Parts PartsOf(const Value& instant) {
  auto from_local = [](int64_t seconds, int32_t nanos) {
    int64_t days = FloorDiv(seconds, kSecondsPerDay);
    return Parts{days, (seconds - days * kSecondsPerDay) * kNanosPerSecond + nanos, {}};
  };
  switch (instant.type()) {
    case Type::kDate: return {instant.AsDate().days, {}, {}};
    case Type::kLocalTime: return {{}, instant.AsLocalTime().nanos, {}};
    case Type::kTime: return {{}, instant.AsTime().nanos, Zone{"", instant.AsTime().offset_seconds}};
    case Type::kLocalDateTime: return from_local(instant.AsLocalDateTime().seconds, instant.AsLocalDateTime().nanos);
    default: {
      const DateTime& t = instant.AsDateTime();
      Parts parts = from_local(LocalSeconds(t), t.nanos);
      parts.zone = ZoneOf(t);
      return parts;
    }
  }
}

int64_t LocalSeconds(const Parts& parts) {
  return parts.days.value_or(0) * kSecondsPerDay + parts.nanos.value_or(0) / kNanosPerSecond;
}

namespace {
// What TemporalComponent would answer, for the error about any other name.
std::vector<std::string> ComponentsOf(const Value& temporal) {
  if (temporal.type() == Type::kDuration) {
    return {"years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds",
            "quartersOfYear", "monthsOfQuarter", "monthsOfYear", "daysOfWeek", "minutesOfHour", "secondsOfMinute", "millisecondsOfSecond",
            "microsecondsOfSecond", "nanosecondsOfSecond"};
  }
  std::vector<std::string> names;
  const Parts parts = PartsOf(temporal);
  if (parts.days) names = {"year", "month", "day", "quarter", "week", "weekYear", "weekDay", "dayOfWeek", "ordinalDay", "dayOfQuarter"};
  if (parts.nanos) names.insert(names.end(), {"hour", "minute", "second", "millisecond", "microsecond", "nanosecond"});
  if (parts.zone) names.insert(names.end(), {"timezone", "offset", "offsetMinutes", "offsetSeconds"});
  if (temporal.type() == Type::kDateTime) names.insert(names.end(), {"epochSeconds", "epochMillis"});
  return names;
}
}  // namespace

Result<Value> TemporalComponent(const Value& temporal, std::string_view name) {
  std::optional<Value> found;
  if (temporal.type() == Type::kDuration) {
    const Duration& d = temporal.AsDuration();
    if (name == "milliseconds") return SmallUnits(d.seconds, d.nanos, 1'000, name);
    if (name == "microseconds") return SmallUnits(d.seconds, d.nanos, 1'000'000, name);
    if (name == "nanoseconds") return SmallUnits(d.seconds, d.nanos, kNanosPerSecond, name);
    found = DurationComponent(d, name);
  } else {
    Parts parts = PartsOf(temporal);
    if (parts.days) found = DateComponent(*parts.days, name);
    if (!found && parts.nanos) found = TimeComponent(*parts.nanos, name);
    if (!found && parts.zone) found = ZoneComponent(*parts.zone, name);
    if (!found && temporal.type() == Type::kDateTime) {
      const DateTime& t = temporal.AsDateTime();
      if (name == "epochSeconds") found = Value(t.seconds);
      if (name == "epochMillis") return SmallUnits(t.seconds, t.nanos, 1'000, name);
    }
  }
  if (found) return *found;
  return BadArgument("a " + std::string(TypeName(temporal.type())) + " has no component " + QuoteName(name) + DidYouMeanOrAll(name, ComponentsOf(temporal)));
}

}  // namespace fornix::engine
