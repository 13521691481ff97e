// TransactionImpl: the one Transaction. Writes are in transaction_impl.cc, schema changes in ddl.cc, the commit in
// commit.cc with its tests in validate.cc.
#pragma once

#include <atomic>
#include <string>

#include "base/read_failure.h"
#include "storage/graph/view.h"
#include "storage/index/own_keys.h"
#include "storage/index/own_vectors.h"
#include "storage/store_state.h"
#include "storage/txn/commit_plan.h"
#include "storage/txn/online_schema.h"
#include "storage/txn/transaction.h"

namespace fornix::storage {

class NewRanges;

class TransactionImpl final : public Transaction {
 public:
  TransactionImpl(StoreState* store, bool read_only);
  ~TransactionImpl() override;

  const GraphView& view() const override { return view_; }
  Timestamp snapshot() const override { return live_.timestamp; }
  bool has_writes() const override { return !own_.empty() || !schema_changes_.empty(); }
  const WriteCounters& counters() const override { return counters_; }
  size_t memory_bytes() const override { return own_.memory_bytes(); }

  Result<LabelId> InternLabel(std::string_view name) override;
  Result<TypeId> InternType(std::string_view name) override;
  Result<PropertyId> InternProperty(std::string_view name) override;

  Result<NodeId> CreateNode(std::span<const LabelId> labels, PropertyList properties) override;
  Result<RelId> CreateRelationship(NodeId start, TypeId type, NodeId end, PropertyList properties) override {
    return Guarded([&] { return DoCreateRelationship(start, type, end, std::move(properties)); });
  }
  Status SetProperty(NodeId id, PropertyId key, Value value) override {
    return Guarded([&] { return SetPropertyOf(id, key, std::move(value)); });
  }
  Status SetProperty(RelId id, PropertyId key, Value value) override {
    return Guarded([&] { return SetPropertyOf(id, key, std::move(value)); });
  }
  Status AddLabel(NodeId id, LabelId label) override {
    return Guarded([&] { return ChangeLabel(id, label, true); });
  }
  Status RemoveLabel(NodeId id, LabelId label) override {
    return Guarded([&] { return ChangeLabel(id, label, false); });
  }
  Status DeleteRelationship(RelId id) override {
    return Guarded([&] { return DoDeleteRelationship(id); });
  }
  Status DeleteNode(NodeId id, bool detach) override {
    return Guarded([&] { return DoDeleteNode(id, detach); });
  }
  Status CheckDeletedNodes() override {
    return Guarded([&] { return DoCheckDeletedNodes(); });
  }
  void RecordMergeMiss(MergeMiss miss) override { misses_.push_back(std::move(miss)); }

  Result<bool> CreateIndex(IndexDefinition definition, bool if_not_exists) override;
  Result<bool> DropIndex(std::string_view name, bool if_exists) override;
  Result<bool> AlterVectorIndex(std::string_view name, std::function<Status(VectorIndexOptions*)> change) override;
  Result<bool> CreateConstraint(ConstraintDefinition definition, bool if_not_exists) override;
  Result<bool> DropConstraint(std::string_view name, bool if_exists) override;
  Status SetGraphType(GraphType type, std::vector<ConstraintDefinition> constraints) override;

  Result<CommitResult> Commit() override;
  void CommitAsync(std::function<void(Result<CommitResult>)> done) override;
  void Rollback() override;
  void BeginStatement(std::string_view text) override;
  void Suspend() override;
  Status Resume() override;

  // For old_snapshots.h.
  bool asked_to_end() const { return asked_to_end_.load(std::memory_order_relaxed); }
  const Layers& layers() const { return *layers_; }          // under the mutex
  void AskToEnd(const std::shared_ptr<const Layers>& ended);   // under the mutex

  // For view.h.
  const SchemaVersion& schema() const { return own_schema_ != nullptr ? *own_schema_ : *schema_->version; }
  const SchemaState& schema_state() const { return *schema_; }
  OwnKeys& own_keys() const { return own_keys_; }
  OwnVectors& own_vectors() const { return own_vectors_; }
  // For online_schema.h.
  const Overlay& overlay() const { return view_.overlay(); }
  using SchemaChange = std::function<Result<bool>(SchemaVersion*)>;
  void ChangeSchemaAtCommit(SchemaChange change);
  // For index/vector_rebuild.h: with the commit's schema the index is this object.
  void ReplaceVectorAtCommit(IndexId id, std::shared_ptr<VectorIndex> index) { replaced_.emplace_back(id, std::move(index)); }

 private:
  struct Begun {                               // a statement of an explicit transaction
    std::string text;
    size_t nodes, relationships, misses;       // written, or looked for in vain, before it
  };
  using Done = std::function<void(Result<CommitResult>)>;

