#include "storage/txn/log_record.h"

#include <algorithm>

#include "base/check.h"
#include "base/interrupt.h"
#include "storage/txn/value_codec.h"

namespace fornix::storage {
namespace {

constexpr uint8_t kRecordVersion = 1;
constexpr size_t kTimestampOffset = 1;

enum class Op : uint8_t {
  kLabel = 1, kType = 2, kPropertyKey = 3, kCreateNode = 4, kDeleteNode = 5, kSetLabels = 6, kSetNodeProperties = 7,
  kCreateRelationship = 8, kDeleteRelationship = 9, kSetRelationshipProperties = 10, kSchema = 11, kIds = 12,
};
void Put(ByteWriter* out, Op op) { out->U8(static_cast<uint8_t>(op)); }

}  // namespace

RecordWriter::RecordWriter(const Tokens& tokens, const LoggedTokens& logged) : tokens_(tokens), logged_(logged) {}

template <typename Id>
void RecordWriter::AddNew(std::vector<Id>* list, Id id) {
  auto at = std::lower_bound(list->begin(), list->end(), id);
  if ((at != list->end() && *at == id) || logged_.Has(id)) return;
  list->insert(at, id);
}

void RecordWriter::Labels(std::span<const LabelId> labels) {
  body_.Varint(labels.size());
  for (LabelId label : labels) {
    Use(label);
    body_.Varint(label.value);
  }
}

void RecordWriter::Properties(const PropertyList& properties) {
  for (const auto& [key, value] : properties) Use(key);
  EncodeProperties(properties, &body_);
}

void RecordWriter::CreateNode(NodeId id, std::span<const LabelId> labels, const PropertyList& properties) {
  Put(&body_, Op::kCreateNode);
  body_.Varint(id.value);
  Labels(labels);
  Properties(properties);
}

void RecordWriter::CreateRelationship(RelId id, const RelationshipEnds& ends, const PropertyList& properties) {
  Use(ends.type);
  Put(&body_, Op::kCreateRelationship);
  body_.Varint(id.value);
  body_.Varint(ends.start.value);
  body_.Varint(ends.end.value);
  body_.Varint(ends.type.value);
  Properties(properties);
}

PropertyList RecordWriter::Changed(const OwnElement& element) const {
  PropertyList changed;
  for (PropertyId key : element.changed_keys) {
    const Value* value = FindProperty(element.properties, key);
    changed.emplace_back(key, value == nullptr ? Value() : *value);
  }
  return changed;
}

// Nodes come before the relationships that need them, deleted relationships before their nodes.
void RecordWriter::Write(const WriteSet& own) {
  for (const auto& node : own.nodes()) {
    CountWork(32);
    if (node->deleted) continue;
    if (node->created) {
      CreateNode(node->id, node->labels, node->properties);
      continue;
    }
    if (node->labels_changed) {
      Put(&body_, Op::kSetLabels);
      body_.Varint(node->id.value);
      Labels(node->labels);
    }
    if (node->properties_changed) {
      Put(&body_, Op::kSetNodeProperties);
      body_.Varint(node->id.value);
      Properties(Changed(*node));
    }
  }
  for (const auto& rel : own.relationships()) {
    CountWork(32);
    if (rel->created && rel->deleted) continue;
    if (rel->created) {
      CreateRelationship(rel->id, {rel->start, rel->end, rel->type}, rel->properties);
    } else if (rel->deleted) {
      Put(&body_, Op::kDeleteRelationship);
      body_.Varint(rel->id.value);
    } else if (rel->properties_changed) {
      Put(&body_, Op::kSetRelationshipProperties);
      body_.Varint(rel->id.value);
      Properties(Changed(*rel));
    }
  }
  for (const auto& node : own.nodes()) {
    if (!node->deleted || node->created) continue;
    Put(&body_, Op::kDeleteNode);
    body_.Varint(node->id.value);
  }
}

void RecordWriter::Schema(const SchemaVersion& schema) {
  for (const IndexDefinition& d : schema.indexes) {
    for (uint32_t token : d.tokens) d.entity == EntityKind::kNode ? Use(LabelId(token)) : Use(TypeId(token));
    for (PropertyId property : d.properties) Use(property);
    for (PropertyId property : d.filter_properties) Use(property);
  }
  for (const ConstraintDefinition& d : schema.constraints) {
    d.entity == EntityKind::kNode ? Use(LabelId(d.token)) : Use(TypeId(d.token));
    for (PropertyId property : d.properties) Use(property);
  }
  Put(&body_, Op::kSchema);
  EncodeSchema(schema, &body_);
}

void RecordWriter::Ids(const IdAllocator::Snapshot& ids) {
  for (const auto& set : ids.node_sets) {
    for (LabelId label : set.labels) Use(label);
  }
  for (const auto& range : ids.types) Use(range.type);
  Put(&body_, Op::kIds);
  body_.Varint(ids.node_chunks);
  body_.Varint(ids.relationship_chunks);
  body_.Varint(ids.shared_next);
  body_.Varint(ids.shared_end);
  body_.Varint(ids.node_sets.size());
  for (const auto& set : ids.node_sets) {
    Labels(set.labels);
    body_.Varint(set.count);
    body_.Varint(set.next);
    body_.Varint(set.end);
  }
  body_.Varint(ids.types.size());
  for (const auto& range : ids.types) {
    body_.Varint(range.type.value);
    body_.Varint(range.next);
    body_.Varint(range.end);
  }
}

namespace {
template <typename Table, typename Id>
void AddAll(const Table& table, std::vector<Id>* out) {
  const std::vector<std::string> names = table.Names();
  out->clear();
  for (uint32_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) out->push_back(Id(i));
  }
}
}  // namespace

