// The temporal functions by name: date(), datetime.truncate(), duration.between() and their kin.
#include <chrono>

#include "base/calendar.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"
#include "engine/function/temporal/arithmetic.h"
#include "engine/function/temporal/build.h"
#include "engine/function/temporal/parse.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

template <Type kType>
Result<Value> Make(FunctionContext& context, Arguments a) {
  if (a.empty()) return InstantAs(kType, context.statement_time, Zone{});
  const Value& input = a[0];
  if (input.is_null()) return Value();
  if (input.type() == Type::kString) return ParseInstant(kType, input.AsString());
  if (input.type() == Type::kMap) return BuildFromMap(context, kType, input.AsMap());
  if (IsInstant(input)) return ConvertInstant(kType, input);
  return WrongType("the " + std::string(TypeName(kType)) + " function", "a STRING, a MAP or a date or time", input);
}

// The clock at `instant`, told in the zone that the argument names.
Result<Value> Clock(Type type, const DateTime& instant, Arguments a) {
  Zone zone;
  if (!a.empty()) {
    if (a[0].is_null()) return Value();
    if (a[0].type() != Type::kString) return WrongType("the clock", "a time zone as a STRING", a[0]);
    ASSIGN_OR_RETURN(zone, ParseZone(a[0].AsString()));
  }
  return InstantAs(type, instant, zone);
}

template <Type kType>
Result<Value> StatementClock(FunctionContext& context, Arguments a) { return Clock(kType, context.statement_time, a); }
template <Type kType>
Result<Value> TransactionClock(FunctionContext& context, Arguments a) { return Clock(kType, context.transaction_time, a); }
template <Type kType>
Result<Value> RealClock(FunctionContext&, Arguments a) {
  int64_t nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  DateTime now{FloorDiv(nanos, kNanosPerSecond), static_cast<int32_t>(FloorMod(nanos, kNanosPerSecond)), 0, ""};
  return Clock(kType, now, a);
}

template <Type kType>
Result<Value> Truncate(FunctionContext& context, Arguments a) {
  for (const Value& v : a) {
    if (v.is_null()) return Value();
  }
  if (a[0].type() != Type::kString) return WrongType("truncate()", "a unit as a STRING", a[0]);
  Value input = a.size() > 1 ? a[1] : InstantAs(kType, context.statement_time, Zone{});
  if (!IsInstant(input)) return WrongType("truncate()", "a date or time", input);
  if (a.size() > 2 && a[2].type() != Type::kMap) return WrongType("truncate()", "a MAP of fields", a[2]);
  return TruncateInstant(context, kType, a[0].AsString(), input, a.size() > 2 ? a[2].AsMap() : Map());
}

Result<Value> AsValue(Result<Duration> d) {
  if (!d.ok()) return d.status();
  return Value(*d);
}

Result<Value> MakeDurationValue(FunctionContext&, Arguments a) {
  switch (a[0].type()) {
    case Type::kNull: case Type::kDuration: return a[0];
    case Type::kString: return AsValue(ParseDuration(a[0].AsString()));
    case Type::kMap: return AsValue(BuildDuration(a[0].AsMap()));
    default: return WrongType("duration()", "a STRING, a MAP or a DURATION", a[0]);
  }
}

template <DurationUnit kUnit>
Result<Value> DurationBetween(FunctionContext&, Arguments a) {
  if (a[0].is_null() || a[1].is_null()) return Value();
  return AsValue(Between(a[0], a[1], kUnit));
}

Result<Value> FromEpoch(FunctionContext& context, Arguments a) {
  if (a[0].is_null() || a[1].is_null()) return Value();
  return BuildFromMap(context, Type::kDateTime, Map{{"epochSeconds", a[0]}, {"nanosecond", a[1]}});
}

Result<Value> FromEpochMillis(FunctionContext& context, Arguments a) {
  if (a[0].is_null()) return Value();
  return BuildFromMap(context, Type::kDateTime, Map{{"epochMillis", a[0]}});
}

template <Type kType>
void AddInstant(FunctionRegistry* r, std::string name) {
  std::string type(TypeName(kType));
  auto add = [&](const std::string& suffix, const std::string& arguments, const std::string& description, ScalarFunction f,
                 std::initializer_list<FunctionTrait> traits = {}) {
    r->Scalar(name + suffix + "(" + arguments + ") :: " + type, description, f, traits);
  };
  add("", "[input :: STRING | MAP | TEMPORAL]", "Makes a " + type +
      " from text, components or another value; without input, the current one.", Make<kType>);
  add(".statement", "[timezone :: STRING]", "The current " + type + " as the statement's clock shows it.", StatementClock<kType>);
  add(".transaction", "[timezone :: STRING]", "The current " + type + " as the transaction's clock shows it.", TransactionClock<kType>);
  add(".realtime", "[timezone :: STRING]", "The current " + type + " at the moment of the call.", RealClock<kType>,
      {FunctionTrait::kNotDeterministic});
  add(".truncate", "unit :: STRING, [input :: TEMPORAL], [fields :: MAP]", "Cuts a value to a unit, then sets the given fields.",
      Truncate<kType>);
}

}  // namespace

void AddTemporalFunctions(FunctionRegistry* r) {
  r->Category("Temporal");
  AddInstant<Type::kDate>(r, "date");
  AddInstant<Type::kLocalTime>(r, "localtime");
  AddInstant<Type::kTime>(r, "time");
  AddInstant<Type::kLocalDateTime>(r, "localdatetime");
  AddInstant<Type::kDateTime>(r, "datetime");
  r->Scalar("datetime.fromEpoch(seconds :: INTEGER, nanoseconds :: INTEGER) :: ZONED DATETIME",
            "The datetime so many seconds and nanoseconds after 1970-01-01T00:00Z.", FromEpoch);
  r->Scalar("datetime.fromEpochMillis(milliseconds :: INTEGER) :: ZONED DATETIME",
            "The datetime so many milliseconds after 1970-01-01T00:00Z.", FromEpochMillis);
  r->Scalar("duration(input :: STRING | MAP | DURATION) :: DURATION", "Makes a duration from ISO text or components.", MakeDurationValue);
  r->Scalar("duration.between(from :: TEMPORAL, to :: TEMPORAL) :: DURATION", "The distance in months, days and seconds.",
            DurationBetween<DurationUnit::kAll>);
  r->Scalar("duration.inMonths(from :: TEMPORAL, to :: TEMPORAL) :: DURATION", "The distance in whole months.",
            DurationBetween<DurationUnit::kMonths>);
  r->Scalar("duration.inDays(from :: TEMPORAL, to :: TEMPORAL) :: DURATION", "The distance in whole days.",
            DurationBetween<DurationUnit::kDays>);
  r->Scalar("duration.inSeconds(from :: TEMPORAL, to :: TEMPORAL) :: DURATION", "The distance in seconds.",
            DurationBetween<DurationUnit::kSeconds>);
}

}  // namespace fornix::engine
