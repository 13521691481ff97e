#include <bit>
#include <map>
#include <vector>

#include "base/element_id.h"
#include "tools/server/bolt/packstream.h"

namespace fornix::bolt {

void Packer::BigEndian(uint64_t v, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) Byte(static_cast<uint8_t>(v >> shift));
}

void Packer::Integer(int64_t v) {
  const auto bits = static_cast<uint64_t>(v);
  if (v >= -16 && v <= 127) return Byte(static_cast<uint8_t>(v));
  if (v >= INT8_MIN && v <= INT8_MAX) return Byte(0xC8), BigEndian(bits, 1);
  if (v >= INT16_MIN && v <= INT16_MAX) return Byte(0xC9), BigEndian(bits, 2);
  if (v >= INT32_MIN && v <= INT32_MAX) return Byte(0xCA), BigEndian(bits, 4);
  Byte(0xCB), BigEndian(bits, 8);
}

void Packer::Float(double v) { Byte(0xC1), BigEndian(std::bit_cast<uint64_t>(v), 8); }

// Sizes: below 16 in the marker, then one, two or four bytes behind marker, marker + 1, marker + 2.
void Packer::Sized(size_t n, uint8_t tiny, uint8_t marker) {
  if (n < 16) return Byte(static_cast<uint8_t>(tiny | n));
  if (n <= 0xFF) return Byte(marker), BigEndian(n, 1);
  if (n <= 0xFFFF) return Byte(static_cast<uint8_t>(marker + 1)), BigEndian(n, 2);
  Byte(static_cast<uint8_t>(marker + 2)), BigEndian(n, 4);
}

void Packer::Bytes(std::string_view bytes) {
  if (bytes.size() <= 0xFF) {
    Byte(0xCC), BigEndian(bytes.size(), 1);
  } else if (bytes.size() <= 0xFFFF) {
    Byte(0xCD), BigEndian(bytes.size(), 2);
  } else {
    Byte(0xCE), BigEndian(bytes.size(), 4);
  }
  out_->append(bytes);
}

void Packer::Properties(const Map& map) {
  MapHeader(map.size());
  for (const auto& [key, item] : map) String(key), Any(item);
}

void Packer::PackNode(const Node& node) {
  StructHeader(0x4E, dialect_.element_ids ? 4 : 3);
  Integer(static_cast<int64_t>(node.id));
  ListHeader(node.labels.size());
  for (const std::string& label : node.labels) String(label);
  Properties(node.properties);
  if (dialect_.element_ids) String(NodeElementId(node.id));
}

void Packer::PackRelationship(const Relationship& r) {
  StructHeader(0x52, dialect_.element_ids ? 8 : 5);
  Integer(static_cast<int64_t>(r.id));
  Integer(static_cast<int64_t>(r.start));
  Integer(static_cast<int64_t>(r.end));
  String(r.type);
  Properties(r.properties);
  if (!dialect_.element_ids) return;
  String(RelationshipElementId(r.id));
  String(NodeElementId(r.start));
  String(NodeElementId(r.end));
}

// Each node and relationship once; the steps name them: relationships from 1 on, negative where the step runs backwards, nodes from 0 on.
void Packer::PackPath(const Path& path) {
  std::vector<const Node*> nodes;
  std::vector<const Relationship*> relationships;
  std::map<uint64_t, size_t> node_at, relationship_at;
  for (const Value& v : path.nodes) {
    if (node_at.emplace(v.AsNode().id, nodes.size()).second) nodes.push_back(&v.AsNode());
  }
  for (const Value& v : path.relationships) {
    if (relationship_at.emplace(v.AsRelationship().id, relationships.size()).second) relationships.push_back(&v.AsRelationship());
  }
  StructHeader(0x50, 3);
  ListHeader(nodes.size());
  for (const Node* node : nodes) PackNode(*node);
  ListHeader(relationships.size());
  for (const Relationship* r : relationships) {
    StructHeader(0x72, dialect_.element_ids ? 4 : 3);
    Integer(static_cast<int64_t>(r->id));
    String(r->type);
    Properties(r->properties);
    if (dialect_.element_ids) String(RelationshipElementId(r->id));
  }
  ListHeader(2 * path.relationships.size());
  for (size_t i = 0; i < path.relationships.size(); ++i) {
    const Relationship& r = path.relationships[i].AsRelationship();
    const auto number = static_cast<int64_t>(relationship_at[r.id] + 1);
    Integer(r.start == path.nodes[i].AsNode().id ? number : -number);
    Integer(static_cast<int64_t>(node_at[path.nodes[i + 1].AsNode().id]));
  }
}

