#include "engine/exec/spill/value_codec.h"

namespace fornix::engine {
namespace {

void WriteTag(Type type, ByteWriter* out) { out->U8(static_cast<uint8_t>(type)); }

void WriteList(const List& list, ByteWriter* out) {
  out->Varint(list.size());
  for (const Value& v : list) WriteValue(v, out);
}
Result<List> ReadList(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(1));
  List list;
  list.reserve(n);
  for (uint32_t i = 0; i < n; i++) {
    ASSIGN_OR_RETURN(Value v, ReadValue(in));
    list.push_back(std::move(v));
  }
  return list;
}

void WriteMap(const Map& map, ByteWriter* out) {
  out->Varint(map.size());
  for (const auto& [key, v] : map) {
    out->String(key);
    WriteValue(v, out);
  }
}
Result<Map> ReadMap(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(2));
  std::vector<Map::Entry> entries;
  entries.reserve(n);
  for (uint32_t i = 0; i < n; i++) {
    ASSIGN_OR_RETURN(const std::string_view key, in->ReadString());
    ASSIGN_OR_RETURN(Value v, ReadValue(in));
    entries.emplace_back(std::string(key), std::move(v));
  }
  return Map::FromEntries(std::move(entries));
}

Result<Value> ReadNode(ByteReader* in) {
  Node node;
  ASSIGN_OR_RETURN(node.id, in->ReadVarint());
  ASSIGN_OR_RETURN(const uint32_t labels, in->ReadCount(1));
  for (uint32_t i = 0; i < labels; i++) {
    ASSIGN_OR_RETURN(const std::string_view label, in->ReadString());
    node.labels.emplace_back(label);
  }
  ASSIGN_OR_RETURN(node.properties, ReadMap(in));
  return Value(std::move(node));
}

Result<Value> ReadRelationship(ByteReader* in) {
  Relationship r;
  ASSIGN_OR_RETURN(r.id, in->ReadVarint());
  ASSIGN_OR_RETURN(const std::string_view type, in->ReadString());
  r.type = type;
  ASSIGN_OR_RETURN(r.start, in->ReadVarint());
  ASSIGN_OR_RETURN(r.end, in->ReadVarint());
  ASSIGN_OR_RETURN(r.properties, ReadMap(in));
  return Value(std::move(r));
}

void WriteElement(const Value& v, ByteWriter* out) {
  if (v.type() == Type::kNode) {
    const Node& node = v.AsNode();
    out->Varint(node.id);
    out->Varint(node.labels.size());
    for (const std::string& label : node.labels) out->String(label);
    return WriteMap(node.properties, out);
  }
  const Relationship& r = v.AsRelationship();
  out->Varint(r.id);
  out->String(r.type);
  out->Varint(r.start);
  out->Varint(r.end);
  WriteMap(r.properties, out);
}

Result<Value> ReadTemporal(Type type, ByteReader* in) {
  ASSIGN_OR_RETURN(const int64_t first, in->ReadZigZag());
  switch (type) {
    case Type::kDate: return Value(Date{first});
    case Type::kLocalTime: return Value(LocalTime{first});
    case Type::kTime: {
      ASSIGN_OR_RETURN(const int64_t offset, in->ReadZigZag());
      return Value(Time{first, static_cast<int32_t>(offset)});
    }
    case Type::kLocalDateTime: {
      ASSIGN_OR_RETURN(const int64_t nanos, in->ReadZigZag());
      return Value(LocalDateTime{first, static_cast<int32_t>(nanos)});
    }
    case Type::kDateTime: {
      DateTime t;
      t.seconds = first;
      ASSIGN_OR_RETURN(const int64_t nanos, in->ReadZigZag());
      ASSIGN_OR_RETURN(const int64_t offset, in->ReadZigZag());
      ASSIGN_OR_RETURN(const std::string_view zone, in->ReadString());
      t.nanos = static_cast<int32_t>(nanos);
      t.offset_seconds = static_cast<int32_t>(offset);
      t.zone = zone;
      return Value(std::move(t));
    }
    default: {
      Duration d;
      d.months = first;
      ASSIGN_OR_RETURN(d.days, in->ReadZigZag());
      ASSIGN_OR_RETURN(d.seconds, in->ReadZigZag());
      ASSIGN_OR_RETURN(const int64_t nanos, in->ReadZigZag());
      d.nanos = static_cast<int32_t>(nanos);
      return Value(d);
    }
  }
}

