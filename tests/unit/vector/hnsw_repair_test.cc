// Deletes: retired slots leave the graph, everything that stays is reachable and found, freed slots are used again.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {
namespace {

RepairReport Repair(Hnsw* index, SearchScratch* scratch) {
  auto report = index->Repair(scratch);
  REQUIRE(report.ok());
  return *report;
}

void CheckSound(const Hnsw& index) {
  const GraphReport report = index.CheckGraph();
  CHECK(report.reachable == report.linked - report.retired);
  CHECK(report.unreachable.empty());
  CHECK(report.bad_links == 0);
  CHECK(report.links_to_free == 0);
}

}  // namespace

TEST_CASE("after ten rounds of a fifth deleted and put again recall is that of a fresh index and all is reachable") {
  std::mt19937 random(NewSeed("repair churn"));
  for (Quantization quantization : {Quantization::kNone, Quantization::kRabitq8}) {
    constexpr uint32_t kKeys = 2500;
    const Dataset data = Clusters(random, kKeys * 3 + 100, 48, 25);
    auto index = Build(data, {.quantization = quantization}, kKeys);
    SearchScratch scratch;
    std::vector<uint32_t> row_of(kKeys);  // by slot: the row of data
    std::iota(row_of.begin(), row_of.end(), 0);
    uint32_t next_row = kKeys;
    for (int round = 0; round < 10; ++round) {
      std::vector<uint32_t> slots(kKeys);
      std::iota(slots.begin(), slots.end(), 0);
      std::shuffle(slots.begin(), slots.end(), random);
      slots.resize(kKeys / 5);
      for (uint32_t slot : slots) index->Retire(slot);
      const RepairReport report = Repair(index.get(), &scratch);
      CHECK(report.freed == slots.size());
      CheckSound(*index);
      CHECK(index->CheckGraph().retired == slots.size());
      for (uint32_t slot : slots) {
        REQUIRE(index->Free(slot));
        row_of[slot] = next_row++ % (kKeys * 3);
        REQUIRE(index->Reuse(slot, data[row_of[slot]], &scratch).ok());
      }
      CheckSound(*index);
      CHECK(index->CheckGraph().retired == 0);
    }
    CHECK(index->size() == kKeys);
    Dataset now{48, {}};
    for (uint32_t slot = 0; slot < kKeys; ++slot) now.values.insert(now.values.end(), data[row_of[slot]].begin(), data[row_of[slot]].end());
    now.values.insert(now.values.end(), data[kKeys * 3].begin(), data[kKeys * 3].begin() + 4800);
    const auto fresh = Build(now, {.quantization = quantization}, kKeys);
    const double churned = Measure(*index, now, kKeys, kKeys + 100).recall, built = Measure(*fresh, now, kKeys, kKeys + 100).recall;
    INFO("recall " << churned << ", fresh " << built);
    CHECK(churned >= built - 0.01);
    if (quantization != Quantization::kNone) continue;
    uint32_t lost = 0;
    for (uint32_t slot = 0; slot < kKeys; ++slot) {
      SearchRequest request;
      request.query = now[slot];
      request.ef = 400;
      lost += Find(*index, request, &scratch)[0].distance > 1e-6f;
    }
    CHECK(lost == 0);
  }
}

TEST_CASE("nine of ten deleted at once, the entry point among them, and then all") {
  std::mt19937 random(NewSeed("mass deletion"));
  const Dataset data = Clusters(random, 3000, 16, 15);
  auto index = Build(data, {}, data.size());
  SearchScratch scratch;
  for (uint32_t slot = 0; slot < data.size(); ++slot) {
    if (slot % 10 != 3) index->Retire(slot);
  }
  CHECK(Repair(index.get(), &scratch).freed == 2700);
  CheckSound(*index);
  const auto live = [](uint32_t slot) { return slot % 10 == 3; };
  SearchRequest request;
  request.query = data[3];
  request.k = 300;
  request.visible = live;
  CHECK(Find(*index, request, &scratch).size() == 300);
  for (uint32_t slot = 3; slot < data.size(); slot += 10) index->Retire(slot);
  CHECK(Repair(index.get(), &scratch).freed == 300);
  CHECK(index->CheckGraph().retired == 3000);
  const auto none = [](uint32_t) { return false; };
  request.visible = none;
  CHECK(Find(*index, request, &scratch).empty());
  for (uint32_t slot = 0; slot < 50; ++slot) REQUIRE(index->Reuse(slot, data[slot], &scratch).ok());
  CHECK(index->CheckGraph().reachable == 50);
  CheckSound(*index);
}

