// One total order carries ORDER BY and DISTINCT (Order, Equivalent, Hash); `=` and `<` are apart, for they know
// "unknown". References to elements (kNodeRef) and elements of results (kNode) count as the same kind, compared by id.
#include "base/value_compare.h"

#include <bit>
#include <cmath>
#include <functional>

#include "base/interrupt.h"

namespace fornix {
namespace {

// Kinds in the ascending order of ORDER BY; values of one kind compare with each other.
enum Kind : int {
  kMapKind, kNodeKind, kRelationshipKind, kListKind, kPathKind, kDateTimeKind, kLocalDateTimeKind, kDateKind, kTimeKind,
  kLocalTimeKind, kDurationKind, kPointKind, kStringKind, kBooleanKind, kNumberKind, kVectorKind, kBytesKind, kNullKind,
};

Kind KindOf(Type type) {
  switch (type) {
    case Type::kNull: return kNullKind;
    case Type::kBoolean: return kBooleanKind;
    case Type::kInteger: case Type::kFloat: return kNumberKind;
    case Type::kString: return kStringKind;
    case Type::kBytes: return kBytesKind;
    case Type::kList: return kListKind;
    case Type::kMap: return kMapKind;
    case Type::kNode: case Type::kNodeRef: return kNodeKind;
    case Type::kRelationship: case Type::kRelationshipRef: return kRelationshipKind;
    case Type::kPath: return kPathKind;
    case Type::kDate: return kDateKind;
    case Type::kLocalTime: return kLocalTimeKind;
    case Type::kTime: return kTimeKind;
    case Type::kLocalDateTime: return kLocalDateTimeKind;
    case Type::kDateTime: return kDateTimeKind;
    case Type::kDuration: return kDurationKind;
    case Type::kPoint: return kPointKind;
    case Type::kVector: return kVectorKind;
  }
  return kNullKind;
}

template <typename T>
int Three(const T& a, const T& b) { return a < b ? -1 : (b < a ? 1 : 0); }

// NaN after all numbers and equal to itself; -0.0 and 0.0 are the same.
int OrderDoubles(double a, double b) {
  bool a_nan = std::isnan(a), b_nan = std::isnan(b);
  if (a_nan || b_nan) return static_cast<int>(a_nan) - static_cast<int>(b_nan);
  return Three(a, b);
}

int OrderNumbers(const Value& a, const Value& b) {
  bool a_integer = a.type() == Type::kInteger, b_integer = b.type() == Type::kInteger;
  if (a_integer && b_integer) return Three(a.AsInteger(), b.AsInteger());
  if (a_integer) return CompareIntegerFloat(a.AsInteger(), b.AsFloat());
  if (b_integer) return -CompareIntegerFloat(b.AsInteger(), a.AsFloat());
  return OrderDoubles(a.AsFloat(), b.AsFloat());
}

bool IsNaN(const Value& v) { return v.type() == Type::kFloat && std::isnan(v.AsFloat()); }

uint64_t ElementId(const Value& v) {
  switch (v.type()) {
    case Type::kNode: return v.AsNode().id;
    case Type::kRelationship: return v.AsRelationship().id;
    case Type::kNodeRef: return v.AsNodeRef();
    default: return v.AsRelationshipRef();
  }
}

// Texts that agree for long cost as much as lists that do.
int OrderTexts(const std::string& a, const std::string& b) {
  CountText(std::min(a.size(), b.size()));
  return a.compare(b);
}

int OrderLists(const List& a, const List& b) {
  const size_t n = std::min(a.size(), b.size());
  for (size_t i = 0; i < n; ++i) {
    CountEntry(i, n);
    if (int c = Order(a[i], b[i]); c != 0) return c;
  }
  return Three(a.size(), b.size());
}

// The smaller map first, then by keys, then by values.
int OrderMaps(const Map& a, const Map& b) {
  if (a.size() != b.size()) return Three(a.size(), b.size());
  CountWork(a.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    if (int c = i->first.compare(j->first); c != 0) return c;
  }
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    if (int c = Order(i->second, j->second); c != 0) return c;
  }
  return 0;
}

int OrderTimes(const Time& a, const Time& b) {
  auto utc = [](const Time& t) { return t.nanos - int64_t{t.offset_seconds} * 1'000'000'000; };
  if (int c = Three(utc(a), utc(b)); c != 0) return c;
  return Three(a.offset_seconds, b.offset_seconds);
}

// By instant; the same instant told in two zones is ordered by offset, then by name, and isn't equal.
int OrderDateTimes(const DateTime& a, const DateTime& b) {
  if (int c = Three(a.seconds, b.seconds); c != 0) return c;
  if (int c = Three(a.nanos, b.nanos); c != 0) return c;
  if (int c = Three(a.offset_seconds, b.offset_seconds); c != 0) return c;
  return a.zone.compare(b.zone);
}

// By length with an average month of 30.436875 days; equal lengths by their parts, so that only equal ones tie.
int OrderDurations(const Duration& a, const Duration& b) {
  auto seconds = [](const Duration& d) {
    return static_cast<__int128>(d.months) * 2'629'746 + static_cast<__int128>(d.days) * 86'400 + d.seconds;
  };
  if (int c = Three(seconds(a), seconds(b)); c != 0) return c;
  if (int c = Three(a.nanos, b.nanos); c != 0) return c;
  if (int c = Three(a.months, b.months); c != 0) return c;
  return Three(a.days, b.days);
}

int OrderPoints(const Point& a, const Point& b) {
  if (a.srid != b.srid) return Three(a.srid, b.srid);
  if (int c = OrderDoubles(a.x, b.x); c != 0) return c;
  if (int c = OrderDoubles(a.y, b.y); c != 0) return c;
  return a.has_z() ? OrderDoubles(a.z, b.z) : 0;
}

int OrderVectors(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return Three(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (int c = OrderDoubles(a[i], b[i]); c != 0) return c;
  }
  return 0;
}

int OrderSameKind(Kind kind, const Value& a, const Value& b) {
  switch (kind) {
    case kMapKind: return OrderMaps(a.AsMap(), b.AsMap());
    case kNodeKind: case kRelationshipKind: return Three(ElementId(a), ElementId(b));
    case kListKind: return OrderLists(a.AsList(), b.AsList());
    case kPathKind:
      if (int c = OrderLists(a.AsPath().nodes, b.AsPath().nodes); c != 0) return c;
      return OrderLists(a.AsPath().relationships, b.AsPath().relationships);
    case kDateTimeKind: return OrderDateTimes(a.AsDateTime(), b.AsDateTime());
    case kLocalDateTimeKind:
      if (int c = Three(a.AsLocalDateTime().seconds, b.AsLocalDateTime().seconds); c != 0) return c;
      return Three(a.AsLocalDateTime().nanos, b.AsLocalDateTime().nanos);
    case kDateKind: return Three(a.AsDate().days, b.AsDate().days);
    case kTimeKind: return OrderTimes(a.AsTime(), b.AsTime());
    case kLocalTimeKind: return Three(a.AsLocalTime().nanos, b.AsLocalTime().nanos);
    case kDurationKind: return OrderDurations(a.AsDuration(), b.AsDuration());
    case kPointKind: return OrderPoints(a.AsPoint(), b.AsPoint());
    case kStringKind: return OrderTexts(a.AsString(), b.AsString());
    case kBooleanKind: return static_cast<int>(a.AsBoolean()) - static_cast<int>(b.AsBoolean());
    case kNumberKind: return OrderNumbers(a, b);
    case kVectorKind: return OrderVectors(a.AsVector(), b.AsVector());
    case kBytesKind: return OrderTexts(a.AsBytes(), b.AsBytes());
    case kNullKind: return 0;
  }
  return 0;
}

Truth EqualLists(const List& a, const List& b) {
  if (a.size() != b.size()) return Truth::kFalse;
  Truth all = Truth::kTrue;
  for (size_t i = 0; i < a.size(); ++i) {
    CountEntry(i, a.size());
    Truth one = Equals(a[i], b[i]);
    if (one == Truth::kFalse) return one;
    if (one == Truth::kUnknown) all = one;
  }
  return all;
}

Truth EqualMaps(const Map& a, const Map& b) {
  if (a.size() != b.size()) return Truth::kFalse;
  CountWork(a.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    if (i->first != j->first) return Truth::kFalse;
  }
  Truth all = Truth::kTrue;
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    Truth one = Equals(i->second, j->second);
    if (one == Truth::kFalse) return one;
    if (one == Truth::kUnknown) all = one;
  }
  return all;
}

// The first pair that isn't equal decides; when that pair's equality or order is unknown, so is the whole.
Truth LessLists(const List& a, const List& b, bool or_equal) {
  const size_t n = std::min(a.size(), b.size());
  for (size_t i = 0; i < n; ++i) {
    CountEntry(i, n);
    Truth equal = Equals(a[i], b[i]);
    if (equal == Truth::kTrue) continue;
    if (equal == Truth::kUnknown) return equal;
    return LessThan(a[i], b[i]);
  }
  return TruthOf(or_equal ? a.size() <= b.size() : a.size() < b.size());
}

bool HasComparability(Kind kind) {
  switch (kind) {
    case kDateTimeKind: case kLocalDateTimeKind: case kDateKind: case kTimeKind: case kLocalTimeKind: case kStringKind:
    case kBooleanKind: case kNumberKind: case kBytesKind:
      return true;
    default: return false;                                   // maps, elements, durations, points: `<` means nothing
  }
}

Truth Less(const Value& a, const Value& b, bool or_equal) {
  Kind kind = KindOf(a.type());
  if (kind != KindOf(b.type())) return Truth::kUnknown;
  if (kind == kListKind) return LessLists(a.AsList(), b.AsList(), or_equal);
  if (!HasComparability(kind)) return Truth::kUnknown;
  if (IsNaN(a) || IsNaN(b)) return Truth::kFalse;
  int c = OrderSameKind(kind, a, b);
  return TruthOf(or_equal ? c <= 0 : c < 0);
}

uint64_t Mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ull;
  return h ^ (h >> 32);
}

