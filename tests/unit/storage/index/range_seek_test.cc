#include <cmath>
#include <iostream>
#include <map>

#include "base/random.h"
#include "base/value_compare.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {

IndexDefinition RangeOn(Transaction& t, std::string_view label, std::vector<std::string> properties, std::string name = "") {
  IndexDefinition d;
  d.name = std::move(name);
  d.tokens = {L(t, label).value};
  for (const std::string& p : properties) d.properties.push_back(P(t, p));
  return d;
}

namespace {
IndexId MakeIndex(TestStore& db, std::string_view label, std::vector<std::string> properties) {
  auto ddl = db.Begin();
  CHECK(Must(ddl->CreateIndex(RangeOn(*ddl, label, std::move(properties), "i"), false)));
  Must(ddl->Commit());
  return db.store->schema()->FindIndex("i")->id;
}
std::vector<uint64_t> Seek(const GraphView& view, IndexId index, const KeyRange& range, bool descending = false) {
  std::vector<uint64_t> whole;
  for (const size_t step : {size_t{1}, size_t{3}, ~size_t{0}}) {   // the pieces of a resumed seek are the whole
    std::vector<uint64_t> out;
    SeekPosition position;
    while (!position.done) Must(view.SeekIndex(index, range, descending, &position, step, &out));
    if (step != 1) CHECK(out == whole);
    whole = std::move(out);
  }
  return whole;
}
KeyRange Between(std::optional<Value> lower, bool lower_in, std::optional<Value> upper, bool upper_in) {
  KeyRange r;
  if (lower) r.lower = KeyBound{{*lower}, lower_in};
  if (upper) r.upper = KeyBound{{*upper}, upper_in};
  return r;
}
}  // namespace

TEST_CASE("an index over existing nodes finds what it should, and so does every snapshot") {
  TestStore db;
  std::vector<uint64_t> ids;
  {
    auto setup = db.Begin();
    for (int i = 0; i < 10; ++i) ids.push_back(MakeNode(*setup, "A", {{"x", i / 2}}).value);
    MakeNode(*setup, "B", {{"x", 1}});
    MakeNode(*setup, "A");
    Must(setup->Commit());
  }
  const IndexId index = MakeIndex(db, "A", {"x"});
  auto old = db.Begin(true);
  CHECK(Seek(old->view(), index, ExactKey({1})) == std::vector{ids[2], ids[3]});
  CHECK(Seek(old->view(), index, ExactKey({1.0})) == std::vector{ids[2], ids[3]});
  CHECK(Seek(old->view(), index, ExactKey({Value()})).empty());
  CHECK(Seek(old->view(), index, ExactKey({NAN})).empty());
  CHECK(Seek(old->view(), index, Between(3, true, {}, true)) == std::vector{ids[6], ids[7], ids[8], ids[9]});
  CHECK(Seek(old->view(), index, Between({}, true, 1, false), true) == std::vector{ids[1], ids[0]});

  auto txn = db.Begin();
  Must(txn->SetProperty(NodeId(ids[2]), P(*txn, "x"), 4));
  Must(txn->SetProperty(NodeId(ids[3]), P(*txn, "x"), Value()));
  Must(txn->RemoveLabel(NodeId(ids[8]), L(*txn, "A")));
  Must(txn->DeleteNode(NodeId(ids[9]), true));
  const uint64_t fresh = MakeNode(*txn, "A", {{"x", 4.0}}).value;
  CHECK(Seek(txn->view(), index, ExactKey({4})) == std::vector{ids[2], fresh});
  Must(txn->SetProperty(NodeId(fresh), P(*txn, "x"), 1));
  CHECK(Seek(txn->view(), index, ExactKey({4})) == std::vector{ids[2]});
  CHECK(Seek(txn->view(), index, ExactKey({1})) == std::vector{fresh});
  CHECK(Seek(txn->view(), index, Between(0, true, {}, true)) == std::vector{ids[0], ids[1], fresh, ids[4], ids[5], ids[6], ids[7], ids[2]});
  Must(txn->Commit());

  CHECK(Seek(old->view(), index, ExactKey({4})) == std::vector{ids[8], ids[9]});
  CHECK(Seek(old->view(), index, ExactKey({1})) == std::vector{ids[2], ids[3]});
  auto now = db.Begin(true);
  CHECK(Seek(now->view(), index, ExactKey({4})) == std::vector{ids[2]});
  CHECK(Seek(now->view(), index, ExactKey({1})) == std::vector{fresh});
}