TEST_CASE("the place of a chain of equals stays until the last of them is deleted") {
  std::mt19937 random(NewSeed("chains and deletes"));
  Dataset data = Clusters(random, 900, 16, 9);
  for (uint32_t i = 0; i < 900; i += 3) std::copy_n(data.values.begin(), 16, data.values.begin() + i * 16);
  auto index = Build(data, {.metric = Metric::kEuclidean}, data.size());
  SearchScratch scratch;
  index->Retire(0);    // the place of all of them
  index->Retire(300);  // a member
  CHECK(Repair(index.get(), &scratch).freed == 1);
  CHECK(!index->Free(0));
  CHECK(index->Free(300));
  CheckSound(*index);
  const auto visible = [](uint32_t slot) { return slot != 0 && slot != 300; };
  SearchRequest request;
  request.query = data[0];
  request.k = 298;
  request.visible = visible;
  const auto found = Find(*index, request, &scratch);
  REQUIRE(found.size() == 298);
  CHECK(found.back().distance == 0);
  for (uint32_t slot = 3; slot < 900; slot += 3) index->Retire(slot);
  Repair(index.get(), &scratch);
  CHECK(index->Free(0));
  CHECK(index->CheckGraph().retired == 300);
  CheckSound(*index);
  CHECK(index->Reuse(1, data[1], &scratch).code() == Code::kInternal);
  CHECK(index->Reuse(0, std::vector<float>(15, 1.0f), &scratch).code() == Code::kArgumentError);
}

TEST_CASE("an interrupted repair is taken up by the next") {
  std::mt19937 random(NewSeed("interrupted repair"));
  const Dataset data = Clusters(random, 4000, 12, 10);
  for (int stop_after = 1; stop_after < 16; stop_after += 3) {
    auto index = Build(data, {.m = 8, .ef_construction = 30}, data.size());
    SearchScratch scratch;
    for (uint32_t slot = 0; slot < data.size(); slot += 3) index->Retire(slot);
    int asked = 0;
    const auto interrupt = [&] { return ++asked > stop_after ? Status(Code::kCancelled, "enough") : Status::Ok(); };
    CHECK(index->Repair(&scratch, interrupt).status().code() == Code::kCancelled);
    const auto live = [](uint32_t slot) { return slot % 3 != 0; };
    CHECK(Measure(*index, data, 0, 50, live).recall >= 0.95);
    Repair(index.get(), &scratch);
    CHECK(index->CheckGraph().retired == 1334);
    for (uint32_t slot = 0; slot < data.size(); slot += 3) CHECK(index->Free(slot));
    CheckSound(*index);
  }
}

TEST_CASE("searchers and linkers go on while slots are retired and repaired") {
  const uint32_t seed = NewSeed("repair threads");
  std::mt19937 random(seed);
  const Dataset data = Clusters(random, 4000, 16, 15);
  auto index = Build(data, {.m = 8, .ef_construction = 40}, 2000);
  std::atomic<bool> done{false};
  std::atomic<uint32_t> wrong{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    SearchScratch scratch;
    for (uint32_t slot = 2000; slot < 4000; ++slot) {
      if (!index->Add(slot, data[slot], &scratch).ok()) ++wrong;
    }
    done = true;
  });
  for (unsigned t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      SearchScratch scratch;
      std::mt19937 own(seed + t);
      const auto visible = [](uint32_t slot) { return slot % 4 != 0 && slot < 2000; };
      while (!done) {
        SearchRequest request;
        request.query = data[own() % 2000];
        request.visible = visible;
        const auto hits = index->Search(request, &scratch);
        if (!hits.ok() || hits->size() != 10 || std::any_of(hits->begin(), hits->end(), [&](const Hit& hit) { return !visible(hit.slot); })) ++wrong;
      }
    });
  }
  SearchScratch scratch;
  for (uint32_t first = 0; !done; first = (first + 200) % 2000) {
    for (uint32_t slot = first; slot < first + 200; slot += 4) index->Retire(slot);
    if (!index->Repair(&scratch).ok()) ++wrong;
  }
  for (std::thread& thread : threads) thread.join();
  Repair(index.get(), &scratch);
  CHECK(wrong == 0);
  CheckSound(*index);
}

}  // namespace fornix::vector
