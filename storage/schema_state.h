// SchemaState: a SchemaVersion bound to its indexes and sorted by label and type, and the history of such states.
//
// What a range index holds lies in the layers (index/range_layers.h), under its number; vector indexes hang here.
// A transaction holds the state of its snapshot (shared: an index that was dropped lives until the last snapshot that
// can use it is gone). A commit maintains the indexes and obeys the rules of the newest state.
// Threads: a SchemaState never changes; SchemaHistory is under the sequencer's mutex.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "storage/catalog/catalog.h"

namespace fornix::storage {

class VectorIndex;

struct RangeBinding {
  const IndexDefinition* definition;           // in `version`
  const ConstraintDefinition* unique;          // the constraint it backs; null if none
};
struct VectorBinding {
  const IndexDefinition* definition;
  std::shared_ptr<VectorIndex> index;
};

// What concerns the elements of one label or type.
struct TokenRules {
  std::vector<const RangeBinding*> ranges;
  std::vector<const VectorBinding*> vectors;
  std::vector<const ConstraintDefinition*> constraints;
};

struct SchemaState {
  std::shared_ptr<const SchemaVersion> version;
  std::vector<RangeBinding> ranges;            // by id
  std::vector<VectorBinding> vectors;          // by id

  const TokenRules* RulesOf(EntityKind entity, uint32_t token) const;
  bool HasRules(EntityKind entity) const { return !(entity == EntityKind::kNode ? node_rules : relationship_rules).empty(); }
  const RangeBinding* FindRange(IndexId id) const;
  const VectorBinding* FindVector(IndexId id) const;

  // Vector indexes that take the place of those with these numbers.
  using Replacements = std::vector<std::pair<IndexId, std::shared_ptr<VectorIndex>>>;
  // Makes the bindings of `version`: those of `before` where the index is the same one, `replaced` ones, new empty ones else. A vector
  // index whose codes are to be others isn't the same one.
  static std::shared_ptr<SchemaState> Bind(std::shared_ptr<const SchemaVersion> version, const SchemaState* before,
                                           const Replacements& replaced = {});

  std::unordered_map<uint32_t, TokenRules> node_rules, relationship_rules;
};

class SchemaHistory {
 public:
  SchemaHistory();
  std::shared_ptr<const SchemaState> At(Timestamp snapshot) const;
  const std::shared_ptr<const SchemaState>& newest() const { return states_.back().state; }
  // Add doesn't allocate after Reserve.
  void Reserve() { states_.reserve(states_.size() + 1); }
  void Add(Timestamp ts, std::shared_ptr<const SchemaState> state) { states_.push_back({ts, std::move(state)}); }
  void Clear();
  // Forgets what no snapshot at or after `floor` can ask for.
  void Trim(Timestamp floor);

 private:
  struct Item {
    Timestamp begin;
    std::shared_ptr<const SchemaState> state;
  };
  std::vector<Item> states_;                   // a handful: trimmed at each change
};

}  // namespace fornix::storage
