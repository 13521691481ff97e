#include <algorithm>
#include <bit>
#include <cstring>

#include "base/utf8.h"
#include "tools/server/bolt/packstream.h"
#include "tools/server/bolt/zones.h"

namespace fornix::bolt {

Status Unpacker::Bad(const std::string& what) const {
  return Status(Code::kParameterInvalid, std::string(kWhatIsNoMessage) + ": " + what + ", at byte " + std::to_string(read_));
}

Result<uint64_t> Unpacker::BigEndian(size_t bytes) {
  if (rest_.size() < bytes) return Bad("it ends inside a number");
  uint64_t v = 0;
  for (size_t i = 0; i < bytes; ++i) v = v << 8 | rest_[i];
  rest_ = rest_.subspan(bytes);
  read_ += bytes;
  return v;
}

Result<std::string> Unpacker::Text(size_t n) {
  if (rest_.size() < n) return Bad(std::to_string(n) + " bytes are said, " + std::to_string(rest_.size()) + " are there");
  std::string text(reinterpret_cast<const char*>(rest_.data()), n);
  rest_ = rest_.subspan(n);
  read_ += n;
  return text;
}

Result<Message> Unpacker::ReadMessage() {
  ASSIGN_OR_RETURN(const uint64_t marker, BigEndian(1));
  if (marker < 0xB0 || marker > 0xBF) return Bad("it begins with byte " + std::to_string(marker) + ", not with a structure");
  Message message;
  ASSIGN_OR_RETURN(const uint64_t tag, BigEndian(1));
  message.tag = static_cast<uint8_t>(tag);
  for (uint64_t i = 0; i < (marker & 15); ++i) {
    ASSIGN_OR_RETURN(Value field, Any(1));
    message.fields.push_back(std::move(field));
  }
  if (!rest_.empty()) return Bad(std::to_string(rest_.size()) + " bytes too many");
  return message;
}

Result<Value> Unpacker::ReadList(size_t n, int depth) {
  if (n > rest_.size()) return Bad("a list of " + std::to_string(n) + " in " + std::to_string(rest_.size()) + " bytes");
  List list;
  list.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(Value item, Any(depth + 1));
    list.push_back(std::move(item));
  }
  return Value(std::move(list));
}

Result<Value> Unpacker::ReadMap(size_t n, int depth) {
  if (n > rest_.size() / 2) return Bad("a map of " + std::to_string(n) + " in " + std::to_string(rest_.size()) + " bytes");
  std::vector<Map::Entry> entries;
  entries.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(Value key, Any(depth + 1));
    if (key.type() != Type::kString) return Bad("a map with a key that is no string");
    ASSIGN_OR_RETURN(Value item, Any(depth + 1));
    entries.emplace_back(key.AsString(), std::move(item));
  }
  Map map = Map::FromEntries(std::move(entries));
  if (map.size() != n) return Bad("a map with a key twice");
  return Value(std::move(map));
}

Result<Value> Unpacker::ReadStruct(size_t n, int depth) {
  ASSIGN_OR_RETURN(const uint64_t tag, BigEndian(1));
  List fields;
  for (size_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(Value field, Any(depth + 1));
    fields.push_back(std::move(field));
  }
  return Structure(static_cast<uint8_t>(tag), fields);
}

Result<Value> Unpacker::Any(int depth) {
  if (depth > kNestingMax) return Bad("values nested more than " + std::to_string(kNestingMax) + " deep");
  ASSIGN_OR_RETURN(const uint64_t marker, BigEndian(1));
  if (marker < 0x80 || marker >= 0xF0) return Value(static_cast<int64_t>(static_cast<int8_t>(marker)));
  const auto sized = [&](uint64_t first) -> Result<uint64_t> { return BigEndian(size_t{1} << (marker - first)); };
  const auto text = [&](size_t n) -> Result<Value> {
    ASSIGN_OR_RETURN(std::string s, Text(n));
    if (!IsUtf8(s)) return Bad("a string that isn't UTF-8");
    return Value(std::move(s));
  };
  switch (marker & 0xF0) {
    case 0x80: return text(marker & 15);
    case 0x90: return ReadList(marker & 15, depth);
    case 0xA0: return ReadMap(marker & 15, depth);
    case 0xB0: return ReadStruct(marker & 15, depth);
    default: break;
  }
  switch (marker) {
    case 0xC0: return Value();
    case 0xC1: {
      ASSIGN_OR_RETURN(const uint64_t bits, BigEndian(8));
      return Value(std::bit_cast<double>(bits));
    }
    case 0xC2: return Value(false);
    case 0xC3: return Value(true);
    case 0xC8:
    case 0xC9:
    case 0xCA:
    case 0xCB: {
      const size_t bytes = size_t{1} << (marker - 0xC8);
      ASSIGN_OR_RETURN(const uint64_t bits, BigEndian(bytes));
      const int shift = static_cast<int>(64 - 8 * bytes);
      return Value(static_cast<int64_t>(bits << shift) >> shift);
    }
    case 0xCC:
    case 0xCD:
    case 0xCE: {
      ASSIGN_OR_RETURN(const uint64_t n, sized(0xCC));
      ASSIGN_OR_RETURN(std::string bytes, Text(n));
      return Value::Bytes(std::move(bytes));
    }
    case 0xD0:
    case 0xD1:
    case 0xD2: {
      ASSIGN_OR_RETURN(const uint64_t n, sized(0xD0));
      return text(n);
    }
    case 0xD4:
    case 0xD5:
    case 0xD6: {
      ASSIGN_OR_RETURN(const uint64_t n, sized(0xD4));
      return ReadList(n, depth);
    }
    case 0xD8:
    case 0xD9:
    case 0xDA: {
      ASSIGN_OR_RETURN(const uint64_t n, sized(0xD8));
      return ReadMap(n, depth);
    }
    default: return Bad("the reserved marker " + std::to_string(marker));
  }
}