uint64_t HashDouble(double d) {
  if (std::isnan(d)) return 0x7ff8;
  // A float that is an integer hashes as that integer, for 1 and 1.0 are one group.
  if (d >= -0x1p63 && d < 0x1p63 && d == std::trunc(d)) return static_cast<uint64_t>(static_cast<int64_t>(d));
  return std::bit_cast<uint64_t>(d);
}

uint64_t HashText(std::string_view s) {
  CountText(s.size());
  return std::hash<std::string_view>{}(s);
}

uint64_t HashList(uint64_t h, const List& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    CountEntry(i, list.size());
    h = Mix(h, Hash(list[i]));
  }
  return Mix(h, list.size());
}

}  // namespace

int CompareIntegerFloat(int64_t a, double b) {
  if (std::isnan(b)) return -1;
  if (b >= 0x1p63) return -1;
  if (b < -0x1p63) return 1;
  int64_t whole = static_cast<int64_t>(b);                   // exact: towards zero, and within the range
  if (a != whole) return a < whole ? -1 : 1;
  double rest = b - static_cast<double>(whole);
  return rest > 0 ? -1 : (rest < 0 ? 1 : 0);
}

Truth Equals(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Truth::kUnknown;
  Kind kind = KindOf(a.type());
  if (kind != KindOf(b.type())) return Truth::kFalse;
  if (kind == kListKind) return EqualLists(a.AsList(), b.AsList());
  if (kind == kMapKind) return EqualMaps(a.AsMap(), b.AsMap());
  if (IsNaN(a) || IsNaN(b)) return Truth::kFalse;
  return TruthOf(OrderSameKind(kind, a, b) == 0);
}

