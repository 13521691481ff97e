#include "tools/export/typed_text.h"

#include <cmath>

#include "base/value_format.h"

namespace fornix::tools {
namespace {

void AppendWord(std::string_view word, std::string_view text, std::string* out) {
  *out += "{\"~";
  *out += word;
  *out += "\": ";
  AppendJsonString(text, out);
  *out += '}';
}

template <typename Items, typename F>
void AppendItems(const Items& items, std::string* out, F item) {
  *out += '[';
  bool first = true;
  for (const auto& i : items) {
    if (!first) *out += ", ";
    first = false;
    item(i);
  }
  *out += ']';
}

void AppendCall(std::string_view name, const std::string& text, std::string* out) {
  *out += name;
  *out += "('";
  *out += text;                                // ISO text and names of zones need no escapes
  *out += "')";
}

void AppendFloatExpression(double d, std::string* out) {
  if (std::isnan(d)) *out += "(0.0/0.0)";
  else if (std::isinf(d)) *out += d > 0 ? "(1.0/0.0)" : "(-1.0/0.0)";
  else *out += FormatFloat(d);
}

}  // namespace

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char c : bytes) out += {kDigits[c >> 4], kDigits[c & 15]};
  return out;
}

void AppendJsonString(std::string_view text, std::string* out) {
  static constexpr char kDigits[] = "0123456789abcdef";
  *out += '"';
  for (char c : text) {
    switch (c) {
      case '"': *out += "\\\""; break;
      case '\\': *out += "\\\\"; break;
      case '\n': *out += "\\n"; break;
      case '\r': *out += "\\r"; break;
      case '\t': *out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) *out += {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 15]};
        else *out += c;
    }
  }
  *out += '"';
}

void AppendTypedJson(const Value& v, std::string* out) {
  switch (v.type()) {
    case Type::kNull: *out += "null"; return;
    case Type::kBoolean: *out += v.AsBoolean() ? "true" : "false"; return;
    case Type::kInteger: *out += std::to_string(v.AsInteger()); return;
    case Type::kFloat:
      if (std::isfinite(v.AsFloat())) *out += FormatFloat(v.AsFloat());
      else AppendWord("float", FormatFloat(v.AsFloat()), out);
      return;
    case Type::kString: AppendJsonString(v.AsString(), out); return;
    case Type::kBytes: AppendWord("bytes", Hex(v.AsBytes()), out); return;
    case Type::kList: AppendItems(v.AsList(), out, [out](const Value& item) { AppendTypedJson(item, out); }); return;
    case Type::kDate: AppendWord("date", FormatDate(v.AsDate()), out); return;
    case Type::kLocalTime: AppendWord("localtime", FormatLocalTime(v.AsLocalTime()), out); return;
    case Type::kTime: AppendWord("time", FormatTime(v.AsTime()), out); return;
    case Type::kLocalDateTime: AppendWord("localdatetime", FormatLocalDateTime(v.AsLocalDateTime()), out); return;
    case Type::kDateTime: AppendWord("datetime", FormatDateTime(v.AsDateTime()), out); return;
    case Type::kDuration: AppendWord("duration", FormatDuration(v.AsDuration()), out); return;
    case Type::kPoint: {
      const Point& p = v.AsPoint();
      *out += "{\"~point\": " + std::to_string(p.srid) + ", \"x\": " + FormatFloat(p.x) + ", \"y\": " + FormatFloat(p.y);
      if (p.has_z()) *out += ", \"z\": " + FormatFloat(p.z);
      *out += '}';
      return;
    }
    case Type::kVector:
      *out += "{\"~vector\": ";
      AppendItems(v.AsVector(), out, [out](float f) { *out += FormatFloat(static_cast<double>(f)); });
      *out += '}';
      return;
    default: *out += "null"; return;           // no property holds a map or an element
  }
}

void AppendCypher(const Value& v, std::string* out, std::vector<std::string>* parameters) {
  switch (v.type()) {
    case Type::kFloat: AppendFloatExpression(v.AsFloat(), out); return;
    case Type::kBytes:
      *out += "$bytes" + std::to_string(parameters->size());
      parameters->push_back(Hex(v.AsBytes()));
      return;
    case Type::kList: AppendItems(v.AsList(), out, [&](const Value& item) { AppendCypher(item, out, parameters); }); return;
    case Type::kDate: AppendCall("date", FormatDate(v.AsDate()), out); return;
    case Type::kLocalTime: AppendCall("localtime", FormatLocalTime(v.AsLocalTime()), out); return;
    case Type::kTime: AppendCall("time", FormatTime(v.AsTime()), out); return;
    case Type::kLocalDateTime: AppendCall("localdatetime", FormatLocalDateTime(v.AsLocalDateTime()), out); return;
    case Type::kDateTime: AppendCall("datetime", FormatDateTime(v.AsDateTime()), out); return;
    case Type::kDuration: AppendCall("duration", FormatDuration(v.AsDuration()), out); return;
    case Type::kVector:
      *out += "vector(";
      AppendItems(v.AsVector(), out, [out](float f) { AppendFloatExpression(static_cast<double>(f), out); });
      *out += ", " + std::to_string(v.AsVector().size()) + ", 'FLOAT32')";
      return;
    default: *out += ToText(v); return;        // its text is its literal
  }
}

}  // namespace fornix::tools
