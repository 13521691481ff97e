#include "storage/index/key.h"

#include <bit>
#include <cmath>

namespace fornix::storage {
namespace {

// Gaps leave room for kinds to come. 00 and 01 end lists and strings and are no kinds.
enum : unsigned char {
  kListKey = 0x10, kDateTimeKey = 0x18, kLocalDateTimeKey = 0x20, kDateKey = 0x28, kTimeKey = 0x30, kLocalTimeKey = 0x38,
  kDurationKey = 0x40, kPointKey = 0x48, kStringKey = 0x50, kBooleanKey = 0x58, kNumberKey = 0x60, kVectorKey = 0x68,
  kBytesKey = 0x70,
};

template <typename T>
void PutBigEndian(std::string* key, T value) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8) {
    key->push_back(static_cast<char>(static_cast<uint64_t>(value) >> shift));
  }
}
void PutSigned(std::string* key, int64_t value) { PutBigEndian(key, static_cast<uint64_t>(value) ^ (uint64_t{1} << 63)); }
void PutSigned32(std::string* key, int32_t value) { PutBigEndian(key, static_cast<uint32_t>(value) ^ (1u << 31)); }

// Order-preserving bits; -0.0 as 0.0, every NaN as one above infinity.
void PutDouble(std::string* key, double d) {
  if (std::isnan(d)) return PutBigEndian(key, ~uint64_t{0});
  const uint64_t bits = std::bit_cast<uint64_t>(d == 0 ? 0.0 : d);
  PutBigEndian(key, bits >> 63 ? ~bits : bits | (uint64_t{1} << 63));
}
void PutFloat(std::string* key, float f) {
  if (std::isnan(f)) return PutBigEndian(key, ~uint32_t{0});
  const uint32_t bits = std::bit_cast<uint32_t>(f == 0 ? 0.0f : f);
  PutBigEndian(key, bits >> 31 ? ~bits : bits | (1u << 31));
}

void PutInteger(std::string* key, int64_t i) {
  double below = static_cast<double>(i);
  // The cast rounds to nearest, up to 2^63 itself; the key wants the double at or below.
  if (below >= 0x1p63 || static_cast<int64_t>(below) > i) below = std::nextafter(below, -INFINITY);
  PutDouble(key, below);
  PutBigEndian(key, static_cast<uint16_t>(i - static_cast<int64_t>(below)));
}

void PutEscaped(std::string* key, std::string_view bytes) {
  for (char c : bytes) {
    key->push_back(c);
    if (c == '\0') key->push_back('\xff');
  }
}

void PutDuration(std::string* key, const Duration& d) {
  // Average length first, 128 bits wide, then what tells equal lengths apart.
  const __int128 length = static_cast<__int128>(d.months) * 2'629'746 + static_cast<__int128>(d.days) * 86'400 + d.seconds;
  PutSigned(key, static_cast<int64_t>(length >> 64));
  PutBigEndian(key, static_cast<uint64_t>(length));
  PutSigned32(key, d.nanos);
  PutSigned(key, d.months);
  PutSigned(key, d.days);
}

}  // namespace

unsigned char KindByte(const Value& value) {
  switch (value.type()) {
    case Type::kList: return kListKey;
    case Type::kDateTime: return kDateTimeKey;
    case Type::kLocalDateTime: return kLocalDateTimeKey;
    case Type::kDate: return kDateKey;
    case Type::kTime: return kTimeKey;
    case Type::kLocalTime: return kLocalTimeKey;
    case Type::kDuration: return kDurationKey;
    case Type::kPoint: return kPointKey;
    case Type::kString: return kStringKey;
    case Type::kBoolean: return kBooleanKey;
    case Type::kInteger: case Type::kFloat: return kNumberKey;
    case Type::kVector: return kVectorKey;
    case Type::kBytes: return kBytesKey;
    default: return 0;
  }
}

