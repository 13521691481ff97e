// Recovery: replays log records into an empty store, through the same write set and commit plan as any commit.
// Every operation is checked against the state it meets (an element that should be there is, one that should not is not),
// so a record that doesn't fit stops the opening with Corruption and never breaks an invariant.
// Threads: one; in a database that is opened for reading others may have snapshots meanwhile, so what they share is changed
// under the sequencer's mutex.
#pragma once

#include <map>
#include <set>

#include "storage/graph/overlay.h"
#include "storage/store_state.h"
#include "storage/txn/log_record.h"
#include "wal/reader.h"

namespace fornix::storage {

class Recovery final : public wal::LogApplier, private RecordHandler {
 public:
  explicit Recovery(StoreState* store) : store_(store) {}
  Status Apply(Lsn lsn, std::span<const std::byte> body) override;
  // The catalog's record, before any of the log: names, schema and ids at the base's timestamp. Nothing of the base is read. Vector indexes
  // that `images` has wait for them (index/vector_load.h).
  Status ApplyCatalog(std::span<const std::byte> record, const std::string& source, std::shared_ptr<const Base> base,
                      const std::map<uint32_t, ExtentRef>& images);
  uint64_t bytes() const { return bytes_; }    // of the records applied

 private:
  Status Begin(Timestamp ts) override;
  Status Label(LabelId id, std::string_view name) override;
  Status RelationshipType(TypeId id, std::string_view name) override;
  Status PropertyKey(PropertyId id, std::string_view name) override;
  Status CreateNode(NodeId id, std::vector<LabelId> labels, PropertyList properties) override;
  Status DeleteNode(NodeId id) override;
  Status SetLabels(NodeId id, std::vector<LabelId> labels) override;
  Status SetProperties(NodeId id, PropertyList changed) override;
  Status CreateRelationship(RelId id, const RelationshipEnds& ends, PropertyList properties) override;
  Status DeleteRelationship(RelId id) override;
  Status SetProperties(RelId id, PropertyList changed) override;
  Status Schema(SchemaVersion schema) override;
  Status Ids(const IdAllocator::Snapshot& ids) override;

  Status Commit();
  Status CheckNumbers(const SchemaVersion& schema, const SchemaVersion& before);
  void TakeOffline(std::set<IndexId> left_out);   // under the sequencer's mutex
  Overlay Seen() const { return Overlay(*store_->generations.current(), store_->sequencer.last(), own_.get()); }
  Status CheckLabels(std::span<const LabelId> labels) const;
  Status CheckKeys(const PropertyList& properties) const;

  StoreState* const store_;
  std::unique_ptr<WriteSet> own_;
  std::shared_ptr<const SchemaState> new_schema_;
  std::map<uint64_t, TypeId> chunk_types_;     // of relationships that the log creates
  std::set<IndexId> dropped_;                  // by the log
  Timestamp ts_ = 0;
  uint64_t bytes_ = 0;
  bool in_catalog_ = false;
  std::set<IndexId> left_out_;                 // whose keys aren't all in: a log of an earlier version has some that no tree takes
};

}  // namespace fornix::storage
