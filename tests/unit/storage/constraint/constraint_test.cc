#include <cmath>
#include <thread>

#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

ConstraintDefinition On(Transaction& t, ConstraintKind kind, std::string_view label, std::vector<std::string> properties,
                        std::string type = "") {
  ConstraintDefinition d;
  d.name = "rule";
  d.kind = kind;
  d.token = L(t, label).value;
  for (const std::string& p : properties) d.properties.push_back(P(t, p));
  d.type.text = std::move(type);
  return d;
}
void Make(TestStore& db, ConstraintKind kind, std::string_view label, std::vector<std::string> properties, std::string type = "") {
  auto ddl = db.Begin();
  CHECK(Must(ddl->CreateConstraint(On(*ddl, kind, label, std::move(properties), std::move(type)), false)));
  Must(ddl->Commit());
}
void Ignore(const Status&) {}
Status Refused(std::unique_ptr<Transaction> txn, Code code = Code::kConstraintViolation) {
  Status status = txn->Commit().status();
  INFO(status.ToString());
  CHECK(status.code() == code);
  return status;
}
bool Says(const Status& status, const std::string& words) {
  UNSCOPED_INFO(status.message());
  return status.message().find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a unique key taken by another node fails the commit and leaves nothing") {
  TestStore db;
  Make(db, ConstraintKind::kUnique, "P", {"email"});
  auto first = db.Begin();
  MakeNode(*first, "P", {{"email", "a@b"}});
  MakeNode(*first, "P");
  MakeNode(*first, "P");
  MakeNode(*first, "P", {{"email", NAN}});
  MakeNode(*first, "P", {{"email", NAN}});
  Must(first->Commit());
  auto txn = db.Begin();
  MakeNode(*txn, "P", {{"email", "a@b"}});
  const Status status = Refused(std::move(txn));
  CHECK(Says(status, "Node(0) already exists with label `P` and property `email` = 'a@b'"));
  CHECK(Says(status, "rule: (:P {email}) IS UNIQUE"));
  CHECK_FALSE(status.retryable());
  auto after = db.Begin(true);
  CHECK(after->view().CountNodes() == 5);
}

TEST_CASE("uniqueness looks at the net effect of a transaction") {
  TestStore db;
  Make(db, ConstraintKind::kUnique, "P", {"k"});
  auto setup = db.Begin();
  const NodeId a = MakeNode(*setup, "P", {{"k", 1}}), b = MakeNode(*setup, "P", {{"k", 2}});
  Must(setup->Commit());
  auto swap = db.Begin();
  Must(swap->SetProperty(a, P(*swap, "k"), 2));
  Must(swap->SetProperty(b, P(*swap, "k"), 1));
  Must(swap->Commit());
  auto replace = db.Begin();
  Must(replace->DeleteNode(a, true));
  MakeNode(*replace, "P", {{"k", 2.0}});
  Must(replace->Commit());
  auto twice = db.Begin();
  MakeNode(*twice, "P", {{"k", 7}});
  MakeNode(*twice, "P", {{"k", 7}});
  Ignore(Refused(std::move(twice)));
  auto by_label = db.Begin();
  const NodeId c = MakeNode(*by_label, "Q", {{"k", 1}});
  Must(by_label->AddLabel(c, L(*by_label, "P")));
  Ignore(Refused(std::move(by_label)));
}

TEST_CASE("of two transactions that take one key the second gets a conflict, then a violation") {
  TestStore db;
  Make(db, ConstraintKind::kUnique, "P", {"k"});
  auto one = db.Begin(), two = db.Begin();
  MakeNode(*one, "P", {{"k", 1}});
  MakeNode(*two, "P", {{"k", 1}});
  Must(one->Commit());
  CHECK(Says(Refused(std::move(two), Code::kTransactionConflict), "it took a unique key that we want"));
  auto again = db.Begin();
  MakeNode(*again, "P", {{"k", 1}});
  Ignore(Refused(std::move(again)));
}

