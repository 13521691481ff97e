#include "tools/export/csv_columns.h"

#include <algorithm>

#include "base/value_format.h"
#include "tools/export/typed_text.h"

namespace fornix::tools {
namespace {

constexpr char kListDelimiter = ';';
constexpr char kAny[] = "any";

std::string ScalarType(const Value& v) {
  switch (v.type()) {
    case Type::kBoolean: return "boolean";
    case Type::kInteger: return "long";
    case Type::kFloat: return "double";
    case Type::kString: return "string";
    case Type::kBytes: return v.AsBytes().empty() ? kAny : "bytes";
    case Type::kDate: return "date";
    case Type::kLocalTime: return "localtime";
    case Type::kTime: return "time";
    case Type::kLocalDateTime: return "localdatetime";
    case Type::kDateTime: return "datetime";
    case Type::kDuration: return "duration";
    case Type::kPoint: return "point";
    case Type::kVector: return "vector";
    default: return kAny;
  }
}

std::string TypeOf(const Value& v) {
  if (v.type() != Type::kList) return ScalarType(v);
  const List& list = v.AsList();
  if (list.empty()) return kAny;
  const std::string first = ScalarType(list[0]);
  for (const Value& item : list) {
    if (ScalarType(item) != first || first == kAny || first == "vector") return kAny;
    if (item.type() == Type::kString && (item.AsString().find(kListDelimiter) != std::string::npos || (list.size() == 1 && item.AsString().empty()))) {
      return kAny;
    }
  }
  return first + "[]";
}

void AppendScalar(const Value& v, std::string* out) {
  switch (v.type()) {
    case Type::kPoint: {
      const Point& p = v.AsPoint();
      *out += "{srid: " + std::to_string(p.srid) + ", x: " + FormatFloat(p.x) + ", y: " + FormatFloat(p.y);
      if (p.has_z()) *out += ", z: " + FormatFloat(p.z);
      *out += '}';
      return;
    }
    case Type::kBytes: *out += Hex(v.AsBytes()); return;
    case Type::kVector:
      for (size_t i = 0; i < v.AsVector().size(); ++i) {
        if (i > 0) *out += kListDelimiter;
        *out += FormatFloat(static_cast<double>(v.AsVector()[i]));
      }
      return;
    default: *out += ToDisplay(v);
  }
}

}  // namespace

void AppendField(std::string_view text, std::string* row) {
  if (!text.empty() && text.find_first_of(",\"\n\r") == std::string_view::npos) {
    *row += text;
    return;
  }
  *row += '"';
  for (char c : text) {
    if (c == '"') *row += '"';
    *row += c;
  }
  *row += '"';
}

void CsvColumns::Look(const Map& properties) {
  for (const auto& [key, value] : properties) {
    auto [known, is_new] = types_.try_emplace(key, "");
    if (!is_new && known->second == kAny) continue;
    std::string type = TypeOf(value);
    known->second = is_new || known->second == type ? std::move(type) : kAny;
  }
}

std::string CsvColumns::Header() const {
  std::string out;
  for (const auto& [name, type] : types_) {
    out += ',';
    AppendField(name + ":" + type, &out);
  }
  return out;
}

void CsvColumns::AppendRow(const Map& properties, std::string* row) const {
  std::string text;
  for (const auto& [name, type] : types_) {
    *row += ',';
    const Value* value = properties.Find(name);
    if (value == nullptr) continue;
    text.clear();
    if (type == kAny) {
      AppendTypedJson(*value, &text);
    } else if (value->type() == Type::kList) {
      for (size_t i = 0; i < value->AsList().size(); ++i) {
        if (i > 0) text += kListDelimiter;
        AppendScalar(value->AsList()[i], &text);
      }
    } else {
      AppendScalar(*value, &text);
    }
    AppendField(text, row);
  }
}

}  // namespace fornix::tools
