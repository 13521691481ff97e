#include <iostream>
#include <map>
#include <thread>

#include "base/fault_file.h"
#include "base/random.h"
#include "tests/unit/storage/fixture.h"
#include "tests/unit/storage/index/vector_fixture.h"
#include "vector/similarity.h"

namespace fornix::storage {
namespace {

constexpr uint32_t kDimensions = 8;

List RandomVector(Random& random) {
  List list;
  for (uint32_t i = 0; i < kDimensions; ++i) list.emplace_back(static_cast<double>(static_cast<float>(random.Unit() * 2 - 1)));
  return list;
}
std::vector<float> Floats(const List& list) {
  std::vector<float> v;
  for (const Value& x : list) v.push_back(static_cast<float>(x.AsNumber()));
  return v;
}
void MakeIndex(TestStore& db, uint32_t dimensions = kDimensions, Metric metric = Metric::kCosine) {
  VectorIndexOptions options;
  options.dimensions = dimensions;
  options.metric = metric;
  MakeIndex(db, options);
}
std::vector<VectorHit> Search(const GraphView& view, const List& query, size_t k, const std::function<bool(uint64_t)>& filter = {}) {
  std::vector<VectorHit> hits;
  VectorSearchStats stats;
  const std::vector<float> q = Floats(query);
  Must(view.SearchVector(view.schema().FindIndex("emb")->id, {.vector = q, .k = k, .filter = filter}, &hits, &stats));
  return hits;
}
std::vector<uint64_t> Ids(const std::vector<VectorHit>& hits) {
  std::vector<uint64_t> ids;
  for (const VectorHit& hit : hits) ids.push_back(hit.id);
  return ids;
}
// The truth.
std::vector<uint64_t> Nearest(const std::map<uint64_t, List>& vectors, const List& query, size_t k) {
  std::vector<std::pair<double, uint64_t>> all;
  for (const auto& [id, v] : vectors) all.emplace_back(-vector::CosineScore(Floats(v), Floats(query)), id);
  std::sort(all.begin(), all.end());
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < std::min(k, all.size()); ++i) ids.push_back(all[i].second);
  return ids;
}

}  // namespace

TEST_CASE("a search sees own vectors before the commit, loses what was changed or deleted, and a snapshot keeps its answer") {
  TestStore db;
  MakeIndex(db);
  Random random(7);
  std::map<uint64_t, List> model;
  {
    auto t = db.Begin();
    for (int i = 0; i < 300; ++i) {
      const List v = RandomVector(random);
      model[MakeNode(*t, "M", {{"e", v}}).value] = v;
    }
    Must(t->Commit());
  }
  const List query = RandomVector(random);
  const std::vector<uint64_t> before = Nearest(model, query, 10);
  auto old = db.Begin(true);
  CHECK(Ids(Search(old->view(), query, 10)) == before);

  auto t = db.Begin();
  std::map<uint64_t, List> own = model;
  own[MakeNode(*t, "M", {{"e", query}}).value] = query;
  Must(t->SetProperty(NodeId(before[0]), P(*t, "e"), RandomVector(random)));
  own[before[0]] = t->view().Property(NodeId(before[0]), P(*t, "e")).AsList();
  Must(t->DeleteNode(NodeId(before[1]), true));
  own.erase(before[1]);
  Must(t->RemoveLabel(NodeId(before[2]), L(*t, "M")));
  own.erase(before[2]);
  Must(t->SetProperty(NodeId(before[3]), P(*t, "e"), "no vector"));
  own.erase(before[3]);
  Must(t->SetProperty(NodeId(before[4]), P(*t, "other"), 1));
  const std::vector<uint64_t> after = Nearest(own, query, 10);
  CHECK(Ids(Search(t->view(), query, 10)) == after);
  CHECK(Ids(Search(old->view(), query, 10)) == before);
  const bool commits = GENERATE(true, false);
  if (commits) Must(t->Commit());
  else t->Rollback();
  auto now = db.Begin(true);
  CHECK(Ids(Search(now->view(), query, 10)) == (commits ? after : before));
  CHECK(Ids(Search(old->view(), query, 10)) == before);
  const auto odd = Ids(Search(now->view(), query, 10, [](uint64_t id) { return id % 2 == 1; }));
  CHECK(odd.size() == 10);
  for (uint64_t id : odd) CHECK(id % 2 == 1);
}

