// A whole SchemaVersion in a record: docs/format.md, "Schema". Enums are written as their numbers, which never change;
// one that isn't known is Corruption, never a guess.
#include "storage/catalog/property_type.h"
#include "storage/txn/log_record.h"
#include "storage/txn/value_codec.h"

namespace fornix::storage {
namespace {

constexpr uint8_t kFilling = 0x80;             // beside an index's kind: it isn't online yet
constexpr int kOptionDepthMax = 8;             // OPTIONS {indexConfig: {...}} has two

void EncodeOption(const Value& value, ByteWriter* out) {
  out->U8(value.type() == Type::kMap);
  if (value.type() != Type::kMap) return EncodeValue(value, out);
  out->Varint(value.AsMap().size());
  for (const auto& [key, entry] : value.AsMap()) {
    out->String(key);
    EncodeOption(entry, out);
  }
}

Result<Value> DecodeOption(ByteReader* in, int depth) {
  ASSIGN_OR_RETURN(const uint8_t is_map, in->ReadU8());
  if (is_map == 0) return DecodeValue(in);
  if (depth == kOptionDepthMax) return in->Damaged("options nested too deeply");
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(3));
  Map map;
  for (uint32_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(const std::string_view key, in->ReadString());
    ASSIGN_OR_RETURN(Value entry, DecodeOption(in, depth + 1));
    map.Set(key, std::move(entry));
  }
  return Value(std::move(map));
}

template <typename Enum>
Result<Enum> ReadEnum(ByteReader* in, Enum last, const char* what) {
  ASSIGN_OR_RETURN(const uint8_t byte, in->ReadU8());
  if (byte > static_cast<uint8_t>(last)) return in->Damaged(std::string("the unknown ") + what + " " + std::to_string(byte));
  return static_cast<Enum>(byte);
}
Result<std::string> ReadText(ByteReader* in) {
  ASSIGN_OR_RETURN(const std::string_view text, in->ReadString());
  return std::string(text);
}
Result<bool> ReadBool(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint8_t byte, in->ReadU8());
  return byte != 0;
}

void EncodeList(const std::vector<PropertyId>& list, ByteWriter* out) {
  out->Varint(list.size());
  for (PropertyId id : list) out->Varint(id.value);
}
Result<std::vector<PropertyId>> ReadProperties(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(1));
  std::vector<PropertyId> list;
  for (uint32_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(const uint32_t id, in->ReadVarint32());
    list.emplace_back(id);
  }
  return list;
}
void EncodeNames(const std::vector<std::string>& names, ByteWriter* out) {
  out->Varint(names.size());
  for (const std::string& name : names) out->String(name);
}
Result<std::vector<std::string>> ReadNames(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(1));
  std::vector<std::string> names;
  for (uint32_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(std::string name, ReadText(in));
    names.push_back(std::move(name));
  }
  return names;
}

void EncodeIndex(const IndexDefinition& d, ByteWriter* out) {
  out->Varint(d.id.value);
  out->String(d.name);
  out->U8(static_cast<uint8_t>(d.kind) | (d.online ? 0 : kFilling));
  out->U8(static_cast<uint8_t>(d.entity));
  out->Varint(d.tokens.size());
  for (uint32_t token : d.tokens) out->Varint(token);
  EncodeList(d.properties, out);
  EncodeList(d.filter_properties, out);
  out->Varint(d.vector.dimensions);
  out->U8(static_cast<uint8_t>(static_cast<uint32_t>(d.vector.metric) | static_cast<uint32_t>(d.vector.quantization) << 4));
  out->Varint(d.vector.m);
  out->Varint(d.vector.ef_construction);
  out->U32(d.owner.value);
  EncodeOption(Value(d.options), out);
}

Result<IndexDefinition> DecodeIndex(ByteReader* in) {
  IndexDefinition d;
  ASSIGN_OR_RETURN(d.id.value, in->ReadVarint32());
  ASSIGN_OR_RETURN(d.name, ReadText(in));
  ASSIGN_OR_RETURN(const uint8_t kind, in->ReadU8());
  if ((kind & ~kFilling) > static_cast<uint8_t>(IndexKind::kLookup)) return in->Damaged("the unknown kind of index " + std::to_string(kind));
  d.kind = static_cast<IndexKind>(kind & ~kFilling);
  d.online = (kind & kFilling) == 0;
  ASSIGN_OR_RETURN(d.entity, ReadEnum(in, EntityKind::kRelationship, "kind of element"));
  ASSIGN_OR_RETURN(const uint32_t tokens, in->ReadCount(1));
  for (uint32_t i = 0; i < tokens; ++i) {
    ASSIGN_OR_RETURN(const uint32_t token, in->ReadVarint32());
    d.tokens.push_back(token);
  }
  ASSIGN_OR_RETURN(d.properties, ReadProperties(in));
  if (d.tokens.empty() || d.properties.empty()) return in->Damaged("an index of nothing");
  ASSIGN_OR_RETURN(d.filter_properties, ReadProperties(in));
  ASSIGN_OR_RETURN(d.vector.dimensions, in->ReadVarint32());
  ASSIGN_OR_RETURN(const uint8_t kinds, in->ReadU8());
  if ((kinds & 15) > static_cast<uint8_t>(Metric::kDot)) return in->Damaged("the unknown metric " + std::to_string(kinds & 15));
  if (kinds >> 4 > static_cast<uint8_t>(vector::Quantization::kRabitq8)) return in->Damaged("the unknown quantization " + std::to_string(kinds >> 4));
  d.vector.metric = static_cast<Metric>(kinds & 15);
  d.vector.quantization = static_cast<vector::Quantization>(kinds >> 4);
  ASSIGN_OR_RETURN(d.vector.m, in->ReadVarint32());
  ASSIGN_OR_RETURN(d.vector.ef_construction, in->ReadVarint32());
  ASSIGN_OR_RETURN(d.owner.value, in->ReadU32());
  ASSIGN_OR_RETURN(const Value options, DecodeOption(in, 0));
  if (options.type() != Type::kMap) return in->Damaged("options that are no map");
  d.options = options.AsMap();
  ReadSearchOptions(d.options, &d.vector);
  return d;
}

