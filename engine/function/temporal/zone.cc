#include "engine/function/temporal/zone.h"

#include <date/tz.h>

#include <algorithm>
#include <cstdlib>

#include "base/calendar.h"
#include "base/value_check.h"
#include "base/value_format.h"
#include "engine/function/errors.h"

namespace fornix::engine {
namespace {

constexpr int64_t kYearRulesEnd = 2037;      // the zone data lists changes up to here
constexpr int64_t kYearLibraryMin = -30'000; // date::year is 16 bits

// Seconds to add to a time so that it falls into a year whose rules are known: for a later year, the year of 2010..2037
// that begins on the same weekday and has as many days, so that "last Sunday of March" is the same day.
int64_t ShiftIntoKnownYears(int64_t seconds) {
  int64_t days = FloorDiv(seconds, kSecondsPerDay);
  int64_t year = CivilFromDays(days).year;
  if (year < kYearLibraryMin) {
    return (DaysFromCivil(kYearLibraryMin, 1, 1) - days) * kSecondsPerDay;
  }
  if (year <= kYearRulesEnd) return 0;
  int64_t first = DaysFromCivil(year, 1, 1);
  for (int64_t known = kYearRulesEnd - 27; known <= kYearRulesEnd; ++known) {
    int64_t first_known = DaysFromCivil(known, 1, 1);
    if (DaysInYear(known) == DaysInYear(year) && DayOfWeek(first_known) == DayOfWeek(first)) {
      return (first_known - first) * kSecondsPerDay;
    }
  }
  return 0;
}

const date::time_zone* Locate(const std::string& name) {
  try {
    return date::locate_zone(name);
  } catch (const std::exception&) {          // no such zone, or no zone data on this machine
    return nullptr;
  }
}

int32_t OffsetAt(const Zone& zone, int64_t utc_seconds) {
  const date::time_zone* rules = zone.named() ? Locate(zone.name) : nullptr;
  if (rules == nullptr) return zone.offset_seconds;
  date::sys_seconds when{std::chrono::seconds{utc_seconds + ShiftIntoKnownYears(utc_seconds)}};
  return static_cast<int32_t>(rules->get_info(when).offset.count());
}

std::optional<int> TakeTwoDigits(std::string_view* text) {
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text->size() < 2 || !digit((*text)[0]) || !digit((*text)[1])) return {};
  int number = ((*text)[0] - '0') * 10 + ((*text)[1] - '0');
  text->remove_prefix(2);
  return number;
}

}  // namespace

std::optional<int32_t> TakeOffset(std::string_view* text) {
  if (text->empty()) return {};
  std::string_view rest = *text;
  char sign = rest[0];
  rest.remove_prefix(1);
  if (sign == 'Z' || sign == 'z') {
    *text = rest;
    return 0;
  }
  if (sign != '+' && sign != '-') return {};
  std::optional<int> hours = TakeTwoDigits(&rest);
  if (!hours) return {};
  int32_t seconds = *hours * 3600;
  for (int unit : {60, 1}) {
    std::string_view next = rest;
    if (!next.empty() && next[0] == ':') next.remove_prefix(1);
    std::optional<int> number = TakeTwoDigits(&next);
    if (!number) break;
    if (*number > 59) return {};
    seconds += *number * unit;
    rest = next;
  }
  if (seconds > kOffsetSecondsMax) return {};
  *text = rest;
  return sign == '-' ? -seconds : seconds;
}

Result<Zone> ParseZone(std::string_view text) {
  std::string_view rest = text;
  if (std::optional<int32_t> offset = TakeOffset(&rest); offset && rest.empty()) return Zone{"", *offset};
  std::string name(text);
  if (name.empty() || Locate(name) == nullptr) {
    return BadArgument("there is no time zone " + QuoteString(text) + "; write an offset like '+01:00' or a name like 'Europe/Stockholm'");
  }
  return Zone{std::move(name), 0};
}

DateTime AtInstant(int64_t utc_seconds, int32_t nanos, const Zone& zone) {
  return {utc_seconds, nanos, OffsetAt(zone, utc_seconds), zone.name};
}

DateTime FromLocal(int64_t local_seconds, int32_t nanos, const Zone& zone, std::optional<int32_t> preferred_offset) {
  const date::time_zone* rules = zone.named() ? Locate(zone.name) : nullptr;
  if (rules == nullptr) return {local_seconds - zone.offset_seconds, nanos, zone.offset_seconds, zone.name};
  int64_t shift = ShiftIntoKnownYears(local_seconds);
  date::local_info info = rules->get_info(date::local_seconds{std::chrono::seconds{local_seconds + shift}});
  int32_t first = static_cast<int32_t>(info.first.offset.count());
  int32_t second = static_cast<int32_t>(info.second.offset.count());
  switch (info.result) {
    case date::local_info::nonexistent:      // read with the offset before the gap, told with the one after it
      return {local_seconds - first, nanos, second, zone.name};
    case date::local_info::ambiguous:
      if (preferred_offset == second) return {local_seconds - second, nanos, second, zone.name};
      return {local_seconds - first, nanos, first, zone.name};
    default: return {local_seconds - first, nanos, first, zone.name};
  }
}

std::string FormatZoneOffset(int32_t offset_seconds) {
  return FormatTime(Time{0, offset_seconds}).substr(5);   // behind "00:00"
}

}  // namespace fornix::engine