void RecordWriter::UseAllNames() {
  AddAll(tokens_.labels, &labels_);
  AddAll(tokens_.types, &types_);
  AddAll(tokens_.properties, &properties_);
}

std::vector<std::byte> RecordWriter::Finish(Timestamp ts) {
  ByteWriter out;
  out.Reserve(body_.size() + 64);
  out.U8(kRecordVersion);
  out.U64(ts);
  auto names = [&out](Op op, const auto& ids, const auto& table) {
    for (auto id : ids) {
      Put(&out, op);
      out.Varint(id.value);
      out.String(table.Name(id));
    }
  };
  names(Op::kLabel, labels_, tokens_.labels);
  names(Op::kType, types_, tokens_.types);
  names(Op::kPropertyKey, properties_, tokens_.properties);
  out.Bytes(body_.bytes());
  return out.Take();
}

void RecordWriter::SetTimestamp(std::vector<std::byte>* record, Timestamp ts) {
  StoreFixed(record->data() + kTimestampOffset, ts);
}

void RecordWriter::MarkLogged(LoggedTokens* logged) const {
  for (LabelId id : labels_) logged->Add(id);
  for (TypeId id : types_) logged->Add(id);
  for (PropertyId id : properties_) logged->Add(id);
}

namespace {

Result<std::vector<LabelId>> ReadLabels(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(1));
  std::vector<LabelId> labels;
  for (uint32_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(const uint32_t label, in->ReadVarint32());
    if (!labels.empty() && labels.back().value >= label) return in->Damaged("labels out of order");
    labels.emplace_back(label);
  }
  return labels;
}

Result<IdAllocator::Snapshot> ReadIds(ByteReader* in) {
  IdAllocator::Snapshot ids;
  ASSIGN_OR_RETURN(ids.node_chunks, in->ReadVarint());
  ASSIGN_OR_RETURN(ids.relationship_chunks, in->ReadVarint());
  ASSIGN_OR_RETURN(ids.shared_next, in->ReadVarint());
  ASSIGN_OR_RETURN(ids.shared_end, in->ReadVarint());
  ASSIGN_OR_RETURN(const uint32_t sets, in->ReadCount(4));
  for (uint32_t i = 0; i < sets; ++i) {
    IdAllocator::Snapshot::NodeSet set;
    ASSIGN_OR_RETURN(set.labels, ReadLabels(in));
    ASSIGN_OR_RETURN(set.count, in->ReadVarint());
    ASSIGN_OR_RETURN(set.next, in->ReadVarint());
    ASSIGN_OR_RETURN(set.end, in->ReadVarint());
    ids.node_sets.push_back(std::move(set));
  }
  ASSIGN_OR_RETURN(const uint32_t types, in->ReadCount(3));
  for (uint32_t i = 0; i < types; ++i) {
    IdAllocator::Snapshot::TypeRange range;
    ASSIGN_OR_RETURN(const uint32_t type, in->ReadVarint32());
    range.type = TypeId(type);
    ASSIGN_OR_RETURN(range.next, in->ReadVarint());
    ASSIGN_OR_RETURN(range.end, in->ReadVarint());
    ids.types.push_back(range);
  }
  return ids;
}

template <typename Id>
Result<Id> ReadToken(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t id, in->ReadVarint32());
  return Id(id);
}
template <typename Id>
Result<Id> ReadId(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint64_t id, in->ReadVarint());
  if (id >= uint64_t{1} << 40) return in->Damaged("an element's id beyond 40 bits");
  return Id(id);
}