TEST_CASE("a range admits only values of its own kind, a prefix only strings, a composite key by its first parts") {
  TestStore db;
  const IndexId index = MakeIndex(db, "A", {"x", "y"});
  auto txn = db.Begin();
  const uint64_t a = MakeNode(*txn, "A", {{"x", "ann"}, {"y", 1}}).value;
  const uint64_t b = MakeNode(*txn, "A", {{"x", "anna"}, {"y", 2}}).value;
  const uint64_t c = MakeNode(*txn, "A", {{"x", "bob"}, {"y", "s"}}).value;
  const uint64_t d = MakeNode(*txn, "A", {{"x", 5}, {"y", 3}}).value;
  const uint64_t e = MakeNode(*txn, "A", {{"x", "ann"}, {"y", 0.5}}).value;
  MakeNode(*txn, "A", {{"x", "ann"}});
  const uint64_t f = MakeNode(*txn, "A", {{"x", NAN}, {"y", 3}}).value;
  const bool committed = GENERATE(false, true);
  if (committed) {
    Must(txn->Commit());
    txn = db.Begin();
  }
  const GraphView& v = txn->view();
  CHECK(Seek(v, index, Between("ann", false, {}, true)) == std::vector{b, c});
  CHECK(Seek(v, index, Between({}, true, 100, true)) == std::vector{d});
  CHECK(Seek(v, index, Between(1, true, {}, true)) == std::vector{d});
  CHECK(Seek(v, index, Between(1, true, "z", true)).empty());
  CHECK(Seek(v, index, ExactKey({"ann"})) == std::vector{e, a});
  CHECK(Seek(v, index, ExactKey({"ann", 1})) == std::vector{a});
  KeyRange prefix;
  prefix.string_prefix = "an";
  CHECK(Seek(v, index, prefix) == std::vector{e, a, b});
  KeyRange second;
  second.lower = KeyBound{{"ann", 0.75}, true};
  second.upper = KeyBound{{"ann"}, true};
  CHECK(Seek(v, index, second) == std::vector{a});
  CHECK(Seek(v, index, KeyRange{}) == std::vector{e, a, b, c, d, f});
}

TEST_CASE("random writes and seeks agree with a map, with old snapshots and after sweeps") {
  const uint64_t seed = GENERATE(1, 2, 3);
  std::cout << "seed=" << seed << "\n";
  Random random(seed);
  TestStore db;
  const IndexId index = MakeIndex(db, "A", {"x"});
  std::map<uint64_t, int64_t> model;
  std::vector<std::pair<std::unique_ptr<Transaction>, std::map<uint64_t, int64_t>>> snapshots;
  auto check = [&](const GraphView& view, const std::map<uint64_t, int64_t>& expected) {
    const int64_t low = static_cast<int64_t>(random.Below(20)), high = low + static_cast<int64_t>(random.Below(10));
    std::vector<std::pair<int64_t, uint64_t>> hits;
    for (auto [id, x] : expected) {
      if (x >= low && x <= high) hits.emplace_back(x, id);
    }
    std::sort(hits.begin(), hits.end());
    std::vector<uint64_t> ids;
    for (auto [x, id] : hits) ids.push_back(id);
    CHECK(Seek(view, index, Between(low, true, high, true)) == ids);
  };
  for (int round = 0; round < 150; ++round) {
    auto txn = db.Begin();
    std::map<uint64_t, int64_t> own = model;
    for (uint64_t n = random.Below(6); n > 0; --n) {
      const int64_t x = static_cast<int64_t>(random.Below(20));
      if (own.empty() || random.OneIn(3)) {
        own[MakeNode(*txn, "A", {{"x", x}}).value] = x;
      } else {
        auto it = std::next(own.begin(), static_cast<long>(random.Below(own.size())));
        if (random.OneIn(4)) {
          Must(txn->DeleteNode(NodeId(it->first), true));
          own.erase(it);
        } else {
          Must(txn->SetProperty(NodeId(it->first), P(*txn, "x"), x));
          it->second = x;
        }
      }
      check(txn->view(), own);
    }
    if (random.OneIn(5)) continue;             // rolled back
    Must(txn->Commit());
    model = own;
    if (random.OneIn(4)) snapshots.emplace_back(db.Begin(true), model);
    if (snapshots.size() > 5) snapshots.erase(snapshots.begin() + static_cast<long>(random.Below(5)));
    for (auto& [snapshot, expected] : snapshots) check(snapshot->view(), expected);
  }
}

}  // namespace fornix::storage