Truth LessThan(const Value& a, const Value& b) {
  return a.is_null() || b.is_null() ? Truth::kUnknown : Less(a, b, false);
}

Truth LessOrEqual(const Value& a, const Value& b) {
  return a.is_null() || b.is_null() ? Truth::kUnknown : Less(a, b, true);
}

int Order(const Value& a, const Value& b) {
  Kind kind = KindOf(a.type()), other = KindOf(b.type());
  return kind != other ? Three<int>(kind, other) : OrderSameKind(kind, a, b);
}

bool Equivalent(const Value& a, const Value& b) { return Order(a, b) == 0; }

uint64_t Hash(const Value& v) {
  Kind kind = KindOf(v.type());
  uint64_t h = Mix(0, static_cast<uint64_t>(kind));
  switch (kind) {
    case kMapKind:
      CountWork(v.AsMap().size());
      for (const auto& [key, value] : v.AsMap()) h = Mix(Mix(h, HashText(key)), Hash(value));
      return h;
    case kNodeKind: case kRelationshipKind: return Mix(h, ElementId(v));
    case kListKind: return HashList(h, v.AsList());
    case kPathKind: return HashList(HashList(h, v.AsPath().nodes), v.AsPath().relationships);
    case kDateTimeKind: {
      const DateTime& t = v.AsDateTime();
      return Mix(Mix(Mix(h, static_cast<uint64_t>(t.seconds)), static_cast<uint64_t>(t.nanos)), HashText(t.zone));
    }
    case kLocalDateTimeKind:
      return Mix(Mix(h, static_cast<uint64_t>(v.AsLocalDateTime().seconds)), static_cast<uint64_t>(v.AsLocalDateTime().nanos));
    case kDateKind: return Mix(h, static_cast<uint64_t>(v.AsDate().days));
    case kTimeKind: return Mix(Mix(h, static_cast<uint64_t>(v.AsTime().nanos)), static_cast<uint64_t>(v.AsTime().offset_seconds));
    case kLocalTimeKind: return Mix(h, static_cast<uint64_t>(v.AsLocalTime().nanos));
    case kDurationKind: {
      const Duration& d = v.AsDuration();
      h = Mix(Mix(h, static_cast<uint64_t>(d.months)), static_cast<uint64_t>(d.days));
      return Mix(Mix(h, static_cast<uint64_t>(d.seconds)), static_cast<uint64_t>(d.nanos));
    }
    case kPointKind: {
      const Point& p = v.AsPoint();
      h = Mix(Mix(Mix(h, static_cast<uint64_t>(p.srid)), HashDouble(p.x)), HashDouble(p.y));
      return p.has_z() ? Mix(h, HashDouble(p.z)) : h;
    }
    case kStringKind: return Mix(h, HashText(v.AsString()));
    case kBooleanKind: return Mix(h, v.AsBoolean());
    case kNumberKind:
      return Mix(h, v.type() == Type::kInteger ? static_cast<uint64_t>(v.AsInteger()) : HashDouble(v.AsFloat()));
    case kVectorKind:
      for (float f : v.AsVector()) h = Mix(h, HashDouble(f));
      return h;
    case kBytesKind: return Mix(h, HashText(v.AsBytes()));
    case kNullKind: return h;
  }
  return h;
}

}  // namespace fornix
