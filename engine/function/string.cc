// String functions. Positions and lengths count code points; case and normal forms are Unicode's, by utf8proc. All give
// null for a null argument, but left, right and substring, which refuse a null position or length.
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

#include "base/interrupt.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/function.h"
#include "engine/function/limits.h"
#include "engine/function/registry.h"
#include "engine/function/utf8.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

bool AnyNull(Arguments a) { return std::any_of(a.begin(), a.end(), [](const Value& v) { return v.is_null(); }); }

Status Want(std::string_view function, Type type, const Value& v) {
  return v.type() == type ? Status::Ok() : WrongType(function, (type == Type::kInteger ? "an " : "a ") + std::string(TypeName(type)), v);
}

Result<int64_t> Count(std::string_view function, const Value& v) {
  RETURN_IF_ERROR(Want(function, Type::kInteger, v));
  if (v.AsInteger() < 0) return OutOfRange(std::string(function) + " wants a number that isn't negative, not " + ToText(v));
  return v.AsInteger();
}

template <utf8proc_int32_t (*kMap)(utf8proc_int32_t)>
Result<Value> MapCase(Arguments a, std::string_view function) {
  if (a[0].is_null()) return Value();
  RETURN_IF_ERROR(Want(function, Type::kString, a[0]));
  const std::string& s = a[0].AsString();
  std::string out;
  out.reserve(s.size());
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(s.data());
  for (size_t i = 0, read = 0; i < s.size(); ++read) {
    if (read % 1024 == 0) CountWork(1024);
    utf8proc_int32_t code_point;
    utf8proc_ssize_t n = utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(s.size() - i), &code_point);
    if (n <= 0) {                              // not UTF-8: the byte stays as it is
      out += s[i++];
      continue;
    }
    utf8proc_uint8_t encoded[4];
    out.append(reinterpret_cast<char*>(encoded), static_cast<size_t>(utf8proc_encode_char(kMap(code_point), encoded)));
    i += static_cast<size_t>(n);
  }
  return Value(std::move(out));
}

Result<Value> ToUpper(FunctionContext&, Arguments a) { return MapCase<utf8proc_toupper>(a, "toUpper()"); }
Result<Value> ToLower(FunctionContext&, Arguments a) { return MapCase<utf8proc_tolower>(a, "toLower()"); }

// Where a piece of text that can be normalized by itself ends, some KiB behind `first`: before a character that begins anew, for nothing
// composes with what stands before it. Marks in a row are sorted in quadratic time, so their number is bounded (Unicode's own stream-safe
// format allows 30).
Result<size_t> PieceEnd(const std::string& s, size_t first) {
  constexpr size_t kPieceBytes = 4096;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(s.data());
  size_t marks = 0;
  for (size_t i = first; i < s.size();) {
    utf8proc_int32_t c = 0;
    const utf8proc_ssize_t n = utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(s.size() - i), &c);
    if (n <= 0) return s.size();               // no UTF-8: refused by what comes
    const utf8proc_property_t* property = utf8proc_get_property(c);
    const bool mark = property->combining_class != 0;
    // Vowel signs and jamo compose with a letter before them though they are no marks: plain letters alone are safe.
    const bool anew = !mark && (c < 0x300 || (c >= 0x400 && c < 0x600) || (c >= 0x3400 && c < 0xA000) || (c >= 0xAC00 && c < 0xD7A4));
    if (anew && i >= first + kPieceBytes) return i;
    marks = mark ? marks + 1 : 0;
    if (marks > kCombiningMarksMax) {
      return Status(Code::kLimitExceeded, "normalize(): more than " + std::to_string(kCombiningMarksMax) + " combining marks in a row (kCombiningMarksMax)");
    }
    i += static_cast<size_t>(n);
    if (i % 65536 < 4) CountWork(1024);
  }
  return s.size();
}

Result<Value> Normalize(FunctionContext&, Arguments a) {
  if (AnyNull(a)) return Value();
  RETURN_IF_ERROR(Want("normalize()", Type::kString, a[0]));
  int options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
  if (a.size() > 1) {
    const std::string form = a[1].type() == Type::kString ? a[1].AsString() : "";
    if (form != "NFC" && form != "NFD" && form != "NFKC" && form != "NFKD") {
      return BadArgument("normalize(): there is no normal form " + ToShortText(a[1]) + "; known are NFC, NFD, NFKC and NFKD");
    }
    options = UTF8PROC_STABLE | (form.back() == 'C' ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE);
    if (form.size() == 4) options |= UTF8PROC_COMPAT;
  }
  const std::string& s = a[0].AsString();
  std::string out;
  for (size_t first = 0; first < s.size();) {
    ASSIGN_OR_RETURN(const size_t end, PieceEnd(s, first));
    CountWork(end - first);
    utf8proc_uint8_t* mapped = nullptr;
    const utf8proc_ssize_t n = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(s.data()) + first, static_cast<utf8proc_ssize_t>(end - first),
                                            &mapped, static_cast<utf8proc_option_t>(options));
    if (n < 0) return BadArgument("normalize(): " + std::string(utf8proc_errmsg(n)));
    out.append(reinterpret_cast<char*>(mapped), static_cast<size_t>(n));
    std::free(mapped);
    first = end;
  }
  return Value(std::move(out));
}

