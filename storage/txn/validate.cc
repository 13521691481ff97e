// What a commit tests against the commits in (S, now], under the sequencer's mutex. Each test looks at the newest state
// of an element that the transaction touched or relied on; none walks more than that.
//
// The grain: one stamp for an element's properties, one for a node's labels and existence. Adding relationships is free,
// except at a node that is deleted by the other side. Where a rule or an index ties properties to labels, a change of
// one by us and of the other by them conflicts too: neither side saw the combination.
#include "storage/index/key.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

Status TransactionImpl::Conflict(Timestamp theirs, const std::string& element, const std::string& rule) const {
  return Status(Code::kTransactionConflict,
                "transaction " + std::to_string(live_.serial) + " (snapshot " + std::to_string(live_.timestamp) +
                    ") lost to the commit at timestamp " + std::to_string(theirs) + ": " + rule + " " + element +
                    "; run the transaction again");
}

Status TransactionImpl::TestConflicts(const CommitPlan& plan) const {
  for (const CommitPlan::NodeChange& change : plan.nodes()) {
    if (!change.own->created) RETURN_IF_ERROR(TestNode(change));
  }
  for (const CommitPlan::RelChange& change : plan.relationships()) {
    if (!change.own->created) RETURN_IF_ERROR(TestRelationship(change));
  }
  return TestMisses();
}

namespace {
template <typename V>
Timestamp NewestStamp(const std::atomic<V*>& head) {
  const V* version = head.load(std::memory_order_relaxed);
  return version == nullptr ? 0 : version->begin;
}
}  // namespace

Status TransactionImpl::TestNode(const CommitPlan::NodeChange& change) const {
  const OwnNode& own = *change.own;
  const NodeDelta* node = store_->delta.Find(own.id);
  if (node == nullptr) return Status::Ok();
  const Timestamp s = live_.timestamp;
  const Timestamp state_ts = NewestStamp(node->state), properties_ts = NewestStamp(node->properties);
  if (state_ts > s) {
    if (node->state.load(std::memory_order_relaxed)->labels == nullptr) {
      return Conflict(state_ts, ElementName(own.id), own.deleted ? "both deleted" : "it deleted what we changed or connected:");
    }
    if (own.deleted) return Conflict(state_ts, ElementName(own.id), "it changed the labels of what we deleted:");
    if (own.labels_changed) return Conflict(state_ts, ElementName(own.id), "both changed the labels of");
  }
  if (properties_ts > s) {
    if (own.deleted) return Conflict(properties_ts, ElementName(own.id), "it changed the properties of what we deleted:");
    if (own.properties_changed) return Conflict(properties_ts, ElementName(own.id), "both changed the properties of");
  }
  if (own.deleted && node->relationship_added > s) {
    return Conflict(node->relationship_added, ElementName(own.id), "it added a relationship to what we deleted:");
  }
  return Status::Ok();
}

Status TransactionImpl::TestRelationship(const CommitPlan::RelChange& change) const {
  const OwnRelationship& own = *change.own;
  const RelDelta* rel = store_->delta.Find(own.id);
  if (rel == nullptr) return Status::Ok();
  const Timestamp end = rel->end.load(std::memory_order_relaxed);
  if (end != kNever) {
    return Conflict(end, ElementName(own.id), own.deleted ? "both deleted" : "it deleted what we changed:");
  }
  const Timestamp properties_ts = NewestStamp(rel->properties);
  if (properties_ts > live_.timestamp) {
    return Conflict(properties_ts, ElementName(own.id),
                    own.deleted ? "it changed the properties of what we deleted:" : "both changed the properties of");
  }
  return Status::Ok();
}

Status TransactionImpl::TestMisses() const {
  if (store_->sequencer.last() == live_.timestamp) return Status::Ok();
  for (const MergeMiss& miss : misses_) {
    RETURN_IF_ERROR(miss.relationship ? TestRelationshipMiss(miss) : TestNodeMiss(miss));
  }
  return Status::Ok();
}

namespace {
bool HoldsAll(const StoredProperties* stored, const PropertyList& wanted) {
  for (const auto& [key, value] : wanted) {
    const StoredProperty* found = stored == nullptr ? nullptr : FindStored(*stored, key);
    if (found == nullptr || !SameKey(UnpackProperty(*found), value)) return false;
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
  Status conflict;
  store_->recent.VisitAfter(label, s, [&](const RecentCommits::Item& item) {
    if (own_.Find(item.node) != nullptr) return true;      // ours: judged as any element we changed
    const NodeDelta* node = store_->delta.Find(item.node);
    const NodeState* state = node == nullptr ? nullptr : node->state.load(std::memory_order_relaxed);
    if (state == nullptr || state->labels == nullptr) return true;
    for (LabelId wanted : miss.labels) {
      if (!state->labels->Has(wanted)) return true;
    }
    const PropertyVersion* version = node->properties.load(std::memory_order_relaxed);
    if (!HoldsAll(version == nullptr ? nullptr : &version->properties, miss.properties)) return true;
    std::string name = "node " + std::to_string(item.node.value);
    for (LabelId wanted : miss.labels) name += " :" + store_->tokens.labels.Name(wanted);
    conflict = Conflict(item.ts, name, "MERGE found nothing, and meanwhile there is");
    return false;
  });
  return conflict;
}

Status TransactionImpl::TestRelationshipMiss(const MergeMiss& miss) const {
  auto test = [&](NodeId from, NodeId to) -> Status {
    const NodeDelta* node = store_->delta.Find(from);
    if (node == nullptr || node->relationship_added <= live_.timestamp) return Status::Ok();
    const AdjacencyTable* table = node->adjacency.load(std::memory_order_relaxed);
    const AdjacencyList* list = table == nullptr ? nullptr : table->Find(miss.type, false);
    const AdjacencyBlock* block = list == nullptr ? nullptr : list->block();
    if (block == nullptr) return Status::Ok();
    const std::span<const AdjacencyEntry> entries = block->view();
    // Entries stand in commit order, so the ones to look at are the last.
    for (size_t i = entries.size(); i-- > 0 && entries[i].begin > live_.timestamp;) {
      if (entries[i].neighbour != to.value || entries[i].end.load(std::memory_order_relaxed) != kNever) continue;
      const RelId id(entries[i].relationship);
      const PropertyVersion* version = store_->delta.Find(id)->properties.load(std::memory_order_relaxed);
      if (!HoldsAll(version == nullptr ? nullptr : &version->properties, miss.properties)) continue;
      return Conflict(entries[i].begin, "relationship " + std::to_string(id.value) + " :" + store_->tokens.types.Name(miss.type),
                      "MERGE found nothing, and meanwhile there is");
    }
    return Status::Ok();
  };
  RETURN_IF_ERROR(test(miss.start, miss.end));
  return miss.either_direction ? test(miss.end, miss.start) : Status::Ok();
}

}  // namespace fornix::storage
