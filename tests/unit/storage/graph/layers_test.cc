#include <algorithm>
#include <iostream>

#include "base/value_compare.h"
#include "tests/unit/storage/graph/layers_world.h"

namespace fornix::storage {

World::World() {
  auto t = Begin();
  for (const char* name : {"A", "B", "C"}) labels.push_back(L(*t, name));
  for (const char* name : {"R", "S"}) types.push_back(T(*t, name));
  for (const char* name : {"x", "y", "z"}) keys.push_back(P(*t, name));
}

Writer World::Write() {
  Writer writer;
  writer.txn = Begin();
  writer.seen = newest;
  return writer;
}

bool World::Commit(Writer* writer) {
  const Result<CommitResult> result = writer->txn->Commit();
  if (!result.ok()) {
    INFO(result.status().ToString());
    REQUIRE(result.status().code() == Code::kTransactionConflict);
    return false;
  }
  for (const auto& change : writer->changes) change(&newest);
  at[store.sequencer.last()] = newest;
  return true;
}

IndexId World::CreateIndex(const std::string& name, EntityKind entity, uint32_t token, std::vector<PropertyId> properties, bool unique) {
  auto ddl = Begin();
  if (unique) {
    ConstraintDefinition c;
    c.name = name;
    c.entity = entity;
    c.token = token;
    c.properties = std::move(properties);
    Must(ddl->CreateConstraint(std::move(c), false));
  } else {
    IndexDefinition d;
    d.name = name;
    d.entity = entity;
    d.tokens = {token};
    d.properties = std::move(properties);
    Must(ddl->CreateIndex(std::move(d), false));
  }
  Must(ddl->Commit());
  at[store.sequencer.last()] = newest;
  return store.schemas.newest()->version->FindIndex(name)->id;
}

void World::Freeze() {
  frozen = Must(store.generations.Freeze(nullptr));
  if (at.empty()) at[frozen->timestamp] = newest;
  at.erase(at.upper_bound(frozen->timestamp), at.end());
}

std::shared_ptr<ModelBase> World::Publish() {
  // The schema is the newest one; an index that came after the freeze has all of its entries in the active delta.
  SchemaVersion schema = *store.schemas.At(frozen->timestamp)->version;
  auto base = std::make_shared<ModelBase>(at.at(frozen->timestamp), frozen->timestamp, &store.label_sets, schema);
  store.generations.Publish(base);
  frozen.reset();
  store.generations.Release();
  return base;
}

namespace {

std::vector<uint64_t> Ids(const auto& map) {
  std::vector<uint64_t> ids;
  for (const auto& [id, element] : map) ids.push_back(id);
  return ids;
}

bool SameProperties(const PropertyList& a, const PropertyList& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x.first == y.first && Equivalent(x.second, y.second);
         });
}

void CheckScans(const GraphView& view, const GraphModel& model, const World& world) {
  CHECK(AllNodes(view) == Ids(model.nodes));
  CHECK(view.CountNodes() == model.nodes.size());
  for (LabelId label : world.labels) {
    std::vector<uint64_t> expected;
    for (const auto& [id, n] : model.nodes) {
      if (n.labels.count(label) != 0) expected.push_back(id);
    }
    CHECK(NodesWith(view, label) == expected);
    CHECK(view.CountLabel(label) == expected.size());
  }
  CHECK(AllRelationships(view) == Ids(model.relationships));
  CHECK(view.CountRelationships({}) == model.relationships.size());
  for (TypeId type : world.types) {
    std::vector<uint64_t> expected;
    for (const auto& [id, r] : model.relationships) {
      if (r.ends.type == type) expected.push_back(id);
    }
    CHECK(AllRelationships(view, type) == expected);
    CHECK(view.CountRelationships(type) == expected.size());
  }
}