TEST_CASE("a key is never held twice under concurrent writers") {
  TestStore db;
  Make(db, ConstraintKind::kUnique, "P", {"k"});
  constexpr int kThreads = 4, kKeys = 60;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < kKeys; ++k) {
        auto txn = std::move(db.store->Begin()).value();
        PropertyList list{{txn->InternProperty("k").value(), Value(k)}};
        const LabelId label[] = {txn->InternLabel("P").value()};
        if (!txn->CreateNode(label, list).ok()) std::abort();
        if (txn->Commit().ok()) ++made;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made == kKeys);
  auto reader = db.Begin(true);
  CHECK(NodesWith(reader->view(), L(*reader, "P")).size() == kKeys);
}

TEST_CASE("existence and key constraints want their properties, and say what was there") {
  TestStore db;
  Make(db, ConstraintKind::kExistence, "P", {"name"});
  auto txn = db.Begin();
  MakeNode(*txn, "P", {{"nmae", "x"}, {"age", 3}});
  const Status status = Refused(std::move(txn));
  CHECK(Says(status, "Node(0) with label `P` must have the property `name`"));
  CHECK(Says(status, "it has nmae, age; was `nmae` meant to be `name`?"));
  auto good = db.Begin();
  const NodeId id = MakeNode(*good, "P", {{"name", "x"}, {"age", 1}});
  Must(good->Commit());
  auto removes = db.Begin();
  Must(removes->SetProperty(id, P(*removes, "name"), Value()));
  Ignore(Refused(std::move(removes)));
  auto drop = db.Begin();
  CHECK(Must(drop->DropConstraint("rule", false)));
  Must(drop->Commit());
  Make(db, ConstraintKind::kKey, "P", {"name", "age"});
  auto half = db.Begin();
  MakeNode(*half, "P", {{"name", "y"}});
  CHECK(Says(Refused(std::move(half)), "must have the property `age`"));
}

TEST_CASE("a rule over labels and properties holds when two transactions change one of them each") {
  TestStore db;
  Make(db, ConstraintKind::kExistence, "P", {"name"});
  auto setup = db.Begin();
  const NodeId id = MakeNode(*setup, "Q", {{"name", "x"}});
  Must(setup->Commit());
  auto one = db.Begin(), two = db.Begin();
  Must(one->AddLabel(id, L(*one, "P")));
  Must(two->SetProperty(id, P(*two, "name"), Value()));
  Must(one->Commit());
  Ignore(Refused(std::move(two), Code::kTransactionConflict));
}

TEST_CASE("property types are understood in all spellings and tell what was given") {
  struct Case { const char* type; Value good; Value bad; };
  const Case cases[] = {
      {"STRING", "x", 1},
      {"integer", 1, 1.0},
      {"INTEGER | FLOAT", 1.5, "x"},
      {"BOOL NOT NULL", true, 0},
      {"LIST<INTEGER NOT NULL>", List{1, 2}, List{"x", "y"}},
      {"LIST<INTEGER | STRING NOT NULL>", List{"x"}, List{1.5}},
      {"FLOAT NOT NULL LIST", List{1.5}, 1.5},
      {"DATE", Date{1}, "2020-01-01"},
      {"ZONED DATETIME", DateTime{1, 0, 0, ""}, LocalDateTime{1, 0}},
      {"TIMESTAMP WITHOUT TIME ZONE", LocalDateTime{1, 0}, DateTime{1, 0, 0, ""}},
      {"LOCAL TIME", LocalTime{1}, Time{1, 0}},
      {"TIME WITH TIME ZONE", Time{1, 0}, LocalTime{1}},
      {"DURATION", Duration{1, 0, 0, 0}, 1},
      {"POINT", Point{}, List{1.0, 2.0}},
      {"VECTOR<FLOAT32>(2)", Value::Vector({1, 2}), Value::Vector({1, 2, 3})},
      {"ANY<STRING | DATE>", Date{1}, 1},
  };
  for (const Case& c : cases) {
    INFO(c.type);
    TestStore db;
    Make(db, ConstraintKind::kPropertyType, "P", {"x"}, c.type);
    auto good = db.Begin();
    MakeNode(*good, "P", {{"x", c.good}});
    MakeNode(*good, "P");
    Must(good->Commit());
    auto bad = db.Begin();
    MakeNode(*bad, "P", {{"x", c.bad}});
    CHECK(Says(Refused(std::move(bad)), "must have the property `x` of type "));
  }
  TestStore db;
  auto ddl = db.Begin();
  for (const char* type : {"STRNG", "LIST<", "LIST<INTEGER", "INTEGER |", "", "INTEGER FLOAT", "VECTOR<FLOAT32>(x)"}) {
    CHECK(ddl->CreateConstraint(On(*ddl, ConstraintKind::kPropertyType, "P", {"x"}, type), false).status().code() == Code::kSyntaxError);
  }
}