namespace {

// The elements of a VECTOR structure, big-endian; nothing if the type's marker is none, or they don't fill the bytes.
bool Elements(const std::string& type, const std::string& bytes, std::vector<float>* out) {
  if (type.size() != 1) return false;
  const auto marker = static_cast<uint8_t>(type[0]);
  const size_t width = marker == 0xC8 ? 1 : marker == 0xC9 ? 2 : marker == 0xCA || marker == 0xC6 ? 4 : marker == 0xCB || marker == 0xC1 ? 8 : 0;
  if (width == 0 || bytes.size() % width != 0) return false;
  for (size_t at = 0; at < bytes.size(); at += width) {
    uint64_t bits = 0;
    for (size_t i = 0; i < width; ++i) bits = bits << 8 | static_cast<uint8_t>(bytes[at + i]);
    const int shift = static_cast<int>(64 - 8 * width);
    if (marker == 0xC6) {
      out->push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    } else if (marker == 0xC1) {
      out->push_back(static_cast<float>(std::bit_cast<double>(bits)));
    } else {
      out->push_back(static_cast<float>(static_cast<int64_t>(bits << shift) >> shift));
    }
  }
  return true;
}

}  // namespace

Result<Value> Unpacker::Structure(uint8_t tag, const List& fields) const {
  const auto is = [&](std::initializer_list<Type> types) {
    return fields.size() == types.size() && std::equal(types.begin(), types.end(), fields.begin(), [](Type t, const Value& v) { return v.type() == t; });
  };
  constexpr Type kI = Type::kInteger, kF = Type::kFloat, kS = Type::kString;
  const auto number = [&](size_t i) { return fields[i].AsInteger(); };
  const auto small = [&](size_t i, const char* what, int32_t* out) -> Status {
    if (number(i) < INT32_MIN || number(i) > INT32_MAX) return Bad(std::string(what) + " of " + std::to_string(number(i)));
    *out = static_cast<int32_t>(number(i));
    return Status::Ok();
  };
  constexpr int64_t kSecondsMax = int64_t{1} << 56;            // so that an offset can be added; the years end long before
  int32_t nanos = 0, offset = 0;
  switch (tag) {
    case 0x44:
      if (!is({kI})) break;
      return Value(Date{number(0)});
    case 0x74:
      if (!is({kI})) break;
      return Value(LocalTime{number(0)});
    case 0x54:
      if (!is({kI, kI})) break;
      RETURN_IF_ERROR(small(1, "an offset", &offset));
      return Value(Time{number(0), offset});
    case 0x64:
      if (!is({kI, kI})) break;
      RETURN_IF_ERROR(small(1, "nanoseconds", &nanos));
      return Value(LocalDateTime{number(0), nanos});
    case 0x49:
    case 0x46:
      if (!is({kI, kI, kI}) || (tag == 0x49) != dialect_.utc) break;
      RETURN_IF_ERROR(small(1, "nanoseconds", &nanos));
      RETURN_IF_ERROR(small(2, "an offset", &offset));
      if (number(0) > kSecondsMax || number(0) < -kSecondsMax) return Bad("a time of " + std::to_string(number(0)) + " seconds");
      return Value(DateTime{tag == 0x49 ? number(0) : number(0) - offset, nanos, offset, {}});
    case 0x69:
    case 0x66: {
      if (!is({kI, kI, kS}) || (tag == 0x69) != dialect_.utc) break;
      RETURN_IF_ERROR(small(1, "nanoseconds", &nanos));
      const std::string& zone = fields[2].AsString();
      const std::optional<int64_t> utc = tag == 0x69 ? std::optional(number(0)) : UtcOfLocal(zone, number(0));
      const std::optional<int32_t> at = utc ? OffsetAt(zone, *utc) : std::nullopt;
      if (!at) return Bad("the time zone '" + zone.substr(0, 40) + "' isn't known at " + std::to_string(number(0)) + " seconds");
      return Value(DateTime{*utc, nanos, *at, zone});
    }
    case 0x45:
      if (!is({kI, kI, kI, kI})) break;
      RETURN_IF_ERROR(small(3, "nanoseconds", &nanos));
      return Value(Duration{number(0), number(1), number(2), nanos});
    case 0x58:
    case 0x59: {
      if (tag == 0x58 ? !is({kI, kF, kF}) : !is({kI, kF, kF, kF})) break;
      Point p{0, fields[1].AsFloat(), fields[2].AsFloat(), tag == 0x59 ? fields[3].AsFloat() : 0};
      RETURN_IF_ERROR(small(0, "a reference system", &p.srid));
      if (p.has_z() != (tag == 0x59)) return Bad("a point of " + std::to_string(fields.size() - 1) + " numbers in reference system " + std::to_string(p.srid));
      return Value(p);
    }
    case 0x56: {
      std::vector<float> elements;
      if (!dialect_.vectors || !is({Type::kBytes, Type::kBytes}) || !Elements(fields[0].AsBytes(), fields[1].AsBytes(), &elements)) break;
      return Value::Vector(std::move(elements));
    }
    case 0x4E:
    case 0x52:
    case 0x72:
    case 0x50:
      if (dialect_.elements) return Element(tag, fields);
      return Bad("nodes, relationships and paths can't be parameters: pass an elementId and MATCH it again");
    default: return Bad("a structure with the unknown tag " + std::to_string(tag));
  }
  return Bad("a structure with the tag " + std::to_string(tag) + " and fields that it doesn't have in this version");
}