void CheckElements(const GraphView& view, const GraphModel& model, const World& world) {
  std::vector<NodeId> nodes;
  std::vector<RelId> relationships;
  PropertyList properties;
  std::vector<LabelId> labels;
  const uint64_t node_end = model.nodes.empty() ? 3 : model.nodes.rbegin()->first + 3;
  for (uint64_t id = 0; id < node_end; ++id) {
    auto it = model.nodes.find(id);
    const bool there = it != model.nodes.end();
    CHECK((view.StateOf(NodeId(id)) == ElementState::kVisible) == there);
    view.Labels(NodeId(id), &labels);
    CHECK(labels == (there ? it->second.label_list() : std::vector<LabelId>()));
    if (!there) continue;
    nodes.push_back(NodeId(id));
    view.Properties(NodeId(id), &properties);
    CHECK(SameProperties(properties, it->second.properties));
  }
  for (const auto& [id, r] : model.relationships) {
    relationships.push_back(RelId(id));
    CHECK(view.StateOf(RelId(id)) == ElementState::kVisible);
    const RelationshipEnds ends = view.Ends(RelId(id));
    CHECK((ends.start == r.ends.start && ends.end == r.ends.end && ends.type == r.ends.type));
    view.Properties(RelId(id), &properties);
    CHECK(SameProperties(properties, r.properties));
  }
  auto expect = [](const PropertyList& list, PropertyId key) {
    const Value* found = FindProperty(list, key);
    return found == nullptr ? Value() : *found;
  };
  for (PropertyId key : world.keys) {
    std::vector<Value> values(nodes.size()), of_rels(relationships.size());
    view.GatherProperty(nodes, key, values.data());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Value expected = expect(model.nodes.at(nodes[i].value).properties, key);
      CHECK(Equivalent(values[i], expected));
      CHECK(Equivalent(view.Property(nodes[i], key), expected));
    }
    view.GatherProperty(relationships, key, of_rels.data());
    for (size_t i = 0; i < relationships.size(); ++i) {
      CHECK(Equivalent(of_rels[i], expect(model.relationships.at(relationships[i].value).properties, key)));
    }
  }
  for (LabelId label : world.labels) {
    std::vector<uint8_t> keep(nodes.size());
    view.GatherLabel(nodes, label, keep.data());
    for (size_t i = 0; i < nodes.size(); ++i) CHECK(keep[i] == model.nodes.at(nodes[i].value).labels.count(label));
  }
}

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

Pairs ExpectedAround(const GraphModel& model, NodeId id, const std::vector<TypeId>& types, Direction direction) {
  Pairs expected;
  for (TypeId type : types) {
    for (const bool incoming : {false, true}) {
      if (direction == (incoming ? Direction::kOutgoing : Direction::kIncoming)) continue;
      for (const auto& [node, rel] : model.List(id, type, incoming)) {
        if (!(incoming && direction == Direction::kBoth && node == id.value)) expected.emplace_back(node, rel);
      }
    }
  }
  std::sort(expected.begin(), expected.end());
  return expected;
}

void CheckAdjacency(const GraphView& view, const GraphModel& model, const World& world, Random* random) {
  std::vector<NodeId> nodes;
  for (const auto& [id, n] : model.nodes) nodes.push_back(NodeId(id));
  std::vector<std::vector<TypeId>> type_lists = {{}, world.types, {world.types[0]}, {world.types[1]}};
  for (const Direction direction : {Direction::kOutgoing, Direction::kIncoming, Direction::kBoth}) {
    for (const std::vector<TypeId>& types : type_lists) {
      std::vector<uint32_t> parent;
      std::vector<Neighbour> batch;
      view.ExpandBatch(nodes, types, direction, &parent, &batch);
      REQUIRE(parent.size() == batch.size());
      CHECK(std::is_sorted(parent.begin(), parent.end()));
      size_t at = 0;
      for (size_t i = 0; i < nodes.size(); ++i) {
        Pairs whole = Around(view, nodes[i], direction, types);
        Pairs in_batch;
        for (; at < batch.size() && parent[at] == i; ++at) in_batch.emplace_back(batch[at].node.value, batch[at].relationship.value);
        CHECK(in_batch == whole);
        CHECK(Around(view, nodes[i], direction, types, 1 + random->Below(4)) == whole);
        std::sort(whole.begin(), whole.end());
        CHECK(whole == ExpectedAround(model, nodes[i], types.empty() ? world.types : types, direction));
        CHECK(view.Degree(nodes[i], types, direction) == whole.size());
        if (nodes.empty()) continue;
        const NodeId other = nodes[random->Below(nodes.size())];
        std::vector<RelId> between;
        view.Between(nodes[i], types, direction, other, &between);
        std::vector<RelId> expected;
        for (const auto& [node, rel] : Around(view, nodes[i], direction, types)) {
          if (node == other.value) expected.push_back(RelId(rel));
        }
        CHECK(between == expected);
      }
    }
  }
}