void WriteTemporal(const Value& v, ByteWriter* out) {
  switch (v.type()) {
    case Type::kDate: return out->SignedVarint(v.AsDate().days);
    case Type::kLocalTime: return out->SignedVarint(v.AsLocalTime().nanos);
    case Type::kTime:
      out->SignedVarint(v.AsTime().nanos);
      return out->SignedVarint(v.AsTime().offset_seconds);
    case Type::kLocalDateTime:
      out->SignedVarint(v.AsLocalDateTime().seconds);
      return out->SignedVarint(v.AsLocalDateTime().nanos);
    case Type::kDateTime:
      out->SignedVarint(v.AsDateTime().seconds);
      out->SignedVarint(v.AsDateTime().nanos);
      out->SignedVarint(v.AsDateTime().offset_seconds);
      return out->String(v.AsDateTime().zone);
    default:
      out->SignedVarint(v.AsDuration().months);
      out->SignedVarint(v.AsDuration().days);
      out->SignedVarint(v.AsDuration().seconds);
      out->SignedVarint(v.AsDuration().nanos);
  }
}

Result<Value> ReadPoint(ByteReader* in) {
  Point p;
  ASSIGN_OR_RETURN(const int64_t srid, in->ReadZigZag());
  p.srid = static_cast<int32_t>(srid);
  ASSIGN_OR_RETURN(p.x, in->ReadF64());
  ASSIGN_OR_RETURN(p.y, in->ReadF64());
  ASSIGN_OR_RETURN(p.z, in->ReadF64());
  return Value(p);
}

Result<Value> ReadVector(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(sizeof(float)));
  ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, in->ReadBytes(size_t{n} * sizeof(float)));
  std::vector<float> elements(n);
  if (n > 0) std::memcpy(elements.data(), bytes.data(), bytes.size());
  return Value::Vector(std::move(elements));
}

// Any value but null, whose tag is all there is.
Result<Value> ReadBody(Type type, ByteReader* in) {
  switch (type) {
    case Type::kNull: return Value();
    case Type::kBoolean: {
      ASSIGN_OR_RETURN(const uint8_t b, in->ReadU8());
      return Value(b != 0);
    }
    case Type::kInteger: {
      ASSIGN_OR_RETURN(const int64_t i, in->ReadZigZag());
      return Value(i);
    }
    case Type::kFloat: {
      ASSIGN_OR_RETURN(const double d, in->ReadF64());
      return Value(d);
    }
    case Type::kString:
    case Type::kBytes: {
      ASSIGN_OR_RETURN(const std::string_view text, in->ReadString());
      return type == Type::kString ? Value(text) : Value::Bytes(std::string(text));
    }
    case Type::kList: {
      ASSIGN_OR_RETURN(List list, ReadList(in));
      return Value(std::move(list));
    }
    case Type::kMap: {
      ASSIGN_OR_RETURN(Map map, ReadMap(in));
      return Value(std::move(map));
    }
    case Type::kNode: return ReadNode(in);
    case Type::kRelationship: return ReadRelationship(in);
    case Type::kPath: {
      Path path;
      ASSIGN_OR_RETURN(path.nodes, ReadList(in));
      ASSIGN_OR_RETURN(path.relationships, ReadList(in));
      return Value(std::move(path));
    }
    case Type::kDate:
    case Type::kLocalTime:
    case Type::kTime:
    case Type::kLocalDateTime:
    case Type::kDateTime:
    case Type::kDuration: return ReadTemporal(type, in);
    case Type::kPoint: return ReadPoint(in);
    case Type::kVector: return ReadVector(in);
    case Type::kNodeRef:
    case Type::kRelationshipRef: {
      ASSIGN_OR_RETURN(const uint64_t id, in->ReadVarint());
      return type == Type::kNodeRef ? Value::NodeRef(id) : Value::RelationshipRef(id);
    }
  }
  return in->Damaged("a value of type " + std::to_string(static_cast<int>(type)));
}

}  // namespace