// A node, a relationship, or a path: its nodes, its relationships (without their ends, so as UnboundRelationship) and its steps.
Result<Value> Unpacker::Element(uint8_t tag, const List& fields) const {
  const auto is = [&](std::initializer_list<Type> types) {
    return fields.size() >= types.size() && std::equal(types.begin(), types.end(), fields.begin(), [](Type t, const Value& v) { return v.type() == t; });
  };
  constexpr Type kI = Type::kInteger, kS = Type::kString, kL = Type::kList, kM = Type::kMap;
  const auto id = [&](size_t i) { return static_cast<uint64_t>(fields[i].AsInteger()); };
  if (tag == 0x4E && is({kI, kL, kM})) {
    Node node{id(0), {}, fields[2].AsMap()};
    for (const Value& label : fields[1].AsList()) {
      if (label.type() != kS) return Bad("a label that is no string");
      node.labels.push_back(label.AsString());
    }
    return Value(std::move(node));
  }
  if (tag == 0x52 && is({kI, kI, kI, kS, kM})) return Value(Relationship{id(0), fields[3].AsString(), id(1), id(2), fields[4].AsMap()});
  if (tag == 0x72 && is({kI, kS, kM})) return Value(Relationship{id(0), fields[1].AsString(), 0, 0, fields[2].AsMap()});
  if (tag != 0x50 || !is({kL, kL, kL})) return Bad("an element with fields that it doesn't have");
  const List &nodes = fields[0].AsList(), &relationships = fields[1].AsList(), &steps = fields[2].AsList();
  const auto all = [](const List& list, Type type) { return std::all_of(list.begin(), list.end(), [&](const Value& v) { return v.type() == type; }); };
  if (nodes.empty() || steps.size() % 2 != 0 || !all(nodes, Type::kNode) || !all(relationships, Type::kRelationship) || !all(steps, kI)) return Bad("a path that is none");
  Path path;
  path.nodes.push_back(nodes[0]);
  for (size_t i = 0; i < steps.size(); i += 2) {
    const int64_t step = steps[i].AsInteger(), to = steps[i + 1].AsInteger();
    const uint64_t number = step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
    if (number == 0 || number > relationships.size() || to < 0 || static_cast<uint64_t>(to) >= nodes.size()) return Bad("a path's step to nowhere");
    Relationship relationship = relationships[number - 1].AsRelationship();
    const uint64_t from = path.nodes.back().AsNode().id, next = nodes[static_cast<size_t>(to)].AsNode().id;
    relationship.start = step < 0 ? next : from;
    relationship.end = step < 0 ? from : next;
    path.relationships.push_back(Value(std::move(relationship)));
    path.nodes.push_back(nodes[static_cast<size_t>(to)]);
  }
  return Value(std::move(path));
}

}  // namespace fornix::bolt
