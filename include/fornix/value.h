// Value: everything that a parameter, a property or a cell of a result can be.
//
// A Value is 16 bytes: null, booleans, numbers, dates and local times are held inside; the rest is immutable and shared
// by reference count, so copying is cheap and copies may be used from several threads at once. A Value itself is not
// synchronised. Accessors require the matching type() (checked: a wrong one stops the process with a message).
//
// Strings are UTF-8. Maps are sorted by key (byte order) and have no key twice. Temporal values follow the ISO calendar
// (proleptic Gregorian) with years -999,999,999 to +999,999,999.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fornix {

class Value;
using List = std::vector<Value>;

enum class Type : uint8_t {
  kNull, kBoolean, kInteger, kFloat, kString, kBytes, kList, kMap,
  kNode, kRelationship, kPath,
  kDate, kLocalTime, kTime, kLocalDateTime, kDateTime, kDuration, kPoint, kVector,
  // Elements by id, as they travel inside the engine. Results never contain them.
  kNodeRef, kRelationshipRef,
};
std::string_view TypeName(Type type);  // "INTEGER", "LIST", ... as Cypher's manual writes them

struct Date { int64_t days = 0; };                                   // since 1970-01-01
struct LocalTime { int64_t nanos = 0; };                             // since midnight
struct Time { int64_t nanos = 0; int32_t offset_seconds = 0; };      // nanos: local, since midnight
struct LocalDateTime { int64_t seconds = 0; int32_t nanos = 0; };    // local seconds since 1970-01-01T00:00
struct DateTime {                                                    // an instant, and the offset or zone it is told in
  int64_t seconds = 0;                                               // UTC, since 1970-01-01T00:00Z
  int32_t nanos = 0;
  int32_t offset_seconds = 0;                                        // at that instant
  std::string zone;                                                  // "Europe/Stockholm"; empty if only an offset
};
struct Duration { int64_t months = 0, days = 0, seconds = 0; int32_t nanos = 0; };  // nanos 0..999,999,999
struct Point { int32_t srid = 7203; double x = 0, y = 0, z = 0; bool has_z() const { return srid == 9157 || srid == 4979; } };

// A map with string keys, sorted. Lookup is a binary search.
class Map {
 public:
  using Entry = std::pair<std::string, Value>;
  Map();
  Map(std::initializer_list<Entry> entries);
  ~Map();
  Map(const Map&);
  Map(Map&&) noexcept;
  Map& operator=(const Map&);
  Map& operator=(Map&&) noexcept;
  void Set(std::string_view key, Value value);   // replaces an existing one
  bool Erase(std::string_view key);
  const Value* Find(std::string_view key) const; // null pointer if there is none
  size_t size() const;
  bool empty() const;
  std::vector<Entry>::const_iterator begin() const;
  std::vector<Entry>::const_iterator end() const;
  void Reserve(size_t n);
  // Takes entries in any order; the last of equal keys wins.
  static Map FromEntries(std::vector<Entry> entries);

 private:
  std::vector<Entry> entries_;
};

struct Node;
struct Relationship;
struct Path;

class Value {
 public:
  Value() : type_(Type::kNull) { payload_.integer = 0; }
  Value(bool v) : type_(Type::kBoolean) { payload_.integer = v; }          // NOLINT: implicit on purpose, as all below
  Value(int v) : Value(static_cast<int64_t>(v)) {}
  Value(int64_t v) : type_(Type::kInteger) { payload_.integer = v; }
  Value(double v) : type_(Type::kFloat) { payload_.real = v; }
  Value(std::string v);
  Value(std::string_view v) : Value(std::string(v)) {}
  Value(const char* v) : Value(std::string(v)) {}
  Value(List v);
  Value(Map v);
  Value(Node v);
  Value(Relationship v);
  Value(Path v);
  Value(Date v) : type_(Type::kDate) { payload_.integer = v.days; }
  Value(LocalTime v) : type_(Type::kLocalTime) { payload_.integer = v.nanos; }
  Value(Time v);
  Value(LocalDateTime v);
  Value(DateTime v);
  Value(Duration v);
  Value(Point v);
  static Value Bytes(std::string bytes);
  static Value Vector(std::vector<float> elements);
  static Value NodeRef(uint64_t id);
  static Value RelationshipRef(uint64_t id);

