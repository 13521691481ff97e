// Text of values. Whatever is written here reads back as the same value where Cypher has a literal for it.
#include "base/value_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/calendar.h"
#include "base/interrupt.h"

namespace fornix {
namespace {

// At least `width` digits of a number that isn't negative.
void AppendPadded(std::string* out, int64_t number, size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) out->append(width - digits.size(), '0');
  *out += digits;
}

// ".645" for 645,000,000: no zeros at the end, and nothing at all for 0.
void AppendFraction(std::string* out, int64_t nanos) {
  if (nanos == 0) return;
  std::string digits = std::to_string(nanos);
  digits.insert(0, 9 - digits.size(), '0');
  digits.erase(digits.find_last_not_of('0') + 1);
  *out += '.';
  *out += digits;
}

void AppendDate(std::string* out, int64_t days) {
  CivilDate date = CivilFromDays(days);
  if (date.year > 9999) *out += '+';                         // ISO wants a sign where a year has more than four digits
  if (date.year < 0) *out += '-';
  AppendPadded(out, std::abs(date.year), 4);
  *out += '-';
  AppendPadded(out, date.month, 2);
  *out += '-';
  AppendPadded(out, date.day, 2);
}

void AppendTime(std::string* out, int64_t nanos) {
  int64_t seconds = nanos / kNanosPerSecond;
  AppendPadded(out, seconds / 3600, 2);
  *out += ':';
  AppendPadded(out, seconds / 60 % 60, 2);
  if (seconds % 60 == 0 && nanos % kNanosPerSecond == 0) return;
  *out += ':';
  AppendPadded(out, seconds % 60, 2);
  AppendFraction(out, nanos % kNanosPerSecond);
}

void AppendLocal(std::string* out, int64_t seconds, int32_t nanos) {
  int64_t days = FloorDiv(seconds, kSecondsPerDay);
  AppendDate(out, days);
  *out += 'T';
  AppendTime(out, (seconds - days * kSecondsPerDay) * kNanosPerSecond + nanos);
}

// All of these stop when `out` has grown to `most` bytes, or a little more.
void AppendText(std::string* out, const Value& v, size_t most);

void AppendList(std::string* out, const List& list, size_t most) {
  *out += '[';
  for (size_t i = 0; i < list.size() && out->size() < most; ++i) {
    CountEntry(i, list.size());
    if (i > 0) *out += ", ";
    AppendText(out, list[i], most);
  }
  *out += ']';
}

void AppendMap(std::string* out, const Map& map, size_t most) {
  *out += '{';
  bool first = true;
  for (const auto& [key, value] : map) {
    if (out->size() >= most) break;
    if (!first) *out += ", ";
    first = false;
    *out += QuoteName(key);
    *out += ": ";
    AppendText(out, value, most);
  }
  *out += '}';
}

void AppendNode(std::string* out, const Node& node, size_t most) {
  *out += '(';
  for (const std::string& label : node.labels) {
    *out += ':';
    *out += QuoteName(label);
  }
  if (!node.properties.empty()) {
    if (!node.labels.empty()) *out += ' ';
    AppendMap(out, node.properties, most);
  }
  *out += ')';
}

void AppendRelationship(std::string* out, const Relationship& relationship, size_t most) {
  *out += "[:";
  *out += QuoteName(relationship.type);
  if (!relationship.properties.empty()) {
    *out += ' ';
    AppendMap(out, relationship.properties, most);
  }
  *out += ']';
}

uint64_t NodeIdOf(const Value& v) { return v.type() == Type::kNode ? v.AsNode().id : v.AsNodeRef(); }

// A relationship that is known only by its id shows no direction.
void AppendPath(std::string* out, const Path& path, size_t most) {
  *out += '<';
  for (size_t i = 0; i < path.nodes.size() && out->size() < most; ++i) {
    CountEntry(i, path.nodes.size());
    AppendText(out, path.nodes[i], most);
    if (i >= path.relationships.size()) break;
    const Value& step = path.relationships[i];
    bool known = step.type() == Type::kRelationship;
    bool forward = known && step.AsRelationship().start == NodeIdOf(path.nodes[i]);
    *out += known && !forward ? "<-" : "-";
    AppendText(out, step, most);
    *out += forward ? "->" : "-";
  }
  *out += '>';
}

std::string FormatOffset(int32_t offset) {
  if (offset == 0) return "Z";
  std::string out = offset < 0 ? "-" : "+";
  int32_t rest = std::abs(offset);
  AppendPadded(&out, rest / 3600, 2);
  out += ':';
  AppendPadded(&out, rest / 60 % 60, 2);
  if (rest % 60 != 0) {
    out += ':';
    AppendPadded(&out, rest % 60, 2);
  }
  return out;
}

void AppendUnit(std::string* out, int64_t number, char unit) {
  if (number == 0) return;
  *out += std::to_string(number);
  *out += unit;
}

}  // namespace

