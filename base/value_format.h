// Values as text.
//   ToText(v)        what a person reads and Cypher's literal syntax: 'text', [1, 2], {a: 1}, (:L {p: 1}), [:T], temporal as ISO.
//   ToShortText(v)  the same, cut to so many bytes with "..." at its end: for messages. Looks at no more of a long value than it shows.
//   ToDisplay(v)     the same, but a string at the top level stands without quotes (toString, tables).
//   FormatFloat(d)   shortest text that reads back as the same double, always with a "." in it: 1.0, 1.0E-7, NaN, Infinity.
//   Temporal values  ISO 8601 as Cypher's toString() writes them (durations in normal form, e.g. P1Y2M10DT2H30M).
#pragma once

#include <string>

#include "fornix/value.h"

namespace fornix {

std::string ToText(const Value& v);
std::string ToShortText(const Value& v, size_t bytes_max = 80);
std::string ToDisplay(const Value& v);
std::string FormatFloat(double d);
std::string FormatDate(Date d);
std::string FormatLocalTime(LocalTime t);
std::string FormatTime(const Time& t);
std::string FormatLocalDateTime(const LocalDateTime& t);
std::string FormatDateTime(const DateTime& t);
std::string FormatDuration(const Duration& d);
std::string FormatPoint(const Point& p);
// 'a\'b' with Cypher's escapes; `name` in backticks only where needed.
std::string QuoteString(std::string_view s);
std::string QuoteName(std::string_view name);

}  // namespace fornix
