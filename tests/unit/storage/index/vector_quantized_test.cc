// Vector indexes that find their way by codes, through transactions: recall, filters, old snapshots, memory; against brute force.
#include <array>
#include <atomic>
#include <iostream>
#include <thread>

#include "tests/unit/storage/index/vector_fixture.h"

namespace fornix::storage {

TEST_CASE("a quantized index finds what one of whole vectors finds, with exact scores, for every metric") {
  const uint32_t dimensions = GENERATE(24u, 128u);
  const auto metric = GENERATE(Metric::kCosine, Metric::kEuclidean, Metric::kDot);
  const bool over_data = GENERATE(false, true);
  std::map<Quantization, double> recall;
  for (Quantization quantization : {Quantization::kNone, Quantization::kHalf, Quantization::kByte, Quantization::kRabitq4, Quantization::kRabitq8}) {
    TestStore db;
    Source source(7, dimensions);
    Vectors model;
    VectorIndexOptions options;
    options.metric = metric;
    options.quantization = quantization;
    if (over_data) Insert(db, &source, 2000, &model);
    const IndexId index = MakeIndex(db, options);
    if (!over_data) Insert(db, &source, 2000, &model);
    Must(db.store->AwaitIndexes());
    auto r = db.Begin(true);
    recall[quantization] = Recall(r->view(), index, model, &source, metric);
    VectorSearchStats stats;
    const auto hits = Search(r->view(), index, {.vector = model.begin()->second, .k = 1}, &stats);
    CHECK((stats.reranked > 0) == (quantization != Quantization::kNone));
    if (metric != Metric::kDot) {
      CHECK(hits[0].id == model.begin()->first);
      CHECK(hits[0].score == Approx(1.0).margin(1e-5));
    }
    CHECK_FALSE(stats.strategy.empty());
  }
  for (const auto& [quantization, value] : recall) {
    std::cout << dimensions << "-d, metric " << static_cast<int>(metric) << (over_data ? ", over data, " : ", ") << Name(quantization)
              << ": recall@10 " << value << "\n";
    const bool bits = quantization == Quantization::kRabitq4 || quantization == Quantization::kRabitq8;
    CHECK(value >= recall[Quantization::kNone] - (bits ? dimensions < 64 ? 0.08 : 0.03 : 0.01));
  }
}

TEST_CASE("filters give k rows if k exist, nearest first, at every selectivity, correlated or not, under writers, for old snapshots too") {
  const auto quantization = GENERATE(Quantization::kNone, Quantization::kByte, Quantization::kRabitq8);
  const uint64_t seed = 4711;
  std::cout << "seed=" << seed << "\n";
  TestStore db;
  const uint32_t dimensions = quantization == Quantization::kRabitq8 ? 256 : 32;   // a bit a dimension says little of few
  Source source(seed, dimensions);
  Vectors model;
  VectorIndexOptions options;
  options.quantization = quantization;
  const IndexId index = MakeIndex(db, options);
  Insert(db, &source, 6000, &model);
  Must(db.store->AwaitIndexes());

  struct Snapshot {
    std::unique_ptr<Transaction> reader;
    Vectors model;
  };
  std::vector<Snapshot> snapshots;
  snapshots.push_back({db.Begin(true), model});
  for (int round = 0; round < 2; ++round) {     // deletes, changes, new ones
    auto t = db.Begin();
    std::vector<uint64_t> ids;
    for (const auto& [id, v] : model) ids.push_back(id);
    for (uint64_t id : ids) {
      const double dice = source.random().Unit();
      if (dice < 0.1) {
        Must(t->DeleteNode(NodeId(id), false));
        model.erase(id);
      } else if (dice < 0.25) {
        model[id] = source.Next();
        Must(t->SetProperty(NodeId(id), P(*t, "e"), Value::Vector(model[id])));
      }
    }
    Must(t->Commit());
    Insert(db, &source, 400, &model);
    snapshots.push_back({db.Begin(true), model});
  }
  // Others go on writing while we look.
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    Source other(99, dimensions);
    while (!stop) {
      auto t = std::move(db.store->Begin()).value();
      const LabelId label[] = {t->InternLabel("M").value()};
      std::vector<NodeId> made;
      for (int i = 0; i < 5; ++i) {
        made.push_back(t->CreateNode(label, {{t->InternProperty("e").value(), Value::Vector(other.Next())}}).value());
      }
      if (!t->Commit().ok()) std::abort();
      auto gone = std::move(db.store->Begin()).value();
      for (NodeId id : made) {
        if (!gone->DeleteNode(id, false).ok()) std::abort();
      }
      if (!gone->Commit().ok()) std::abort();
    }
  });
  std::array<std::pair<size_t, size_t>, 3> counts{};   // uncorrelated; correlated with a list; without
  for (const Snapshot& snapshot : snapshots) {
    for (const double share : {0.5, 0.1, 0.01, 0.001}) {
      for (const bool correlated : {false, true}) {
        const std::vector<float> q = source.Next();
        // Correlated: those that pass are near to something else, as of another tenant.
        std::vector<uint64_t> passing;
        if (correlated) {
          passing = Nearest(snapshot.model, source.Next(), static_cast<size_t>(share * static_cast<double>(snapshot.model.size())), Metric::kCosine);
          std::sort(passing.begin(), passing.end());
        } else {
          for (const auto& [id, v] : snapshot.model) {
            if (source.random().Unit() < share) passing.push_back(id);
          }
        }
        const auto passes = [&](uint64_t id) { return std::binary_search(passing.begin(), passing.end(), id); };
        const std::vector<uint64_t> truth = Nearest(snapshot.model, q, 10, Metric::kCosine, passes);
        // Ids that aren't visible, or no vectors, may stand among them.
        std::vector<uint64_t> with_others = passing;
        with_others.push_back(1'000'000'000);
        for (int form = 0; form < 3; ++form) {
          VectorQuery query{.vector = q, .k = 10};
          if (form != 0) query.ids = with_others;
          if (form != 1) query.filter = passes;
          VectorSearchStats stats;
          const auto hits = Search(snapshot.reader->view(), index, query, &stats);
          INFO(Name(quantization) << " share " << share << " correlated " << correlated << " form " << form << " strategy " << stats.strategy);
          REQUIRE(hits.size() == truth.size());
          for (const VectorHit& hit : hits) REQUIRE(passes(hit.id));
          CHECK(std::is_sorted(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.score > b.score; }));
          auto& [found, wanted] = counts[correlated ? 1 + (form == 0) : 0];
          found += Common(hits, truth);
          wanted += truth.size();
        }
      }
    }
  }
  stop = true;
  writer.join();
  for (size_t i = 0; i < counts.size(); ++i) {
    const double recall = static_cast<double>(counts[i].first) / static_cast<double>(counts[i].second);
    std::cout << Name(quantization) << ", filtered" << (i == 0 ? "" : i == 1 ? ", correlated, as a list" : ", correlated, as a predicate")
              << ": recall@10 " << recall << "\n";
    // What lies far from the query is all about as far, and a bit a dimension tells little of it apart.
    CHECK(recall >= (quantization != Quantization::kRabitq8 ? 0.95 : i == 0 ? 0.9 : 0.6));
  }
}

