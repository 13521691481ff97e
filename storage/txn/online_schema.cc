#include "storage/txn/online_schema.h"

#include <algorithm>

#include "base/interrupt.h"
#include "storage/checkpoint/checkpointer.h"
#include "storage/constraint/check.h"
#include "storage/constraint/describe.h"
#include "storage/index/range_layers.h"
#include "storage/txn/ddl.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {
namespace {

template <typename Id>
bool Contains(const std::vector<Id>& ids, Id id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool Large(const Base& base, EntityKind entity, std::span<const uint32_t> tokens) {
  uint64_t count = 0;
  for (uint32_t token : tokens) count += entity == EntityKind::kNode ? base.LabelCount(LabelId(token)) : base.TypeCount(TypeId(token));
  return count > kOnlineSchemaElements;
}

Status Violation(const Tokens& tokens, const ConstraintDefinition& constraint, const Overlay& overlay, uint64_t holder, uint64_t id) {
  List values;
  for (PropertyId property : constraint.properties) {
    values.push_back(constraint.entity == EntityKind::kNode ? overlay.Property(NodeId(id), property) : overlay.Property(RelId(id), property));
  }
  return UniqueViolation(tokens, constraint, values, holder, id);
}

// Keys that came to the lists while the tree was built, against everything. Under the mutex.
Status TestNewKeys(const Tokens& tokens, const RangeBinding& binding, const Layers& layers, Timestamp last) {
  const WriteSet none;
  const Overlay head(layers, last, &none);
  const RangeLayers all(binding.definition->id, head);
  Status status;
  for (const Delta* delta : {layers.frozen.get(), layers.active.get()}) {
    const RangeIndex* list = delta == nullptr ? nullptr : delta->RangeOf(binding.definition->id);
    if (list == nullptr) continue;
    list->VisitAll([&](const RangeIndex::Entry& entry) {
      if (!status.ok() || entry.is_tombstone() || entry.end.load(std::memory_order_acquire) != kNever) return;
      const SeenImage seen = ImageOf(head, binding.definition->entity, entry.id);
      const std::optional<IndexKey> key = KeyOf(*binding.definition, seen.image());
      if (!key || key->nan) return;
      const std::string after = key->bytes + '\0';
      all.Visit(key->bytes, 0, after, [&](std::string_view, uint64_t id) {
        if (id != entry.id) status = Violation(tokens, *binding.unique, head, id, entry.id);
        return status.ok();
      });
    });
  }
  return status;
}

bool SetOnline(SchemaVersion* version, const DeferredSchema& deferred) {
  bool changed = false;
  for (IndexDefinition& definition : version->indexes) {
    if (definition.online || !deferred.Has(definition.id)) continue;
    definition.online = changed = true;
  }
  return changed;
}

bool TakeBack(SchemaVersion* version, const DeferredSchema& deferred) {
  const size_t before = version->indexes.size() + version->constraints.size();
  std::erase_if(version->constraints, [&](const auto& c) { return deferred.Has(c.id) || (c.index.valid() && deferred.Has(c.index)); });
  std::erase_if(version->indexes, [&](const auto& d) { return deferred.Has(d.id); });
  if (deferred.graph_type) version->graph_type = GraphType();
  return deferred.graph_type || version->indexes.size() + version->constraints.size() != before;
}

// What the checkpoint built, and the rules that ask for no index, against the data. A statement that is interrupted meanwhile is refused, so
// that what it began is taken back.
Status TestBuilt(StoreState* store, DeferredSchema* deferred, bool at_opening) try {
  Status refused;
  const TransactionImpl reader(store, true);
  const Overlay& seen = reader.overlay();
  const SchemaState& schema = reader.schema_state();
  std::vector<IndexId> stay_offline;
  for (IndexId id : deferred->ranges) {
    const RangeBinding* binding = schema.FindRange(id);
    if (binding == nullptr) continue;
    const auto too_long = store->checkpointer->TooLongIn(id);
    if (too_long && at_opening) {
      stay_offline.push_back(id);            // it was made by a version that took such keys: recover.h
      continue;
    }
    if (too_long) {
      refused = KeyRefusal(store->tokens, *binding->definition, too_long->id, too_long->bytes);
    }
    if (binding->unique == nullptr) continue;
    const std::optional<IndexBuild::Duplicate> duplicate = store->checkpointer->DuplicateOf(id);
    if (duplicate) refused = Violation(store->tokens, *binding->unique, seen, duplicate->first, duplicate->second);
  }
  std::erase_if(deferred->ranges, [&](IndexId id) { return Contains(stay_offline, id); });
  return refused.ok() ? TestDeferredRules(schema, store->tokens, seen, *deferred) : refused;
} catch (const Interruption& interruption) {
  return interruption.status();
}

}  // namespace

bool DeferredSchema::Has(IndexId id) const { return Contains(ranges, id) || Contains(vectors, id); }
bool DeferredSchema::Has(ConstraintId id) const { return Contains(constraints, id); }

DeferredSchema Defer(const SchemaVersion& before, SchemaVersion* after, const Base& base) {
  DeferredSchema deferred;
  if (base.empty()) return deferred;
  for (IndexDefinition& definition : after->indexes) {
    if (before.FindIndex(definition.id) != nullptr || !Large(base, definition.entity, definition.tokens)) continue;
    if (definition.kind == IndexKind::kRange) {
      definition.online = false;
      deferred.ranges.push_back(definition.id);
    } else if (definition.kind == IndexKind::kVector) {
      deferred.vectors.push_back(definition.id);
    }
  }
  for (const ConstraintDefinition& constraint : after->constraints) {
    const auto same = [&](const auto& old) { return old.id == constraint.id; };
    if (std::any_of(before.constraints.begin(), before.constraints.end(), same)) continue;
    const uint32_t token[] = {constraint.token};
    if (Large(base, constraint.entity, token)) deferred.constraints.push_back(constraint.id);
  }
  deferred.graph_type = after->graph_type.declared && !(after->graph_type == before.graph_type) &&
                        base.NodeCount() + base.RelationshipCount() > kOnlineSchemaElements;
  return deferred;
}

DeferredSchema Unfinished(const SchemaVersion& schema) {
  DeferredSchema deferred;
  for (const IndexDefinition& definition : schema.indexes) {
    if (!definition.online) deferred.ranges.push_back(definition.id);
  }
  return deferred;
}

Status FinishSchema(StoreState* store, DeferredSchema deferred, bool at_opening) {
  // The generation that this freezes has the change in it, so the checkpoint knows which trees to build. One that can't be built is
  // taken back, and the next checkpoint goes without it; at an opening the next one tries again.
  Status refused = store->checkpointer->Run().status();
  if (!refused.ok() && at_opening) return refused;
  if (refused.ok()) refused = TestBuilt(store, &deferred, at_opening);
  const Uninterrupted decided;
  if (refused.ok() && !deferred.ranges.empty()) {
    TransactionImpl change(store, false);
    change.ChangeSchemaAtCommit([&](SchemaVersion* version) -> Result<bool> {
      const Layers& layers = *store->generations.current();
      const SchemaState& newest = *store->schemas.newest();
      for (IndexId id : deferred.ranges) {
        const RangeBinding* binding = newest.FindRange(id);
        if (binding == nullptr || binding->unique == nullptr) continue;   // dropped meanwhile
        refused = TestNewKeys(store->tokens, *binding, layers, store->sequencer.last());
        RETURN_IF_ERROR(refused);
      }
      return SetOnline(version, deferred);
    });
    const Status switched = change.Commit().status();
    if (!switched.ok() && refused.ok()) return switched;
  }
  if (!refused.ok()) {
    TransactionImpl change(store, false);
    change.ChangeSchemaAtCommit([&](SchemaVersion* version) -> Result<bool> { return TakeBack(version, deferred); });
    RETURN_IF_ERROR(change.Commit().status());
    return refused;
  }
  if (!deferred.vectors.empty()) {
    std::shared_ptr<const SchemaState> schema;
    {
      std::lock_guard lock(store->sequencer.mutex());
      schema = store->schemas.newest();
    }
    store->fill.Restart(store, std::move(schema), true);
  }
  return Status::Ok();
}

}  // namespace fornix::storage
