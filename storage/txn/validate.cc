// What a commit tests against the commits in (S, now], under the sequencer's mutex. Each test looks at the newest state
// of an element that the transaction touched or relied on; none walks more than that.
//
// The grain: one stamp for an element's properties, one for a node's labels and existence. Adding relationships is free,
// except at a node that is deleted by the other side. Where a rule or an index ties properties to labels, a change of
// one by us and of the other by them conflicts too: neither side saw the combination.
#include "storage/constraint/check.h"
#include "storage/constraint/describe.h"
#include "storage/index/key.h"
#include "base/interrupt.h"
#include "base/limits.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

Status TransactionImpl::Conflict(Timestamp theirs, const std::string& element, const std::string& rule) const {
  return Status(Code::kTransactionConflict,
                "transaction " + std::to_string(live_.serial) + " (snapshot " + std::to_string(live_.timestamp) +
                    ") lost to the commit at timestamp " + std::to_string(theirs) + ": " + rule + " " + element +
                    "; run the transaction again");
}

void TransactionImpl::BeginStatement(std::string_view text) {
  const bool full = statements_.size() == kStatementsNamedMax;
  if (full && statements_.back().text.empty()) return;
  size_t cut = std::min<size_t>(text.size(), kStatementNamedBytesMax);
  while (cut > 0 && cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;   // not inside a character
  Begun begun{full ? std::string() : std::string(text.substr(0, cut)), own_.nodes().size(), own_.relationships().size(),
              misses_.size()};
  if (cut < text.size() && !full) begun.text += "...";
  if (!statements_.empty()) {                  // one that touched nothing new is never named
    const Begun& last = statements_.back();
    if (last.nodes == begun.nodes && last.relationships == begun.relationships && last.misses == begun.misses) statements_.pop_back();
  }
  statements_.push_back(std::move(begun));
}

Status TransactionImpl::Named(const Status& status, EntityKind entity, uint64_t id) const {
  // The write set keeps the order of first touch.
  size_t index = 0;
  if (entity == EntityKind::kNode) {
    while (index < own_.nodes().size() && own_.nodes()[index]->id.value != id) ++index;
    return Named(status, &Begun::nodes, index);
  }
  while (index < own_.relationships().size() && own_.relationships()[index]->id.value != id) ++index;
  return Named(status, &Begun::relationships, index);
}

Status TransactionImpl::Named(const Status& status, size_t Begun::*count, size_t index) const {
  for (auto it = statements_.rbegin(); it != statements_.rend(); ++it) {
    if ((*it).*count > index) continue;
    if (it->text.empty()) break;               // of those behind kStatementsNamedMax
    return Status(status.code(), status.message() + "; the statement was: " + it->text);
  }
  return status;
}

Status TransactionImpl::CheckRules(const CommitPlan& plan, const SchemaState& schema) const {
  RETURN_IF_ERROR(plan.indexes().TestKeys(store_->tokens));
  const GraphType& type = schema.version->graph_type;
  const bool node_rules = schema.HasRules(EntityKind::kNode), rel_rules = schema.HasRules(EntityKind::kRelationship);
  PropertyList properties;
  for (const CommitPlan::NodeChange& change : plan.nodes()) {
    CountWork(32);
    if (change.after == nullptr) continue;
    const NodeId id = change.own->id;
    if (change.state != nullptr) RETURN_IF_ERROR(CheckLabels(type, store_->tokens, id, change.after->labels));
    if (node_rules && (change.state != nullptr || change.properties != nullptr)) {
      view_.Properties(id, &properties);
      const std::vector<uint32_t> tokens = TokensOf(change.after->labels);
      RETURN_IF_ERROR(CheckElement(schema, store_->tokens, EntityKind::kNode, id.value, {tokens, &properties}));
    }
    // Labels that went may have been what a relationship needs.
    if (change.state == nullptr || change.own->created || !HasEndRules(type)) continue;
    std::vector<Neighbour> around;
    ScanPosition position;
    view_.Expand(id, {}, Direction::kBoth, &position, ~size_t{0}, &around);
    for (const Neighbour& n : around) RETURN_IF_ERROR(CheckEndsOf(type, n.relationship));
  }
  for (const CommitPlan::RelChange& change : plan.relationships()) {
    CountWork(32);
    const OwnRelationship& own = *change.own;
    if (own.deleted) continue;
    if (own.created) {
      RETURN_IF_ERROR(CheckType(type, store_->tokens, own.id, own.type));
      if (HasEndRules(type)) RETURN_IF_ERROR(CheckEndsOf(type, own.id));
    }
    if (rel_rules && (own.created || change.properties != nullptr)) {
      view_.Properties(own.id, &properties);
      const uint32_t token[] = {own.type.value};
      RETURN_IF_ERROR(CheckElement(schema, store_->tokens, EntityKind::kRelationship, own.id.value, {token, &properties}));
    }
  }
  if (const auto clash = plan.indexes().FindOwnDuplicate()) return ClashStatus(*clash);
  return Status::Ok();
}

Status TransactionImpl::CheckEndsOf(const GraphType& type, RelId id) const {
  const RelationshipEnds ends = view_.Ends(id);
  return CheckEnds(type, store_->tokens, id, ends, view_.overlay().LabelsOf(ends.start).labels,
                   view_.overlay().LabelsOf(ends.end).labels);
}

Overlay TransactionImpl::Newest(const WriteSet* none) const {
  return Overlay(*store_->generations.current(), store_->sequencer.last(), none);
}

Status TransactionImpl::TestConflicts(const CommitPlan& plan, const SchemaState& schema) const {
  for (const std::shared_ptr<Delta>& delta : store_->generations.Since(live_.timestamp)) {
    for (const CommitPlan::NodeChange& change : plan.nodes()) {
      const NodeDelta* node = change.own->created ? nullptr : delta->Find(change.own->id);
      const Status status = node == nullptr ? Status::Ok() : TestNode(*node, change, schema);
      if (!status.ok()) return Named(status, EntityKind::kNode, change.own->id.value);
    }
    for (const CommitPlan::RelChange& change : plan.relationships()) {
      const RelDelta* rel = change.own->created ? nullptr : delta->Find(change.own->id);
      const Status status = rel == nullptr ? Status::Ok() : TestRelationship(*rel, change);
      if (!status.ok()) return Named(status, EntityKind::kRelationship, change.own->id.value);
    }
  }
  RETURN_IF_ERROR(TestUnique(plan));
  RETURN_IF_ERROR(plan.indexes().TestVectors(store_->tokens));
  return TestMisses();
}

Status TransactionImpl::ClashStatus(const UniqueClash& clash) const {
  const ConstraintDefinition& constraint = *clash.binding->unique;
  List values;
  for (PropertyId property : constraint.properties) {
    values.push_back(constraint.entity == EntityKind::kNode ? view_.Property(NodeId(clash.refused), property)
                                                            : view_.Property(RelId(clash.refused), property));
  }
  return UniqueViolation(store_->tokens, constraint, values, clash.holder, clash.refused);
}

// A holder that the snapshot didn't show is a conflict: run again, the statement sees it and may do otherwise. One that it
// showed is a violation.
Status TransactionImpl::TestUnique(const CommitPlan& plan) const {
  const std::optional<UniqueClash> clash = plan.indexes().FindClash(store_->generations.Since(live_.timestamp), live_.timestamp);
  if (!clash) return Status::Ok();
  const Status violation = ClashStatus(*clash);
  if (clash->begin <= live_.timestamp) return violation;
  const EntityKind entity = clash->binding->definition->entity;
  return Named(Conflict(clash->begin, ElementText(entity, clash->holder), "it took a unique key that we want (" + violation.message() + "):"),
               entity, clash->refused);
}

namespace {
template <typename V>
Timestamp NewestStamp(const std::atomic<V*>& head) {
  const V* version = head.load(std::memory_order_relaxed);
  return version == nullptr ? 0 : version->begin;
}
}  // namespace

namespace {
bool AnyRules(const SchemaState& schema, const LabelSet* labels) {
  if (labels == nullptr || !schema.HasRules(EntityKind::kNode)) return false;
  for (LabelId label : labels->labels) {
    if (schema.RulesOf(EntityKind::kNode, label.value) != nullptr) return true;
  }
  return false;
}
}  // namespace

Status TransactionImpl::TestNode(const NodeDelta& node, const CommitPlan::NodeChange& change, const SchemaState& schema) const {
  const OwnNode& own = *change.own;
  const Timestamp s = live_.timestamp;
  const Timestamp state_ts = NewestStamp(node.state), properties_ts = NewestStamp(node.properties);
  const bool end_rules = HasEndRules(schema.version->graph_type);
  if (state_ts > s) {
    const LabelSet* theirs = node.state.load(std::memory_order_relaxed)->labels;
    if (theirs == nullptr) {
      return Conflict(state_ts, ElementName(own.id), own.deleted ? "both deleted" : "it deleted what we changed or connected:");
    }
    if (own.deleted) return Conflict(state_ts, ElementName(own.id), "it changed the labels of what we deleted:");
    if (own.labels_changed) return Conflict(state_ts, ElementName(own.id), "both changed the labels of");
    if (own.properties_changed && (AnyRules(schema, theirs) || AnyRules(schema, change.before))) {
      return Conflict(state_ts, ElementName(own.id), "it changed the labels, under an index or rule, of what we changed the properties of:");
    }
    if (end_rules && (!own.out.empty() || !own.in.empty())) {
      return Conflict(state_ts, ElementName(own.id), "it changed the labels, which our relationship needs, of");
    }
  }
  if (properties_ts > s) {
    if (own.deleted) return Conflict(properties_ts, ElementName(own.id), "it changed the properties of what we deleted:");
    if (own.properties_changed) return Conflict(properties_ts, ElementName(own.id), "both changed the properties of");
    if (own.labels_changed && (AnyRules(schema, change.before) || AnyRules(schema, change.after))) {
      return Conflict(properties_ts, ElementName(own.id), "it changed the properties, under an index or rule, of what we changed the labels of:");
    }
  }
  if (end_rules && own.labels_changed && node.relationship_added > s) {
    return Conflict(node.relationship_added, ElementName(own.id), "it added a relationship that needs the labels of");
  }
  if (own.deleted && node.relationship_added > s) {
    return Conflict(node.relationship_added, ElementName(own.id), "it added a relationship to what we deleted:");
  }
  return Status::Ok();
}

Status TransactionImpl::TestRelationship(const RelDelta& rel, const CommitPlan::RelChange& change) const {
  const OwnRelationship& own = *change.own;
  const Timestamp end = rel.end.load(std::memory_order_relaxed);
  if (end != kNever) {
    return Conflict(end, ElementName(own.id), own.deleted ? "both deleted" : "it deleted what we changed:");
  }
  const Timestamp properties_ts = NewestStamp(rel.properties);
  if (properties_ts > live_.timestamp) {
    return Conflict(properties_ts, ElementName(own.id),
                    own.deleted ? "it changed the properties of what we deleted:" : "both changed the properties of");
  }
  return Status::Ok();
}

Status TransactionImpl::TestMisses() const {
  if (store_->sequencer.last() == live_.timestamp) return Status::Ok();
  for (size_t i = 0; i < misses_.size(); ++i) {
    const Status status = misses_[i].relationship ? TestRelationshipMiss(misses_[i]) : TestNodeMiss(misses_[i]);
    if (!status.ok()) return Named(status, &Begun::misses, i);
  }
  return Status::Ok();
}

namespace {
template <typename Id>
bool HoldsAll(const Overlay& newest, Id id, const PropertyList& wanted) {
  for (const auto& [key, value] : wanted) {
    if (!SameKey(newest.Property(id, key), value)) return false;
  }
  return true;
}
}  // namespace

Status TransactionImpl::TestNodeMiss(const MergeMiss& miss) const {
  const LabelId label = miss.labels.empty() ? LabelId() : miss.labels.front();
  const Timestamp s = live_.timestamp;
  if (!store_->recent.Covers(label, s)) {
    return Conflict(store_->sequencer.last(), "nodes", "since its snapshot too much was committed to look again for");
  }
  const WriteSet none;
  const Overlay newest = Newest(&none);
  Status conflict;
  store_->recent.VisitAfter(label, s, [&](const RecentCommits::Item& item) {
    if (own_.Find(item.node) != nullptr) return true;      // ours: judged as any element we changed
    const LabelsSeen seen = newest.LabelsOf(item.node);
    if (!seen.exists) return true;
    for (LabelId wanted : miss.labels) {
      if (!seen.Has(wanted)) return true;
    }
    if (!HoldsAll(newest, item.node, miss.properties)) return true;
    std::string name = "node " + std::to_string(item.node.value);
    for (LabelId wanted : miss.labels) name += " :" + store_->tokens.labels.Name(wanted);
    conflict = Conflict(item.ts, name, "MERGE found nothing, and meanwhile there is");
    return false;
  });
  return conflict;
}

Status TransactionImpl::TestRelationshipMiss(const MergeMiss& miss) const {
  const WriteSet none;
  const Overlay newest = Newest(&none);
  auto test = [&](const Delta& delta, NodeId from, NodeId to) -> Status {
    const NodeDelta* node = delta.Find(from);
    if (node == nullptr || node->relationship_added <= live_.timestamp) return Status::Ok();
    const AdjacencyTable* table = node->adjacency.load(std::memory_order_relaxed);
    const AdjacencyList* list = table == nullptr ? nullptr : table->Find(miss.type, false);
    const AdjacencyBlock* block = list == nullptr ? nullptr : list->block();
    if (block == nullptr) return Status::Ok();
    const std::span<const AdjacencyEntry> entries = block->view();
    // Entries stand in commit order, so the ones to look at are the last.
    for (size_t i = entries.size(); i-- > 0 && entries[i].begin > live_.timestamp;) {
      const RelId id(entries[i].relationship);
      if (entries[i].neighbour != to.value || newest.StateOf(id) != ElementState::kVisible) continue;
      if (!HoldsAll(newest, id, miss.properties)) continue;
      return Conflict(entries[i].begin, "relationship " + std::to_string(id.value) + " :" + store_->tokens.types.Name(miss.type),
                      "MERGE found nothing, and meanwhile there is");
    }
    return Status::Ok();
  };
  for (const std::shared_ptr<Delta>& delta : store_->generations.Since(live_.timestamp)) {
    RETURN_IF_ERROR(test(*delta, miss.start, miss.end));
    if (miss.either_direction) RETURN_IF_ERROR(test(*delta, miss.end, miss.start));
  }
  return Status::Ok();
}

}  // namespace fornix::storage
