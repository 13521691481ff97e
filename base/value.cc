// Value and Map: reference counts and content. The semantics of Cypher (comparison, order, text) are in value_compare
// and value_format beside this file.
#include "fornix/value.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/interrupt.h"

namespace fornix {

struct Value::Shared {
  std::atomic<uint32_t> references{1};
};
template <typename T>
struct Value::Holder : Value::Shared {
  explicit Holder(T c) : content(std::move(c)) {}
  T content;
};

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kNull: return "NULL";
    case Type::kBoolean: return "BOOLEAN";
    case Type::kInteger: return "INTEGER";
    case Type::kFloat: return "FLOAT";
    case Type::kString: return "STRING";
    case Type::kBytes: return "BYTES";
    case Type::kList: return "LIST";
    case Type::kMap: return "MAP";
    case Type::kNode: case Type::kNodeRef: return "NODE";
    case Type::kRelationship: case Type::kRelationshipRef: return "RELATIONSHIP";
    case Type::kPath: return "PATH";
    case Type::kDate: return "DATE";
    case Type::kLocalTime: return "LOCAL TIME";
    case Type::kTime: return "ZONED TIME";
    case Type::kLocalDateTime: return "LOCAL DATETIME";
    case Type::kDateTime: return "ZONED DATETIME";
    case Type::kDuration: return "DURATION";
    case Type::kPoint: return "POINT";
    case Type::kVector: return "VECTOR";
  }
  return "?";
}

template <typename T>
void Value::Hold(Type type, T content) {
  payload_.shared = new Holder<T>(std::move(content));
  type_ = type;
}
template <typename T>
const T& Value::Held(Type type) const {
  Require(type);
  return static_cast<const Holder<T>*>(payload_.shared)->content;
}

// kBytes and kString share std::string as content; the type byte tells them apart.
Value::Value(std::string v) { Hold(Type::kString, std::move(v)); }
Value::Value(List v) { Hold(Type::kList, std::move(v)); }
Value::Value(Map v) { Hold(Type::kMap, std::move(v)); }
Value::Value(Node v) { Hold(Type::kNode, std::move(v)); }
Value::Value(Relationship v) { Hold(Type::kRelationship, std::move(v)); }
Value::Value(Path v) { Hold(Type::kPath, std::move(v)); }
Value::Value(Time v) { Hold(Type::kTime, v); }
Value::Value(LocalDateTime v) { Hold(Type::kLocalDateTime, v); }
Value::Value(DateTime v) { Hold(Type::kDateTime, std::move(v)); }
Value::Value(Duration v) { Hold(Type::kDuration, v); }
Value::Value(Point v) { Hold(Type::kPoint, v); }
Value Value::Bytes(std::string bytes) {
  Value v;
  v.Hold(Type::kBytes, std::move(bytes));
  return v;
}
Value Value::Vector(std::vector<float> elements) {
  Value v;
  v.Hold(Type::kVector, std::move(elements));
  return v;
}
Value Value::NodeRef(uint64_t id) {
  Value v;
  v.type_ = Type::kNodeRef;
  v.payload_.integer = static_cast<int64_t>(id);
  return v;
}
Value Value::RelationshipRef(uint64_t id) {
  Value v;
  v.type_ = Type::kRelationshipRef;
  v.payload_.integer = static_cast<int64_t>(id);
  return v;
}

void Value::Retain() const { payload_.shared->references.fetch_add(1, std::memory_order_relaxed); }

