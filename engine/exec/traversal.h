// What expansions share: types by name, directions, and the rule that relationships of one MATCH differ.
#pragma once

#include <string>
#include <vector>

#include "engine/exec/builder.h"

namespace fornix::engine {

// Relationship types by name. A name may get its token from a write of the same statement, so unknown ones are asked for
// again by each Resolve.
class TypeNames {
 public:
  explicit TypeNames(const std::vector<std::string>& names) : names_(names) {}
  void Resolve(const storage::Tokens& tokens) {
    if (ids_.size() == names_.size()) return;
    ids_.clear();
    for (const std::string& name : names_) {
      if (const std::optional<TypeId> id = tokens.types.Find(name)) ids_.push_back(*id);
    }
  }
  // False when types were asked for and none exists: nothing can match.
  bool CanMatch() const { return names_.empty() || !ids_.empty(); }
  std::span<const TypeId> ids() const { return ids_; }

 private:
  const std::vector<std::string>& names_;
  std::vector<TypeId> ids_;
};

inline storage::Direction StorageDirection(planner::Direction d) {
  switch (d) {
    case planner::Direction::kOutgoing: return storage::Direction::kOutgoing;
    case planner::Direction::kIncoming: return storage::Direction::kIncoming;
    case planner::Direction::kBoth: break;
  }
  return storage::Direction::kBoth;
}
inline storage::Direction Reverse(storage::Direction d) {
  if (d == storage::Direction::kOutgoing) return storage::Direction::kIncoming;
  if (d == storage::Direction::kIncoming) return storage::Direction::kOutgoing;
  return d;
}

// True when the entry is this relationship or a list that holds it.
inline bool Holds(const Column& column, size_t row, RelId id) {
  if (column.kind() == ColumnKind::kRelationship) return !column.IsNull(row) && column.word(row) == id.value;
  if (column.kind() != ColumnKind::kBoxed) return false;
  const Value& v = column.boxed_at(row);
  if (v.type() == Type::kRelationshipRef) return v.AsRelationshipRef() == id.value;
  if (v.type() != Type::kList) return false;
  for (const Value& item : v.AsList()) {
    if (item.type() == Type::kRelationshipRef && item.AsRelationshipRef() == id.value) return true;
  }
  return false;
}
inline bool HoldsAny(const Batch& batch, const std::vector<Slot>& slots, size_t row, RelId id) {
  for (Slot slot : slots) {
    if (Holds(batch.column(slot), row, id)) return true;
  }
  return false;
}

// The node in a column of nodes, or nothing for null. TypeError for anything else.
inline Result<std::optional<NodeId>> NodeAt(const Column& column, size_t row) {
  if (!column.filled()) return Status(Code::kInternal, "the plan walks from a column that nothing fills");
  if (column.IsNull(row)) return std::optional<NodeId>();
  if (column.kind() == ColumnKind::kNode) return std::optional<NodeId>(NodeId(column.word(row)));
  const Value v = column.ValueAt(row);
  if (v.type() == Type::kNodeRef) return std::optional<NodeId>(NodeId(v.AsNodeRef()));
  return Status(Code::kTypeError, "Type mismatch: expected a node but was " + std::string(TypeName(v.type())) + " " + Shown(v))
      .Detail("InvalidArgumentType");
}
// The same of a variable, which the error names.
inline Result<std::optional<NodeId>> NodeAt(const ExecutionContext& context, const Batch& rows, Slot slot, size_t row) {
  Result<std::optional<NodeId>> node = NodeAt(rows.column(slot), row);
  const auto& names = context.plan().slot_names;
  if (node.ok() || slot >= names.size() || names[slot].empty()) [[likely]] return node;
  const Status& status = node.status();
  return Status(status.code(), status.message() + ", in variable `" + names[slot] + "`").Detail(status.detail());
}

}  // namespace fornix::engine
