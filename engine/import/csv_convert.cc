// Text of columns into values; see csv_convert.h.
#include "engine/import/csv_convert.h"

#include <charconv>
#include <cstring>
#include <limits>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/value_check.h"
#include "engine/function/spatial.h"
#include "engine/function/temporal/parse.h"
#include "engine/import/typed_json.h"
#include "storage/txn/transaction.h"

namespace fornix::engine {
namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

// For messages: long fields are cut.
std::string Show(std::string_view text) {
  if (text.size() <= 60) return "'" + std::string(text) + "'";
  size_t cut = 60;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return "'" + std::string(text.substr(0, cut)) + "...'";
}

Status Wrong(std::string_view text, std::string_view what) { return Status(Code::kArgumentError, Show(text) + " is not " + std::string(what)); }

std::pair<int64_t, int64_t> RangeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kInt: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case ColumnType::kShort: return {std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()};
    case ColumnType::kByte: return {std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()};
    default: return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

bool ParseInteger(std::string_view text, int64_t* out) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseFloat(std::string_view text, double* out) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (end != text.data() + text.size()) return false;
  if (error == std::errc()) return true;
  // Out of range: too small is zero, too large infinite, as any reader of decimal numbers takes them.
  if (error != std::errc::result_out_of_range) return false;
  *out = std::strtod(std::string(text).c_str(), nullptr);
  return true;
}

Result<Value> IntegerOf(ColumnType type, std::string_view text) {
  int64_t number;
  if (!ParseInteger(text, &number)) return Wrong(text, "an integer of 64 bits");
  const auto [least, most] = RangeOf(type);
  if (number < least || number > most) return Wrong(text, "from " + std::to_string(least) + " to " + std::to_string(most));
  return Value(number);
}

Result<Value> BooleanOf(std::string_view text) {
  auto is = [text](std::string_view word) {
    if (text.size() != word.size()) return false;
    for (size_t i = 0; i < text.size(); ++i) {
      if ((text[i] | 0x20) != word[i]) return false;
    }
    return true;
  };
  if (is("true")) return Value(true);
  if (is("false")) return Value(false);
  return Wrong(text, "true or false");
}

Result<Value> InstantOf(Type type, std::string_view text, const CsvColumn& column) {
  const auto zone = column.options.find("timezone");
  if (type == Type::kDateTime && zone != column.options.end() && ParseInstant(Type::kLocalDateTime, text).ok()) {
    const std::string& name = zone->second;
    const bool offset = name.starts_with('+') || name.starts_with('-') || name == "Z";
    return ParseInstant(type, std::string(text) + (offset ? name : "[" + name + "]"));
  }
  return ParseInstant(type, text);
}

// {latitude: 55.6, longitude: 12.9, crs: wgs-84}, {x: 1, y: 2, z: 3, srid: 9157}; quotes around names and words may be there.
Result<Value> PointOf(std::string_view text, const CsvColumn& column) {
  std::string_view body = Trim(text);
  if (body.size() < 2 || body.front() != '{' || body.back() != '}') return Wrong(text, "a point, as in {x: 1.0, y: 2.0}");
  body = body.substr(1, body.size() - 2);
  double x = 0, y = 0, z = 0;
  bool has_x = false, has_y = false, has_z = false, geographic = false;
  std::string crs;
  if (auto option = column.options.find("crs"); option != column.options.end()) crs = option->second;
  int64_t srid = 0;
  while (!Trim(body).empty()) {
    const size_t comma = std::min(body.find(','), body.size());
    const std::string_view one = body.substr(0, comma);
    body.remove_prefix(std::min(comma + 1, body.size()));
    const size_t colon = one.find(':');
    if (colon == std::string_view::npos) return Wrong(text, "a point, as in {x: 1.0, y: 2.0}");
    auto bare = [](std::string_view s) {
      s = Trim(s);
      if (s.size() >= 2 && (s.front() == '"' || s.front() == '\'') && s.back() == s.front()) s = s.substr(1, s.size() - 2);
      return s;
    };
    const std::string_view name = bare(one.substr(0, colon)), value = bare(one.substr(colon + 1));
    if (name == "crs") {
      crs = std::string(value);
      continue;
    }
    if (name == "srid") {
      if (!ParseInteger(value, &srid)) return Wrong(value, "the number of a reference system");
      continue;
    }
    double number;
    if (!ParseFloat(value, &number)) return Wrong(value, "a coordinate");
    if (name == "x" || name == "longitude") {
      x = number;
      has_x = true;
    } else if (name == "y" || name == "latitude") {
      y = number;
      has_y = true;
    } else if (name == "z" || name == "height") {
      z = number;
      has_z = true;
    } else {
      return Wrong(name, "a part of a point: x, y, z, longitude, latitude, height, crs, srid");
    }
    geographic |= name == "longitude" || name == "latitude";
  }
  if (!has_x || !has_y) return Wrong(text, "a point: it needs x and y, or longitude and latitude");
  for (char& c : crs) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (srid == 0 && !crs.empty()) {
    for (int32_t known : {kSridCartesian, kSridCartesian3D, kSridWgs84, kSridWgs84_3D}) {
      if (CrsName(known) == crs) srid = known;
    }
    if (srid == 0) return Wrong(crs, "a reference system: cartesian, cartesian-3d, wgs-84, wgs-84-3d");
    // The option of a column names the system of the plane for points with a height too.
    if (has_z && srid == kSridCartesian) srid = kSridCartesian3D;
    if (has_z && srid == kSridWgs84) srid = kSridWgs84_3D;
  }
  if (srid == 0) srid = geographic ? (has_z ? kSridWgs84_3D : kSridWgs84) : (has_z ? kSridCartesian3D : kSridCartesian);
  Point point{static_cast<int32_t>(srid), x, y, z};
  if (point.has_z() != has_z) return Wrong(text, has_z ? "a point of two dimensions" : "a point of three dimensions");
  Value value(point);
  if (const std::string wrong = WhatIsWrong(value); !wrong.empty()) return Status(Code::kArgumentError, Show(text) + ": " + wrong);
  return value;
}