std::string FormatFloat(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d < 0 ? "-Infinity" : "Infinity";
  char buffer[40];
  double size = std::fabs(d);
  if (size == 0 || (size >= 1e-3 && size < 1e7)) {
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), d, std::chars_format::fixed).ptr;
    std::string out(buffer, end);
    return out.find('.') == std::string::npos ? out + ".0" : out;
  }
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), d, std::chars_format::scientific).ptr;
  std::string text(buffer, end);                             // "1e-07", "-2.5e+30"
  size_t e = text.find('e');
  std::string out = text.substr(0, e);
  if (out.find('.') == std::string::npos) out += ".0";
  int exponent = 0;
  const char* digits = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits, text.data() + text.size(), exponent);
  return out + "E" + std::to_string(exponent);
}

std::string FormatDate(Date d) {
  std::string out;
  AppendDate(&out, d.days);
  return out;
}

std::string FormatLocalTime(LocalTime t) {
  std::string out;
  AppendTime(&out, t.nanos);
  return out;
}

std::string FormatTime(const Time& t) {
  std::string out;
  AppendTime(&out, t.nanos);
  return out + FormatOffset(t.offset_seconds);
}

std::string FormatLocalDateTime(const LocalDateTime& t) {
  std::string out;
  AppendLocal(&out, t.seconds, t.nanos);
  return out;
}

std::string FormatDateTime(const DateTime& t) {
  std::string out;
  AppendLocal(&out, t.seconds + t.offset_seconds, t.nanos);
  out += FormatOffset(t.offset_seconds);
  if (!t.zone.empty()) {
    out += '[';
    out += t.zone;
    out += ']';
  }
  return out;
}

std::string FormatDuration(const Duration& d) {
  std::string date, time;
  AppendUnit(&date, d.months / 12, 'Y');
  AppendUnit(&date, d.months % 12, 'M');
  AppendUnit(&date, d.days, 'D');
  // seconds is a floor and nanos never negative; as text, both carry the same sign: -2 s + 0.999 s is -1.001 s.
  int64_t seconds = d.seconds, nanos = d.nanos;
  if (seconds < 0 && nanos > 0) {
    seconds += 1;
    nanos -= kNanosPerSecond;
  }
  AppendUnit(&time, seconds / 3600, 'H');
  AppendUnit(&time, seconds % 3600 / 60, 'M');
  int64_t rest = seconds % 60;
  if (rest != 0 || nanos != 0) {
    if (rest < 0 || nanos < 0) time += '-';
    time += std::to_string(std::abs(rest));
    AppendFraction(&time, std::abs(nanos));
    time += 'S';
  }
  if (date.empty() && time.empty()) return "PT0S";
  return "P" + date + (time.empty() ? "" : "T" + time);
}

std::string FormatPoint(const Point& p) {
  std::string out = "point({srid: " + std::to_string(p.srid) + ", x: " + FormatFloat(p.x) + ", y: " + FormatFloat(p.y);
  if (p.has_z()) out += ", z: " + FormatFloat(p.z);
  return out + "})";
}

