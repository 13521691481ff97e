#include "engine/function/temporal/arithmetic.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/calendar.h"
#include "engine/function/errors.h"
#include "engine/function/temporal/zone.h"

namespace fornix::engine {
namespace {

constexpr int64_t kSecondsPerMonth = 2'629'746;
// A division gives 0.49999... where 0.5 is meant; a hair of a nanosecond decides which whole number is cut to.
constexpr long double kHair = 0.05L;

bool Fits(__int128 v) { return v >= std::numeric_limits<int64_t>::min() && v <= std::numeric_limits<int64_t>::max(); }
Status DurationTooLong() { return OutOfRange("the duration is too long: months, days and seconds must each fit 64 bits"); }
Status InstantOutOfRange() { return OutOfRange("the result is outside the years -999999999 to +999999999"); }

// A date moved by months and days, checked.
Result<int64_t> MoveDays(int64_t days, int64_t months, __int128 more_days) {
  constexpr int64_t kMonthsMax = 12 * 2 * kYearMax;          // farther than from one end of the calendar to the other
  if (months > kMonthsMax || months < -kMonthsMax) return InstantOutOfRange();
  __int128 result = AddMonths(days, months) + more_days;
  if (result < DaysMin() || result > DaysMax()) return InstantOutOfRange();
  return static_cast<int64_t>(result);
}

struct Moved {
  int64_t seconds;
  int32_t nanos;
};

Result<Moved> MoveSeconds(int64_t seconds, int32_t nanos, const Duration& d) {
  int64_t sum_nanos = int64_t{nanos} + d.nanos;
  __int128 sum = static_cast<__int128>(seconds) + d.seconds + sum_nanos / kNanosPerSecond;
  if (!Fits(sum)) return InstantOutOfRange();
  int64_t days = FloorDiv(static_cast<int64_t>(sum), kSecondsPerDay);
  if (days < DaysMin() || days > DaysMax()) return InstantOutOfRange();
  return Moved{static_cast<int64_t>(sum), static_cast<int32_t>(sum_nanos % kNanosPerSecond)};
}

int64_t MoveTimeOfDay(int64_t nanos, const Duration& d) {
  int64_t step = (d.seconds % kSecondsPerDay) * kNanosPerSecond + d.nanos;
  return FloorMod(nanos + step, kNanosPerDay);
}

Result<Moved> MoveLocal(int64_t seconds, int32_t nanos, const Duration& d) {
  int64_t days = FloorDiv(seconds, kSecondsPerDay);
  ASSIGN_OR_RETURN(int64_t moved, MoveDays(days, d.months, d.days));
  return Moved{moved * kSecondsPerDay + (seconds - days * kSecondsPerDay), nanos};
}

}  // namespace

long double AsDecimal(double d) {
  char buffer[40];
  *std::to_chars(buffer, buffer + sizeof(buffer) - 1, d).ptr = 0;
  return std::strtold(buffer, nullptr);
}

Result<Duration> MakeDuration(__int128 months, __int128 days, __int128 seconds, __int128 nanos) {
  __int128 carry = nanos / kNanosPerSecond;
  nanos -= carry * kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    carry -= 1;
  }
  seconds += carry;
  if (!Fits(months) || !Fits(days) || !Fits(seconds)) return DurationTooLong();
  return Duration{static_cast<int64_t>(months), static_cast<int64_t>(days), static_cast<int64_t>(seconds), static_cast<int32_t>(nanos)};
}

