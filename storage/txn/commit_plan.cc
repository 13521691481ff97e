#include "storage/txn/commit_plan.h"

#include <algorithm>

#include "base/check.h"
#include "base/interrupt.h"

namespace fornix::storage {

void CommitPlan::Build(LabelSets* label_sets, const Overlay& committed, const WriteSet& own, const SchemaState& schema) {
  own_ = &own;
  nodes_.reserve(own.nodes().size());
  for (const std::unique_ptr<OwnNode>& node : own.nodes()) {
    CountWork(32);
    if (node->created && node->deleted) continue;
    NodeChange change;
    change.own = node.get();
    if (!node->created) {
      const LabelsSeen seen = committed.LabelsOf(node->id);
      CHECK(seen.exists);                      // a transaction can only touch what it sees
      change.before = label_sets->Intern(seen.labels);
    }
    if (!node->deleted) {
      const bool new_labels = node->created || node->labels_changed;
      change.after = new_labels ? label_sets->Intern(node->labels) : change.before;
    }
    if (node->created || change.after != change.before) {
      change.state = std::make_unique<NodeState>();
      change.state->labels = change.after;
    }
    const bool has_properties = node->created ? !node->properties.empty() : node->properties_changed;
    if (has_properties && !node->deleted) {
      change.properties = std::make_unique<PropertyVersion>();
      change.properties->properties = PackProperties(node->properties);
      change.properties->Measure();
    }
    nodes_.push_back(std::move(change));
  }
  relationships_.reserve(own.relationships().size());
  for (const std::unique_ptr<OwnRelationship>& rel : own.relationships()) {
    CountWork(32);
    if (rel->created && rel->deleted) continue;
    RelChange change;
    change.own = rel.get();
    const bool has_properties = rel->created ? !rel->properties.empty() : rel->properties_changed;
    if (has_properties && !rel->deleted) {
      change.properties = std::make_unique<PropertyVersion>();
      change.properties->properties = PackProperties(rel->properties);
      change.properties->Measure();
    }
    relationships_.push_back(std::move(change));
  }
  BuildIndexes(committed, schema);
  // The counts that Reserve may have to ask the base for are in memory then.
  for (const auto& [label, change] : own.label_deltas()) committed.LabelCount(label);
  for (const auto& [type, change] : own.type_deltas()) committed.TypeCount(type);
}

void CommitPlan::BuildIndexes(const Overlay& committed, const SchemaState& schema) {
  PropertyList properties_before;
  if (schema.HasRules(EntityKind::kNode)) {
    for (const NodeChange& change : nodes_) {
      CountWork(64);
      if (change.state == nullptr && change.properties == nullptr) continue;
      const OwnNode& own = *change.own;
      if (change.before != nullptr) committed.Properties(own.id, &properties_before);
      const bool new_properties = own.created || own.properties_changed;
      std::vector<uint32_t> before, after;
      if (change.before != nullptr) before = TokensOf(change.before->labels);
      if (change.after != nullptr) after = TokensOf(change.after->labels);
      indexes_.Add(schema, EntityKind::kNode, own.id.value, {before, &properties_before},
                   {after, new_properties ? &own.properties : &properties_before});
    }
  }
  if (schema.HasRules(EntityKind::kRelationship)) {
    for (const RelChange& change : relationships_) {
      CountWork(64);
      const OwnRelationship& own = *change.own;
      if (!own.created && !own.deleted && change.properties == nullptr) continue;
      if (schema.RulesOf(EntityKind::kRelationship, own.type.value) == nullptr) continue;
      if (!own.created) committed.Properties(own.id, &properties_before);
      const uint32_t type[] = {own.type.value};
      const std::span<const uint32_t> there(type), gone;
      indexes_.Add(schema, EntityKind::kRelationship, own.id.value, {own.created ? gone : there, &properties_before},
                   {own.deleted ? gone : there, &own.properties});
    }
  }
}

void CommitPlan::ReserveCounts(const Layers& layers, Timestamp last) {
  const WriteSet none;
  const Overlay newest(layers, last, &none);
  counts_.clear();
  auto add = [&](VersionedCount* target, uint64_t before, int64_t change) {
    if (change == 0) return;
    counts_.push_back({target, std::make_unique<CountVersion>()});
    counts_.back().version->value = static_cast<int64_t>(before) + change;
  };
  add(delta_->mutable_node_count(), newest.NodeCount(), own_->node_delta());
  add(delta_->mutable_relationship_count(), newest.RelationshipCount(), own_->relationship_delta());
  for (const auto& [label, change] : own_->label_deltas()) {
    add(delta_->ReserveLabelCount(label), newest.LabelCount(label), change);
  }
  for (const auto& [type, change] : own_->type_deltas()) add(delta_->ReserveTypeCount(type), newest.TypeCount(type), change);
}

void CommitPlan::Reserve(const Layers& layers, Sequencer* sequencer) {
  delta_ = layers.active.get();
  for (NodeChange& change : nodes_) {
    const NodeId id = change.own->id;
    change.delta = delta_->ReserveNode(id);
    change.bits.clear();
    if (change.after == nullptr || change.after == change.before) continue;
    for (LabelId label : change.after->labels) {
      if (change.before == nullptr || !change.before->Has(label)) change.bits.push_back(delta_->ReserveLabelBits(label, id));
    }
  }
  for (RelChange& change : relationships_) {
    const OwnRelationship& own = *change.own;
    change.delta = delta_->ReserveRelationship(own.id);
    if (!own.created && !own.deleted) continue;
    change.start = delta_->ReserveNode(own.start);
    change.end = delta_->ReserveNode(own.end);
    if (own.created) change.bits = delta_->ReserveTypeBits(own.type, own.id);
    change.from_below = own.deleted && change.delta->IsFromBelow();
  }
  RetireList* retired = &delta_->retired();
  retired->set_next_snapshot(sequencer->next_serial());
  ReserveAdjacency(sequencer->floor(), retired);
  index_bytes_freed_ = indexes_.Reserve(delta_, sequencer->floor(), retired);
  ReserveCounts(layers, sequencer->last());
}

// Each list gets room once for all that will be appended to it, so a hub's block grows once a commit.
void CommitPlan::ReserveAdjacency(Timestamp floor, RetireList* retired) {
  struct Place {
    uint64_t node;
    uint32_t type;
    bool incoming;
    RelChange* change;
    auto key() const { return std::tuple(node, type, incoming); }
  };
  std::vector<Place> places;
  for (RelChange& change : relationships_) {
    const OwnRelationship& own = *change.own;
    if (!own.created && !own.deleted) continue;
    places.push_back({own.start.value, own.type.value, false, &change});
    places.push_back({own.end.value, own.type.value, true, &change});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.key() < b.key(); });
  for (size_t i = 0; i < places.size();) {
    size_t end = i;
    uint32_t added = 0, below = 0;
    for (; end < places.size() && places[end].key() == places[i].key(); ++end) {
      added += places[end].change->own->created;
      below += places[end].change->from_below;
    }
    NodeDelta* node = places[i].incoming ? places[i].change->end : places[i].change->start;
    AdjacencyList* list = delta_->ReserveAdjacency(node, NodeId(places[i].node), TypeId(places[i].type), places[i].incoming, added,
                                                   below, floor, retired);
    for (; i < end; ++i) (places[i].incoming ? places[i].change->in : places[i].change->out) = list;
  }
}