TEST_CASE("a closed graph type refuses unknown labels, types and ends with the allowed ones and the nearest") {
  TestStore db;
  auto ddl = db.Begin();
  GraphType type;
  type.declared = type.closed = true;
  type.labels = {"Person", "Claim", "Source"};
  type.types = {"SUPPORTS", "MADE"};
  type.endpoints = {{"SUPPORTS", "Source", "Claim"}, {"SUPPORTS", "Claim", "Claim"}};
  type.text = "{...} CLOSED";
  Must(ddl->SetGraphType(type, {On(*ddl, ConstraintKind::kExistence, "Person", {"name"})}));
  Must(ddl->Commit());

  auto label = db.Begin();
  MakeNode(*label, "Preson");
  Status status = Refused(std::move(label));
  CHECK(Says(status, "Node(0) has the label `Preson`"));
  CHECK(Says(status, "allowed labels: Claim, Person, Source; did you mean Person?"));
  auto bare = db.Begin();
  MakeNode(*bare, "");
  CHECK(Says(Refused(std::move(bare)), "has no label"));
  auto wrong_type = db.Begin();
  MakeRelationship(*wrong_type, MakeNode(*wrong_type, "Source"), "SUPORTS", MakeNode(*wrong_type, "Claim"));
  status = Refused(std::move(wrong_type));
  CHECK(Says(status, "has the type `SUPORTS`"));
  CHECK(Says(status, "allowed types: MADE, SUPPORTS; did you mean SUPPORTS?"));
  auto ends = db.Begin();
  MakeRelationship(*ends, MakeNode(*ends, "Claim"), "SUPPORTS", MakeNode(*ends, "Source"));
  status = Refused(std::move(ends));
  CHECK(Says(status, "(:Claim)-[:SUPPORTS]->(:Source)"));
  CHECK(Says(status, "allowed: (:Source)-[:SUPPORTS]->(:Claim), (:Claim)-[:SUPPORTS]->(:Claim)"));
  CHECK(Says(status, "the nearest is (:Claim)-[:SUPPORTS]->(:Claim)"));
  auto nameless = db.Begin();
  MakeNode(*nameless, "Person");
  Ignore(Refused(std::move(nameless)));

  auto good = db.Begin();
  const NodeId claim = MakeNode(*good, "Claim"), source = MakeNode(*good, "Source");
  MakeRelationship(*good, source, "SUPPORTS", claim);
  MakeRelationship(*good, claim, "MADE", source);
  Must(good->Commit());
  auto relabel = db.Begin();
  Must(relabel->RemoveLabel(source, L(*relabel, "Source")));
  Must(relabel->AddLabel(source, L(*relabel, "Person")));
  Must(relabel->SetProperty(source, P(*relabel, "name"), "s"));
  CHECK(Says(Refused(std::move(relabel)), "SUPPORTS"));

  // Replacing the type drops the rules that came with it.
  auto replace = db.Begin();
  type.labels.push_back("Other");
  Must(replace->SetGraphType(type, {}));
  Must(replace->Commit());
  auto now = db.Begin();
  MakeNode(*now, "Person");
  MakeNode(*now, "Other");
  Must(now->Commit());
  auto too_narrow = db.Begin();
  type.labels = {"Person"};
  Must(too_narrow->SetGraphType(type, {}));
  CHECK(Says(Refused(std::move(too_narrow)), "has the label `Claim`"));
}

}  // namespace fornix::storage
