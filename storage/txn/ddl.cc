// Schema changes of a transaction. A statement runs on the transaction's own copy of the schema; the commit runs the same
// changes on the newest version, fills new indexes, tests new rules against all data, and publishes the result.
//
// Under the sequencer's mutex that is, so that an index needs no catching up and a rule misses no commit; what concerns much data is
// left to txn/online_schema.h.
#include "storage/txn/ddl.h"

#include "base/check.h"
#include "base/interrupt.h"
#include "storage/catalog/schema_change.h"
#include "storage/constraint/check.h"
#include "storage/constraint/describe.h"
#include "storage/index/vector_sample.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

Status TransactionImpl::CheckSchemaWritable() const {
  RETURN_IF_ERROR(CheckWritable());
  if (own_.empty()) return Status::Ok();
  return Status(Code::kSemanticError, "this transaction has written data, so it can't change the schema; commit first")
      .Detail("ForbiddenDueToTransactionType");
}

template <typename Change>
Result<bool> TransactionImpl::ChangeSchema(Change change) {
  RETURN_IF_ERROR(CheckSchemaWritable());
  SchemaVersion copy = schema();
  ASSIGN_OR_RETURN(const bool changed, change(&copy));
  if (!changed) return false;
  // Another epoch than any other copy's or published version's: a plan made for this copy is used by no one else.
  static std::atomic<uint64_t> next_own_epoch{uint64_t{1} << 62};
  copy.epoch = next_own_epoch.fetch_add(1, std::memory_order_relaxed);
  own_schema_ = std::make_unique<SchemaVersion>(std::move(copy));
  schema_changes_.push_back(std::move(change));
  return true;
}

Result<bool> TransactionImpl::CreateIndex(IndexDefinition definition, bool if_not_exists) {
  ASSIGN_OR_RETURN(const bool changed,
                   ChangeSchema([this, definition = std::move(definition), if_not_exists](SchemaVersion* schema) {
                     return AddIndex(schema, store_->tokens, definition, if_not_exists);
                   }));
  counters_.indexes_added += changed;
  return changed;
}
Result<bool> TransactionImpl::DropIndex(std::string_view name, bool if_exists) {
  ASSIGN_OR_RETURN(const bool changed, ChangeSchema([name = std::string(name), if_exists](SchemaVersion* schema) {
                     return RemoveIndex(schema, name, if_exists);
                   }));
  counters_.indexes_removed += changed;
  return changed;
}
Result<bool> TransactionImpl::AlterVectorIndex(std::string_view name, std::function<Status(VectorIndexOptions*)> change) {
  RETURN_IF_ERROR(CheckSchemaWritable());
  SchemaVersion copy = schema();
  ASSIGN_OR_RETURN(const bool changed, ChangeVectorIndex(&copy, name, change));
  if (!changed) return false;
  const VectorIndexOptions &before = schema().FindIndex(name)->vector, &after = copy.FindIndex(name)->vector;
  if (before.quantization == after.quantization && before.m == after.m && before.ef_construction == after.ef_construction) {
    return ChangeSchema([name = std::string(name), change](SchemaVersion* schema) { return ChangeVectorIndex(schema, name, change); });
  }
  altered_.emplace_back(name, std::move(change));
  return true;
}
Result<bool> TransactionImpl::CreateConstraint(ConstraintDefinition definition, bool if_not_exists) {
  ASSIGN_OR_RETURN(const bool changed,
                   ChangeSchema([this, definition = std::move(definition), if_not_exists](SchemaVersion* schema) {
                     return AddConstraint(schema, store_->tokens, definition, if_not_exists);
                   }));
  counters_.constraints_added += changed;
  return changed;
}
Result<bool> TransactionImpl::DropConstraint(std::string_view name, bool if_exists) {
  ASSIGN_OR_RETURN(const bool changed, ChangeSchema([name = std::string(name), if_exists](SchemaVersion* schema) {
                     return RemoveConstraint(schema, name, if_exists);
                   }));
  counters_.constraints_removed += changed;
  return changed;
}
Status TransactionImpl::SetGraphType(GraphType type, std::vector<ConstraintDefinition> constraints) {
  return ChangeSchema([this, type = std::move(type), constraints = std::move(constraints)](SchemaVersion* schema) -> Result<bool> {
           RETURN_IF_ERROR(ReplaceGraphType(schema, store_->tokens, type, constraints));
           return true;
         })
      .status();
}