void CommitPlan::Apply(Timestamp ts, Sequencer* sequencer) {
  const Timestamp floor = sequencer->floor();
  int64_t bytes = -static_cast<int64_t>(index_bytes_freed_);
  auto install = [&](auto* head, auto* version) {
    version->begin = ts;
    bytes += static_cast<int64_t>(version->memory_bytes());
    bytes -= static_cast<int64_t>(InstallVersion(head, version, floor));
  };
  for (NodeChange& change : nodes_) {
    if (change.properties != nullptr) install(&change.delta->properties, change.properties.release());
    if (change.state != nullptr) {
      for (ChunkBitmap* bits : change.bits) bits->Set(SlotOf(change.own->id.value));
      install(&change.delta->state, change.state.release());
    }
  }
  for (RelChange& change : relationships_) {
    const OwnRelationship& own = *change.own;
    if (!change.delta->start.valid()) {
      change.delta->start = own.start;
      change.delta->end_node = own.end;
      change.delta->type = own.type;
    }
    if (change.properties != nullptr) install(&change.delta->properties, change.properties.release());
    if (own.created) {
      change.delta->begin.store(ts, std::memory_order_release);
      change.bits->Set(SlotOf(own.id.value));
      change.out->Append(own.start, own.end, own.id, ts);
      change.in->Append(own.end, own.start, own.id, ts);
      change.start->relationship_added = ts;
      change.end->relationship_added = ts;
    } else if (own.deleted) {
      change.delta->end.store(ts, std::memory_order_release);
      if (change.from_below) {
        change.out->EndBelow(own.start, own.end, own.id, ts);
        change.in->EndBelow(own.end, own.start, own.id, ts);
      } else {
        change.out->End(own.start, own.id, ts);
        change.in->End(own.end, own.id, ts);
      }
    }
  }
  bytes += static_cast<int64_t>(indexes_.Apply(ts));
  for (CountChange& change : counts_) install(&change.target->head, change.version.release());
  delta_->AddMemory(bytes);
}

}  // namespace fornix::storage
