// Typed JSON into values; see typed_json.h.
#include "engine/import/typed_json.h"

#include <limits>

#include "base/value_check.h"
#include "engine/function/json.h"
#include "engine/function/temporal/parse.h"
#include "storage/txn/transaction.h"

namespace fornix::engine {
namespace {

Status Wrong(const std::string& what) { return Status(Code::kArgumentError, what); }

Result<double> NumberOf(const Map& map, std::string_view key) {
  const Value* value = map.Find(key);
  if (value == nullptr || !value->is_number()) return Wrong("a point needs the number \"" + std::string(key) + "\"");
  return value->AsNumber();
}

Result<Value> PointOf(const Map& map, const Value& srid) {
  if (srid.type() != Type::kInteger || srid.AsInteger() < 0 || srid.AsInteger() > std::numeric_limits<int32_t>::max()) {
    return Wrong("\"~point\" is followed by the number of a reference system");
  }
  Point point;
  point.srid = static_cast<int32_t>(srid.AsInteger());
  ASSIGN_OR_RETURN(point.x, NumberOf(map, "x"));
  ASSIGN_OR_RETURN(point.y, NumberOf(map, "y"));
  if (point.has_z()) {
    ASSIGN_OR_RETURN(point.z, NumberOf(map, "z"));
  }
  Value value(point);
  if (const std::string wrong = WhatIsWrong(value); !wrong.empty()) return Wrong("the point can't be: " + wrong);
  return value;
}

Result<Value> VectorOf(const Value& content) {
  if (content.type() != Type::kList) return Wrong("\"~vector\" is followed by a list of numbers");
  std::vector<float> elements;
  elements.reserve(content.AsList().size());
  for (const Value& v : content.AsList()) {
    if (!v.is_number()) return Wrong("a vector holds numbers alone");
    elements.push_back(static_cast<float>(v.AsNumber()));
  }
  return Value::Vector(std::move(elements));
}

Result<Value> FloatOf(std::string_view text) {
  if (text == "NaN") return Value(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return Value(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return Value(-std::numeric_limits<double>::infinity());
  return Wrong("\"~float\" is followed by \"NaN\", \"Infinity\" or \"-Infinity\"");
}

Result<Value> Tagged(const Map& map) {
  for (const auto& [key, content] : map) {
    if (!key.starts_with('~')) continue;
    if (key == "~point") return PointOf(map, content);
    if (map.size() != 1) return Wrong("an object with \"" + key + "\" has nothing else in it");
    if (key == "~vector") return VectorOf(content);
    if (content.type() != Type::kString) return Wrong("\"" + key + "\" is followed by a text");
    const std::string& text = content.AsString();
    if (key == "~date") return ParseInstant(Type::kDate, text);
    if (key == "~localtime") return ParseInstant(Type::kLocalTime, text);
    if (key == "~time") return ParseInstant(Type::kTime, text);
    if (key == "~localdatetime") return ParseInstant(Type::kLocalDateTime, text);
    if (key == "~datetime") return ParseInstant(Type::kDateTime, text);
    if (key == "~float") return FloatOf(text);
    if (key == "~duration") {
      ASSIGN_OR_RETURN(Duration duration, ParseDuration(text));
      return Value(duration);
    }
    if (key == "~bytes") {
      ASSIGN_OR_RETURN(std::string bytes, FromHex(text));
      return Value::Bytes(std::move(bytes));
    }
    return Wrong("unknown word \"" + key + "\"");
  }
  return Wrong("a property can't hold a map");
}

}  // namespace

Result<std::string> FromHex(std::string_view text) {
  auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  if (text.size() % 2 != 0) return Wrong("bytes are written as pairs of hexadecimal digits");
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return Wrong("bytes are written as pairs of hexadecimal digits");
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

Result<Value> FromTyped(const Value& plain) {
  if (plain.type() == Type::kMap) return Tagged(plain.AsMap());
  if (plain.type() != Type::kList) {
    RETURN_IF_ERROR(storage::CheckStorable(plain));
    return plain;
  }
  List list;
  list.reserve(plain.AsList().size());
  for (const Value& item : plain.AsList()) {
    if (item.is_null() || item.type() == Type::kList) return Wrong("a list in a property holds no lists and no nulls");
    ASSIGN_OR_RETURN(Value v, FromTyped(item));
    list.push_back(std::move(v));
  }
  Value value(std::move(list));
  RETURN_IF_ERROR(storage::CheckStorable(value));
  return value;
}

Result<Value> FromTypedJson(std::string_view text) {
  ASSIGN_OR_RETURN(const Value plain, FromJson(text));
  return FromTyped(plain);
}

}  // namespace fornix::engine