Status ReadOp(ByteReader* in, RecordHandler* handler) {
  ASSIGN_OR_RETURN(const uint8_t byte, in->ReadU8());
  switch (static_cast<Op>(byte)) {
    case Op::kLabel: {
      ASSIGN_OR_RETURN(const LabelId id, ReadToken<LabelId>(in));
      ASSIGN_OR_RETURN(const std::string_view name, in->ReadString());
      return handler->Label(id, name);
    }
    case Op::kType: {
      ASSIGN_OR_RETURN(const TypeId id, ReadToken<TypeId>(in));
      ASSIGN_OR_RETURN(const std::string_view name, in->ReadString());
      return handler->RelationshipType(id, name);
    }
    case Op::kPropertyKey: {
      ASSIGN_OR_RETURN(const PropertyId id, ReadToken<PropertyId>(in));
      ASSIGN_OR_RETURN(const std::string_view name, in->ReadString());
      return handler->PropertyKey(id, name);
    }
    case Op::kCreateNode: {
      ASSIGN_OR_RETURN(const NodeId id, ReadId<NodeId>(in));
      ASSIGN_OR_RETURN(std::vector<LabelId> labels, ReadLabels(in));
      ASSIGN_OR_RETURN(PropertyList properties, DecodeProperties(in));
      return handler->CreateNode(id, std::move(labels), std::move(properties));
    }
    case Op::kDeleteNode: {
      ASSIGN_OR_RETURN(const NodeId id, ReadId<NodeId>(in));
      return handler->DeleteNode(id);
    }
    case Op::kSetLabels: {
      ASSIGN_OR_RETURN(const NodeId id, ReadId<NodeId>(in));
      ASSIGN_OR_RETURN(std::vector<LabelId> labels, ReadLabels(in));
      return handler->SetLabels(id, std::move(labels));
    }
    case Op::kSetNodeProperties: {
      ASSIGN_OR_RETURN(const NodeId id, ReadId<NodeId>(in));
      ASSIGN_OR_RETURN(PropertyList changed, DecodeProperties(in));
      return handler->SetProperties(id, std::move(changed));
    }
    case Op::kCreateRelationship: {
      ASSIGN_OR_RETURN(const RelId id, ReadId<RelId>(in));
      RelationshipEnds ends;
      ASSIGN_OR_RETURN(ends.start, ReadId<NodeId>(in));
      ASSIGN_OR_RETURN(ends.end, ReadId<NodeId>(in));
      ASSIGN_OR_RETURN(ends.type, ReadToken<TypeId>(in));
      ASSIGN_OR_RETURN(PropertyList properties, DecodeProperties(in));
      return handler->CreateRelationship(id, ends, std::move(properties));
    }
    case Op::kDeleteRelationship: {
      ASSIGN_OR_RETURN(const RelId id, ReadId<RelId>(in));
      return handler->DeleteRelationship(id);
    }
    case Op::kSetRelationshipProperties: {
      ASSIGN_OR_RETURN(const RelId id, ReadId<RelId>(in));
      ASSIGN_OR_RETURN(PropertyList changed, DecodeProperties(in));
      return handler->SetProperties(id, std::move(changed));
    }
    case Op::kSchema: {
      ASSIGN_OR_RETURN(SchemaVersion schema, DecodeSchema(in));
      return handler->Schema(std::move(schema));
    }
    case Op::kIds: {
      ASSIGN_OR_RETURN(const IdAllocator::Snapshot ids, ReadIds(in));
      return handler->Ids(ids);
    }
  }
  return in->Damaged("an operation of the unknown kind " + std::to_string(byte) + "; a newer Fornix may have written it");
}

}  // namespace

Status ReadRecord(std::span<const std::byte> record, std::string_view source, RecordHandler* handler) {
  ByteReader in(record, source);
  ASSIGN_OR_RETURN(const uint8_t version, in.ReadU8());
  if (version != kRecordVersion) {
    return in.Damaged("a record of version " + std::to_string(version) + ", this Fornix reads version " +
                      std::to_string(kRecordVersion));
  }
  ASSIGN_OR_RETURN(const Timestamp ts, in.ReadU64());
  RETURN_IF_ERROR(handler->Begin(ts));
  while (!in.empty()) {
    if (Status status = ReadOp(&in, handler); !status.ok()) {
      // What the handler finds impossible is told with the place where it stands.
      return status.code() == Code::kCorruption && status.message().find(source) == std::string::npos
                 ? in.Damaged(status.message())
                 : status;
    }
  }
  return Status::Ok();
}

}  // namespace fornix::storage