TEST_CASE("a vector that doesn't fit is refused by name when it is set") {
  TestStore db;
  MakeIndex(db, 3);
  auto t = db.Begin();
  auto refused = [&](const Value& v, const std::string& words) {
    PropertyList list{{P(*t, "e"), v}};
    const LabelId label[] = {L(*t, "M")};
    const Status status = t->CreateNode(label, list).status();
    CHECK(status.code() == Code::kArgumentError);
    INFO(status.message());
    CHECK(status.message().find("vector index 'emb' on (:M {e})") != std::string::npos);
    CHECK(status.message().find(words) != std::string::npos);
    const NodeId plain = MakeNode(*t, "M");
    CHECK(t->SetProperty(plain, P(*t, "e"), v).code() == Code::kArgumentError);
    const NodeId other = MakeNode(*t, "Other", {{"e", v}});
    CHECK(t->AddLabel(other, L(*t, "M")).code() == Code::kArgumentError);
  };
  refused(List{1.0, 2.0}, "2 dimensions, expected 3");
  refused(List{1.0, NAN, 2.0}, "nan");
  refused(List{0.0, 0, 0.0}, "zero");
  refused(Value::Vector({1, 2, 3, 4}), "4 dimensions, expected 3");
  MakeNode(*t, "M", {{"e", "text is no vector and is not indexed"}});
  MakeNode(*t, "M", {{"e", List{1, 2, 3}}});
  MakeNode(*t, "M", {{"e", Value::Vector({1, 2, 3})}});
  Must(t->Commit());
  auto r = db.Begin(true);
  CHECK(Search(r->view(), List{1.0, 2.0, 3.0}, 5).size() == 2);
}

TEST_CASE("an index without dimensions takes them from the first vector") {
  TestStore db;
  MakeIndex(db, 0, Metric::kEuclidean);
  auto two = db.Begin();
  MakeNode(*two, "M", {{"e", List{1.0, 2.0}}});
  auto three = db.Begin();
  MakeNode(*three, "M", {{"e", List{1.0, 2.0, 3.0}}});
  CHECK(Search(three->view(), List{1.0, 2.0, 3.0}, 5).size() == 1);
  Must(two->Commit());
  const Status status = three->Commit().status();
  CHECK(status.code() == Code::kArgumentError);
  CHECK(status.message().find("3 dimensions, expected 2") != std::string::npos);
}

TEST_CASE("equal vectors come in the order of their ids") {
  TestStore db;
  MakeIndex(db, 2);
  std::vector<uint64_t> ids;
  auto first = db.Begin(), second = db.Begin();
  for (int i = 0; i < 20; ++i) ids.push_back(MakeNode(i % 2 == 0 ? *first : *second, "M", {{"e", List{1.0, 1.0}}}).value);
  Must(second->Commit());
  Must(first->Commit());
  auto r = db.Begin();
  ids.push_back(MakeNode(*r, "M", {{"e", List{1.0, 1.0}}}).value);
  for (size_t k : {1, 7, 20, 21}) CHECK(Ids(Search(r->view(), List{1.0, 1.0}, k)) == std::vector(ids.begin(), ids.begin() + static_cast<long>(k)));
}

TEST_CASE("vectors are found again after a close and after a crash, over existing data too") {
  const bool close = GENERATE(true, false);
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  StoreOptions options;
  options.log_segment_bytes = 64 << 10;
  Random random(9);
  std::map<uint64_t, List> model;
  {
    TestStore db(disk, "/d/x.fornix", options);
    for (int round = 0; round < 4; ++round) {
      if (round == 2) MakeIndex(db);
      auto t = db.Begin();
      for (int i = 0; i < 50; ++i) {
        const List v = RandomVector(random);
        model[MakeNode(*t, "M", {{"e", v}}).value] = v;
      }
      Must(t->Commit());
    }
    auto t = db.Begin();
    Must(t->DeleteNode(NodeId(model.begin()->first), false));
    model.erase(model.begin());
    Must(t->Commit());
    Must(db.store->AwaitIndexes());
    if (close) Must(db.store->Close());
  }
  TestStore db(disk, "/d/x.fornix", options);
  const List query = RandomVector(random);
  auto r = db.Begin(true);
  CHECK(Ids(Search(r->view(), query, 10)) == Nearest(model, query, 10));
  Must(db.store->AwaitIndexes());
  CHECK(Ids(Search(r->view(), query, 10)) == Nearest(model, query, 10));
}

TEST_CASE("searches beside writers find exactly what their snapshot holds") {
  TestStore db;
  MakeIndex(db);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    writers.emplace_back([&db, seed] {
      Random random(seed);
      for (int i = 0; i < 150; ++i) {
        auto t = std::move(db.store->Begin()).value();
        const LabelId label[] = {t->InternLabel("M").value()};
        for (int n = 0; n < 4; ++n) {
          PropertyList list{{t->InternProperty("e").value(), Value(RandomVector(random))}};
          if (!t->CreateNode(label, list).ok()) std::abort();
        }
        if (!t->Commit().ok()) std::abort();
      }
    });
  }
  Random random(99);
  for (int i = 0; i < 60; ++i) {
    auto r = db.Begin(true);
    const uint64_t count = r->view().CountLabel(L(*r, "M"));
    const auto hits = Search(r->view(), RandomVector(random), 10);
    CHECK(hits.size() == std::min<uint64_t>(count, 10));
    for (const VectorHit& hit : hits) CHECK(r->view().StateOf(NodeId(hit.id)) == ElementState::kVisible);
  }
  for (std::thread& writer : writers) writer.join();
  Must(db.store->AwaitIndexes());
}

}  // namespace fornix::storage
