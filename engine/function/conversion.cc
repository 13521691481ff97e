// Type conversions. Text that doesn't say what is wanted gives null; a value of a type that can't be converted is a
// TypeError, or null in the ...OrNull and ...List forms.
#include <charconv>
#include <cmath>

#include "base/interrupt.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;
using Conversion = Result<Value> (*)(const Value& v);

std::string_view Trim(std::string_view s) {
  size_t begin = s.find_first_not_of(" \t\r\n"), end = s.find_last_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : s.substr(begin, end - begin + 1);
}

bool EqualsIgnoringCase(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(),
                    [](char x, char y) { return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + 32) : x) == y; });
}

// The float that the whole text says; null if it says none.
Value FloatOfText(std::string_view s) {
  s = Trim(s);
  if (s.starts_with('+')) s.remove_prefix(1);
  std::string_view digits = s.starts_with('-') ? s.substr(1) : s;
  // from_chars also reads "inf" and "nan" in all spellings; Cypher writes them Infinity and NaN.
  bool number = !digits.empty() && ((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.');
  if (!number && digits != "Infinity" && digits != "NaN") return Value();
  double d = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), d);
  if (end != s.data() + s.size() || error == std::errc::invalid_argument) return Value();
  if (error == std::errc::result_out_of_range) d = std::strtod(std::string(s).c_str(), nullptr);   // 0 or infinite
  return Value(d);
}

Result<Value> IntegerOfFloat(double d) {
  if (std::isnan(d)) return Value();
  if (!(d >= -0x1p63 && d < 0x1p63)) return OutOfRange("toInteger(): " + FormatFloat(d) + " doesn't fit an INTEGER");
  return Value(static_cast<int64_t>(d));
}

Result<Value> ToInteger(const Value& v) {
  switch (v.type()) {
    case Type::kNull: case Type::kInteger: return v;
    case Type::kFloat: return IntegerOfFloat(v.AsFloat());
    case Type::kBoolean: return Value(int64_t{v.AsBoolean()});
    case Type::kString: {
      std::string_view s = Trim(v.AsString());
      if (s.starts_with('+')) s.remove_prefix(1);
      int64_t i = 0;
      auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), i);
      if (error == std::errc() && end == s.data() + s.size()) return Value(i);
      Value d = FloatOfText(s);
      return d.is_null() ? Result<Value>(Value()) : IntegerOfFloat(d.AsFloat());
    }
    default: return WrongType("toInteger()", "a number, a STRING or a BOOLEAN", v);
  }
}

Result<Value> ToFloat(const Value& v) {
  switch (v.type()) {
    case Type::kNull: case Type::kFloat: return v;
    case Type::kInteger: return Value(static_cast<double>(v.AsInteger()));
    case Type::kString: return FloatOfText(v.AsString());
    default: return WrongType("toFloat()", "a number or a STRING", v);
  }
}

Result<Value> ToBoolean(const Value& v) {
  switch (v.type()) {
    case Type::kNull: case Type::kBoolean: return v;
    case Type::kInteger: return Value(v.AsInteger() != 0);
    case Type::kString: {
      std::string_view s = Trim(v.AsString());
      if (EqualsIgnoringCase(s, "true")) return Value(true);
      if (EqualsIgnoringCase(s, "false")) return Value(false);
      return Value();
    }
    default: return WrongType("toBoolean()", "a BOOLEAN, a STRING or an INTEGER", v);
  }
}

Result<Value> ToString(const Value& v) {
  switch (v.type()) {
    case Type::kNull: case Type::kString: return v;
    case Type::kBoolean: case Type::kInteger: case Type::kFloat: case Type::kDate: case Type::kLocalTime: case Type::kTime:
    case Type::kLocalDateTime: case Type::kDateTime: case Type::kDuration: case Type::kPoint:
      return Value(ToDisplay(v));
    default: return WrongType("toString()", "a scalar, a date or time, or a POINT", v);
  }
}

template <Conversion kConversion>
Result<Value> Convert(FunctionContext&, Arguments a) { return kConversion(a[0]); }

// What can't be converted is null; text out of the range of integers is still an error.
template <Conversion kConversion>
Result<Value> ConvertOrNull(FunctionContext&, Arguments a) {
  Result<Value> converted = kConversion(a[0]);
  if (!converted.ok() && converted.status().code() == Code::kTypeError) return Value();
  return converted;
}

template <Conversion kConversion>
Result<Value> ConvertList(FunctionContext& context, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() == Type::kVector) {
    List list;
    for (float f : a[0].AsVector()) list.emplace_back(static_cast<double>(f));
    Value widened(std::move(list));
    return ConvertList<kConversion>(context, Arguments(&widened, 1));
  }
  if (a[0].type() != Type::kList) return WrongType("a conversion of lists", "a LIST", a[0]);
  List converted;
  converted.reserve(a[0].AsList().size());
  for (const Value& v : a[0].AsList()) {
    CountWork(4);
    ASSIGN_OR_RETURN(Value one, ConvertOrNull<kConversion>(context, Arguments(&v, 1)));
    converted.push_back(std::move(one));
  }
  return Value(std::move(converted));
}

template <Conversion kConversion>
void AddConversions(FunctionRegistry* r, const std::string& name, const std::string& type, const std::string& accepted) {
  r->Scalar(name + "(input :: " + accepted + ") :: " + type, "The value as a " + type + "; null for text that doesn't say one.",
      Convert<kConversion>);
  r->Scalar(name + "OrNull(input :: ANY) :: " + type, "The value as a " + type + ", or null if it can't be one.",
      ConvertOrNull<kConversion>);
  r->Scalar(name + "List(input :: LIST<ANY> | VECTOR) :: LIST<" + type + ">", "The items as " + type +
      ", those that can't be as null.", ConvertList<kConversion>);
}

}  // namespace

void AddConversionFunctions(FunctionRegistry* r) {
  r->Category("Scalar");
  AddConversions<ToInteger>(r, "toInteger", "INTEGER", "STRING | NUMBER | BOOLEAN");
  AddConversions<ToFloat>(r, "toFloat", "FLOAT", "STRING | NUMBER");
  AddConversions<ToBoolean>(r, "toBoolean", "BOOLEAN", "STRING | BOOLEAN | INTEGER");
  AddConversions<ToString>(r, "toString", "STRING", "STRING | NUMBER | BOOLEAN | TEMPORAL | DURATION | POINT");
}

}  // namespace fornix::engine
