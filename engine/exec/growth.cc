#include "engine/exec/growth.h"

#include <algorithm>
#include <string>

#include "engine/function/function.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

constexpr size_t kStringBytes = sizeof(Value) + 48;   // one of a list, without its text

size_t OfRange(Arguments a) {
  if (a.size() < 2) return 0;
  for (const Value& v : a) {
    if (v.type() != Type::kInteger) return 0;
  }
  const __int128 step = a.size() > 2 ? a[2].AsInteger() : 1;
  if (step == 0) return 0;
  const __int128 items = (static_cast<__int128>(a[1].AsInteger()) - a[0].AsInteger()) / step + 1;
  return items <= 0 ? 0 : static_cast<size_t>(std::min<__int128>(items, __int128{1} << 40)) * sizeof(Value);
}

bool Strings(Arguments a, size_t count) {
  if (a.size() < count) return false;
  for (size_t i = 0; i < count; i++) {
    if (a[i].type() != Type::kString) return false;
  }
  return true;
}

size_t OfReplace(Arguments a) {
  if (!Strings(a, 3)) return 0;
  const std::string &text = a[0].AsString(), &search = a[1].AsString(), &by = a[2].AsString();
  if (search.empty() || by.size() <= search.size()) return text.size();
  size_t found = 0;
  const size_t most = a.size() > 3 && a[3].type() == Type::kInteger && a[3].AsInteger() >= 0 ? static_cast<size_t>(a[3].AsInteger()) : SIZE_MAX;
  for (size_t at = FindText(text, search, 0); at != std::string::npos && found < most; at = FindText(text, search, at + search.size())) found++;
  return text.size() + found * (by.size() - search.size());
}

size_t OfSplit(Arguments a) {
  if (!Strings(a, 1) || a.size() < 2) return 0;
  const std::string& text = a[0].AsString();
  // With several delimiters, or between all characters: as if each byte were a part.
  if (a[1].type() != Type::kString || a[1].AsString().empty()) return text.size() * (kStringBytes + 1);
  const std::string& by = a[1].AsString();
  size_t parts = 1;
  for (size_t at = FindText(text, by, 0); at != std::string::npos; at = FindText(text, by, at + by.size())) parts++;
  return text.size() + parts * kStringBytes;
}

// With the table that tells the items apart.
size_t OfSet(Arguments a) {
  return a.empty() || a[0].type() != Type::kList ? 0 : a[0].AsList().size() * (sizeof(Value) + sizeof(uint64_t) + 4 * sizeof(uint32_t));
}

size_t OfJson(Arguments a) {
  if (!Strings(a, 1)) return 0;
  const std::string& text = a[0].AsString();
  size_t bytes = text.size();
  for (const char c : text) {
    switch (c) {
      case ',': bytes += sizeof(Value); break;
      case '[':
      case '{': bytes += 2 * sizeof(Value) + 48; break;
      case ':': bytes += sizeof(Value) + 48; break;
      case '"': bytes += 24; break;
      default: break;
    }
  }
  return bytes;
}

}  // namespace

Growth GrowthOf(std::string_view function) {
  if (function == "range") return OfRange;
  if (function == "replace") return OfReplace;
  if (function == "split") return OfSplit;
  if (function == "apoc.coll.toSet") return OfSet;
  if (function == "apoc.convert.fromJsonMap" || function == "apoc.convert.fromJsonList") return OfJson;
  return nullptr;
}

size_t JoinedBytes(const Value& a, const Value& b) {
  size_t bytes = 0;
  for (const Value* v : {&a, &b}) {
    // The items of a list are shared with the new one.
    if (v->type() == Type::kList) bytes += 40 + v->AsList().size() * sizeof(Value);
    if (v->type() == Type::kString) bytes += 48 + v->AsString().size();
  }
  return bytes;
}

}  // namespace fornix::engine