void EncodeConstraint(const ConstraintDefinition& d, ByteWriter* out) {
  out->Varint(d.id.value);
  out->String(d.name);
  out->U8(static_cast<uint8_t>(d.kind));
  out->U8(static_cast<uint8_t>(d.entity));
  out->Varint(d.token);
  EncodeList(d.properties, out);
  out->String(d.type.text);
  out->U32(d.index.value);
  out->U8(d.of_graph_type);
}

Result<ConstraintDefinition> DecodeConstraint(ByteReader* in) {
  ConstraintDefinition d;
  ASSIGN_OR_RETURN(d.id.value, in->ReadVarint32());
  ASSIGN_OR_RETURN(d.name, ReadText(in));
  ASSIGN_OR_RETURN(d.kind, ReadEnum(in, ConstraintKind::kPropertyType, "kind of constraint"));
  ASSIGN_OR_RETURN(d.entity, ReadEnum(in, EntityKind::kRelationship, "kind of element"));
  ASSIGN_OR_RETURN(d.token, in->ReadVarint32());
  ASSIGN_OR_RETURN(d.properties, ReadProperties(in));
  if (d.properties.empty()) return in->Damaged("a constraint of nothing");
  ASSIGN_OR_RETURN(d.type.text, ReadText(in));
  if (d.kind == ConstraintKind::kPropertyType) {
    auto parsed = ParsePropertyType(d.type.text);
    if (!parsed.ok()) return in->Damaged(parsed.status().message());
    d.type.parsed = *parsed;
  }
  ASSIGN_OR_RETURN(d.index.value, in->ReadU32());
  ASSIGN_OR_RETURN(d.of_graph_type, ReadBool(in));
  return d;
}

}  // namespace

void EncodeSchema(const SchemaVersion& schema, ByteWriter* out) {
  out->Varint(schema.epoch);
  out->Varint(schema.next_id);
  out->Varint(schema.indexes.size());
  for (const IndexDefinition& d : schema.indexes) EncodeIndex(d, out);
  out->Varint(schema.constraints.size());
  for (const ConstraintDefinition& d : schema.constraints) EncodeConstraint(d, out);
  const GraphType& type = schema.graph_type;
  out->U8(type.declared);
  out->U8(type.closed);
  EncodeNames(type.labels, out);
  EncodeNames(type.types, out);
  out->Varint(type.endpoints.size());
  for (const GraphType::Endpoint& e : type.endpoints) {
    out->String(e.type);
    out->String(e.start_label);
    out->String(e.end_label);
  }
  out->String(type.text);
}

Result<SchemaVersion> DecodeSchema(ByteReader* in) {
  SchemaVersion schema;
  ASSIGN_OR_RETURN(schema.epoch, in->ReadVarint());
  ASSIGN_OR_RETURN(schema.next_id, in->ReadVarint32());
  ASSIGN_OR_RETURN(const uint32_t indexes, in->ReadCount(12));
  for (uint32_t i = 0; i < indexes; ++i) {
    ASSIGN_OR_RETURN(IndexDefinition d, DecodeIndex(in));
    schema.indexes.push_back(std::move(d));
  }
  ASSIGN_OR_RETURN(const uint32_t constraints, in->ReadCount(10));
  for (uint32_t i = 0; i < constraints; ++i) {
    ASSIGN_OR_RETURN(ConstraintDefinition d, DecodeConstraint(in));
    schema.constraints.push_back(std::move(d));
  }
  GraphType& type = schema.graph_type;
  ASSIGN_OR_RETURN(type.declared, ReadBool(in));
  ASSIGN_OR_RETURN(type.closed, ReadBool(in));
  ASSIGN_OR_RETURN(type.labels, ReadNames(in));
  ASSIGN_OR_RETURN(type.types, ReadNames(in));
  ASSIGN_OR_RETURN(const uint32_t endpoints, in->ReadCount(3));
  for (uint32_t i = 0; i < endpoints; ++i) {
    GraphType::Endpoint e;
    ASSIGN_OR_RETURN(e.type, ReadText(in));
    ASSIGN_OR_RETURN(e.start_label, ReadText(in));
    ASSIGN_OR_RETURN(e.end_label, ReadText(in));
    type.endpoints.push_back(std::move(e));
  }
  ASSIGN_OR_RETURN(type.text, ReadText(in));
  return schema;
}

}  // namespace fornix::storage