  Value(const Value& other) : type_(other.type_), payload_(other.payload_) { if (shared()) Retain(); }
  Value(Value&& other) noexcept : type_(other.type_), payload_(other.payload_) { other.type_ = Type::kNull; }
  Value& operator=(const Value& other) { if (this != &other) { Value copy(other); Swap(copy); } return *this; }
  Value& operator=(Value&& other) noexcept { if (this != &other) { Value moved(std::move(other)); Swap(moved); } return *this; }
  ~Value() { if (shared()) Release(); }

  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::kNull; }
  bool is_number() const { return type_ == Type::kInteger || type_ == Type::kFloat; }
  bool is_true() const { return type_ == Type::kBoolean && payload_.integer != 0; }

  bool AsBoolean() const { Require(Type::kBoolean); return payload_.integer != 0; }
  int64_t AsInteger() const { Require(Type::kInteger); return payload_.integer; }
  double AsFloat() const { Require(Type::kFloat); return payload_.real; }
  double AsNumber() const;                        // an integer or a float, as a double
  const std::string& AsString() const;
  const std::string& AsBytes() const;
  const List& AsList() const;
  const Map& AsMap() const;
  const Node& AsNode() const;
  const Relationship& AsRelationship() const;
  const Path& AsPath() const;
  Date AsDate() const { Require(Type::kDate); return {payload_.integer}; }
  LocalTime AsLocalTime() const { Require(Type::kLocalTime); return {payload_.integer}; }
  const Time& AsTime() const;
  const LocalDateTime& AsLocalDateTime() const;
  const DateTime& AsDateTime() const;
  const Duration& AsDuration() const;
  const Point& AsPoint() const;
  const std::vector<float>& AsVector() const;
  uint64_t AsNodeRef() const { Require(Type::kNodeRef); return static_cast<uint64_t>(payload_.integer); }
  uint64_t AsRelationshipRef() const { Require(Type::kRelationshipRef); return static_cast<uint64_t>(payload_.integer); }

  // About the bytes this value keeps alive, itself included; shared parts are counted in full.
  size_t MemoryBytes() const;
  // Same type and content: 1 and 1.0 differ, NaN equals NaN, null equals null. Not Cypher's `=`, see base/value_compare.h.
  friend bool operator==(const Value& a, const Value& b);

 private:
  struct Shared;                                   // reference count and content, in base/value.cc
  template <typename T> struct Holder;
  bool shared() const {
    return type_ >= Type::kString && type_ != Type::kDate && type_ != Type::kLocalTime && type_ < Type::kNodeRef;
  }
  void Retain() const;
  void Release();
  void Swap(Value& other) noexcept { std::swap(type_, other.type_); std::swap(payload_, other.payload_); }
  void Require(Type type) const { if (type_ != type) [[unlikely]] WrongType(type); }
  [[noreturn]] void WrongType(Type wanted) const;
  template <typename T> void Hold(Type type, T content);
  template <typename T> const T& Held(Type type) const;

  Type type_;
  union {
    int64_t integer;
    double real;
    Shared* shared;
  } payload_;
};

// Behind Value: clang wants to know an entry's size where a vector of entries is asked for its own.
inline size_t Map::size() const { return entries_.size(); }
inline bool Map::empty() const { return entries_.empty(); }
inline std::vector<Map::Entry>::const_iterator Map::begin() const { return entries_.begin(); }
inline std::vector<Map::Entry>::const_iterator Map::end() const { return entries_.end(); }

// A node as a result shows it. `labels` are sorted by name.
struct Node {
  uint64_t id = 0;
  std::vector<std::string> labels;
  Map properties;
};
struct Relationship {
  uint64_t id = 0;
  std::string type;
  uint64_t start = 0, end = 0;                     // ids of nodes
  Map properties;
};
// nodes.size() == relationships.size() + 1. A step runs backwards where relationship i does not start at node i.
// Inside the engine the elements are NodeRef and RelationshipRef values; in results Node and Relationship values.
struct Path {
  List nodes;
  List relationships;
};

}  // namespace fornix
