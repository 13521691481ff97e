#include "tests/unit/storage/fixture.h"

namespace fornix::storage {

TEST_CASE("a snapshot keeps its nodes, labels, properties and relationships under later commits") {
  TestStore db;
  auto setup = db.Begin();
  const NodeId a = MakeNode(*setup, "Person", {{"name", "Ada"}, {"age", 36}});
  const NodeId b = MakeNode(*setup, "Person", {{"name", "Bob"}});
  const RelId r = MakeRelationship(*setup, a, "KNOWS", b);
  const LabelId person = L(*setup, "Person"), hero = L(*setup, "Hero");
  const PropertyId name = P(*setup, "name"), age = P(*setup, "age");
  Must(setup->Commit());

  auto old = db.Begin(true);
  auto writer = db.Begin();
  Must(writer->SetProperty(a, age, 37));
  Must(writer->AddLabel(a, hero));
  Must(writer->RemoveLabel(b, person));
  Must(writer->DeleteRelationship(r));
  const NodeId c = MakeNode(*writer, "Person");
  MakeRelationship(*writer, c, "KNOWS", a);
  Must(writer->Commit());
  auto remover = db.Begin();
  Must(remover->DeleteNode(a, true));
  Must(remover->Commit());

  const GraphView& seen = old->view();
  CHECK(seen.Property(a, age) == Value(36));
  CHECK(seen.Property(a, name) == Value("Ada"));
  CHECK(seen.StateOf(a) == ElementState::kVisible);
  CHECK(seen.StateOf(c) == ElementState::kAbsent);
  CHECK(seen.StateOf(r) == ElementState::kVisible);
  CHECK_FALSE(seen.HasLabel(a, hero));
  CHECK(seen.HasLabel(b, person));
  CHECK(AllNodes(seen) == std::vector{a.value, b.value});
  CHECK(NodesWith(seen, person) == std::vector{a.value, b.value});
  CHECK(AllRelationships(seen) == std::vector{r.value});
  CHECK(Around(seen, a, Direction::kBoth) == std::vector{std::pair{b.value, r.value}});
  CHECK(seen.CountNodes() == 2);
  CHECK(seen.CountLabel(person) == 2);
  CHECK(seen.CountRelationships(std::nullopt) == 1);

  auto now = db.Begin(true);
  CHECK(AllNodes(now->view()) == std::vector{b.value, c.value});
  CHECK(NodesWith(now->view(), person) == std::vector{c.value});
  CHECK(now->view().CountLabel(person) == 1);
  CHECK(AllRelationships(now->view()).empty());
  CHECK(db.store->statistics().NodeCount() == 2);
  CHECK(db.store->statistics().LabelCount(person) == 1);
  CHECK(db.store->statistics().RelationshipCount() == 0);
}

TEST_CASE("a transaction sees its own writes in every path, and nobody else does before the commit") {
  TestStore db;
  auto setup = db.Begin();
  const NodeId a = MakeNode(*setup, "A", {{"x", 1}});
  const NodeId b = MakeNode(*setup, "B", {{"x", 2}});
  const RelId ab = MakeRelationship(*setup, a, "T", b);
  const LabelId label_a = L(*setup, "A"), label_b = L(*setup, "B");
  const TypeId type = T(*setup, "T");
  const PropertyId x = P(*setup, "x");
  Must(setup->Commit());

  auto txn = db.Begin();
  const NodeId c = MakeNode(*txn, "A", {{"x", 3}});
  const RelId ac = MakeRelationship(*txn, a, "T", c);
  const RelId loop = MakeRelationship(*txn, c, "T", c);
  Must(txn->SetProperty(b, x, 20));
  Must(txn->SetProperty(a, x, Value()));
  Must(txn->AddLabel(b, label_a));
  Must(txn->RemoveLabel(b, label_b));
  Must(txn->DeleteRelationship(ab));
  const GraphView& own = txn->view();
  CHECK(AllNodes(own) == std::vector{a.value, b.value, c.value});
  CHECK(NodesWith(own, label_a) == std::vector{a.value, b.value, c.value});
  CHECK(NodesWith(own, label_b).empty());
  CHECK(own.Property(a, x).is_null());
  CHECK(own.Property(b, x) == Value(20));
  CHECK(own.Property(c, x) == Value(3));
  CHECK(AllRelationships(own, type) == std::vector{ac.value, loop.value});
  CHECK(own.StateOf(ab) == ElementState::kDeletedHere);
  CHECK(own.Ends(ab).end == b);
  CHECK(Around(own, a, Direction::kOutgoing) == std::vector{std::pair{c.value, ac.value}});
  CHECK(Around(own, c, Direction::kBoth) == std::vector{std::pair{c.value, loop.value}, std::pair{a.value, ac.value}});
  CHECK(Around(own, c, Direction::kIncoming).size() == 2);
  CHECK(own.Degree(c, {}, Direction::kBoth) == 2);
  CHECK(own.CountLabel(label_a) == 3);
  CHECK(own.CountNodes() == 3);
  CHECK(own.CountRelationships(type) == 2);

  auto other = db.Begin();
  CHECK(AllNodes(other->view()) == std::vector{a.value, b.value});
  CHECK(other->view().Property(b, x) == Value(2));
  CHECK(AllRelationships(other->view()) == std::vector{ab.value});

  Must(txn->Commit());
  auto after = db.Begin(true);
  CHECK(NodesWith(after->view(), label_a) == std::vector{a.value, b.value, c.value});
  CHECK(after->view().Property(a, x).is_null());
  CHECK(Around(after->view(), c, Direction::kBoth).size() == 2);
}

TEST_CASE("a rolled back transaction leaves nothing but a hole in the ids") {
  TestStore db;
  NodeId a, gone;
  {
    auto setup = db.Begin();
    a = MakeNode(*setup, "A", {{"x", 1}});
    Must(setup->Commit());
  }
  {
    auto txn = db.Begin();
    gone = MakeNode(*txn, "A");
    MakeRelationship(*txn, gone, "T", a);
    Must(txn->SetProperty(a, P(*txn, "x"), 2));
    txn->Rollback();
    CHECK(txn->CreateNode({}, {}).status().code() == Code::kTransactionClosed);
  }
  {
    auto dropped = db.Begin();
    Must(dropped->DeleteNode(a, true));
  }
  auto txn = db.Begin();
  CHECK(AllNodes(txn->view()) == std::vector{a.value});
  CHECK(AllRelationships(txn->view()).empty());
  CHECK(txn->view().Property(a, P(*txn, "x")) == Value(1));
  CHECK(MakeNode(*txn, "A").value == gone.value + 1);
}

TEST_CASE("a node with relationships left at it refuses to go, and names one") {
  TestStore db;
  auto txn = db.Begin();
  const NodeId a = MakeNode(*txn, "A"), b = MakeNode(*txn, "B");
  const RelId r = MakeRelationship(*txn, a, "T", b);
  Must(txn->DeleteNode(a, false));
  const Status refused = txn->CheckDeletedNodes();
  CHECK(refused.code() == Code::kDeleteConnected);
  CHECK(refused.message().find("relationship " + std::to_string(r.value) + " [:T]") != std::string::npos);
  Must(txn->DeleteRelationship(r));
  Must(txn->CheckDeletedNodes());
  CHECK(txn->SetProperty(a, P(*txn, "x"), 1).detail() == "DeletedEntityAccess");
  Must(txn->Commit());
  auto after = db.Begin(true);
  CHECK(AllNodes(after->view()) == std::vector{b.value});
}

TEST_CASE("an expansion can be taken in steps of any size, over types in order") {
  TestStore db;
  auto txn = db.Begin();
  const NodeId hub = MakeNode(*txn, "Hub");
  std::vector<NodeId> others;
  for (int i = 0; i < 50; ++i) others.push_back(MakeNode(*txn, "X"));
  for (int i = 0; i < 50; ++i) MakeRelationship(*txn, hub, i % 3 == 0 ? "S" : "T", others[static_cast<size_t>(i)]);
  for (int i = 0; i < 5; ++i) MakeRelationship(*txn, hub, "T", hub);
  const auto before = Around(txn->view(), hub, Direction::kBoth);
  CHECK(before.size() == 55);
  for (size_t step : {1, 2, 7, 54, 55, 56}) CHECK(Around(txn->view(), hub, Direction::kBoth, {}, step) == before);
  Must(txn->Commit());
  auto after = db.Begin(true);
  for (size_t step : {1, 3, 55, 100}) CHECK(Around(after->view(), hub, Direction::kBoth, {}, step) == before);
  CHECK(Around(after->view(), hub, Direction::kOutgoing, {T(*after, "S")}, 4).size() == 17);
  std::vector<uint32_t> parent;
  std::vector<Neighbour> found;
  const NodeId both[] = {others[1], hub};
  after->view().ExpandBatch(both, {}, Direction::kBoth, &parent, &found);
  CHECK(found.size() == 56);
  CHECK(parent.front() == 0);
  CHECK(parent.back() == 1);
}

}  // namespace fornix::storage