namespace {

// Visits every element of the newest state that has one of the tokens (empty: all) with its image.
template <typename Visit>
Status VisitElements(const Overlay& head, EntityKind entity, std::span<const uint32_t> wanted, Visit&& visit) {
  Status status;
  PropertyList properties;
  if (entity == EntityKind::kNode) {
    for (size_t i = 0; i < std::max<size_t>(wanted.size(), 1) && status.ok(); ++i) {
      const std::optional<LabelId> label = wanted.empty() ? std::nullopt : std::optional(LabelId(wanted[i]));
      head.VisitNodes(label, 0, [&](NodeId id) {
        CountWork(64);
        const LabelsSeen seen = head.LabelsOf(id);
        for (size_t before = 0; before < i; ++before) {
          if (seen.Has(LabelId(wanted[before]))) return true;   // visited under that label
        }
        head.Properties(id, &properties);
        const std::vector<uint32_t> tokens = TokensOf(seen.labels);
        status = visit(id.value, ElementImage{tokens, &properties});
        return status.ok();
      });
    }
    return status;
  }
  for (size_t i = 0; i < std::max<size_t>(wanted.size(), 1) && status.ok(); ++i) {
    const std::optional<TypeId> type = wanted.empty() ? std::nullopt : std::optional(TypeId(wanted[i]));
    head.VisitRelationships(type, 0, [&](RelId id) {
      CountWork(64);
      head.Properties(id, &properties);
      const uint32_t token[] = {head.EndsOf(id)->type.value};
      status = visit(id.value, ElementImage{token, &properties});
      return status.ok();
    });
  }
  return status;
}

Status FillRange(const RangeBinding& binding, const Tokens& tokens, const Overlay& head, Timestamp ts, bool test_keys, RangeIndex* list,
                 NewRanges* ranges) {
  const IndexDefinition& definition = *binding.definition;
  return VisitElements(head, definition.entity, definition.tokens, [&](uint64_t id, const ElementImage& image) {
    const std::optional<IndexKey> key = KeyOf(definition, image);
    if (!key) return Status::Ok();
    if (key->bytes.size() > kIndexKeyBytesMax) {
      if (test_keys) return KeyRefusal(tokens, definition, id, key->bytes.size());
      ranges->LeftOut(definition.id);
      return Status::Ok();
    }
    if (binding.unique != nullptr && !key->nan) {
      Status clash;
      list->VisitLive(key->bytes, [&](const RangeIndex::Entry& holder) {
        List values;
        for (PropertyId property : definition.properties) values.push_back(*FindProperty(*image.properties, property));
        clash = UniqueViolation(tokens, *binding.unique, values, holder.id, id);
        return false;
      });
      RETURN_IF_ERROR(clash);
    }
    list->Insert(RangeIndex::Make(key->bytes, id), ts);
    return Status::Ok();
  });
}

}  // namespace

Status FillVector(const VectorBinding& binding, const Tokens& tokens, const Overlay& head, Timestamp ts, bool may_refuse) {
  const IndexDefinition& definition = *binding.definition;
  constexpr uint64_t kRowsAStep = 256;
  BeginAtCentre(binding, head);
  std::vector<float> v;
  return VisitElements(head, definition.entity, definition.tokens, [&](uint64_t id, const ElementImage& image) {
    if (!VectorOf(definition, image, &v)) return Status::Ok();
    const Status status = binding.index->Validate(v, binding.index->dimensions());
    if (!status.ok()) return VectorRefusal(tokens, definition, id, status);
    if (may_refuse && binding.index->size() % kRowsAStep == 0) {   // asked for ahead; what they take is charged as it is taken
      uint64_t held = 0;
      const Status room = binding.index->HoldRoom(kRowsAStep, static_cast<uint32_t>(v.size()), &held);
      if (!room.ok()) return VectorRefusal(tokens, definition, id, room);
      binding.index->ReleaseRoom(held);
    }
    binding.index->Stamp(binding.index->Store(id, v), ts);
    return Status::Ok();
  });
}

