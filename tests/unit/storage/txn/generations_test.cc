#include "tests/unit/storage/graph/layers_world.h"

namespace fornix::storage {

TEST_CASE("a second freeze is refused while a checkpoint runs; after it gave up the same state comes again") {
  World world;
  Writer w = world.Write();
  Must(w.txn->CreateNode({}, {}));
  REQUIRE(w.txn->Commit().ok());
  const Frozen first = Must(world.store.generations.Freeze(nullptr));
  CHECK(first.timestamp == 1);
  CHECK_FALSE(world.store.generations.Freeze(nullptr).ok());
  Writer more = world.Write();
  Must(more.txn->CreateNode({}, {}));
  REQUIRE(more.txn->Commit().ok());
  world.store.generations.GiveUp();
  const Frozen again = Must(world.store.generations.Freeze(nullptr));
  CHECK(again.timestamp == 1);
  CHECK(again.layers->frozen == first.layers->frozen);
  CHECK(AllNodes(world.Begin(true)->view()).size() == 2);
}

TEST_CASE("what is held is kept, and the oldest base in use is known") {
  World world;
  auto old = world.Begin(true);
  world.Checkpoint();
  Writer w = world.Write();
  Must(w.txn->CreateNode({}, {}));
  REQUIRE(world.Commit(&w));
  auto middle = world.Begin(true);
  world.Checkpoint();
  CHECK(world.store.generations.OldestBase() == 0);
  CHECK(AllNodes(old->view()).empty());
  CHECK(AllNodes(middle->view()).size() == 1);
  old.reset();
  middle.reset();
  CHECK_FALSE(world.store.generations.Release());
  CHECK(world.store.generations.OldestBase() == 1);
}

// Each conflict below, with the freeze and the next base before, between and after the two commits.
TEST_CASE("conflicts are found across generations") {
  const int when = GENERATE(0, 1, 2, 3);       // 0: never; 1: between the commits; 2: with a new base; 3: two generations on
  World world;
  Writer setup = world.Write();
  const LabelId label[] = {world.labels[0]};
  const NodeId a = Must(setup.txn->CreateNode(label, {}));
  const NodeId b = Must(setup.txn->CreateNode(label, {}));
  const RelId r = Must(setup.txn->CreateRelationship(a, world.types[0], b, {}));
  REQUIRE(setup.txn->Commit().ok());
  const bool in_base = GENERATE(false, true);
  auto model = [&] {
    world.newest.nodes[a.value] = world.newest.nodes[b.value] = {{world.labels[0]}, {}};
    world.newest.relationships[r.value] = {{a, b, world.types[0]}, {}};
    world.at[world.store.sequencer.last()] = world.newest;
  };
  model();
  if (in_base) world.Checkpoint();
  using Change = std::function<void(Transaction&)>;
  const Change set = [&](Transaction& t) { Must(t.SetProperty(a, world.keys[0], 1)); };
  const Change relabel = [&](Transaction& t) { Must(t.AddLabel(a, world.labels[1])); };
  const Change remove = [&](Transaction& t) { Must(t.DeleteNode(a, true)); };
  const Change unlink = [&](Transaction& t) { Must(t.DeleteRelationship(r)); };
  const Change set_rel = [&](Transaction& t) { Must(t.SetProperty(r, world.keys[0], 1)); };
  const Change connect = [&](Transaction& t) { Must(t.CreateRelationship(a, world.types[1], b, {})); };
  const std::vector<std::tuple<Change, Change, bool>> pairs = {
      {set, set, true}, {relabel, relabel, true}, {remove, set, true}, {set, remove, true}, {remove, connect, true},
      {connect, remove, true}, {unlink, unlink, true}, {unlink, set_rel, true}, {set_rel, unlink, true}, {set_rel, set_rel, true},
      {remove, unlink, true}, {set, relabel, false}, {connect, connect, false}, {set, connect, false}, {unlink, connect, false}};
  const auto& [theirs, ours, conflict] = pairs[static_cast<size_t>(GENERATE(range(0, 15)))];
  auto us = world.Begin();
  ours(*us);
  {
    auto them = world.Begin();
    theirs(*them);
    REQUIRE(them->Commit().ok());
  }
  for (int i = 0; i < (when == 3 ? 2 : when == 0 ? 0 : 1); ++i) {
    world.at[world.store.sequencer.last()];    // what is in it doesn't matter: conflicts are found in deltas alone
    world.Freeze();
    if (when >= 2) world.Publish();
  }
  const auto result = us->Commit();
  CHECK(result.ok() == !conflict);
  if (conflict) CHECK(result.status().code() == Code::kTransactionConflict);
}

TEST_CASE("unique keys and merges are tested across generations") {
  const int when = GENERATE(0, 1, 2);
  World world;
  world.CreateIndex("u", EntityKind::kNode, world.labels[0].value, {world.keys[0]}, true);
  const LabelId label[] = {world.labels[0]};
  auto create = [&](Writer* w, int64_t key) {
    const PropertyList properties = {{world.keys[0], Value(key)}};
    const NodeId id = Must(w->txn->CreateNode(label, properties));
    w->changes.push_back([=, &world](GraphModel* m) { m->nodes[id.value] = {{world.labels[0]}, properties}; });
    return id;
  };
  auto layers = [&] {
    if (when >= 1) world.Freeze();
    if (when == 2) world.Publish();
  };
  Writer setup = world.Write();
  const NodeId first = create(&setup, 1);
  REQUIRE(world.Commit(&setup));
  layers();

  SECTION("a holder below is a violation") {
    Writer w = world.Write();
    create(&w, 1);
    const auto result = w.txn->Commit();
    REQUIRE_FALSE(result.ok());
    CHECK(result.status().code() == Code::kConstraintViolation);
  }
  SECTION("one that came since the snapshot is a conflict, wherever it lies by now") {
    if (when == 1) world.Publish();
    Writer w = world.Write();
    create(&w, 2);
    Writer theirs = world.Write();
    create(&theirs, 2);
    REQUIRE(world.Commit(&theirs));
    layers();
    const auto result = w.txn->Commit();
    REQUIRE_FALSE(result.ok());
    CHECK(result.status().code() == Code::kTransactionConflict);
  }
  SECTION("a key that its holder below gave up is free, also within one transaction") {
    Writer w = world.Write();
    Must(w.txn->DeleteNode(first, false));
    create(&w, 1);
    w.changes.push_back([&](GraphModel* m) { m->nodes.erase(first.value); });
    REQUIRE(world.Commit(&w));
    Random random(1);
    CheckView(world.Begin(true)->view(), world.newest, world, &random);
    Writer again = world.Write();
    create(&again, 1);
    CHECK_FALSE(again.txn->Commit().ok());
  }
  SECTION("a key that its holder gave up since the snapshot is free") {
    Writer w = world.Write();
    Writer theirs = world.Write();
    Must(theirs.txn->DeleteNode(first, false));
    theirs.changes.push_back([&](GraphModel* m) { m->nodes.erase(first.value); });
    REQUIRE(world.Commit(&theirs));
    if (when == 2) layers();
    create(&w, 1);
    CHECK(world.Commit(&w));
  }
  SECTION("a key comes back to the element that had it") {
    for (const int64_t key : {5, 1, 6, 1}) {
      Writer w = world.Write();
      Must(w.txn->SetProperty(first, world.keys[0], key));
      w.changes.push_back([&, key](GraphModel* m) { SetInList(&m->nodes.at(first.value).properties, world.keys[0], key); });
      REQUIRE(world.Commit(&w));
      Random random(1);
      CheckView(world.Begin(true)->view(), world.newest, world, &random);
    }
    if (when == 1) world.Publish();
    world.Checkpoint();
    Random random(1);
    CheckView(world.Begin(true)->view(), world.newest, world, &random);
  }
  SECTION("a node that MERGE missed") {
    if (when == 1) world.Publish();
    Writer w = world.Write();
    MergeMiss miss;
    miss.labels = {world.labels[0]};
    miss.properties = {{world.keys[1], Value(7)}};
    w.txn->RecordMergeMiss(miss);
    create(&w, 3);
    Writer theirs = world.Write();             // makes an older element what was looked for
    Must(theirs.txn->SetProperty(first, world.keys[1], 7));
    theirs.changes.push_back([&](GraphModel* m) { SetInList(&m->nodes.at(first.value).properties, world.keys[1], 7); });
    REQUIRE(world.Commit(&theirs));
    layers();
    CHECK_FALSE(world.Commit(&w));
  }
  SECTION("a relationship that MERGE missed") {
    if (when == 1) world.Publish();
    Writer w = world.Write();
    MergeMiss miss;
    miss.relationship = true;
    miss.start = miss.end = first;
    miss.type = world.types[0];
    w.txn->RecordMergeMiss(miss);
    create(&w, 3);
    Writer theirs = world.Write();
    const RelId rel = Must(theirs.txn->CreateRelationship(first, world.types[0], first, {}));
    theirs.changes.push_back([&](GraphModel* m) { m->relationships[rel.value] = {{first, first, world.types[0]}, {}}; });
    REQUIRE(world.Commit(&theirs));
    layers();
    const bool deleted_again = GENERATE(false, true);
    if (deleted_again) {
      auto t = world.Begin();
      Must(t->DeleteRelationship(rel));
      REQUIRE(t->Commit().ok());
    }
    CHECK(w.txn->Commit().ok() == deleted_again);
  }
}

TEST_CASE("a delta is charged to the budget as long as somebody holds it") {
  MemoryBudget budget(uint64_t{1} << 30);
  World world;
  world.store.budget = &budget;
  world.store.generations.SetBudget(&budget);
  world.CreateIndex("i", EntityKind::kNode, world.labels[0].value, {world.keys[0]});
  const LabelId label[] = {world.labels[0]};
  Writer w = world.Write();
  constexpr int kNodes = 2000;
  constexpr size_t kText = 1000;
  NodeId last;
  for (int i = 0; i < kNodes; ++i) {
    last = Must(w.txn->CreateNode(label, {{world.keys[0], Value(std::string(kText, 'x') + std::to_string(i))}}));
    Must(w.txn->CreateRelationship(last, world.types[0], last, {}));
  }
  CHECK(budget.used(MemoryUse::kWriteSets) > kNodes * kText / 2);
  REQUIRE(world.Commit(&w));
  w.txn.reset();
  CHECK(budget.used(MemoryUse::kWriteSets) == 0);
  const uint64_t charged = budget.used(MemoryUse::kDelta);
  CHECK(charged > kNodes * (2 * kText + sizeof(NodeDelta) + sizeof(RelDelta)));   // the text, and the key with the text
  CHECK(charged < kNodes * (2 * kText + 1500));
  for (int i = 0; i < 1000; ++i) {             // versions that nobody can see any more don't add up
    auto t = world.Begin();
    Must(t->SetProperty(last, world.keys[1], std::string(kText, 'y')));
    REQUIRE(t->Commit().ok());
  }
  CHECK(budget.used(MemoryUse::kDelta) < charged + 400'000);
  auto reader = world.Begin(true);
  world.at[world.store.sequencer.last()] = world.newest;
  world.Checkpoint();
  CHECK(budget.used(MemoryUse::kDelta) >= charged);
  reader.reset();
  CHECK_FALSE(world.store.generations.Release());
  CHECK(budget.used(MemoryUse::kDelta) == 0);
}

TEST_CASE("a transaction that writes more than the budget fails alone and says so") {
  MemoryBudget budget(4 << 20);
  World world;
  world.store.budget = &budget;
  world.store.generations.SetBudget(&budget);
  auto large = world.Begin(), small = world.Begin();
  Must(small->CreateNode({}, {}));
  Status status;
  int created = 0;
  for (; created < 1000 && status.ok(); ++created) status = large->CreateNode({}, {{world.keys[0], std::string(10'000, 'x')}}).status();
  CHECK(created > 300);
  REQUIRE(status.code() == Code::kResourceExhausted);
  CHECK(status.message().find("what this transaction has written") != std::string::npos);
  large.reset();
  CHECK(small->Commit().ok());
  CHECK(budget.used(MemoryUse::kWriteSets) < 200'000);
}

TEST_CASE("a read of the base that fails ends the write, and the transaction with it, with the reason") {
  World world;
  Writer setup = world.Write();
  const NodeId a = Must(setup.txn->CreateNode({}, {{world.keys[0], 1}}));
  setup.changes.push_back([&](GraphModel* m) { m->nodes[a.value] = {{}, {{world.keys[0], 1}}}; });
  REQUIRE(world.Commit(&setup));
  world.Freeze();
  const std::shared_ptr<ModelBase> base = world.Publish();
  auto writer = world.Begin(), deleter = world.Begin(), other = world.Begin();
  Must(deleter->DeleteNode(a, false));
  base->fail = true;
  CHECK(writer->SetProperty(a, world.keys[1], 2).code() == Code::kIoError);
  CHECK(writer->CreateNode({}, {}).status().code() == Code::kIoError);
  CHECK(deleter->Commit().status().code() == Code::kIoError);
  Must(other->CreateNode({}, {}));
  CHECK(other->Commit().ok());
  CHECK_THROWS_AS(world.Begin(true)->view().Property(a, world.keys[0]), ReadFailure);
  base->fail = false;
  CHECK(world.Begin(true)->view().StateOf(a) == ElementState::kVisible);
}

TEST_CASE("a list of what changes, for the checkpoint, is net and ordered") {
  RangeIndex list;
  list.Insert(RangeIndex::Make("a", 1), 5);    // new
  list.Insert(RangeIndex::Make("b", 1), 5);    // new and gone
  list.End("b", 1, 6);
  list.EndBelow(RangeIndex::Make("c", 1), 6);  // gone below
  list.EndBelow(RangeIndex::Make("d", 1), 6);  // gone below and back
  list.Insert(RangeIndex::Make("d", 1), 7);
  std::vector<std::pair<std::string, bool>> changes;
  list.VisitChanges(7, [&](std::string_view key, uint64_t, bool remove) { changes.emplace_back(key, remove); });
  CHECK(changes == std::vector<std::pair<std::string, bool>>{{"a", false}, {"c", true}});
  CHECK(list.live() == 2 - 2);
}

}  // namespace fornix::storage