Result<Value> IsNormalized(FunctionContext& context, Arguments a) {
  ASSIGN_OR_RETURN(const Value normal, Normalize(context, a));
  return normal.is_null() ? Value() : Value(normal.AsString() == a[0].AsString());
}

Result<Value> Left(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  RETURN_IF_ERROR(Want("left()", Type::kString, a[0]));
  ASSIGN_OR_RETURN(int64_t n, Count("left()", a[1]));
  return Value(a[0].AsString().substr(0, ByteOf(a[0].AsString(), n)));
}

Result<Value> Right(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  RETURN_IF_ERROR(Want("right()", Type::kString, a[0]));
  ASSIGN_OR_RETURN(int64_t n, Count("right()", a[1]));
  const std::string& s = a[0].AsString();
  return Value(s.substr(ByteOf(s, std::max<int64_t>(0, CodePoints(s) - n))));
}

Result<Value> Substring(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  RETURN_IF_ERROR(Want("substring()", Type::kString, a[0]));
  ASSIGN_OR_RETURN(int64_t start, Count("substring()", a[1]));
  std::string_view rest = a[0].AsString();
  rest.remove_prefix(ByteOf(rest, start));
  if (a.size() > 2) {
    ASSIGN_OR_RETURN(int64_t length, Count("substring()", a[2]));
    rest = rest.substr(0, ByteOf(rest, length));
  }
  return Value(rest);
}

Result<Value> Replace(FunctionContext&, Arguments a) {
  if (AnyNull(a)) return Value();
  for (const Value& v : a.first(3)) RETURN_IF_ERROR(Want("replace()", Type::kString, v));
  int64_t left = INT64_MAX;
  if (a.size() > 3) {
    ASSIGN_OR_RETURN(left, Count("replace()", a[3]));
  }
  const std::string &s = a[0].AsString(), &search = a[1].AsString(), &by = a[2].AsString();
  if (search.empty()) return a[0];
  std::string out;
  size_t from = 0;
  for (size_t at; left > 0 && (at = FindText(s, search, from)) != std::string::npos; from = at + search.size(), --left) {
    CountWork(1 + (at - from) / kTextBytesAUnit);
    out.append(s, from, at - from);
    out += by;
  }
  out.append(s, from);
  return Value(std::move(out));
}

// The earliest of several delimiters; of those that begin at the same place, the longest.
struct Cut {
  size_t at = std::string::npos;
  size_t size = 0;
};
// Each delimiter is looked for again only from behind the place where it was found: one that never comes is looked for once.
class Cutter {
 public:
  Cutter(std::string_view s, std::vector<std::string_view> delimiters) : s_(s), delimiters_(std::move(delimiters)) {
    for (std::string_view d : delimiters_) places_.push_back(FindText(s_, d, 0));
  }
  Cut Next(size_t from) {
    Cut cut;
    for (size_t i = 0; i < delimiters_.size(); ++i) {
      const std::string_view d = delimiters_[i];
      if (places_[i] < from) places_[i] = FindText(s_, d, from);
      const size_t at = places_[i];
      if (at < cut.at || (at == cut.at && at != std::string::npos && d.size() > cut.size)) cut = {at, d.size()};
    }
    return cut;
  }

 private:
  const std::string_view s_;
  const std::vector<std::string_view> delimiters_;
  std::vector<size_t> places_;
};

Result<Value> Split(FunctionContext&, Arguments a) {
  if (AnyNull(a)) return Value();
  RETURN_IF_ERROR(Want("split()", Type::kString, a[0]));
  std::vector<std::string_view> delimiters;
  if (a[1].type() == Type::kList) {
    for (const Value& v : a[1].AsList()) {
      if (v.is_null()) return Value();
      RETURN_IF_ERROR(Want("split()", Type::kString, v));
      delimiters.push_back(v.AsString());
    }
  } else {
    RETURN_IF_ERROR(Want("split()", Type::kString, a[1]));
    delimiters.push_back(a[1].AsString());
  }
  const std::string& s = a[0].AsString();
  List parts;
  size_t from = 0;
  if (std::find(delimiters.begin(), delimiters.end(), "") != delimiters.end()) {   // between all code points
    while (from < s.size()) {
      CountWork(4);
      size_t end = from + ByteOf(std::string_view(s).substr(from), 1);
      parts.emplace_back(s.substr(from, end - from));
      from = end;
    }
    if (parts.empty()) parts.emplace_back("");
    return Value(std::move(parts));
  }
  Cutter cutter(s, std::move(delimiters));
  for (Cut cut; (cut = cutter.Next(from)).at != std::string::npos; from = cut.at + cut.size) {
    CountWork(4 + (cut.at - from) / kTextBytesAUnit);
    parts.emplace_back(s.substr(from, cut.at - from));
  }
  parts.emplace_back(s.substr(from));
  return Value(std::move(parts));
}