namespace {

Status TestGraphType(const GraphType& type, const Tokens& tokens, const Overlay& head) {
  Status status;
  head.VisitNodes(std::nullopt, 0, [&](NodeId id) {
    CountWork(64);
    status = CheckLabels(type, tokens, id, head.LabelsOf(id).labels);
    return status.ok();
  });
  RETURN_IF_ERROR(status);
  head.VisitRelationships(std::nullopt, 0, [&](RelId id) {
    CountWork(64);
    const RelationshipEnds ends = *head.EndsOf(id);
    status = CheckType(type, tokens, id, ends.type);
    if (status.ok()) {
      status = CheckEnds(type, tokens, id, ends, head.LabelsOf(ends.start).labels, head.LabelsOf(ends.end).labels);
    }
    return status.ok();
  });
  return status;
}

Status TestConstraint(const SchemaState& schema, const Tokens& tokens, const Overlay& head, const ConstraintDefinition& c) {
  const uint32_t wanted[] = {c.token};
  return VisitElements(head, c.entity, wanted, [&](uint64_t id, const ElementImage& image) {
    return CheckElement(schema, tokens, c.entity, id, image);
  });
}

bool HadConstraint(const SchemaVersion& before, ConstraintId id) {
  for (const ConstraintDefinition& c : before.constraints) {
    if (c.id == id) return true;
  }
  return false;
}

}  // namespace

Status FillSchema(const SchemaState& before, const SchemaState& after, const Tokens& tokens, const Overlay& head, Timestamp ts,
                  bool test_rules, const DeferredSchema& deferred, Delta* active, NewRanges* ranges) {
  for (const RangeBinding& binding : after.ranges) {
    if (before.FindRange(binding.definition->id) != nullptr || !binding.definition->online) continue;
    auto list = std::make_unique<RangeIndex>();
    RETURN_IF_ERROR(FillRange(binding, tokens, head, ts, test_rules, list.get(), ranges));
    ranges->Add(active->ReserveRangeSlot(binding.definition->id), std::move(list));
  }
  for (const VectorBinding& binding : after.vectors) {
    const VectorBinding* old = before.FindVector(binding.definition->id);
    if (old != nullptr && (old->index == binding.index || old->index->successor() == binding.index)) continue;
    if (deferred.Has(binding.definition->id)) {
      binding.index->SetUsableFrom(kNever);
      BeginAtCentre(binding, head);            // a commit may bring the first vector
    } else {
      RETURN_IF_ERROR(FillVector(binding, tokens, head, ts, test_rules));
    }
  }
  if (!test_rules) return Status::Ok();
  for (const ConstraintDefinition& c : after.version->constraints) {
    if (HadConstraint(*before.version, c.id) || deferred.Has(c.id)) continue;
    RETURN_IF_ERROR(TestConstraint(after, tokens, head, c));
  }
  const GraphType &old_type = before.version->graph_type, &new_type = after.version->graph_type;
  const bool test_type = new_type.declared && !(new_type == old_type) && !deferred.graph_type;
  return test_type ? TestGraphType(new_type, tokens, head) : Status::Ok();
}

Status TestDeferredRules(const SchemaState& schema, const Tokens& tokens, const Overlay& seen, const DeferredSchema& deferred) {
  for (const ConstraintDefinition& c : schema.version->constraints) {
    if (deferred.Has(c.id)) RETURN_IF_ERROR(TestConstraint(schema, tokens, seen, c));
  }
  return deferred.graph_type ? TestGraphType(schema.version->graph_type, tokens, seen) : Status::Ok();
}

void TransactionImpl::ChangeSchemaAtCommit(SchemaChange change) { schema_changes_.push_back(std::move(change)); }

Result<std::shared_ptr<const SchemaState>> TransactionImpl::MakeSchema(Timestamp ts, NewRanges* ranges) {
  const std::shared_ptr<const SchemaState> newest = store_->schemas.newest();
  auto version = std::make_shared<SchemaVersion>(*newest->version);
  bool changed = false;
  for (const SchemaChange& change : schema_changes_) {
    ASSIGN_OR_RETURN(const bool one, change(version.get()));
    changed = changed || one;
  }
  if (!changed) return newest;
  ++version->epoch;
  deferred_ = DeferredSchema();
  if (store_->checkpointer != nullptr) deferred_ = Defer(*newest->version, version.get(), *store_->generations.current()->base);
  std::shared_ptr<SchemaState> state = SchemaState::Bind(std::move(version), newest.get(), replaced_);
  for (const VectorBinding& binding : state->vectors) binding.index->SetBudget(store_->budget);
  const WriteSet none;
  const Overlay head = Newest(&none);
  RETURN_IF_ERROR(FillSchema(*newest, *state, store_->tokens, head, ts, true, deferred_, store_->generations.current()->active.get(), ranges));
  return std::shared_ptr<const SchemaState>(std::move(state));
}

}  // namespace fornix::storage
