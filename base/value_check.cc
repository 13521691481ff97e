#include "base/value_check.h"

#include <cmath>

#include "base/calendar.h"
#include "base/utf8.h"

namespace fornix {
namespace {

bool DayInRange(int64_t days) { return days >= DaysMin() && days <= DaysMax(); }
bool SecondInRange(int64_t seconds) { return DayInRange(FloorDiv(seconds, kSecondsPerDay)); }
bool NanosInRange(int32_t nanos) { return nanos >= 0 && nanos < kNanosPerSecond; }
bool TimeOfDayInRange(int64_t nanos) { return nanos >= 0 && nanos < kNanosPerDay; }
bool OffsetInRange(int32_t offset) { return offset >= -kOffsetSecondsMax && offset <= kOffsetSecondsMax; }

constexpr char kYears[] = "it lies outside the years -999999999 to +999999999";
constexpr char kDay[] = "its time of day isn't within 24 hours";
constexpr char kNanos[] = "its nanoseconds aren't 0 to 999999999";
constexpr char kOffset[] = "its offset is more than 18 hours";

std::string WrongPoint(const Point& p) {
  bool geographic = p.srid == 4326 || p.srid == 4979;
  if (!geographic && p.srid != 7203 && p.srid != 9157) return "its srid " + std::to_string(p.srid) + " is unknown";
  if (!std::isfinite(p.x) || !std::isfinite(p.y) || (p.has_z() && !std::isfinite(p.z))) return "its coordinates aren't finite";
  if (geographic && (p.y < -90 || p.y > 90)) return "its latitude isn't -90 to 90";
  return {};
}

}  // namespace

std::string WhatIsWrong(const Value& v) {
  switch (v.type()) {
    case Type::kString: {
      const size_t whole = Utf8Prefix(v.AsString());
      return whole == v.AsString().size() ? "" : "it isn't UTF-8 from its byte " + std::to_string(whole) + " on";
    }
    case Type::kDate: return DayInRange(v.AsDate().days) ? "" : kYears;
    case Type::kLocalTime: return TimeOfDayInRange(v.AsLocalTime().nanos) ? "" : kDay;
    case Type::kTime:
      if (!OffsetInRange(v.AsTime().offset_seconds)) return kOffset;
      return TimeOfDayInRange(v.AsTime().nanos) ? "" : kDay;
    case Type::kLocalDateTime:
      if (!NanosInRange(v.AsLocalDateTime().nanos)) return kNanos;
      return SecondInRange(v.AsLocalDateTime().seconds) ? "" : kYears;
    case Type::kDateTime: {
      const DateTime& t = v.AsDateTime();
      if (!NanosInRange(t.nanos)) return kNanos;
      if (!OffsetInRange(t.offset_seconds)) return kOffset;
      if (!IsUtf8(t.zone)) return "its zone isn't UTF-8";
      // The instant first: then adding the offset can't overflow.
      return SecondInRange(t.seconds) && SecondInRange(t.seconds + t.offset_seconds) ? "" : kYears;
    }
    case Type::kDuration: return NanosInRange(v.AsDuration().nanos) ? "" : kNanos;
    case Type::kPoint: return WrongPoint(v.AsPoint());
    default: return {};
  }
}

}  // namespace fornix
