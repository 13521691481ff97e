#include "engine/function/temporal/parse.h"

#include <cstdlib>
#include <optional>
#include <string>

#include "base/calendar.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/temporal/arithmetic.h"
#include "engine/function/temporal/zone.h"

namespace fornix::engine {
namespace {

// What is left of the text. The Take functions cut something off the front, or leave all as it was and say no.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}
  bool AtEnd() const { return rest_.empty(); }
  char Peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  std::string_view* rest() { return &rest_; }

  bool Take(char c) {
    if (Peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  size_t DigitsAhead() const {
    size_t n = 0;
    while (n < rest_.size() && rest_[n] >= '0' && rest_[n] <= '9') ++n;
    return n;
  }
  // Exactly `count` digits, at most 9.
  std::optional<int64_t> TakeDigits(size_t count) {
    if (DigitsAhead() < count) return {};
    int64_t number = 0;
    for (size_t i = 0; i < count; ++i) number = number * 10 + (rest_[i] - '0');
    rest_.remove_prefix(count);
    return number;
  }
  // "-12.5" as a decimal; a comma is as good as a point.
  std::optional<long double> TakeDecimal() {
    std::string number;
    size_t i = 0, digits = 0;
    if (i < rest_.size() && (rest_[i] == '-' || rest_[i] == '+')) number += rest_[i++];
    for (; i < rest_.size(); ++i) {
      char c = rest_[i] == ',' ? '.' : rest_[i];
      if (c == '.' && number.find('.') != std::string::npos) return {};
      if (c != '.' && (c < '0' || c > '9')) break;
      digits += c != '.';
      number += c;
    }
    if (digits == 0) return {};
    rest_.remove_prefix(i);
    return std::strtold(number.c_str(), nullptr);
  }

 private:
  std::string_view rest_;
};

// ---- dates. Each returns days since 1970-01-01, or nothing when the text isn't one or the day doesn't exist.

using Days = std::optional<int64_t>;

Days Calendar(int64_t year, int64_t month, int64_t day) {
  if (month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, static_cast<int>(month))) return {};
  return DaysFromCivil(year, static_cast<int>(month), static_cast<int>(day));
}

Days Ordinal(int64_t year, int64_t day) {
  if (day < 1 || day > DaysInYear(year)) return {};
  return DaysFromCivil(year, 1, 1) + day - 1;
}

Days TakeWeek(Scanner* in, int64_t year, bool extended) {
  std::optional<int64_t> week = in->TakeDigits(2);
  if (!week || *week < 1 || *week > WeeksInYear(year)) return {};
  int64_t day = 1;
  if (extended ? in->Take('-') : in->DigitsAhead() > 0) {
    std::optional<int64_t> given = in->TakeDigits(1);
    if (!given || *given < 1 || *given > 7) return {};
    day = *given;
  }
  return DaysFromWeek({year, static_cast<int>(*week), static_cast<int>(day)});
}

Days TakeQuarter(Scanner* in, int64_t year, bool extended) {
  std::optional<int64_t> quarter = in->TakeDigits(1);
  if (!quarter || *quarter < 1 || *quarter > 4) return {};
  int64_t day = 1;
  if (extended ? in->Take('-') : in->DigitsAhead() > 0) {
    std::optional<int64_t> given = in->TakeDigits(2);
    if (!given || *given < 1 || *given > DaysInQuarter(year, static_cast<int>(*quarter))) return {};
    day = *given;
  }
  return DaysFromCivil(year, static_cast<int>(*quarter) * 3 - 2, 1) + day - 1;
}

// What follows a year: "-07-21", "-W30-2", "W302", "-Q2-45", "-202", or nothing.
Days TakeRestOfDate(Scanner* in, int64_t year) {
  bool extended = in->Take('-');
  if (in->Take('W')) return TakeWeek(in, year, extended);
  if (in->Take('Q')) return TakeQuarter(in, year, extended);
  if (!extended) return Calendar(year, 1, 1);
  if (in->DigitsAhead() == 3) return Ordinal(year, *in->TakeDigits(3));
  std::optional<int64_t> month = in->TakeDigits(2);
  if (!month) return {};
  if (!in->Take('-')) return Calendar(year, *month, 1);
  std::optional<int64_t> day = in->TakeDigits(2);
  return day ? Calendar(year, *month, *day) : Days();
}

Days TakeDate(Scanner* in) {
  bool negative = in->Peek() == '-';
  if (negative || in->Peek() == '+') {
    in->Take(in->Peek());
    // With a sign the year may have up to nine digits, so there is no compact form.
    size_t digits = in->DigitsAhead();
    if (digits < 1 || digits > 9) return {};
    int64_t year = *in->TakeDigits(digits);
    return TakeRestOfDate(in, negative ? -year : year);
  }
  size_t digits = in->DigitsAhead();
  if (digits < 4) return {};
  int64_t year = *in->TakeDigits(4);
  switch (digits) {
    case 4: return TakeRestOfDate(in, year);
    case 6: return Calendar(year, *in->TakeDigits(2), 1);
    case 7: return Ordinal(year, *in->TakeDigits(3));
    case 8: {
      int64_t month = *in->TakeDigits(2);
      return Calendar(year, month, *in->TakeDigits(2));
    }
    default: return {};
  }
}

// "21", "21:40", "214032.142": nanoseconds since midnight.
std::optional<int64_t> TakeTime(Scanner* in) {
  std::optional<int64_t> hour = in->TakeDigits(2);
  if (!hour || *hour > 23) return {};
  int64_t minute = 0, second = 0, nanos = 0;
  bool extended = in->Peek() == ':';
  for (int64_t* unit : {&minute, &second}) {
    if (extended ? !in->Take(':') : in->DigitsAhead() == 0) break;
    std::optional<int64_t> given = in->TakeDigits(2);
    if (!given || *given > 59) return {};
    *unit = *given;
    if (unit == &second && (in->Take('.') || in->Take(','))) {
      size_t digits = in->DigitsAhead();
      if (digits < 1 || digits > 9) return {};
      nanos = *in->TakeDigits(digits);
      for (size_t i = digits; i < 9; ++i) nanos *= 10;
    }
  }
  return ((*hour * 60 + minute) * 60 + second) * kNanosPerSecond + nanos;
}

Status Unreadable(std::string_view text, std::string_view type, std::string_view example) {
  return BadArgument("can't read " + ToShortText(Value(text)) + " as a " + std::string(type) + "; an example is '" + std::string(example) + "'");
}

Result<Value> FinishDateTime(Scanner* in, std::string_view text, int64_t local_seconds, int32_t nanos) {
  std::optional<int32_t> offset = TakeOffset(in->rest());
  Zone zone{"", offset.value_or(0)};
  if (in->Take('[')) {
    size_t end = in->rest()->find(']');
    if (end == std::string_view::npos) return Unreadable(text, "ZONED DATETIME", "2015-07-21T21:40:32.142+02:00[Europe/Stockholm]");
    ASSIGN_OR_RETURN(zone, ParseZone(in->rest()->substr(0, end)));
    in->rest()->remove_prefix(end + 1);
  }
  if (!in->AtEnd()) return Unreadable(text, "ZONED DATETIME", "2015-07-21T21:40:32.142+02:00[Europe/Stockholm]");
  DateTime t = FromLocal(local_seconds, nanos, zone, offset);
  if (offset && zone.named() && t.offset_seconds != *offset) {
    return BadArgument("the offset in " + QuoteString(text) + " isn't the one " + zone.name + " has at that time, " +
                       FormatZoneOffset(t.offset_seconds));
  }
  return Value(t);
}

}  // namespace

Result<Value> ParseInstant(Type type, std::string_view text) {
  Scanner in(text);
  switch (type) {
    case Type::kDate: {
      Days days = TakeDate(&in);
      if (!days || !in.AtEnd()) return Unreadable(text, "DATE", "2015-07-21");
      return Value(Date{*days});
    }
    case Type::kLocalTime: {
      std::optional<int64_t> nanos = TakeTime(&in);
      if (!nanos || !in.AtEnd()) return Unreadable(text, "LOCAL TIME", "21:40:32.142");
      return Value(LocalTime{*nanos});
    }
    case Type::kTime: {
      std::optional<int64_t> nanos = TakeTime(&in);
      std::optional<int32_t> offset = in.AtEnd() ? 0 : TakeOffset(in.rest());
      if (!nanos || !offset || !in.AtEnd()) return Unreadable(text, "ZONED TIME", "21:40:32.142+01:00");
      return Value(Time{*nanos, *offset});
    }
    default: break;
  }
  Days days = TakeDate(&in);
  std::optional<int64_t> nanos = 0;
  if (days && in.Take('T')) nanos = TakeTime(&in);
  if (!days || !nanos || (type == Type::kLocalDateTime && !in.AtEnd())) {
    return type == Type::kLocalDateTime ? Unreadable(text, "LOCAL DATETIME", "2015-07-21T21:40:32.142")
                                        : Unreadable(text, "ZONED DATETIME", "2015-07-21T21:40:32.142+02:00[Europe/Stockholm]");
  }
  int64_t seconds = *days * kSecondsPerDay + *nanos / kNanosPerSecond;
  int32_t fraction = static_cast<int32_t>(*nanos % kNanosPerSecond);
  if (type == Type::kLocalDateTime) return Value(LocalDateTime{seconds, fraction});
  return FinishDateTime(&in, text, seconds, fraction);
}

namespace {

struct DurationParts {
  long double months = 0, days = 0, seconds = 0;
};

// "1Y2M3W4DT5H6M7.8S" behind the P: units in this order, each at most once, and at least one.
std::optional<DurationParts> TakeUnits(Scanner* in) {
  struct Unit {
    char letter;
    bool time;
    long double DurationParts::*target;
    long double factor;
  };
  constexpr Unit kUnits[] = {
      {'Y', false, &DurationParts::months, 12}, {'M', false, &DurationParts::months, 1}, {'W', false, &DurationParts::days, 7},
      {'D', false, &DurationParts::days, 1},    {'H', true, &DurationParts::seconds, 3600}, {'M', true, &DurationParts::seconds, 60},
      {'S', true, &DurationParts::seconds, 1}};
  DurationParts parts;
  size_t next = 0, found = 0;
  bool time = false;
  while (!in->AtEnd()) {
    if (!time && in->Take('T')) {
      time = true;
      if (in->AtEnd()) return {};
    }
    std::optional<long double> number = in->TakeDecimal();
    if (!number) return {};
    while (next < std::size(kUnits) && (kUnits[next].time != time || kUnits[next].letter != in->Peek())) ++next;
    if (next == std::size(kUnits)) return {};
    in->Take(in->Peek());
    parts.*kUnits[next].target += *number * kUnits[next].factor;
    ++next;
    ++found;
  }
  return found > 0 ? std::optional(parts) : std::nullopt;
}

// "2012-02-02T14:37:21.545" behind the P.
std::optional<DurationParts> TakeDateForm(Scanner* in) {
  std::optional<int64_t> year = in->TakeDigits(4);
  if (!year || !in->Take('-')) return {};
  std::optional<int64_t> month = in->TakeDigits(2);
  if (!month || *month > 12 || !in->Take('-')) return {};
  std::optional<int64_t> day = in->TakeDigits(2);
  if (!day || *day > 31) return {};
  DurationParts parts{static_cast<long double>(*year * 12 + *month), static_cast<long double>(*day), 0};
  if (in->Take('T')) {
    std::optional<int64_t> nanos = TakeTime(in);
    if (!nanos) return {};
    parts.seconds = static_cast<long double>(*nanos) / kNanosPerSecond;
  }
  return in->AtEnd() ? std::optional(parts) : std::nullopt;
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  Scanner in(text);
  long double sign = 1;
  if (in.Peek() == '-' || in.Peek() == '+') {
    if (in.Peek() == '-') sign = -1;
    in.Take(in.Peek());
  }
  std::optional<DurationParts> parts;
  if (in.Take('P')) {
    Scanner date_form = in;
    parts = TakeDateForm(&date_form);
    if (!parts) parts = TakeUnits(&in);
  }
  if (!parts) return Unreadable(text, "DURATION", "P1Y2M10DT2H30M5.5S");
  return MakeFractionalDuration(sign * parts->months, sign * parts->days, sign * parts->seconds, 0);
}

}  // namespace fornix::engine
