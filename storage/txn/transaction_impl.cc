#include "storage/txn/transaction_impl.h"

#include <algorithm>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/limits.h"
#include "storage/index/index_plan.h"
#include "storage/txn/old_snapshots.h"

namespace fornix::storage {

TransactionImpl::TransactionImpl(StoreState* store, bool read_only)
    : store_(store),
      read_only_(read_only),
      schema_(Begin()),
      view_(this, &store->tokens, Overlay(*layers_, live_.timestamp, &own_)) {}

std::shared_ptr<const SchemaState> TransactionImpl::Begin() {
  live_.may_write = !read_only_;
  live_.begun_ns = MonotonicNanos();
  live_.transaction = this;
  std::lock_guard lock(store_->sequencer.mutex());
  store_->sequencer.Register(&live_);
  layers_ = store_->generations.current();
  return store_->schemas.At(live_.timestamp);
}

TransactionImpl::~TransactionImpl() {
  Rollback();
  if (store_->ended) store_->ended();
  if (charged_ > 0) store_->budget->Release(MemoryUse::kWriteSets, charged_);
}

void TransactionImpl::Rollback() { End(); }

void TransactionImpl::End() {
  if (!open_) return;
  std::lock_guard lock(store_->sequencer.mutex());
  Leave();
}

// Two flags, each side writes its own and then looks at the other's, so one of them at least sees that both are set; the exchange says who
// of them takes the snapshot.
void TransactionImpl::AskToEnd(const std::shared_ptr<const Layers>& ended) {
  asked_to_end_.store(true);
  Use suspended = Use::kSuspended;
  if (use_.compare_exchange_strong(suspended, Use::kEnded)) EndSnapshot(ended);
}

void TransactionImpl::Suspend() {
  if (!open_ || use_.load() == Use::kEnded) return;
  use_.store(Use::kSuspended);
  if (!asked_to_end_.load()) return;
  const std::shared_ptr<const Layers>& ended = EndedLayers();
  {
    std::lock_guard lock(store_->sequencer.mutex());
    Use suspended = Use::kSuspended;
    if (use_.compare_exchange_strong(suspended, Use::kEnded)) EndSnapshot(ended);
  }
  store_->generations.Release();
}

Status TransactionImpl::Resume() {
  if (!open_) return Status::Ok();             // what is called next says so
  Use suspended = Use::kSuspended;
  if (use_.compare_exchange_strong(suspended, Use::kInUse) || suspended == Use::kInUse) return Status::Ok();
  std::lock_guard lock(store_->sequencer.mutex());   // whoever ended it is done
  return broken_;
}

void TransactionImpl::EndSnapshot(const std::shared_ptr<const Layers>& ended) {
  broken_ = SnapshotTooOld();
  layers_ = ended;
  view_.set_overlay(Overlay(*layers_, live_.timestamp, &own_));
  store_->sequencer.Unregister(&live_);
  store_->generations.Collect();
}

Status TransactionImpl::CheckWritable() const {
  if (!open_) return Status(Code::kTransactionClosed, "the transaction has ended");
  RETURN_IF_ERROR(broken_);
  if (read_only_) return Status(Code::kReadOnly, "the transaction was begun for reading, it can't write");
  if (store_->read_only) return Status(Code::kReadOnly, "the database was opened for reading, it can't be written");
  return Status::Ok();
}

Status TransactionImpl::ChargeWrites() {
  constexpr size_t kStep = 64 * 1024;
  if (own_.memory_bytes() <= charged_ || store_->budget == nullptr) return Status::Ok();
  const size_t more = (own_.memory_bytes() - charged_ + kStep - 1) / kStep * kStep;
  RETURN_IF_ERROR(store_->budget->TryCharge(MemoryUse::kWriteSets, more, "what this transaction has written"));
  charged_ += more;
  return Status::Ok();
}

Status TransactionImpl::CheckDataWritable() {
  RETURN_IF_ERROR(CheckWritable());
  RETURN_IF_ERROR(ChargeWrites());
  if (schema_changes_.empty()) return Status::Ok();
  return Status(Code::kSemanticError, "this transaction has changed the schema, so it can't write data; commit first")
      .Detail("ForbiddenDueToTransactionType");
}

namespace {
Status NotThere(const std::string& element, ElementState state) {
  if (state == ElementState::kDeletedHere) {
    return Status(Code::kEntityNotFound, element + " was deleted in this transaction").Detail("DeletedEntityAccess");
  }
  return Status(Code::kEntityNotFound, "there is no " + element);
}
std::string Name(NodeId id) { return "node " + std::to_string(id.value); }
std::string Name(RelId id) { return "relationship " + std::to_string(id.value); }
}  // namespace

Status TransactionImpl::CheckLive(NodeId id) const {
  const ElementState state = view_.StateOf(id);
  return state == ElementState::kVisible ? Status::Ok() : NotThere(Name(id), state);
}
Status TransactionImpl::CheckLive(RelId id) const {
  const ElementState state = view_.StateOf(id);
  return state == ElementState::kVisible ? Status::Ok() : NotThere(Name(id), state);
}

std::string TransactionImpl::ElementName(NodeId id) const {
  std::string name = Name(id);
  const LabelsSeen seen = view_.overlay().LabelsOf(id);
  if (seen.labels.empty()) return name;
  name += " (";
  for (LabelId label : seen.labels) name += ":" + store_->tokens.labels.Name(label);
  return name + ")";
}
std::string TransactionImpl::ElementName(RelId id) const {
  const auto ends = view_.overlay().EndsOf(id);
  return Name(id) + (ends ? " [:" + store_->tokens.types.Name(ends->type) + "]" : "");
}

Result<LabelId> TransactionImpl::InternLabel(std::string_view name) { return store_->tokens.labels.Intern(name); }
Result<TypeId> TransactionImpl::InternType(std::string_view name) { return store_->tokens.types.Intern(name); }
Result<PropertyId> TransactionImpl::InternProperty(std::string_view name) { return store_->tokens.properties.Intern(name); }

namespace {
// Sorted by key, nulls left out, each value storable.
Status PrepareProperties(PropertyList* properties) {
  std::stable_sort(properties->begin(), properties->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::erase_if(*properties, [](const auto& p) { return p.second.is_null(); });
  for (const auto& [key, value] : *properties) RETURN_IF_ERROR(CheckStorable(value));
  return Status::Ok();
}
}  // namespace

Status TransactionImpl::CheckVectors(EntityKind entity, uint64_t id, std::span<const uint32_t> tokens, PropertyId key,
                                     const Value& value) const {
  if (value.type() != Type::kList && value.type() != Type::kVector) return Status::Ok();
  std::vector<float> floats;
  for (uint32_t token : tokens) {
    const TokenRules* rules = schema_->RulesOf(entity, token);
    if (rules == nullptr) continue;
    for (const VectorBinding* binding : rules->vectors) {
      if (binding->definition->properties[0] != key || !FloatsOf(value, &floats) || floats.empty()) continue;
      const Status status = binding->index->Validate(floats, binding->index->dimensions());
      if (!status.ok()) return VectorRefusal(store_->tokens, *binding->definition, id, status);
    }
  }
  return Status::Ok();
}

Result<NodeId> TransactionImpl::CreateNode(std::span<const LabelId> labels, PropertyList properties) {
  RETURN_IF_ERROR(CheckDataWritable());
  RETURN_IF_ERROR(PrepareProperties(&properties));
  std::vector<LabelId> sorted(labels.begin(), labels.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  ASSIGN_OR_RETURN(const NodeId id, store_->ids.NewNode(sorted));
  if (schema_->HasRules(EntityKind::kNode)) {
    const std::vector<uint32_t> tokens = TokensOf(sorted);
    for (const auto& [key, value] : properties) {
      RETURN_IF_ERROR(CheckVectors(EntityKind::kNode, id.value, tokens, key, value));
    }
  }
  ++counters_.nodes_created;
  counters_.labels_added += sorted.size();
  counters_.properties_set += properties.size();
  own_.CreateNode(id, std::move(sorted), std::move(properties));
  Changed(id);
  return id;
}

Result<RelId> TransactionImpl::DoCreateRelationship(NodeId start, TypeId type, NodeId end, PropertyList properties) {
  RETURN_IF_ERROR(CheckDataWritable());
  RETURN_IF_ERROR(CheckLive(start));
  RETURN_IF_ERROR(CheckLive(end));
  RETURN_IF_ERROR(PrepareProperties(&properties));
  ASSIGN_OR_RETURN(const RelId id, store_->ids.NewRelationship(type));
  if (schema_->HasRules(EntityKind::kRelationship)) {
    const uint32_t token[] = {type.value};
    for (const auto& [key, value] : properties) {
      RETURN_IF_ERROR(CheckVectors(EntityKind::kRelationship, id.value, token, key, value));
    }
  }
  ++counters_.relationships_created;
  counters_.properties_set += properties.size();
  own_.CreateRelationship(id, start, type, end, std::move(properties));
  Changed(id);
  return id;
}

namespace {
OwnElement* TouchElement(WriteSet* own, const Overlay&, NodeId id) { return own->Touch(id); }
OwnElement* TouchElement(WriteSet* own, const Overlay& overlay, RelId id) { return own->Touch(id, *overlay.EndsOf(id)); }
EntityKind KindOf(NodeId) { return EntityKind::kNode; }
EntityKind KindOf(RelId) { return EntityKind::kRelationship; }
std::vector<uint32_t> SeenTokens(const Overlay& overlay, NodeId id) { return TokensOf(overlay.LabelsOf(id).labels); }
std::vector<uint32_t> SeenTokens(const Overlay& overlay, RelId id) { return {overlay.EndsOf(id)->type.value}; }
}  // namespace

template <typename Id>
Status TransactionImpl::SetPropertyOf(Id id, PropertyId key, Value value) {
  RETURN_IF_ERROR(CheckDataWritable());
  RETURN_IF_ERROR(CheckLive(id));
  if (value.is_null()) {
    if (view_.Property(id, key).is_null()) return Status::Ok();   // nothing to remove, and nothing to conflict over
  } else {
    RETURN_IF_ERROR(CheckStorable(value));
    if (schema_->HasRules(KindOf(id))) {
      RETURN_IF_ERROR(CheckVectors(KindOf(id), id.value, SeenTokens(view_.overlay(), id), key, value));
    }
  }
  PropertyList before;
  const auto* known = own_.Find(id);
  const bool first = known == nullptr || !(known->created || known->properties_changed);
  if (first) view_.overlay().Properties(id, &before);
  OwnElement* element = TouchElement(&own_, view_.overlay(), id);
  if (first) element->properties = std::move(before);
  own_.SetProperty(element, key, std::move(value));
  Changed(id);
  ++counters_.properties_set;
  return Status::Ok();
}

template Status TransactionImpl::SetPropertyOf(NodeId id, PropertyId key, Value value);
template Status TransactionImpl::SetPropertyOf(RelId id, PropertyId key, Value value);

Status TransactionImpl::ChangeLabel(NodeId id, LabelId label, bool add) {
  RETURN_IF_ERROR(CheckDataWritable());
  RETURN_IF_ERROR(CheckLive(id));
  const LabelsSeen seen = view_.overlay().LabelsOf(id);
  if (seen.Has(label) == add) return Status::Ok();
  const std::vector<LabelId> before(seen.labels.begin(), seen.labels.end());
  std::vector<LabelId> after = before;
  const auto at = std::lower_bound(after.begin(), after.end(), label);
  if (add) {
    const TokenRules* rules = schema_->RulesOf(EntityKind::kNode, label.value);
    const uint32_t token[] = {label.value};
    for (const VectorBinding* binding : rules == nullptr ? std::vector<const VectorBinding*>() : rules->vectors) {
      const PropertyId key = binding->definition->properties[0];
      RETURN_IF_ERROR(CheckVectors(EntityKind::kNode, id.value, token, key, view_.Property(id, key)));
    }
    after.insert(at, label);
    ++counters_.labels_added;
  } else {
    after.erase(at);
    ++counters_.labels_removed;
  }
  own_.SetLabels(own_.Touch(id), before, std::move(after));
  Changed(id);
  return Status::Ok();
}

Status TransactionImpl::DoDeleteRelationship(RelId id) {
  RETURN_IF_ERROR(CheckDataWritable());
  const ElementState state = view_.StateOf(id);
  if (state == ElementState::kDeletedHere) return Status::Ok();
  if (state == ElementState::kAbsent) return NotThere(Name(id), state);
  CountWork(32);
  own_.DeleteRelationship(own_.Touch(id, *view_.overlay().EndsOf(id)));
  Changed(id);
  ++counters_.relationships_deleted;
  return Status::Ok();
}

Status TransactionImpl::DoDeleteNode(NodeId id, bool detach) {
  RETURN_IF_ERROR(CheckDataWritable());
  const ElementState state = view_.StateOf(id);
  if (state == ElementState::kAbsent) return NotThere(Name(id), state);
  if (detach) {
    std::vector<Neighbour> all;
    ScanPosition position;
    for (bool end = false; !end;) {
      CountWork(kChunkElements);
      end = view_.Expand(id, {}, Direction::kBoth, &position, kChunkElements, &all);
    }
    for (const Neighbour& n : all) RETURN_IF_ERROR(DeleteRelationship(n.relationship));
  }
  if (state == ElementState::kDeletedHere) return Status::Ok();
  const LabelsSeen seen = view_.overlay().LabelsOf(id);
  const std::vector<LabelId> before(seen.labels.begin(), seen.labels.end());
  own_.DeleteNode(own_.Touch(id), before);
  Changed(id);
  ++counters_.nodes_deleted;
  if (!detach) deleted_nodes_.push_back(id);
  return Status::Ok();
}

Status TransactionImpl::DoCheckDeletedNodes() {
  for (NodeId id : deleted_nodes_) {
    CountWork(32);
    std::vector<Neighbour> left;
    ScanPosition position;
    view_.Expand(id, {}, Direction::kBoth, &position, 1, &left);
    if (left.empty()) continue;
    return Status(Code::kDeleteConnected, Name(id) + " can't be deleted, it still has relationships, such as " +
                                              ElementName(left[0].relationship) +
                                              "; delete them first or use DETACH DELETE");
  }
  deleted_nodes_.clear();
  return Status::Ok();
}

Status CheckStorable(const Value& value) {
  auto refuse = [](const std::string& what) {
    return Status(Code::kTypeError, what + " can't be stored as a property; storable are booleans, numbers, strings, "
                                           "temporal values, points, vectors, and lists of one of these without nulls")
        .Detail("InvalidPropertyType");
  };
  auto article = [](Type type) {
    const std::string name(TypeName(type));
    return (name.find_first_of("AEIOU") == 0 ? "an " : "a ") + name;
  };
  switch (value.type()) {
    case Type::kMap: case Type::kNode: case Type::kRelationship: case Type::kPath: case Type::kNodeRef:
    case Type::kRelationshipRef:
      return refuse(article(value.type()));
    case Type::kList:
      for (const Value& element : value.AsList()) {
        const Value& first = value.AsList().front();
        if (element.is_null()) return refuse("a list that holds a null");
        if (element.type() == Type::kList) return refuse("a list that holds a list");
        if (!CheckStorable(element).ok()) return refuse("a list that holds " + article(element.type()));
        if (element.type() != first.type() && !(element.is_number() && first.is_number())) {
          return refuse("a list that holds " + article(first.type()) + " and " + article(element.type()));
        }
      }
      break;
    default: break;
  }
  // Only values with a content of their own can be large; numbers and the like needn't be measured.
  size_t bytes = 0;
  if (value.type() == Type::kString) bytes = value.AsString().size();
  if (value.type() == Type::kBytes) bytes = value.AsBytes().size();
  if (value.type() == Type::kList || value.type() == Type::kVector) bytes = value.MemoryBytes();
  if (bytes > kPropertyBytesMax) {
    return Status(Code::kLimitExceeded, "a property value of " + std::to_string(bytes) + " bytes; at most " +
                                            std::to_string(kPropertyBytesMax) + " (64 MiB) are allowed");
  }
  return Status::Ok();
}

}  // namespace fornix::storage
