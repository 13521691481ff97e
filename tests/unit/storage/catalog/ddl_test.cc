#include <thread>

#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

IndexDefinition Index(Transaction& t, std::string name, std::string_view label, std::string_view property) {
  IndexDefinition d;
  d.name = std::move(name);
  d.tokens = {L(t, label).value};
  d.properties = {P(t, property)};
  return d;
}
ConstraintDefinition Unique(Transaction& t, std::string name, std::string_view label, std::string_view property) {
  ConstraintDefinition d;
  d.name = std::move(name);
  d.token = L(t, label).value;
  d.properties = {P(t, property)};
  return d;
}
std::string Detail(const Result<bool>& result) {
  CHECK(result.status().code() == Code::kSchemaConflict);
  return result.status().detail();
}

}  // namespace

TEST_CASE("an index that exists is refused by rule, and IF NOT EXISTS makes it a no-op") {
  TestStore db;
  auto t = db.Begin();
  CHECK(Must(t->CreateIndex(Index(*t, "i", "A", "x"), false)));
  CHECK(Detail(t->CreateIndex(Index(*t, "i", "A", "x"), false)) == "EquivalentSchemaRuleAlreadyExists");
  CHECK(Detail(t->CreateIndex(Index(*t, "j", "A", "x"), false)) == "IndexAlreadyExists");
  CHECK(Detail(t->CreateIndex(Index(*t, "i", "B", "y"), false)) == "IndexWithNameAlreadyExists");
  CHECK_FALSE(Must(t->CreateIndex(Index(*t, "i", "A", "x"), true)));
  CHECK_FALSE(Must(t->CreateIndex(Index(*t, "j", "A", "x"), true)));
  CHECK_FALSE(Must(t->CreateIndex(Index(*t, "i", "B", "y"), true)));
  CHECK(Detail(t->CreateConstraint(Unique(*t, "c", "A", "x"), false)) == "IndexAlreadyExists");
  CHECK(Must(t->CreateConstraint(Unique(*t, "c", "C", "x"), false)));
  CHECK(Detail(t->CreateConstraint(Unique(*t, "c", "C", "x"), false)) == "EquivalentConstraintAlreadyExists");
  CHECK(Detail(t->CreateIndex(Index(*t, "k", "C", "x"), false)) == "ConstraintAlreadyExists");
  CHECK_FALSE(Must(t->CreateIndex(Index(*t, "k", "C", "x"), true)));
  CHECK(Detail(t->DropIndex("c", false)) == "IndexBelongsToConstraint");
  CHECK(t->DropIndex("ii", false).status().message() == "there is no index called 'ii'; did you mean `i`?");
  CHECK_FALSE(Must(t->DropIndex("ii", true)));
  CHECK(t->counters().indexes_added == 1);
  Must(t->Commit());
  auto drop = db.Begin();
  CHECK(Must(drop->DropConstraint("c", false)));
  CHECK(Must(drop->DropIndex("i", false)));
  Must(drop->Commit());
  CHECK(db.store->schema()->indexes.empty());
}

TEST_CASE("the schema belongs to the snapshot, and a rolled back change leaves nothing") {
  TestStore db;
  auto old = db.Begin(true);
  {
    auto t = db.Begin();
    Must(t->CreateIndex(Index(*t, "i", "A", "x"), false));
    CHECK(t->view().schema().FindIndex("i") != nullptr);
    t->Rollback();
  }
  CHECK(db.store->schema()->FindIndex("i") == nullptr);
  auto t = db.Begin();
  Must(t->CreateIndex(Index(*t, "", "A", "x"), false));
  Must(t->Commit());
  CHECK(old->view().schema().indexes.empty());
  CHECK(db.store->schema()->indexes.size() == 1);
  CHECK(db.store->schema()->indexes[0].name.starts_with("index_"));
  CHECK(db.store->schema()->epoch > old->view().schema().epoch);
}

TEST_CASE("schema changes and data don't mix in one transaction") {
  TestStore db;
  auto t = db.Begin();
  MakeNode(*t, "A");
  CHECK(t->CreateIndex(Index(*t, "i", "A", "x"), false).status().code() == Code::kSemanticError);
  auto u = db.Begin();
  Must(u->CreateIndex(Index(*u, "i", "A", "x"), false));
  CHECK(u->CreateNode({}, {}).status().code() == Code::kSemanticError);
}

TEST_CASE("a rule that data breaks is not created, and the error names an element") {
  TestStore db;
  auto setup = db.Begin();
  MakeNode(*setup, "A", {{"x", 1}});
  MakeNode(*setup, "A", {{"x", 1}});
  Must(setup->Commit());
  auto t = db.Begin();
  Must(t->CreateConstraint(Unique(*t, "c", "A", "x"), false));
  const Status status = t->Commit().status();
  CHECK(status.code() == Code::kConstraintViolation);
  CHECK(status.message().find("Node(0) already exists") != std::string::npos);
  CHECK(db.store->schema()->constraints.empty());
  CHECK(db.store->schema()->indexes.empty());
}

TEST_CASE("a data transaction that began before a rule obeys it") {
  TestStore db;
  auto data = db.Begin();
  MakeNode(*data, "A", {{"x", 1}});
  MakeNode(*data, "A", {{"x", 1}});
  auto t = db.Begin();
  Must(t->CreateConstraint(Unique(*t, "c", "A", "x"), false));
  Must(t->Commit());
  CHECK(data->Commit().status().code() == Code::kConstraintViolation);
}

TEST_CASE("a data transaction that began before an index is found in it") {
  TestStore db;
  auto data = db.Begin();
  const NodeId id = MakeNode(*data, "A", {{"x", 1}});
  auto t = db.Begin();
  Must(t->CreateIndex(Index(*t, "i", "A", "x"), false));
  Must(t->Commit());
  Must(data->Commit());
  auto reader = db.Begin(true);
  std::vector<uint64_t> found;
  SeekPosition position;
  Must(reader->view().SeekIndex(reader->view().schema().FindIndex("i")->id, ExactKey({1}), false, &position, 10, &found));
  CHECK(found == std::vector{id.value});
}

TEST_CASE("many schema changes at once never conflict when their names differ") {
  TestStore db;
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 31; ++i) {
    threads.emplace_back([&db, &failed, i] {
      auto t = std::move(db.store->Begin()).value();
      IndexDefinition d;
      d.name = "i" + std::to_string(i);
      d.tokens = {t->InternLabel("L" + std::to_string(i)).value().value};
      d.properties = {t->InternProperty("x").value()};
      IndexDefinition same = d;
      same.name = "same";
      same.tokens = {t->InternLabel("Same").value().value};
      if (!t->CreateIndex(d, false).ok() || !t->CreateIndex(same, true).ok() || !t->Commit().ok()) ++failed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
  CHECK(db.store->schema()->indexes.size() == 32);
}

TEST_CASE("two transactions that create one index without IF NOT EXISTS: the second is refused") {
  TestStore db;
  auto one = db.Begin(), two = db.Begin();
  Must(one->CreateIndex(Index(*one, "i", "A", "x"), false));
  Must(two->CreateIndex(Index(*two, "i", "A", "x"), false));
  Must(one->Commit());
  CHECK(two->Commit().status().detail() == "EquivalentSchemaRuleAlreadyExists");
}

}  // namespace fornix::storage
