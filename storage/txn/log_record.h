// Log records: one per transaction, a sequence of logical operations. docs/format.md, "Log records".
//
//   record = u8 version, u64 timestamp, then operations to the end: u8 kind and its fields
// A record says all that replay needs: names of tokens that the log doesn't hold yet come first, elements carry their ids,
// changed properties only the changed keys, a schema change the whole new schema.
// Writing is pure; the timestamp is patched in under the sequencer's mutex. Reading checks every id and number against
// what is there, so bytes that a checksum lets through can't break an invariant: what can't be is Corruption.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "storage/graph/write_set.h"
#include "storage/txn/id_allocator.h"
#include "storage/txn/logged_tokens.h"

namespace fornix::storage {

class RecordWriter {
 public:
  RecordWriter(const Tokens& tokens, const LoggedTokens& logged);
  void Write(const WriteSet& own);
  void CreateNode(NodeId id, std::span<const LabelId> labels, const PropertyList& properties);
  void CreateRelationship(RelId id, const RelationshipEnds& ends, const PropertyList& properties);
  void Schema(const SchemaVersion& schema);
  void Ids(const IdAllocator::Snapshot& ids);
  void UseAllNames();                          // of the catalog: a record that names every token there is
  // Names for everything that was written and isn't in the log, then the operations.
  std::vector<std::byte> Finish(Timestamp ts);
  static void SetTimestamp(std::vector<std::byte>* record, Timestamp ts);
  // Remembers that the names of this record are in the log.
  void MarkLogged(LoggedTokens* logged) const;
  size_t size() const { return body_.size(); }

 private:
  void Use(LabelId id) { AddNew(&labels_, id); }
  void Use(TypeId id) { AddNew(&types_, id); }
  void Use(PropertyId id) { AddNew(&properties_, id); }
  template <typename Id>
  void AddNew(std::vector<Id>* list, Id id);
  void Labels(std::span<const LabelId> labels);
  void Properties(const PropertyList& properties);
  PropertyList Changed(const OwnElement& element) const;

  const Tokens& tokens_;
  const LoggedTokens& logged_;
  ByteWriter body_;
  std::vector<LabelId> labels_;                // sorted; to be named
  std::vector<TypeId> types_;
  std::vector<PropertyId> properties_;
};

// Who takes the operations of a record that is read; each may refuse with Corruption.
class RecordHandler {
 public:
  virtual ~RecordHandler() = default;
  virtual Status Begin(Timestamp ts) = 0;
  virtual Status Label(LabelId id, std::string_view name) = 0;
  virtual Status RelationshipType(TypeId id, std::string_view name) = 0;
  virtual Status PropertyKey(PropertyId id, std::string_view name) = 0;
  virtual Status CreateNode(NodeId id, std::vector<LabelId> labels, PropertyList properties) = 0;
  virtual Status DeleteNode(NodeId id) = 0;
  virtual Status SetLabels(NodeId id, std::vector<LabelId> labels) = 0;
  virtual Status SetProperties(NodeId id, PropertyList changed) = 0;
  virtual Status CreateRelationship(RelId id, const RelationshipEnds& ends, PropertyList properties) = 0;
  virtual Status DeleteRelationship(RelId id) = 0;
  virtual Status SetProperties(RelId id, PropertyList changed) = 0;
  virtual Status Schema(SchemaVersion schema) = 0;
  virtual Status Ids(const IdAllocator::Snapshot& ids) = 0;
};
// `source` names the record in errors.
Status ReadRecord(std::span<const std::byte> record, std::string_view source, RecordHandler* handler);

// schema_codec.cc
void EncodeSchema(const SchemaVersion& schema, ByteWriter* out);
Result<SchemaVersion> DecodeSchema(ByteReader* in);

}  // namespace fornix::storage