void Value::Release() {
  Shared* shared = payload_.shared;
  if (shared->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  switch (type_) {
    case Type::kString: case Type::kBytes: delete static_cast<Holder<std::string>*>(shared); break;
    case Type::kList: delete static_cast<Holder<List>*>(shared); break;
    case Type::kMap: delete static_cast<Holder<Map>*>(shared); break;
    case Type::kNode: delete static_cast<Holder<Node>*>(shared); break;
    case Type::kRelationship: delete static_cast<Holder<Relationship>*>(shared); break;
    case Type::kPath: delete static_cast<Holder<Path>*>(shared); break;
    case Type::kTime: delete static_cast<Holder<Time>*>(shared); break;
    case Type::kLocalDateTime: delete static_cast<Holder<LocalDateTime>*>(shared); break;
    case Type::kDateTime: delete static_cast<Holder<DateTime>*>(shared); break;
    case Type::kDuration: delete static_cast<Holder<Duration>*>(shared); break;
    case Type::kPoint: delete static_cast<Holder<Point>*>(shared); break;
    case Type::kVector: delete static_cast<Holder<std::vector<float>>*>(shared); break;
    default: break;
  }
}

void Value::WrongType(Type wanted) const {
  std::fprintf(stderr, "fornix: a %s value was read as %s\n", std::string(TypeName(type_)).c_str(),
               std::string(TypeName(wanted)).c_str());
  std::abort();
}

double Value::AsNumber() const {
  if (type_ == Type::kInteger) return static_cast<double>(payload_.integer);
  return AsFloat();
}
const std::string& Value::AsString() const { return Held<std::string>(Type::kString); }
const std::string& Value::AsBytes() const { return Held<std::string>(Type::kBytes); }
const List& Value::AsList() const { return Held<List>(Type::kList); }
const Map& Value::AsMap() const { return Held<Map>(Type::kMap); }
const Node& Value::AsNode() const { return Held<Node>(Type::kNode); }
const Relationship& Value::AsRelationship() const { return Held<Relationship>(Type::kRelationship); }
const Path& Value::AsPath() const { return Held<Path>(Type::kPath); }
const Time& Value::AsTime() const { return Held<Time>(Type::kTime); }
const LocalDateTime& Value::AsLocalDateTime() const { return Held<LocalDateTime>(Type::kLocalDateTime); }
const DateTime& Value::AsDateTime() const { return Held<DateTime>(Type::kDateTime); }
const Duration& Value::AsDuration() const { return Held<Duration>(Type::kDuration); }
const Point& Value::AsPoint() const { return Held<Point>(Type::kPoint); }
const std::vector<float>& Value::AsVector() const { return Held<std::vector<float>>(Type::kVector); }

namespace {
size_t BytesOf(const List& list) {
  size_t bytes = 24;
  for (size_t i = 0; i < list.size(); ++i) {
    CountEntry(i, list.size());
    bytes += list[i].MemoryBytes();
  }
  return bytes;
}
size_t BytesOf(const Map& map) {
  size_t bytes = 24;
  CountWork(map.size());
  for (const auto& [key, v] : map) bytes += 32 + (key.size() > 15 ? key.size() : 0) + v.MemoryBytes();
  return bytes;
}
}  // namespace

size_t Value::MemoryBytes() const {
  switch (type_) {
    case Type::kString: return sizeof(Value) + 48 + AsString().size();
    case Type::kBytes: return sizeof(Value) + 48 + AsBytes().size();
    case Type::kList: return sizeof(Value) + 16 + BytesOf(AsList());
    case Type::kMap: return sizeof(Value) + 16 + BytesOf(AsMap());
    case Type::kNode: return sizeof(Value) + 64 + BytesOf(AsNode().properties);
    case Type::kRelationship: return sizeof(Value) + 80 + BytesOf(AsRelationship().properties);
    case Type::kPath: return sizeof(Value) + 64 + BytesOf(AsPath().nodes) + BytesOf(AsPath().relationships);
    case Type::kVector: return sizeof(Value) + 48 + AsVector().size() * sizeof(float);
    default: return sizeof(Value) + (shared() ? 40 : 0);
  }
}

namespace {
bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
}  // namespace

bool operator==(const Value& a, const Value& b) {
  if (a.type_ != b.type_) return false;
  switch (a.type_) {
    case Type::kFloat: return SameNumber(a.payload_.real, b.payload_.real);
    case Type::kString: return a.AsString() == b.AsString();
    case Type::kBytes: return a.AsBytes() == b.AsBytes();
    case Type::kList: return a.AsList() == b.AsList();
    case Type::kMap: return std::equal(a.AsMap().begin(), a.AsMap().end(), b.AsMap().begin(), b.AsMap().end());
    case Type::kNode: return a.AsNode().id == b.AsNode().id;
    case Type::kRelationship: return a.AsRelationship().id == b.AsRelationship().id;
    case Type::kPath: return a.AsPath().nodes == b.AsPath().nodes && a.AsPath().relationships == b.AsPath().relationships;
    case Type::kTime: return a.AsTime().nanos == b.AsTime().nanos && a.AsTime().offset_seconds == b.AsTime().offset_seconds;
    case Type::kLocalDateTime:
      return a.AsLocalDateTime().seconds == b.AsLocalDateTime().seconds && a.AsLocalDateTime().nanos == b.AsLocalDateTime().nanos;
    case Type::kDateTime: {
      const DateTime &x = a.AsDateTime(), &y = b.AsDateTime();
      return x.seconds == y.seconds && x.nanos == y.nanos && x.offset_seconds == y.offset_seconds && x.zone == y.zone;
    }
    case Type::kDuration: {
      const Duration &x = a.AsDuration(), &y = b.AsDuration();
      return x.months == y.months && x.days == y.days && x.seconds == y.seconds && x.nanos == y.nanos;
    }
    case Type::kPoint: {
      const Point &x = a.AsPoint(), &y = b.AsPoint();
      return x.srid == y.srid && SameNumber(x.x, y.x) && SameNumber(x.y, y.y) && (!x.has_z() || SameNumber(x.z, y.z));
    }
    case Type::kVector:
      return std::equal(a.AsVector().begin(), a.AsVector().end(), b.AsVector().begin(), b.AsVector().end(), SameNumber);
    default: return a.payload_.integer == b.payload_.integer;
  }
}

Map::Map() = default;
Map::Map(std::initializer_list<Entry> entries) { *this = FromEntries(std::vector<Entry>(entries)); }
Map::~Map() = default;
Map::Map(const Map&) = default;
Map::Map(Map&&) noexcept = default;
Map& Map::operator=(const Map&) = default;
Map& Map::operator=(Map&&) noexcept = default;

namespace {
auto LowerBound(auto& entries, std::string_view key) {
  return std::lower_bound(entries.begin(), entries.end(), key,
                          [](const Map::Entry& e, std::string_view k) { return std::string_view(e.first).compare(k) < 0; });
}
}  // namespace

void Map::Set(std::string_view key, Value value) {
  auto it = LowerBound(entries_, key);
  if (it != entries_.end() && it->first == key) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(key), std::move(value));
  }
}
bool Map::Erase(std::string_view key) {
  auto it = LowerBound(entries_, key);
  if (it == entries_.end() || it->first != key) return false;
  entries_.erase(it);
  return true;
}
const Value* Map::Find(std::string_view key) const {
  auto it = LowerBound(entries_, key);
  return it != entries_.end() && it->first == key ? &it->second : nullptr;
}
void Map::Reserve(size_t n) { entries_.reserve(n); }

Map Map::FromEntries(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    CountWork(1);
    return a.first < b.first;
  });
  Map map;
  map.entries_.reserve(entries.size());
  for (Entry& e : entries) {
    if (!map.entries_.empty() && map.entries_.back().first == e.first) {
      map.entries_.back().second = std::move(e.second);
    } else {
      map.entries_.push_back(std::move(e));
    }
  }
  return map;
}

}  // namespace fornix
