// Transaction: snapshot isolation with a private write set; first committer wins.
//
// Reads go through view() and see the snapshot taken at Begin plus all own writes. Writes touch only the write set until
// Commit, which validates outside the sequencer's mutex, takes a timestamp, re-tests inside, appends one log record,
// applies to the delta, and becomes visible and acknowledged when the record is durable. A transaction that is destroyed
// without Commit leaves nothing behind but unused ids.
// Conflicts (TransactionConflict, retryable) name both sides and the element: the same element's properties, or its labels and
// existence, changed since the snapshot; a new relationship at a node deleted since; a deleted node with new
// relationships; a MERGE pattern or unique key that appeared meanwhile. Adding relationships never conflicts.
// Thread safety: one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "storage/graph/graph_view.h"

namespace fornix::storage {

struct WriteCounters {
  uint64_t nodes_created = 0, nodes_deleted = 0;
  uint64_t relationships_created = 0, relationships_deleted = 0;
  uint64_t properties_set = 0;
  uint64_t labels_added = 0, labels_removed = 0;
  uint64_t indexes_added = 0, indexes_removed = 0;
  uint64_t constraints_added = 0, constraints_removed = 0;
};

// A pattern that MERGE looked for and did not find; the commit looks again.
struct MergeMiss {
  bool relationship = false;
  std::vector<LabelId> labels;                       // node form
  PropertyList properties;                           // values that must be equal
  NodeId start, end;                                 // relationship form
  TypeId type;
  bool either_direction = false;
};

struct CommitResult {
  Timestamp timestamp = 0;                           // of the snapshot if nothing was written
  Lsn lsn = 0;                                       // 0 if nothing was written
};

class Transaction {
 public:
  virtual ~Transaction() = default;

  virtual const GraphView& view() const = 0;
  virtual Timestamp snapshot() const = 0;
  virtual bool has_writes() const = 0;
  virtual const WriteCounters& counters() const = 0;   // operations so far, as Neo4j counts them
  virtual size_t memory_bytes() const = 0;             // of the write set

  // Tokens for names to be written. The names are logged with the first commit that uses them.
  virtual Result<LabelId> InternLabel(std::string_view name) = 0;
  virtual Result<TypeId> InternType(std::string_view name) = 0;
  virtual Result<PropertyId> InternProperty(std::string_view name) = 0;

  // Elements. Properties must be storable (checked by CheckStorable): no maps, no nodes, no lists of lists, no nulls in lists.
  virtual Result<NodeId> CreateNode(std::span<const LabelId> labels, PropertyList properties) = 0;
  virtual Result<RelId> CreateRelationship(NodeId start, TypeId type, NodeId end, PropertyList properties) = 0;
  virtual Status SetProperty(NodeId id, PropertyId key, Value value) = 0;        // null removes
  virtual Status SetProperty(RelId id, PropertyId key, Value value) = 0;
  virtual Status AddLabel(NodeId id, LabelId label) = 0;
  virtual Status RemoveLabel(NodeId id, LabelId label) = 0;
  virtual Status DeleteRelationship(RelId id) = 0;                               // a second time: nothing happens
  // The node may still have relationships; CheckDeleted at the end of the clause or the commit refuses what is left.
  virtual Status DeleteNode(NodeId id, bool detach) = 0;
  virtual Status CheckDeletedNodes() = 0;                                        // DeleteConnected names one node and a relationship
  virtual void RecordMergeMiss(MergeMiss miss) = 0;

  // DDL: refused (SemanticError) in a transaction that has written data, and the other way round. Returns false where IF [NOT] EXISTS made
  // it a no-op. Definitions come with name (may be empty: one is made) but without id.
  virtual Result<bool> CreateIndex(IndexDefinition definition, bool if_not_exists) = 0;
  virtual Result<bool> DropIndex(std::string_view name, bool if_exists) = 0;
  // Other codes, links or search defaults for a vector index; `change` judges what it is to be. Where its codes or links become others,
  // the commit makes an index of these beside it and returns when that has taken its place; until then the old one answers.
  virtual Result<bool> AlterVectorIndex(std::string_view name, std::function<Status(VectorIndexOptions*)> change) = 0;
  virtual Result<bool> CreateConstraint(ConstraintDefinition definition, bool if_not_exists) = 0;
  virtual Result<bool> DropConstraint(std::string_view name, bool if_exists) = 0;
  // Replaces the graph type and the constraints that came with the last one.
  virtual Status SetGraphType(GraphType type, std::vector<ConstraintDefinition> constraints) = 0;

  // Ends the transaction in any case. Blocks until durable.
  virtual Result<CommitResult> Commit() = 0;
  // The same without waiting for the disk: `done` is called once, from the log's thread or from inside this call.
  virtual void CommitAsync(std::function<void(Result<CommitResult>)> done) = 0;
  virtual void Rollback() = 0;
  // Between Suspend and Resume, which its user's thread calls, nothing of the transaction is used, so where memory is short and its snapshot
  // is old the store may take it (txn/old_snapshots.h). Resume says so then, and all reads and the commit fail. What is never suspended is
  // never taken. Begins as in use.
  virtual void Suspend() = 0;
  virtual Status Resume() = 0;
  // What is written from here on is this statement's: a conflict names it.
  virtual void BeginStatement(std::string_view text) = 0;
};

// OK if the value can be a property; else TypeError (detail InvalidPropertyType) that says which part can't.
Status CheckStorable(const Value& value);

}  // namespace fornix::storage
