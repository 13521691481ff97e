#include "engine/function/temporal/build.h"

#include <algorithm>

#include "base/calendar.h"
#include "base/nearest.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/temporal/arithmetic.h"

namespace fornix::engine {
namespace {

constexpr std::string_view kFieldNames[] = {
    "year", "month", "day", "week", "dayOfWeek", "ordinalDay", "quarter", "dayOfQuarter", "hour", "minute", "second",
    "millisecond", "microsecond", "nanosecond", "timezone", "date", "time", "datetime", "epochSeconds", "epochMillis"};

Status CheckFieldNames(const Map& fields) {
  for (const auto& [name, value] : fields) {
    if (std::find(std::begin(kFieldNames), std::end(kFieldNames), name) == std::end(kFieldNames)) {
      return BadArgument("a date or time has no field " + QuoteName(name) + DidYouMean(name, {std::begin(kFieldNames), std::end(kFieldNames)}));
    }
  }
  return Status::Ok();
}

using Field = std::optional<int64_t>;

Result<Field> IntegerField(const Map& fields, std::string_view name, int64_t min, int64_t max) {
  const Value* v = fields.Find(name);
  if (!v) return Field();
  if (v->type() != Type::kInteger) return WrongType("the field " + std::string(name), "an INTEGER", *v);
  if (v->AsInteger() < min || v->AsInteger() > max) {
    return OutOfRange("the field " + std::string(name) + " must be " + std::to_string(min) + " to " + std::to_string(max) + ", not " +
                      std::to_string(v->AsInteger()));
  }
  return Field(v->AsInteger());
}

Status CheckDay(std::string_view name, int64_t day, int64_t max) {
  if (day <= max) return Status::Ok();
  return OutOfRange("the field " + std::string(name) + " must be 1 to " + std::to_string(max) + " in that period, not " +
      std::to_string(day));
}

Status Missing(std::string_view name) { return BadArgument("the field " + std::string(name) + " must be given, too"); }

// Fields that are absent come from `base`; without a base they are the first of their period, but nothing may be
// skipped: a day needs its month, a month its year.
Result<int64_t> BuildDays(const Map& fields, Field base) {
  ASSIGN_OR_RETURN(Field year, IntegerField(fields, "year", kYearMin, kYearMax));
  ASSIGN_OR_RETURN(Field month, IntegerField(fields, "month", 1, 12));
  ASSIGN_OR_RETURN(Field day, IntegerField(fields, "day", 1, 31));
  ASSIGN_OR_RETURN(Field week, IntegerField(fields, "week", 1, 53));
  ASSIGN_OR_RETURN(Field week_day, IntegerField(fields, "dayOfWeek", 1, 7));
  ASSIGN_OR_RETURN(Field ordinal, IntegerField(fields, "ordinalDay", 1, 366));
  ASSIGN_OR_RETURN(Field quarter, IntegerField(fields, "quarter", 1, 4));
  ASSIGN_OR_RETURN(Field quarter_day, IntegerField(fields, "dayOfQuarter", 1, 92));
  bool by_week = week || week_day, by_quarter = quarter || quarter_day;
  if ((month || day) + by_week + ordinal.has_value() + by_quarter > 1) {
    return BadArgument("a date is given by month and day, by week, by quarter or by ordinalDay, not by several of them");
  }
  if (!base && !year) return Missing("year");

  if (by_week) {
    IsoWeekDate date = base ? WeekFromDays(*base) : IsoWeekDate{*year, 1, 1};
    if (!base && !week) return Missing("week");
    if (year) date.week_year = *year;
    if (week) date.week = static_cast<int>(*week);
    if (week_day) date.day = static_cast<int>(*week_day);
    RETURN_IF_ERROR(CheckDay("week", date.week, WeeksInYear(date.week_year)));
    return DaysFromWeek(date);
  }
  CivilDate date = base ? CivilFromDays(*base) : CivilDate{*year, 1, 1};
  if (year) date.year = *year;
  if (ordinal) {
    RETURN_IF_ERROR(CheckDay("ordinalDay", *ordinal, DaysInYear(date.year)));
    return DaysFromCivil(date.year, 1, 1) + *ordinal - 1;
  }
  if (by_quarter) {
    if (!base && !quarter) return Missing("quarter");
    int quarter_of_base = (date.month - 1) / 3 + 1;
    int target = quarter ? static_cast<int>(*quarter) : quarter_of_base;
    if (!quarter_day) {                        // the same month of that quarter
      date.month += (target - quarter_of_base) * 3;
    } else {
      RETURN_IF_ERROR(CheckDay("dayOfQuarter", *quarter_day, DaysInQuarter(date.year, target)));
      return DaysFromCivil(date.year, target * 3 - 2, 1) + *quarter_day - 1;
    }
  }
  if (day && !month && !base) return Missing("month");
  if (month) date.month = static_cast<int>(*month);
  int days_in_month = DaysInMonth(date.year, date.month);
  if (day) {
    RETURN_IF_ERROR(CheckDay("day", *day, days_in_month));
    date.day = static_cast<int>(*day);
  }
  return DaysFromCivil(date.year, date.month, std::min(date.day, days_in_month));
}

// millisecond, microsecond and nanosecond together: each may be as large as the next larger given one leaves room for.
// After a truncation they are added to what the truncation left; otherwise they replace the whole fraction.
Result<int64_t> BuildFraction(const Map& fields, int64_t base, bool truncated) {
  bool milli_given = fields.Find("millisecond") != nullptr, micro_given = fields.Find("microsecond") != nullptr;
  ASSIGN_OR_RETURN(Field milli, IntegerField(fields, "millisecond", 0, 999));
  ASSIGN_OR_RETURN(Field micro, IntegerField(fields, "microsecond", 0, milli_given ? 999 : 999'999));
  ASSIGN_OR_RETURN(Field nano, IntegerField(fields, "nanosecond", 0, micro_given ? 999 : milli_given ? 999'999 : 999'999'999));
  if (!milli && !micro && !nano) return base;
  int64_t sum = milli.value_or(0) * 1'000'000 + micro.value_or(0) * 1'000 + nano.value_or(0);
  if (truncated) sum += base;
  if (sum >= kNanosPerSecond) return OutOfRange("the fraction of the second is more than a second");
  return sum;
}

Result<int64_t> BuildNanos(const Map& fields, Field base, bool truncated) {
  ASSIGN_OR_RETURN(Field hour, IntegerField(fields, "hour", 0, 23));
  ASSIGN_OR_RETURN(Field minute, IntegerField(fields, "minute", 0, 59));
  ASSIGN_OR_RETURN(Field second, IntegerField(fields, "second", 0, 59));
  ASSIGN_OR_RETURN(int64_t fraction, BuildFraction(fields, base.value_or(0) % kNanosPerSecond, truncated));
  if (!base) {
    if (minute && !hour) return Missing("hour");
    if (second && !minute) return Missing("minute");
    if (fraction != 0 && !second) return Missing("second");
  }
  int64_t seconds = base.value_or(0) / kNanosPerSecond;
  int64_t h = hour.value_or(seconds / 3600), m = minute.value_or(seconds / 60 % 60), s = second.value_or(seconds % 60);
  return ((h * 60 + m) * 60 + s) * kNanosPerSecond + fraction;
}

Result<std::optional<Zone>> TimeZoneField(const Map& fields) {
  const Value* v = fields.Find("timezone");
  if (!v) return std::optional<Zone>();
  if (v->type() != Type::kString) return WrongType("the field timezone", "a STRING", *v);
  ASSIGN_OR_RETURN(Zone zone, ParseZone(v->AsString()));
  return std::optional<Zone>(std::move(zone));
}

Result<std::optional<Parts>> SelectedParts(const Map& fields, std::string_view name) {
  const Value* v = fields.Find(name);
  if (!v) return std::optional<Parts>();
  if (!IsInstant(*v)) return WrongType("the field " + std::string(name), "a date or time", *v);
  Parts parts = PartsOf(*v);
  if ((name != "time" && !parts.days) || (name == "time" && !parts.nanos)) {
    return WrongType("the field " + std::string(name), name == "time" ? "a value with a time of day" : "a value with a date", *v);
  }
  return std::optional<Parts>(std::move(parts));
}

// A time of day has no date to ask a zone's rules with: today's count.
int32_t OffsetToday(FunctionContext& context, const Zone& zone) {
  return AtInstant(context.statement_time.seconds, 0, zone).offset_seconds;
}

// Puts local parts together. `offset_known`: where clocks go back, the zone's offset says which of two instants is meant.
// `shown_in` then tells the same instant in another zone.
Value Assemble(FunctionContext& context, Type type, int64_t days, int64_t nanos, const Zone& zone, bool offset_known,
               const std::optional<Zone>& shown_in) {
  int64_t seconds = days * kSecondsPerDay + nanos / kNanosPerSecond;
  int32_t fraction = static_cast<int32_t>(nanos % kNanosPerSecond);
  switch (type) {
    case Type::kDate: return Value(Date{days});
    case Type::kLocalTime: return Value(LocalTime{nanos});
    case Type::kLocalDateTime: return Value(LocalDateTime{seconds, fraction});
    case Type::kTime: {
      if (!shown_in) return Value(Time{nanos, zone.offset_seconds});
      int32_t offset = OffsetToday(context, *shown_in);
      return Value(Time{FloorMod(nanos + int64_t{offset - zone.offset_seconds} * kNanosPerSecond, kNanosPerDay), offset});
    }
    default: {
      DateTime t = FromLocal(seconds, fraction, zone, offset_known ? std::optional(zone.offset_seconds) : std::nullopt);
      return Value(shown_in ? AtInstant(t.seconds, t.nanos, *shown_in) : t);
    }
  }
}

Result<Value> FromEpoch(Type type, const Map& fields, const std::optional<Zone>& zone) {
  if (!HasDate(type) || !HasTime(type)) return BadArgument("epochSeconds and epochMillis make a datetime, no other type");
  if (fields.Find("epochSeconds") && fields.Find("epochMillis")) return BadArgument("epochSeconds and epochMillis exclude each other");
  constexpr int64_t kSecondsMax = kYearMax * 366 * kSecondsPerDay;
  ASSIGN_OR_RETURN(Field seconds, IntegerField(fields, "epochSeconds", -kSecondsMax, kSecondsMax));
  ASSIGN_OR_RETURN(Field millis, IntegerField(fields, "epochMillis", INT64_MIN, INT64_MAX));
  int64_t base = millis ? FloorMod(*millis, 1000) * 1'000'000 : 0;
  ASSIGN_OR_RETURN(int64_t fraction, BuildFraction(fields, base, true));
  int64_t instant = seconds ? *seconds : FloorDiv(*millis, 1000);
  if (FloorDiv(instant, kSecondsPerDay) < DaysMin() || FloorDiv(instant, kSecondsPerDay) > DaysMax()) {
    return OutOfRange("the epoch lies outside the years -999999999 to +999999999");
  }
  return InstantAs(type, DateTime{instant, static_cast<int32_t>(fraction), 0, ""}, zone.value_or(Zone{}));
}

// The unit's first day at or before `days`; nothing if the unit is smaller than a day.
std::optional<int64_t> TruncateDays(std::string_view unit, int64_t days) {
  CivilDate date = CivilFromDays(days);
  auto year_of = [&](int64_t years) { return DaysFromCivil(FloorDiv(date.year, years) * years, 1, 1); };
  if (unit == "millennium") return year_of(1000);
  if (unit == "century") return year_of(100);
  if (unit == "decade") return year_of(10);
  if (unit == "year") return year_of(1);
  if (unit == "weekYear") return DaysFromWeek({WeekFromDays(days).week_year, 1, 1});
  if (unit == "quarter") return DaysFromCivil(date.year, (date.month - 1) / 3 * 3 + 1, 1);
  if (unit == "month") return DaysFromCivil(date.year, date.month, 1);
  if (unit == "week") return days - (DayOfWeek(days) - 1);
  if (unit == "day") return days;
  return {};
}

int64_t NanosOf(std::string_view unit) {       // 0: not a unit of time
  if (unit == "hour") return 3600 * kNanosPerSecond;
  if (unit == "minute") return 60 * kNanosPerSecond;
  if (unit == "second") return kNanosPerSecond;
  if (unit == "millisecond") return 1'000'000;
  if (unit == "microsecond") return 1'000;
  return 0;
}

}  // namespace

Value InstantAs(Type type, const DateTime& instant, const Zone& zone) {
  DateTime t = AtInstant(instant.seconds, instant.nanos, zone);
  int64_t local = LocalSeconds(t);
  int64_t days = FloorDiv(local, kSecondsPerDay);
  int64_t nanos = (local - days * kSecondsPerDay) * kNanosPerSecond + t.nanos;
  switch (type) {
    case Type::kDate: return Value(Date{days});
    case Type::kLocalTime: return Value(LocalTime{nanos});
    case Type::kTime: return Value(Time{nanos, t.offset_seconds});
    case Type::kLocalDateTime: return Value(LocalDateTime{local, t.nanos});
    default: return Value(t);
  }
}

Result<Value> BuildFromMap(FunctionContext& context, Type type, const Map& fields) {
  RETURN_IF_ERROR(CheckFieldNames(fields));
  ASSIGN_OR_RETURN(std::optional<Zone> zone, TimeZoneField(fields));
  if (zone && fields.size() == 1) return InstantAs(type, context.statement_time, *zone);   // now, there
  if (fields.Find("epochSeconds") || fields.Find("epochMillis")) return FromEpoch(type, fields, zone);
  ASSIGN_OR_RETURN(std::optional<Parts> date, SelectedParts(fields, "date"));
  ASSIGN_OR_RETURN(std::optional<Parts> time, SelectedParts(fields, "time"));
  ASSIGN_OR_RETURN(std::optional<Parts> both, SelectedParts(fields, "datetime"));
  if (both && (date || time)) return BadArgument("the field datetime excludes the fields date and time");

  int64_t days = 0, nanos = 0;
  if (HasDate(type)) {
    Field base = date ? date->days : both ? both->days : Field();
    ASSIGN_OR_RETURN(days, BuildDays(fields, base));
  }
  if (HasTime(type)) {
    Field base = time ? time->nanos : both ? both->nanos.value_or(0) : Field();
    if (!HasDate(type) && !base && !fields.Find("hour")) return Missing("hour");
    ASSIGN_OR_RETURN(nanos, BuildNanos(fields, base, false));
  }
  // A selected time brings its zone along: `timezone` then shows that instant elsewhere. A time without a zone is
  // simply told in `timezone`.
  std::optional<Zone> selected = time ? time->zone : both ? both->zone : std::optional<Zone>();
  if (selected) return Assemble(context, type, days, nanos, *selected, true, zone);
  if (type == Type::kTime && zone) zone->offset_seconds = OffsetToday(context, *zone);
  return Assemble(context, type, days, nanos, zone.value_or(Zone{}), false, {});
}

Result<Value> ConvertInstant(Type type, const Value& other) {
  Parts parts = PartsOf(other);
  bool lacks_date = HasDate(type) && !parts.days, lacks_time = !HasDate(type) && !parts.nanos;
  if (lacks_date || lacks_time) {
    return WrongType("the conversion to " + std::string(TypeName(type)),
        lacks_date ? "a value with a date" : "a value with a time of day", other);
  }
  FunctionContext unused;
  return Assemble(unused, type, parts.days.value_or(0), parts.nanos.value_or(0), parts.zone.value_or(Zone{}), true, {});
}

Result<Value> TruncateInstant(FunctionContext& context, Type type, std::string_view unit, const Value& value, const Map& fields) {
  RETURN_IF_ERROR(CheckFieldNames(fields));
  Parts parts = PartsOf(value);
  int64_t unit_nanos = NanosOf(unit);
  bool date_unit = TruncateDays(unit, 0).has_value();
  if (!date_unit && unit_nanos == 0) {
    const std::string near = DidYouMean(unit, {"millennium", "century", "decade", "year", "weekYear", "quarter", "month", "week", "day", "hour",
                                               "minute", "second", "millisecond", "microsecond"});
    return BadArgument("there is no unit " + QuoteString(unit) + " to truncate to" + (near.empty() ? "; units go from 'millennium' to 'microsecond'" : near));
  }
  if (HasDate(type) && !parts.days) return WrongType("a truncation to " + std::string(TypeName(type)), "a value with a date", value);
  if (!HasDate(type) && date_unit && unit != "day") return BadArgument("a time of day can't be truncated to " + QuoteString(unit));
  if (!HasTime(type) && !date_unit) return BadArgument("a date can't be truncated to " + QuoteString(unit));
  int64_t days = parts.days.value_or(0), nanos = parts.nanos.value_or(0);
  if (HasDate(type)) {
    if (date_unit) days = *TruncateDays(unit, days);
    ASSIGN_OR_RETURN(days, BuildDays(fields, days));
  }
  if (HasTime(type)) {
    nanos = date_unit ? 0 : nanos - nanos % unit_nanos;
    ASSIGN_OR_RETURN(nanos, BuildNanos(fields, nanos, true));
  }
  ASSIGN_OR_RETURN(std::optional<Zone> zone, TimeZoneField(fields));
  if (zone && type == Type::kTime) zone->offset_seconds = OffsetToday(context, *zone);
  return Assemble(context, type, days, nanos, zone ? *zone : parts.zone.value_or(Zone{}), !zone, {});
}

Result<Duration> BuildDuration(const Map& fields) {
  struct Unit {
    std::string_view name;
    int group;                                 // 0 months, 1 days, 2 seconds, 3 nanoseconds
    long double factor;
  };
  constexpr Unit kUnits[] = {{"years", 0, 12}, {"quarters", 0, 3}, {"months", 0, 1}, {"weeks", 1, 7}, {"days", 1, 1},
                             {"hours", 2, 3600}, {"minutes", 2, 60}, {"seconds", 2, 1}, {"milliseconds", 3, 1'000'000},
                             {"microseconds", 3, 1'000}, {"nanoseconds", 3, 1}};
  long double groups[4] = {};
  if (fields.empty()) return BadArgument("duration() needs at least one field, such as days");
  for (const auto& [name, value] : fields) {
    auto unit = std::find_if(std::begin(kUnits), std::end(kUnits), [&, &key = name](const Unit& u) { return u.name == key; });
    if (unit == std::end(kUnits)) {
      std::vector<std::string> names;
      for (const Unit& u : kUnits) names.emplace_back(u.name);
      return BadArgument("a duration has no field " + QuoteName(name) + DidYouMeanOrAll(name, names));
    }
    if (!value.is_number()) return WrongType("the field " + name, "a number", value);
    long double number = value.type() == Type::kInteger ? static_cast<long double>(value.AsInteger()) : AsDecimal(value.AsFloat());
    groups[unit->group] += number * unit->factor;
  }
  return MakeFractionalDuration(groups[0], groups[1], groups[2], groups[3]);
}

}  // namespace fornix::engine