void CheckSeeks(const GraphView& view, const GraphModel& model, Random* random) {
  for (const IndexDefinition& index : view.schema().indexes) {
    if (index.kind != IndexKind::kRange) continue;
    const auto keys = model.Keys(index);
    for (int i = 0; i < 4; ++i) {
      KeyRange range;
      const int64_t low = static_cast<int64_t>(random->Below(6)), high = low + static_cast<int64_t>(random->Below(4));
      if (i == 1) range = ExactKey({low});
      if (i == 2) range.lower = KeyBound{{low}, random->OneIn(2)};
      if (i >= 2) range.upper = KeyBound{{high}, random->OneIn(2)};
      std::vector<uint64_t> expected;
      KeyInterval interval;
      if (IntervalOf(range, &interval)) {
        for (auto it = keys.lower_bound({interval.lower, 0}); it != keys.end() && (interval.upper.empty() || it->first < interval.upper); ++it) {
          expected.push_back(it->second);
        }
      }
      for (const bool descending : {false, true}) {
        if (descending) std::reverse(expected.begin(), expected.end());
        for (const size_t step : {size_t{1} + random->Below(3), ~size_t{0}}) {
          std::vector<uint64_t> found;
          SeekPosition position;
          while (!position.done) Must(view.SeekIndex(index.id, range, descending, &position, step, &found));
          CHECK(found == expected);
        }
      }
    }
  }
}

}  // namespace

void CheckView(const GraphView& view, const GraphModel& model, const World& world, Random* random) {
  CheckScans(view, model, world);
  CheckElements(view, model, world);
  CheckAdjacency(view, model, world, random);
  CheckSeeks(view, model, random);
}

namespace {

// One random change of a writer, to the transaction and to what it sees.
void RandomChange(World& world, Writer* w, Random* random) {
  auto pick = [&](const auto& map) { return std::next(map.begin(), static_cast<long>(random->Below(map.size())))->first; };
  auto note = [&](std::function<void(GraphModel*)> change) {
    change(&w->seen);
    w->changes.push_back(std::move(change));
  };
  const PropertyId key = world.keys[random->Below(world.keys.size())];
  const LabelId label = world.labels[random->Below(world.labels.size())];
  const TypeId type = world.types[random->Below(world.types.size())];
  const Value value = random->OneIn(5) ? Value() : Value(static_cast<int64_t>(random->Below(8)));
  const uint64_t kind = random->Below(12);
  if (w->seen.nodes.size() < 4 || kind < 2) {
    PropertyList properties;
    if (!value.is_null()) properties.emplace_back(key, value);
    const LabelId set[] = {label};
    const NodeId id = Must(w->txn->CreateNode(set, properties));
    note([=](GraphModel* m) { m->nodes[id.value] = {{label}, properties}; });
    return;
  }
  const uint64_t node = pick(w->seen.nodes);
  if (kind < 5 || w->seen.relationships.empty()) {
    const RelationshipEnds ends{NodeId(node), NodeId(random->OneIn(4) ? node : pick(w->seen.nodes)), type};
    PropertyList properties;
    if (!value.is_null()) properties.emplace_back(key, value);
    const RelId id = Must(w->txn->CreateRelationship(ends.start, type, ends.end, properties));
    note([=](GraphModel* m) { m->relationships[id.value] = {ends, properties}; });
    return;
  }
  const uint64_t rel = pick(w->seen.relationships);
  switch (kind) {
    case 5: case 6:
      Must(w->txn->SetProperty(NodeId(node), key, value));
      if (value.is_null() && FindProperty(w->seen.nodes.at(node).properties, key) == nullptr) return;   // nothing happened
      w->touched.emplace(Writer::kProperties, node);
      return note([=](GraphModel* m) { SetInList(&m->nodes.at(node).properties, key, value); });
    case 7:
      Must(w->txn->SetProperty(RelId(rel), key, value));
      if (value.is_null() && FindProperty(w->seen.relationships.at(rel).properties, key) == nullptr) return;
      w->touched.emplace(Writer::kRelationship, rel);
      return note([=](GraphModel* m) { SetInList(&m->relationships.at(rel).properties, key, value); });
    case 8:
      Must(w->txn->AddLabel(NodeId(node), label));
      if (w->seen.nodes.at(node).labels.count(label) != 0) return;
      w->touched.emplace(Writer::kLabels, node);
      return note([=](GraphModel* m) { m->nodes.at(node).labels.insert(label); });
    case 9:
      Must(w->txn->RemoveLabel(NodeId(node), label));
      if (w->seen.nodes.at(node).labels.count(label) == 0) return;
      w->touched.emplace(Writer::kLabels, node);
      return note([=](GraphModel* m) { m->nodes.at(node).labels.erase(label); });
    case 10:
      Must(w->txn->DeleteRelationship(RelId(rel)));
      w->touched.emplace(Writer::kRelationship, rel);
      return note([=](GraphModel* m) { m->relationships.erase(rel); });
    default: {
      if (!random->OneIn(2)) return;
      Must(w->txn->DeleteNode(NodeId(node), true));
      w->touched.emplace(Writer::kProperties, node);
      w->touched.emplace(Writer::kLabels, node);
      for (const auto& [id, r] : w->seen.relationships) {
        if (r.ends.start.value == node || r.ends.end.value == node) w->touched.emplace(Writer::kRelationship, id);
      }
      return note([=](GraphModel* m) {
        std::erase_if(m->relationships, [&](const auto& r) { return r.second.ends.start.value == node || r.second.ends.end.value == node; });
        m->nodes.erase(node);
      });
    }
  }
}

}  // namespace