bool AppendKey(const Value& value, std::string* key) {
  const unsigned char kind = KindByte(value);
  if (kind == 0) return false;
  const size_t begin = key->size();
  key->push_back(static_cast<char>(kind));
  switch (value.type()) {
    case Type::kBoolean: key->push_back(value.AsBoolean() ? 1 : 0); break;
    case Type::kInteger: PutInteger(key, value.AsInteger()); break;
    case Type::kFloat:
      PutDouble(key, value.AsFloat());
      PutBigEndian(key, uint16_t{0});
      break;
    case Type::kString: case Type::kBytes:
      PutEscaped(key, value.type() == Type::kString ? value.AsString() : value.AsBytes());
      key->append("\0\x01", 2);
      break;
    case Type::kList:
      for (const Value& element : value.AsList()) {
        if (!AppendKey(element, key)) {
          key->resize(begin);
          return false;
        }
      }
      key->push_back('\0');
      break;
    case Type::kVector:
      PutBigEndian(key, static_cast<uint32_t>(value.AsVector().size()));
      for (float f : value.AsVector()) PutFloat(key, f);
      break;
    case Type::kDate: PutSigned(key, value.AsDate().days); break;
    case Type::kLocalTime: PutSigned(key, value.AsLocalTime().nanos); break;
    case Type::kTime: {
      const Time& t = value.AsTime();
      PutSigned(key, t.nanos - int64_t{t.offset_seconds} * 1'000'000'000);
      PutSigned32(key, t.offset_seconds);
      break;
    }
    case Type::kLocalDateTime:
      PutSigned(key, value.AsLocalDateTime().seconds);
      PutSigned32(key, value.AsLocalDateTime().nanos);
      break;
    case Type::kDateTime: {
      const DateTime& t = value.AsDateTime();
      PutSigned(key, t.seconds);
      PutSigned32(key, t.nanos);
      PutSigned32(key, t.offset_seconds);
      PutEscaped(key, t.zone);
      key->append("\0\x01", 2);
      break;
    }
    case Type::kDuration: PutDuration(key, value.AsDuration()); break;
    case Type::kPoint: {
      const Point& p = value.AsPoint();
      PutSigned32(key, p.srid);
      PutDouble(key, p.x);
      PutDouble(key, p.y);
      PutDouble(key, p.has_z() ? p.z : 0);
      break;
    }
    default: break;
  }
  return true;
}

bool HoldsNaN(const Value& value) {
  switch (value.type()) {
    case Type::kFloat: return std::isnan(value.AsFloat());
    case Type::kList:
      for (const Value& element : value.AsList()) {
        if (HoldsNaN(element)) return true;
      }
      return false;
    case Type::kPoint: return std::isnan(value.AsPoint().x) || std::isnan(value.AsPoint().y) || std::isnan(value.AsPoint().z);
    case Type::kVector:
      for (float f : value.AsVector()) {
        if (std::isnan(f)) return true;
      }
      return false;
    default: return false;
  }
}

bool SameKey(const Value& a, const Value& b) {
  std::string x, y;
  return AppendKey(a, &x) && AppendKey(b, &y) && x == y && !HoldsNaN(a);
}

namespace {
// The least string above all that begin with `prefix`; empty if there is none.
std::string AfterPrefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

bool KeyOf(const List& values, std::string* key) {
  for (const Value& value : values) {
    if (HoldsNaN(value) || !AppendKey(value, key)) return false;
  }
  return true;
}

// The keys whose last part is of the same kind as the bound's last value: `<` holds within a kind only. NaN, the last
// of the numbers, is below and above nothing.
void KindLimits(const List& values, std::string* lower, std::string* upper) {
  std::string head;
  for (size_t i = 0; i + 1 < values.size(); ++i) AppendKey(values[i], &head);
  const unsigned char kind = KindByte(values.back());
  *lower = head + static_cast<char>(kind);
  *upper = kind == kNumberKey ? *lower + std::string(8, '\xff') : head + static_cast<char>(kind + 1);
}
}  // namespace

bool IntervalOf(const KeyRange& range, KeyInterval* interval) {
  std::string lower, upper;
  if (range.lower && !KeyOf(range.lower->values, &lower)) return false;
  if (range.string_prefix) {
    lower.push_back(static_cast<char>(kStringKey));
    PutEscaped(&lower, *range.string_prefix);
    interval->upper = AfterPrefix(lower);
    interval->lower = std::move(lower);
    return true;
  }
  if (range.upper && !KeyOf(range.upper->values, &upper)) return false;
  interval->lower.clear();
  interval->upper.clear();
  if (range.lower) {
    interval->lower = range.lower->inclusive ? lower : AfterPrefix(lower);
    if (!range.upper && !range.lower->values.empty()) KindLimits(range.lower->values, &lower, &interval->upper);
  }
  if (range.upper) {
    interval->upper = range.upper->inclusive ? AfterPrefix(upper) : upper;
    if (!range.lower && !range.upper->values.empty()) KindLimits(range.upper->values, &interval->lower, &upper);
  }
  // Two bounds of different kinds admit nothing.
  if (range.lower && range.upper && range.lower->values.size() == range.upper->values.size() && !range.lower->values.empty() &&
      KindByte(range.lower->values.back()) != KindByte(range.upper->values.back())) {
    return false;
  }
  return interval->upper.empty() || interval->lower < interval->upper;
}

}  // namespace fornix::storage