// Calls item(text) for each part; a text in [] is split at ',', any other at the delimiter.
template <typename F>
Status Split(std::string_view text, char delimiter, F item) {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
    delimiter = ',';
    if (Trim(text).empty()) return Status::Ok();
  }
  while (true) {
    const size_t end = std::min(text.find(delimiter), text.size());
    RETURN_IF_ERROR(item(text.substr(0, end)));
    if (end == text.size()) return Status::Ok();
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<Value> CsvConverter::Scalar(std::string_view text) const {
  switch (column_.type) {
    case ColumnType::kLong:
    case ColumnType::kInt:
    case ColumnType::kShort:
    case ColumnType::kByte: return IntegerOf(column_.type, Trim(text));
    case ColumnType::kFloat: {
      double number;
      if (!ParseFloat(Trim(text), &number)) return Wrong(text, "a number");
      return Value(number);
    }
    case ColumnType::kBoolean: return BooleanOf(Trim(text));
    case ColumnType::kDate: return InstantOf(Type::kDate, Trim(text), column_);
    case ColumnType::kLocalTime: return InstantOf(Type::kLocalTime, Trim(text), column_);
    case ColumnType::kTime: return InstantOf(Type::kTime, Trim(text), column_);
    case ColumnType::kLocalDateTime: return InstantOf(Type::kLocalDateTime, Trim(text), column_);
    case ColumnType::kDateTime: return InstantOf(Type::kDateTime, Trim(text), column_);
    case ColumnType::kDuration: {
      ASSIGN_OR_RETURN(const Duration duration, ParseDuration(Trim(text)));
      return Value(duration);
    }
    case ColumnType::kPoint: return PointOf(text, column_);
    case ColumnType::kBytes: {
      ASSIGN_OR_RETURN(std::string bytes, FromHex(Trim(text)));
      return Value::Bytes(std::move(bytes));
    }
    case ColumnType::kAny: return FromTypedJson(text);
    case ColumnType::kChar:
    case ColumnType::kString: {
      if (!IsUtf8(text)) return Wrong("the text", "UTF-8");
      if (column_.type == ColumnType::kChar) {
        size_t characters = 0;
        for (char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        if (characters != 1) return Wrong(text, "one character");
      }
      return Value(text);
    }
    case ColumnType::kVector: break;
  }
  return Wrong(text, "a value");
}

Result<Value> CsvConverter::Several(std::string_view text) const {
  if (column_.type == ColumnType::kVector) {
    std::vector<float> elements;
    RETURN_IF_ERROR(Split(Trim(text), array_delimiter_, [&](std::string_view part) {
      double number;
      if (!ParseFloat(Trim(part), &number)) return Wrong(part, "a number");
      elements.push_back(static_cast<float>(number));
      return Status::Ok();
    }));
    return Value::Vector(std::move(elements));
  }
  List list;
  auto add = [&](std::string_view part) {
    ASSIGN_OR_RETURN(Value value, Scalar(part));
    list.push_back(std::move(value));
    return Status::Ok();
  };
  // Only numbers are told apart from text that begins with '['.
  const bool numbers = column_.type != ColumnType::kString && column_.type != ColumnType::kChar && column_.type != ColumnType::kPoint;
  if (numbers) {
    RETURN_IF_ERROR(Split(Trim(text), array_delimiter_, add));
  } else {
    for (std::string_view rest = text;;) {
      const size_t end = std::min(rest.find(array_delimiter_), rest.size());
      RETURN_IF_ERROR(add(rest.substr(0, end)));
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
  }
  return Value(std::move(list));
}

bool CsvConverter::Append(std::string_view text, bool quoted, storage::RowBytes* row, std::string* reason) const {
  if (text.empty() && !(quoted && column_.type == ColumnType::kString && !column_.list)) return true;
  if (!column_.list) {
    // The common types without a Value in between.
    if (column_.type == ColumnType::kString && text.size() <= kPropertyBytesMax && IsUtf8(text)) {
      row->String(key_, text);
      return true;
    }
    int64_t integer;
    if (column_.type == ColumnType::kLong && ParseInteger(text, &integer)) {
      row->Integer(key_, integer);
      return true;
    }
    double number;
    if (column_.type == ColumnType::kFloat && ParseFloat(text, &number)) {
      row->Float(key_, number);
      return true;
    }
  }
  Result<Value> value = text.size() > kPropertyBytesMax
                            ? Result<Value>(Status(Code::kLimitExceeded, "the value is larger than 64 MiB (property-bytes-max)"))
                        : column_.list || column_.type == ColumnType::kVector ? Several(text)
                                                                              : Scalar(text);
  const Status status = value.ok() ? storage::CheckStorable(*value) : value.status();
  if (!status.ok()) {
    *reason = "column '" + column_.name + "': " + status.message();
    return false;
  }
  row->Any(key_, *value);
  return true;
}

}  // namespace fornix::engine