TEST_CASE("random histories read the same through any layers as from a plain model") {
  const uint64_t seed = GENERATE(1, 2, 3, 4, 5, 6);
  std::cout << "seed=" << seed << "\n";
  Random random(seed);
  World world;
  world.CreateIndex("a_x", EntityKind::kNode, world.labels[0].value, {world.keys[0]});
  world.CreateIndex("b_xy", EntityKind::kNode, world.labels[1].value, {world.keys[0], world.keys[1]});
  world.CreateIndex("r_x", EntityKind::kRelationship, world.types[0].value, {world.keys[0]});
  struct Snapshot {
    std::unique_ptr<TransactionImpl> txn;
    GraphModel model;
  };
  std::vector<Snapshot> snapshots;
  int freezes = 0, published = 0, lost = 0;
  for (int round = 0; round < 120; ++round) {
    Writer writer = world.Write();
    std::optional<Writer> other;
    if (random.OneIn(2)) other = world.Write();
    for (uint64_t n = 1 + random.Below(5); n > 0; --n) RandomChange(world, &writer, &random);
    if (other) {
      for (uint64_t n = 1 + random.Below(5); n > 0; --n) RandomChange(world, &*other, &random);
    }
    if (random.OneIn(8)) CheckView(writer.txn->view(), writer.seen, world, &random);
    const bool freeze_between = random.OneIn(3);
    bool must_lose = false;
    if (!random.OneIn(6)) {
      REQUIRE(world.Commit(&writer));
      for (const auto& touched : writer.touched) must_lose = must_lose || (other && other->touched.count(touched) != 0);
    } else {
      writer.txn->Rollback();
    }
    if (freeze_between && !world.frozen) world.Freeze(), ++freezes;
    if (other) {
      const bool committed = world.Commit(&*other);
      CHECK_FALSE((committed && must_lose));
      lost += !committed;
    }
    if (round == 60) world.CreateIndex("late", EntityKind::kNode, world.labels[2].value, {world.keys[2]});
    if (world.frozen && random.OneIn(3)) {
      if (random.OneIn(4)) {                   // a checkpoint that fails, and is tried again later
        world.store.generations.GiveUp();
        const Timestamp before = world.frozen->timestamp;
        world.frozen = Must(world.store.generations.Freeze(nullptr));
        CHECK(world.frozen->timestamp == before);
      } else {
        world.Publish();
        ++published;
      }
    }
    if (random.OneIn(4)) snapshots.push_back({world.Begin(true), world.newest});
    if (snapshots.size() > 4) snapshots.erase(snapshots.begin() + static_cast<long>(random.Below(snapshots.size())));
    if (round % 5 == 0) {
      for (const Snapshot& s : snapshots) CheckView(s.txn->view(), s.model, world, &random);
    }
  }
  CHECK(freezes > 5);
  CHECK(published > 4);
  CHECK(lost > 0);
  snapshots.clear();
  world.store.generations.Release();
  CHECK_FALSE(world.store.generations.Release());
}

}  // namespace fornix::storage