  enum class Use : uint8_t { kInUse, kSuspended, kEnded };
  void EndSnapshot(const std::shared_ptr<const Layers>& ended);   // under the mutex; nobody uses the transaction
  std::shared_ptr<const SchemaState> Begin();  // enters the registry and takes the layers: the snapshot is fixed
  // A read of the base that fails here becomes a status; the write may be half done, so the transaction can't commit any more.
  template <typename Call>
  auto Guarded(Call&& call) -> decltype(call()) {
    try {
      return call();
    } catch (const ReadFailure& failure) {
      broken_ = failure.status();
      return broken_;
    }
  }
  Status CheckWritable() const;
  Status CheckDataWritable();                  // and charges what was written so far
  Status ChargeWrites();
  Result<RelId> DoCreateRelationship(NodeId start, TypeId type, NodeId end, PropertyList properties);
  Status DoDeleteRelationship(RelId id);
  Status DoDeleteNode(NodeId id, bool detach);
  Status DoCheckDeletedNodes();
  // After each write, for the caches of own writes.
  void Changed(NodeId id) { Changed(EntityKind::kNode, id.value); }
  void Changed(RelId id) { Changed(EntityKind::kRelationship, id.value); }
  void Changed(EntityKind entity, uint64_t id) {
    own_keys_.Changed(entity, id, view_.overlay());
    own_vectors_.Changed(entity, id, view_.overlay());
  }
  // Refuses a vector that an index of this snapshot would refuse, where the statement can still be told.
  Status CheckVectors(EntityKind entity, uint64_t id, std::span<const uint32_t> tokens, PropertyId key, const Value& value) const;
  Status CheckLive(NodeId id) const;           // EntityNotFound unless visible
  Status CheckLive(RelId id) const;
  template <typename Id>
  Status SetPropertyOf(Id id, PropertyId key, Value value);
  Status ChangeLabel(NodeId id, LabelId label, bool add);
  std::string ElementName(NodeId id) const;    // "node 12 (:Person)" for messages
  std::string ElementName(RelId id) const;

  // ddl.cc
  Status CheckSchemaWritable() const;
  template <typename Change>
  Result<bool> ChangeSchema(Change change);
  // The newest schema with this transaction's changes, filled and tested; the newest itself if nothing changed. Under the
  // sequencer's mutex.
  Result<std::shared_ptr<const SchemaState>> MakeSchema(Timestamp ts, NewRanges* ranges);

  // commit.cc
  struct Acknowledgement;
  // The commit up to its place in the log's queue, or (without a log) all of it; the LSN to wait for, 0 if none. After an
  // error nothing was committed and the acknowledgement will not be called.
  Result<Lsn> CommitData(const std::shared_ptr<Acknowledgement>& ack);
  Result<Lsn> CommitSchema(const std::shared_ptr<Acknowledgement>& ack);
  Result<Lsn> Append(std::vector<std::byte> record, Timestamp ts, const std::shared_ptr<Acknowledgement>& ack);
  Lsn CommitAny(Done done);
  void LinkVectors();
  void Leave();                                // the registry; under the mutex
  void End();                                  // Leave, if it is still open
  // validate.cc; the rules on the own snapshot, outside the mutex
  Status CheckRules(const CommitPlan& plan, const SchemaState& schema) const;
  Status CheckEndsOf(const GraphType& type, RelId id) const;
  // under the mutex
  Overlay Newest(const WriteSet* none) const;  // everything committed
  Status TestConflicts(const CommitPlan& plan, const SchemaState& schema) const;
  Status TestNode(const NodeDelta& node, const CommitPlan::NodeChange& change, const SchemaState& schema) const;
  Status TestRelationship(const RelDelta& rel, const CommitPlan::RelChange& change) const;
  Status TestUnique(const CommitPlan& plan) const;
  Status ClashStatus(const UniqueClash& clash) const;
  Status TestMisses() const;
  Status TestNodeMiss(const MergeMiss& miss) const;
  Status TestRelationshipMiss(const MergeMiss& miss) const;
  Status Conflict(Timestamp theirs, const std::string& element, const std::string& rule) const;
  // The same with the statement that was the first to touch the element.
  Status Named(const Status& status, EntityKind entity, uint64_t id) const;
  Status Named(const Status& status, size_t Begun::*count, size_t index) const;

  StoreState* const store_;
  const bool read_only_;
  std::atomic<Use> use_{Use::kInUse};
  std::atomic<bool> asked_to_end_{false};
  LiveSnapshot live_;
  std::shared_ptr<const Layers> layers_;       // of the snapshot; dropped under the mutex when the transaction ends
  std::shared_ptr<const SchemaState> schema_;  // of the snapshot
  WriteSet own_;
  View view_;
  WriteCounters counters_;
  std::vector<NodeId> deleted_nodes_;          // not yet checked for what is left at them
  std::vector<MergeMiss> misses_;
  std::vector<Begun> statements_;
  std::vector<SchemaChange> schema_changes_;
  SchemaState::Replacements replaced_;         // of this commit
  std::vector<std::pair<std::string, std::function<Status(VectorIndexOptions*)>>> altered_;   // vector indexes to be rebuilt behind it
  DeferredSchema deferred_;                    // of this commit
  std::unique_ptr<SchemaVersion> own_schema_;  // with the changes so far; null: none
  mutable OwnKeys own_keys_;                   // caches: made when a seek or a search first wants them
  mutable OwnVectors own_vectors_;
  std::vector<std::pair<std::shared_ptr<VectorIndex>, uint64_t>> brought_;   // rows to link, of this commit
  size_t charged_ = 0;                         // bytes of own_, in the budget
  Status broken_;                              // why it can't commit
  bool open_ = true;
};

}  // namespace fornix::storage
