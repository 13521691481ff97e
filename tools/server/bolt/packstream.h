// PackStream: the values of Bolt as bytes (neo4j.com/docs/bolt/current/packstream, structures of Bolt 4.4, 5.x and 6.0).
//
//   Packer    appends values to a string; what it can't write in this version of Bolt it writes as its documented stand-in
//   Unpacker  reads values out of a span; believes no size that it can't see, nests at most kNestingMax deep
// Threads: each object is one thread's.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::bolt {

struct Version {
  uint8_t major = 0, minor = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};

// What of the structures differs between versions.
struct Dialect {
  bool element_ids = true;   // 5.0 on: Node, Relationship and UnboundRelationship carry strings too
  bool utc = true;           // 5.0 on, or the patch `utc` of 4.4: DateTime holds UTC seconds, not local ones
  bool vectors = false;      // 6.0 on: VECTOR is a structure; before, a list of floats
  bool elements = false;     // a client's side: nodes, relationships and paths are read, which no server takes
};
inline Dialect DialectOf(Version version, bool utc_patch) {
  return {version.major >= 5, version.major >= 5 || utc_patch, version.major >= 6, false};
}

inline constexpr int kNestingMax = static_cast<int>(kParameterNestingMax);
inline constexpr char kWhatIsNoMessage[] = "no message of Bolt";

class Packer {
 public:
  Packer(std::string* out, Dialect dialect) : out_(out), dialect_(dialect) {}

  void Null() { Byte(0xC0); }
  void Boolean(bool v) { Byte(v ? 0xC3 : 0xC2); }
  void Integer(int64_t v);
  void Float(double v);
  void String(std::string_view text) { Sized(text.size(), 0x80, 0xD0), out_->append(text); }
  void Bytes(std::string_view bytes);
  void ListHeader(size_t n) { Sized(n, 0x90, 0xD4); }
  void MapHeader(size_t n) { Sized(n, 0xA0, 0xD8); }
  void StructHeader(uint8_t tag, uint8_t fields) { Byte(0xB0 | fields), Byte(tag); }
  void Any(const Value& v);

 private:
  void Byte(uint8_t b) { out_->push_back(static_cast<char>(b)); }
  void BigEndian(uint64_t v, int bytes);
  void Sized(size_t n, uint8_t tiny, uint8_t marker);
  void Properties(const Map& map);
  void PackNode(const Node& node);
  void PackRelationship(const Relationship& relationship);
  void PackPath(const Path& path);
  void PackDateTime(const DateTime& t);
  void PackVector(const std::vector<float>& v);

  std::string* const out_;
  const Dialect dialect_;
};

// A structure at the top: a message.
struct Message {
  uint8_t tag = 0;
  List fields;
};

class Unpacker {
 public:
  Unpacker(std::span<const uint8_t> bytes, Dialect dialect) : rest_(bytes), dialect_(dialect) {}
  // One message and nothing behind it. ParameterInvalid that says what is wrong and at which byte.
  Result<Message> ReadMessage();

 private:
  Status Bad(const std::string& what) const;
  Result<uint64_t> BigEndian(size_t bytes);
  Result<std::string> Text(size_t n);
  Result<Value> Any(int depth);
  Result<Value> ReadList(size_t n, int depth);
  Result<Value> ReadMap(size_t n, int depth);
  Result<Value> ReadStruct(size_t fields, int depth);
  Result<Value> Structure(uint8_t tag, const List& fields) const;
  Result<Value> Element(uint8_t tag, const List& fields) const;

  std::span<const uint8_t> rest_;
  size_t read_ = 0;
  const Dialect dialect_;
};

}  // namespace fornix::bolt
