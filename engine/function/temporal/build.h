// Dates and times made from maps of components ({year: 1984, week: 10}), selected from others ({date: d, hour: 12}),
// converted and truncated. One code path for all five types: days, time of day and zone are built apart and put together.
#pragma once

#include "engine/function/function.h"
#include "engine/function/temporal/parts.h"

namespace fornix::engine {

// What a type is made of.
inline bool HasDate(Type t) { return t == Type::kDate || t == Type::kLocalDateTime || t == Type::kDateTime; }
inline bool HasTime(Type t) { return t != Type::kDate; }
inline bool HasZone(Type t) { return t == Type::kTime || t == Type::kDateTime; }

// An instant of real time as one of the five types, told in a zone.
Value InstantAs(Type type, const DateTime& instant, const Zone& zone);
Result<Value> BuildFromMap(FunctionContext& context, Type type, const Map& fields);
Result<Value> ConvertInstant(Type type, const Value& other);
// Cuts `value` to `unit` ("year", "hour", ...) and then sets the given fields.
Result<Value> TruncateInstant(FunctionContext& context, Type type, std::string_view unit, const Value& value, const Map& fields);
Result<Duration> BuildDuration(const Map& fields);

}  // namespace fornix::engine