void WriteValue(const Value& v, ByteWriter* out) {
  WriteTag(v.type(), out);
  switch (v.type()) {
    case Type::kNull: return;
    case Type::kBoolean: return out->U8(v.AsBoolean());
    case Type::kInteger: return out->SignedVarint(v.AsInteger());
    case Type::kFloat: return out->F64(v.AsFloat());
    case Type::kString: return out->String(v.AsString());
    case Type::kBytes: return out->String(v.AsBytes());
    case Type::kList: return WriteList(v.AsList(), out);
    case Type::kMap: return WriteMap(v.AsMap(), out);
    case Type::kNode:
    case Type::kRelationship: return WriteElement(v, out);
    case Type::kPath:
      WriteList(v.AsPath().nodes, out);
      return WriteList(v.AsPath().relationships, out);
    case Type::kPoint:
      out->SignedVarint(v.AsPoint().srid);
      out->F64(v.AsPoint().x);
      out->F64(v.AsPoint().y);
      return out->F64(v.AsPoint().z);
    case Type::kVector:
      out->Varint(v.AsVector().size());
      return out->Bytes(std::as_bytes(std::span<const float>(v.AsVector())));
    case Type::kNodeRef: return out->Varint(v.AsNodeRef());
    case Type::kRelationshipRef: return out->Varint(v.AsRelationshipRef());
    default: return WriteTemporal(v, out);
  }
}

Result<Value> ReadValue(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint8_t tag, in->ReadU8());
  return ReadBody(static_cast<Type>(tag), in);
}

void WriteEntry(const Column& column, size_t row, ByteWriter* out) {
  if (!column.filled() || column.IsNull(row)) return WriteTag(Type::kNull, out);
  switch (column.kind()) {
    case ColumnKind::kNode:
      WriteTag(Type::kNodeRef, out);
      return out->Varint(column.word(row));
    case ColumnKind::kRelationship:
      WriteTag(Type::kRelationshipRef, out);
      return out->Varint(column.word(row));
    case ColumnKind::kBool:
      WriteTag(Type::kBoolean, out);
      return out->U8(column.bool_at(row));
    case ColumnKind::kInt:
      WriteTag(Type::kInteger, out);
      return out->SignedVarint(column.int_at(row));
    case ColumnKind::kFloat:
      WriteTag(Type::kFloat, out);
      return out->F64(column.float_at(row));
    default: return WriteValue(column.boxed_at(row), out);
  }
}

Status ReadEntry(ByteReader* in, Column* column) {
  ASSIGN_OR_RETURN(const uint8_t tag, in->ReadU8());
  switch (static_cast<Type>(tag)) {
    case Type::kNull: column->AppendNull(); return Status::Ok();
    case Type::kInteger: {
      ASSIGN_OR_RETURN(const int64_t i, in->ReadZigZag());
      column->AppendInt(i);
      return Status::Ok();
    }
    case Type::kNodeRef: {
      ASSIGN_OR_RETURN(const uint64_t id, in->ReadVarint());
      column->AppendNode(NodeId(id));
      return Status::Ok();
    }
    case Type::kRelationshipRef: {
      ASSIGN_OR_RETURN(const uint64_t id, in->ReadVarint());
      column->AppendRelationship(RelId(id));
      return Status::Ok();
    }
    default: {
      ASSIGN_OR_RETURN(const Value v, ReadBody(static_cast<Type>(tag), in));
      column->Append(v);
      return Status::Ok();
    }
  }
}

}  // namespace fornix::engine