TEST_CASE("a transaction's own vectors are compared exactly beside codes, also under a list of ids") {
  TestStore db;
  Source source(3, 64);
  Vectors model;
  VectorIndexOptions options;
  options.quantization = Quantization::kRabitq8;
  const IndexId index = MakeIndex(db, options);
  Insert(db, &source, 500, &model);
  auto t = db.Begin();
  const std::vector<float> q = source.Next();
  const std::vector<uint64_t> before = Nearest(model, q, 3, Metric::kCosine);
  const uint64_t mine = MakeNode(*t, "M", {{"e", Value::Vector(q)}}).value;
  Must(t->DeleteNode(NodeId(before[0]), false));
  std::vector<uint64_t> ids = {before[0], before[1], mine};
  std::sort(ids.begin(), ids.end());
  const auto hits = Search(t->view(), index, {.vector = q, .k = 10, .ids = ids});
  REQUIRE(hits.size() == 2);
  CHECK(hits[0].id == mine);
  CHECK(hits[0].score == Approx(1.0).margin(1e-6));
  CHECK(hits[1].id == before[1]);
  const std::vector<uint64_t> none;
  CHECK(Search(t->view(), index, {.vector = q, .k = 10, .ids = none}).empty());
  t->Rollback();
  auto r = db.Begin(true);
  CHECK(Search(r->view(), index, {.vector = q, .k = 3})[0].id == before[0]);
}

TEST_CASE("a filter may search by itself") {
  TestStore db;
  Source source(5, 16);
  Vectors model;
  const IndexId index = MakeIndex(db, {});
  Insert(db, &source, 300, &model);
  auto r = db.Begin(true);
  const std::vector<float> q = source.Next();
  const auto filter = [&](uint64_t id) { return Search(r->view(), index, {.vector = model[id], .k = 1})[0].id == id && id % 2 == 0; };
  const auto hits = Search(r->view(), index, {.vector = q, .k = 10, .filter = filter});
  CHECK(hits.size() == 10);
  for (const VectorHit& hit : hits) CHECK(hit.id % 2 == 0);
}

TEST_CASE("a vector of 1,024 dimensions costs at most 330 bytes hot by bits, with links, slot and directory") {
  std::map<Quantization, double> all;
  for (Quantization quantization : {Quantization::kNone, Quantization::kHalf, Quantization::kByte, Quantization::kRabitq4, Quantization::kRabitq8}) {
    VectorIndexOptions options;
    options.dimensions = 1024;
    options.quantization = quantization;
    VectorIndex index(options);
    // Tables grow in chunks, of which a few are always empty: 2 bytes a vector of this many.
    const uint32_t kVectors = quantization == Quantization::kRabitq4 ? 1 << 18 : 1 << 14;
    Random random(1);
    std::vector<float> v(1024);
    for (uint32_t i = 0; i < kVectors; ++i) {
      v[i % 1024] = static_cast<float>(random.Unit());
      v[random.Below(1024)] = 1;
      index.Stamp(index.Store(i, v), 1);
    }
    const double hot = static_cast<double>(index.graph()->hot_bytes() + index.slots().memory_bytes()) / kVectors;
    all[quantization] = static_cast<double>(index.memory_bytes()) / kVectors;
    std::cout << Name(quantization) << ": " << hot << " hot bytes a vector, " << all[quantization] << " in all\n";
    if (quantization == Quantization::kRabitq4) CHECK(hot <= 330);
  }
  CHECK(all[Quantization::kByte] < all[Quantization::kNone] / 3);
}

}  // namespace fornix::storage
