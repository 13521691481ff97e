// CatalogContent: what the record of the catalog says, without a store around it: names, schema, ids. For the tools that read files
// which may not open any more.
#pragma once

#include <map>
#include <string>

#include "storage/txn/log_record.h"

namespace fornix::storage {

struct CatalogContent final : RecordHandler {
  std::map<uint32_t, std::string> labels, types, properties;
  SchemaVersion schema;
  IdAllocator::Snapshot ids;

  static Result<CatalogContent> Of(std::span<const std::byte> record, std::string_view source) {
    CatalogContent content;
    RETURN_IF_ERROR(ReadRecord(record, source, &content));
    return content;
  }
  Status Begin(Timestamp) override { return Status::Ok(); }
  Status Label(LabelId id, std::string_view name) override { return Name(&labels, id.value, name); }
  Status RelationshipType(TypeId id, std::string_view name) override { return Name(&types, id.value, name); }
  Status PropertyKey(PropertyId id, std::string_view name) override { return Name(&properties, id.value, name); }
  Status CreateNode(NodeId, std::vector<LabelId>, PropertyList) override { return Foreign(); }
  Status DeleteNode(NodeId) override { return Foreign(); }
  Status SetLabels(NodeId, std::vector<LabelId>) override { return Foreign(); }
  Status SetProperties(NodeId, PropertyList) override { return Foreign(); }
  Status CreateRelationship(RelId, const RelationshipEnds&, PropertyList) override { return Foreign(); }
  Status DeleteRelationship(RelId) override { return Foreign(); }
  Status SetProperties(RelId, PropertyList) override { return Foreign(); }
  Status Schema(SchemaVersion version) override {
    schema = std::move(version);
    return Status::Ok();
  }
  Status Ids(const IdAllocator::Snapshot& snapshot) override {
    ids = snapshot;
    return Status::Ok();
  }

 private:
  static Status Name(std::map<uint32_t, std::string>* names, uint32_t id, std::string_view name) {
    (*names)[id] = name;
    return Status::Ok();
  }
  static Status Foreign() { return Status(Code::kCorruption, "the catalog's record changes an element"); }
};

}  // namespace fornix::storage