std::string QuoteString(std::string_view s) {
  std::string out = "'";
  for (char c : s) {
    switch (c) {
      case '\'': out += "\\'"; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          constexpr char kHex[] = "0123456789abcdef";
          out += "\\u00";
          out += kHex[static_cast<unsigned char>(c) >> 4];
          out += kHex[c & 15];
        } else {
          out += c;
        }
    }
  }
  return out + "'";
}

std::string QuoteName(std::string_view name) {
  bool plain = !name.empty() && !(name[0] >= '0' && name[0] <= '9');
  for (char c : name) {
    plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_');
  }
  if (plain) return std::string(name);
  std::string out = "`";
  for (char c : name) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + "`";
}

std::string ToText(const Value& v) {
  std::string out;
  AppendText(&out, v, std::string::npos);
  return out;
}

std::string ToShortText(const Value& v, size_t bytes_max) {
  std::string out;
  AppendText(&out, v, bytes_max + 1);
  if (out.size() <= bytes_max) return out;
  size_t cut = bytes_max - 3;
  while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0) == 0x80) cut--;   // not inside a character
  out.resize(cut);
  return out + "...";
}

namespace {

void AppendText(std::string* out, const Value& v, size_t most) {
  const size_t left = most - std::min(most, out->size());
  switch (v.type()) {
    case Type::kNull: *out += "null"; return;
    case Type::kBoolean: *out += v.AsBoolean() ? "true" : "false"; return;
    case Type::kInteger: *out += std::to_string(v.AsInteger()); return;
    case Type::kFloat: *out += FormatFloat(v.AsFloat()); return;
    case Type::kString: *out += QuoteString(std::string_view(v.AsString()).substr(0, left)); return;
    case Type::kBytes: {
      constexpr char kHex[] = "0123456789abcdef";
      *out += "bytes('";
      for (unsigned char c : std::string_view(v.AsBytes()).substr(0, left)) {
        *out += kHex[c >> 4];
        *out += kHex[c & 15];
      }
      *out += "')";
      return;
    }
    case Type::kList: return AppendList(out, v.AsList(), most);
    case Type::kMap: return AppendMap(out, v.AsMap(), most);
    case Type::kNode: return AppendNode(out, v.AsNode(), most);
    case Type::kRelationship: return AppendRelationship(out, v.AsRelationship(), most);
    case Type::kPath: return AppendPath(out, v.AsPath(), most);
    case Type::kDate: *out += FormatDate(v.AsDate()); return;
    case Type::kLocalTime: *out += FormatLocalTime(v.AsLocalTime()); return;
    case Type::kTime: *out += FormatTime(v.AsTime()); return;
    case Type::kLocalDateTime: *out += FormatLocalDateTime(v.AsLocalDateTime()); return;
    case Type::kDateTime: *out += FormatDateTime(v.AsDateTime()); return;
    case Type::kDuration: *out += FormatDuration(v.AsDuration()); return;
    case Type::kPoint: *out += FormatPoint(v.AsPoint()); return;
    case Type::kVector: {
      *out += "vector([";
      for (size_t i = 0; i < v.AsVector().size() && out->size() < most; ++i) {
        if (i > 0) *out += ", ";
        char buffer[32];                                     // the shortest text of a float, not of its double
        auto end = std::to_chars(buffer, buffer + sizeof(buffer), v.AsVector()[i]).ptr;
        out->append(buffer, end);
      }
      *out += "])";
      return;
    }
    case Type::kNodeRef: *out += "(#" + std::to_string(v.AsNodeRef()) + ")"; return;
    case Type::kRelationshipRef: *out += "[#" + std::to_string(v.AsRelationshipRef()) + "]"; return;
  }
}

}  // namespace

std::string ToDisplay(const Value& v) { return v.type() == Type::kString ? v.AsString() : ToText(v); }

}  // namespace fornix