Result<Duration> MakeFractionalDuration(long double months, long double days, long double seconds, long double nanos) {
  for (long double part : {months, days, seconds, nanos}) {
    if (!(std::fabs(part) < 9.2e18L)) return DurationTooLong();   // NaN too
  }
  long double whole_months = std::trunc(months);
  long double month_seconds = (months - whole_months) * kSecondsPerMonth;
  long double month_days = std::trunc(month_seconds / kSecondsPerDay);
  long double whole_days = std::trunc(days);
  long double day_seconds = (days - whole_days) * kSecondsPerDay + (month_seconds - month_days * kSecondsPerDay);
  long double whole_seconds = std::trunc(seconds) + std::trunc(day_seconds);
  nanos += ((seconds - std::trunc(seconds)) + (day_seconds - std::trunc(day_seconds))) * kNanosPerSecond;
  long double whole_nanos = std::trunc(nanos + (nanos < 0 ? -kHair : kHair));
  return MakeDuration(static_cast<__int128>(whole_months), static_cast<__int128>(whole_days) + static_cast<__int128>(month_days),
                      static_cast<__int128>(whole_seconds), static_cast<__int128>(whole_nanos));
}

Result<Duration> AddDurations(const Duration& a, const Duration& b) {
  return MakeDuration(static_cast<__int128>(a.months) + b.months, static_cast<__int128>(a.days) + b.days,
                      static_cast<__int128>(a.seconds) + b.seconds, static_cast<__int128>(a.nanos) + b.nanos);
}

Result<Duration> Negated(const Duration& d) {
  return MakeDuration(-static_cast<__int128>(d.months), -static_cast<__int128>(d.days), -static_cast<__int128>(d.seconds), -d.nanos);
}

Result<Duration> Times(const Duration& d, const Value& number) {
  if (number.type() == Type::kInteger) {
    __int128 n = number.AsInteger();
    __int128 months = d.months * n, days = d.days * n, seconds = d.seconds * n;
    return MakeDuration(months, days, seconds, d.nanos * n);
  }
  long double f = AsDecimal(number.AsFloat());
  return MakeFractionalDuration(d.months * f, d.days * f, d.seconds * f, d.nanos * f);
}

Result<Duration> DividedBy(const Duration& d, const Value& number) {
  long double f = number.type() == Type::kInteger ? static_cast<long double>(number.AsInteger()) : AsDecimal(number.AsFloat());
  if (f == 0) return Status(Code::kArithmeticError, "a duration can't be divided by zero").Detail("DivisionByZero");
  return MakeFractionalDuration(d.months / f, d.days / f, d.seconds / f, d.nanos / f);
}

Result<Value> AddToInstant(const Value& instant, const Duration& d) {
  switch (instant.type()) {
    case Type::kDate: {
      ASSIGN_OR_RETURN(int64_t days, MoveDays(instant.AsDate().days, d.months, static_cast<__int128>(d.days) + d.seconds / kSecondsPerDay));
      return Value(Date{days});
    }
    case Type::kLocalTime: return Value(LocalTime{MoveTimeOfDay(instant.AsLocalTime().nanos, d)});
    case Type::kTime: {
      Time t = instant.AsTime();
      t.nanos = MoveTimeOfDay(t.nanos, d);
      return Value(t);
    }
    case Type::kLocalDateTime: {
      const LocalDateTime& t = instant.AsLocalDateTime();
      ASSIGN_OR_RETURN(Moved local, MoveLocal(t.seconds, t.nanos, d));
      ASSIGN_OR_RETURN(Moved moved, MoveSeconds(local.seconds, local.nanos, d));
      return Value(LocalDateTime{moved.seconds, moved.nanos});
    }
    case Type::kDateTime: {
      DateTime t = instant.AsDateTime();
      if (d.months != 0 || d.days != 0) {
        ASSIGN_OR_RETURN(Moved local, MoveLocal(LocalSeconds(t), t.nanos, d));
        t = FromLocal(local.seconds, local.nanos, ZoneOf(t), t.offset_seconds);
      }
      ASSIGN_OR_RETURN(Moved moved, MoveSeconds(t.seconds, t.nanos, d));
      return Value(AtInstant(moved.seconds, moved.nanos, ZoneOf(t)));
    }
    default: return WrongType("a date or time", "a DURATION to be added", instant);
  }
}

}  // namespace fornix::engine