bool IsSpace(utf8proc_int32_t c) {
  if (c >= 0x09 && c <= 0x0d) return true;
  utf8proc_category_t category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

// Cuts code points of a set (without one: white space) off one or both ends.
Result<Value> Trimmed(std::string_view function, Arguments a, bool front, bool back) {
  if (AnyNull(a)) return Value();
  for (const Value& v : a) RETURN_IF_ERROR(Want(function, Type::kString, v));
  std::string_view s = a[0].AsString();
  auto unwanted = [&](std::string_view one) {
    if (a.size() > 1) return a[1].AsString().find(one) != std::string::npos;
    utf8proc_int32_t c;
    return utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(one.data()), static_cast<utf8proc_ssize_t>(one.size()),
        &c) > 0 && IsSpace(c);
  };
  while (front && !s.empty()) {
    CountWork(1);
    size_t n = ByteOf(s, 1);
    if (!unwanted(s.substr(0, n))) break;
    s.remove_prefix(n);
  }
  while (back && !s.empty()) {
    CountWork(1);
    size_t begin = s.size() - 1;
    while (begin > 0 && IsContinuation(s[begin])) --begin;
    if (!unwanted(s.substr(begin))) break;
    s = s.substr(0, begin);
  }
  return Value(s);
}

Result<Value> Trim(FunctionContext&, Arguments a) { return Trimmed("trim()", a, true, true); }
Result<Value> LeftTrim(FunctionContext&, Arguments a) { return Trimmed("ltrim()", a, true, false); }
Result<Value> RightTrim(FunctionContext&, Arguments a) { return Trimmed("rtrim()", a, false, true); }

Result<Value> CharLength(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  RETURN_IF_ERROR(Want("char_length()", Type::kString, a[0]));
  return Value(CodePoints(a[0].AsString()));
}

}  // namespace

void AddStringFunctions(FunctionRegistry* r) {
  r->Category("String");
  for (const char* name : {"toUpper", "upper"}) r->Scalar(std::string(name) + "(input :: STRING) :: STRING", "The text in upper case.",
      ToUpper);
  for (const char* name : {"toLower", "lower"}) r->Scalar(std::string(name) + "(input :: STRING) :: STRING", "The text in lower case.",
      ToLower);
  r->Scalar("normalize(input :: STRING, [normalForm :: STRING]) :: STRING", "The text in a Unicode normal form, NFC if none is named.",
      Normalize);
  r->Scalar("isNormalized(input :: STRING, [normalForm :: STRING]) :: BOOLEAN",
            "Whether the text is in the Unicode normal form NFC, NFD, NFKC or NFKD: what `IS NORMALIZED` asks.", IsNormalized);
  r->Scalar("left(original :: STRING, length :: INTEGER) :: STRING", "The first characters.", Left);
  r->Scalar("right(original :: STRING, length :: INTEGER) :: STRING", "The last characters.", Right);
  r->Scalar("substring(original :: STRING, start :: INTEGER, [length :: INTEGER]) :: STRING",
            "The characters from a position counted from 0, all to the end or so many.", Substring);
  r->Scalar("replace(original :: STRING, search :: STRING, replace :: STRING, [limit :: INTEGER]) :: STRING",
            "The text with every occurrence of one text replaced by another.", Replace);
  r->Scalar("split(original :: STRING, delimiters :: STRING | LIST<STRING>) :: LIST<STRING>", "The parts between delimiters.", Split);
  for (const char* name : {"trim", "btrim"}) {
    r->Scalar(std::string(name) + "(input :: STRING, [trimCharacters :: STRING]) :: STRING",
        "The text without white space at both ends.", Trim);
  }
  r->Scalar("ltrim(input :: STRING, [trimCharacters :: STRING]) :: STRING", "The text without white space at its start.", LeftTrim);
  r->Scalar("rtrim(input :: STRING, [trimCharacters :: STRING]) :: STRING", "The text without white space at its end.", RightTrim);
  for (const char* name : {"char_length", "character_length"}) {
    r->Scalar(std::string(name) + "(input :: STRING) :: INTEGER", "The number of characters.", CharLength);
  }
}

}  // namespace fornix::engine
