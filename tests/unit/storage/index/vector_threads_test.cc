// Writers, searchers, linkers, the keeper and a change of codes at once: the test that is run under the thread sanitizer.
#include <atomic>
#include <iostream>
#include <thread>

#include "tests/unit/storage/index/vector_fixture.h"

namespace fornix::storage {

TEST_CASE("four writers and four searchers, with deletes, repair, and another quantization meanwhile") {
  TestStore db;
  constexpr uint32_t kDimensions = 16;
  VectorIndexOptions options;
  options.quantization = Quantization::kByte;
  const IndexId index = MakeIndex(db, options);
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0}, searches{0};
  auto must = [&](bool ok) { failures += !ok; };

  std::vector<std::thread> threads;
  std::vector<std::vector<uint64_t>> left(4);
  for (uint64_t w = 0; w < 4; ++w) {
    threads.emplace_back([&, w] {
      Source source(100 + w, kDimensions);
      std::vector<uint64_t>& mine = left[w];
      for (int round = 0; round < 60; ++round) {
        auto t = std::move(db.store->Begin()).value();
        const LabelId label[] = {t->InternLabel("M").value()};
        const PropertyId key = t->InternProperty("e").value();
        for (int i = 0; i < 8; ++i) mine.push_back(t->CreateNode(label, {{key, Value::Vector(source.Next())}}).value().value);
        must(t->Commit().ok());
        if (mine.size() < 80) continue;
        t = std::move(db.store->Begin()).value();
        const std::vector<uint64_t> before = mine;
        for (int i = 0; i < 10; ++i) {         // deletes, and changes
          const size_t at = source.random().Below(mine.size());
          if (i % 2 == 0) {
            must(t->DeleteNode(NodeId(mine[at]), false).ok());
            mine.erase(mine.begin() + static_cast<long>(at));
          } else {
            must(t->SetProperty(NodeId(mine[at]), key, Value::Vector(source.Next())).ok());
          }
        }
        if (round % 10 == 0) {
          t->Rollback();
          mine = before;
        } else {
          must(t->Commit().ok());
        }
      }
    });
  }
  for (uint64_t s = 0; s < 4; ++s) {
    threads.emplace_back([&, s] {
      Source source(200 + s, kDimensions);
      while (!stop) {
        auto r = std::move(db.store->Begin(true)).value();
        const uint64_t count = r->view().CountLabel(r->InternLabel("M").value());
        std::vector<VectorHit> hits;
        VectorSearchStats stats;
        const std::vector<float> q = source.Next();
        VectorQuery query{.vector = q, .k = 10};
        if (s % 2 == 1) query.filter = [](uint64_t id) { return id % 3 != 0; };
        must(r->view().SearchVector(index, query, &hits, &stats).ok());
        if (s % 2 == 0) must(hits.size() == std::min<uint64_t>(10, count));
        for (const VectorHit& hit : hits) must(r->view().StateOf(NodeId(hit.id)) == ElementState::kVisible);
        if (hits.size() > 4) {
          std::vector<uint64_t> ids;
          for (const VectorHit& hit : hits) ids.push_back(hit.id);
          std::sort(ids.begin(), ids.end());
          std::vector<VectorHit> again;
          must(r->view().SearchVector(index, {.vector = q, .k = 20, .ids = ids}, &again, &stats).ok());
          must(again.size() == hits.size());
        }
        ++searches;
      }
    });
  }
  for (const Quantization to : {Quantization::kRabitq8, Quantization::kHalf, Quantization::kByte}) {
    auto t = db.Begin();
    CHECK(Must(t->AlterVectorIndex("emb", [to](VectorIndexOptions* o) {
      o->quantization = to;
      return Status::Ok();
    })));
    Must(t->Commit());
  }
  for (size_t w = 0; w < 4; ++w) threads[w].join();
  stop = true;
  for (size_t s = 4; s < 8; ++s) threads[s].join();
  CHECK(failures == 0);
  CHECK(searches > 0);
  Must(db.store->AwaitIndexes());
  auto r = db.Begin(true);
  const VectorIndex& vectors = IndexOf(*r, index);
  const vector::GraphReport report = vectors.graph()->CheckGraph();
  CHECK(report.unreachable.empty());
  CHECK(report.bad_links == 0);
  size_t live = 0;
  for (uint32_t slot = 0; slot < vectors.size(); ++slot) live += vectors.slots().VisibleAt(slot, r->snapshot());
  CHECK(live == r->view().CountLabel(L(*r, "M")));
}

}  // namespace fornix::storage