void Packer::PackDateTime(const DateTime& t) {
  const int64_t seconds = dialect_.utc ? t.seconds : t.seconds + t.offset_seconds;
  const bool named = !t.zone.empty();
  StructHeader(named ? (dialect_.utc ? 0x69 : 0x66) : (dialect_.utc ? 0x49 : 0x46), 3);
  Integer(seconds);
  Integer(t.nanos);
  if (named) {
    String(t.zone);
  } else {
    Integer(t.offset_seconds);
  }
}

void Packer::PackVector(const std::vector<float>& v) {
  if (!dialect_.vectors) {
    ListHeader(v.size());
    for (float f : v) Float(f);
    return;
  }
  StructHeader(0x56, 2);
  const char type = static_cast<char>(0xC6);   // f32
  Bytes(std::string_view(&type, 1));
  std::string elements;
  Packer packer(&elements, dialect_);
  for (float f : v) packer.BigEndian(std::bit_cast<uint32_t>(f), 4);
  Bytes(elements);
}

void Packer::Any(const Value& v) {
  switch (v.type()) {
    case Type::kNull: return Null();
    case Type::kBoolean: return Boolean(v.AsBoolean());
    case Type::kInteger: return Integer(v.AsInteger());
    case Type::kFloat: return Float(v.AsFloat());
    case Type::kString: return String(v.AsString());
    case Type::kBytes: return Bytes(v.AsBytes());
    case Type::kList:
      ListHeader(v.AsList().size());
      for (const Value& item : v.AsList()) Any(item);
      return;
    case Type::kMap: return Properties(v.AsMap());
    case Type::kNode: return PackNode(v.AsNode());
    case Type::kRelationship: return PackRelationship(v.AsRelationship());
    case Type::kPath: return PackPath(v.AsPath());
    case Type::kDate: return StructHeader(0x44, 1), Integer(v.AsDate().days);
    case Type::kLocalTime: return StructHeader(0x74, 1), Integer(v.AsLocalTime().nanos);
    case Type::kTime: return StructHeader(0x54, 2), Integer(v.AsTime().nanos), Integer(v.AsTime().offset_seconds);
    case Type::kLocalDateTime: return StructHeader(0x64, 2), Integer(v.AsLocalDateTime().seconds), Integer(v.AsLocalDateTime().nanos);
    case Type::kDateTime: return PackDateTime(v.AsDateTime());
    case Type::kDuration: {
      const Duration& d = v.AsDuration();
      return StructHeader(0x45, 4), Integer(d.months), Integer(d.days), Integer(d.seconds), Integer(d.nanos);
    }
    case Type::kPoint: {
      const Point& p = v.AsPoint();
      StructHeader(p.has_z() ? 0x59 : 0x58, p.has_z() ? 4 : 3);
      Integer(p.srid), Float(p.x), Float(p.y);
      if (p.has_z()) Float(p.z);
      return;
    }
    case Type::kVector: return PackVector(v.AsVector());
    case Type::kNodeRef: return Integer(static_cast<int64_t>(v.AsNodeRef()));                   // results hold none
    case Type::kRelationshipRef: return Integer(static_cast<int64_t>(v.AsRelationshipRef()));   // results hold none
  }
}

}  // namespace fornix::bolt
