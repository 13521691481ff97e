// The life of vector indexes under deletes, changes of their definition, and short memory.
#include <atomic>
#include <iostream>
#include <thread>

#include "base/fault_file.h"
#include "base/interrupt.h"
#include "tests/unit/storage/index/vector_fixture.h"

namespace fornix::storage {

TEST_CASE("after ten rounds of a fifth deleted and put in again the index finds what a fresh one finds, and every live vector is reached") {
  const auto quantization = GENERATE(Quantization::kNone, Quantization::kByte, Quantization::kRabitq8);
  TestStore db;
  Source source(17, 48);
  Vectors model;
  VectorIndexOptions options;
  options.quantization = quantization;
  const IndexId index = MakeIndex(db, options);
  Insert(db, &source, 3000, &model);
  for (int round = 0; round < 10; ++round) {
    auto t = db.Begin();
    size_t gone = 0;
    for (auto it = model.begin(); it != model.end();) {
      if (!source.random().OneIn(5)) {
        ++it;
        continue;
      }
      Must(t->DeleteNode(NodeId(it->first), false));
      it = model.erase(it);
      ++gone;
    }
    Must(t->Commit());
    Insert(db, &source, gone, &model);
    Must(db.store->AwaitIndexes());
  }
  TestStore fresh;
  const IndexId fresh_index = MakeIndex(fresh, options);
  {
    auto t = fresh.Begin();
    for (const auto& [id, v] : model) MakeNode(*t, "M", {{"e", Value::Vector(v)}});
    Must(t->Commit());
  }
  Must(fresh.store->AwaitIndexes());
  auto r = db.Begin(true), f = fresh.Begin(true);
  Vectors fresh_model;
  for (uint64_t id : NodesWith(f->view(), LabelId(0))) {
    const Value v = f->view().Property(NodeId(id), P(*f, "e"));
    fresh_model[id] = v.AsVector();
  }
  REQUIRE(fresh_model.size() == model.size());
  Source queries = source, same = source;
  const double churned = Recall(r->view(), index, model, &queries, Metric::kCosine, 200);
  const double reference = Recall(f->view(), fresh_index, fresh_model, &same, Metric::kCosine, 200);
  std::cout << Name(quantization) << ": recall@10 " << churned << " after churn, " << reference << " fresh\n";
  CHECK(churned >= reference - 0.01);
  const VectorIndex& vectors = IndexOf(*r, index);
  const vector::GraphReport report = vectors.graph()->CheckGraph();
  CHECK(report.linked == report.slots);
  CHECK(report.unreachable.empty());
  CHECK(report.links_to_free == 0);
  CHECK(report.bad_links == 0);
  size_t live = 0;
  for (uint32_t slot = 0; slot < vectors.size(); ++slot) live += vectors.slots().VisibleAt(slot, r->snapshot());
  CHECK(live == model.size());
  CHECK(vectors.size() < 9000);                // of the 9,000 ever stored: more than half freed, it was made anew
}

TEST_CASE("slots that a snapshot still sees aren't retired, and are when it ends") {
  TestStore db;
  Source source(23, 16);
  Vectors model;
  const IndexId index = MakeIndex(db, {});
  Insert(db, &source, 400, &model);
  auto old = db.Begin(true);
  const Vectors then = model;
  auto t = db.Begin();
  for (const auto& [id, v] : then) Must(t->DeleteNode(NodeId(id), false));
  Must(t->Commit());
  Must(db.store->AwaitIndexes());
  const std::vector<float> q = source.Next();
  CHECK(Common(Search(old->view(), index, {.vector = q, .k = 10}), Nearest(then, q, 10, Metric::kCosine)) == 10);
  const std::shared_ptr<VectorIndex> vectors = static_cast<const TransactionImpl&>(*old).schema_state().FindVector(index)->index;
  for (uint32_t slot = 0; slot < 400; ++slot) REQUIRE_FALSE(vectors->graph()->Free(slot));
  old.reset();
  Insert(db, &source, 1, &model);              // whoever commits next looks again
  auto next = db.Begin();
  MakeNode(*next, "M", {{"e", Value::Vector(source.Next())}});
  Must(next->Commit());
  Must(db.store->AwaitIndexes());
  auto now = db.Begin(true);
  CHECK(Search(now->view(), index, {.vector = q, .k = 10}).size() == 2);
  size_t freed = 0;
  for (uint32_t slot = 0; slot < 400; ++slot) freed += vectors->graph()->Free(slot);
  CHECK(freed == 400);
}

TEST_CASE("a rollback leaves nothing in the index") {
  TestStore db;
  Source source(29, 16);
  Vectors model;
  const IndexId index = MakeIndex(db, {});
  Insert(db, &source, 50, &model);
  {
    auto t = db.Begin();
    MakeNode(*t, "M", {{"e", Value::Vector(source.Next())}});
    CHECK(Search(t->view(), index, {.vector = source.Next(), .k = 100}).size() == 51);
    t->Rollback();
  }
  auto r = db.Begin(true);
  CHECK(IndexOf(*r, index).size() == 50);
  CHECK(Search(r->view(), index, {.vector = source.Next(), .k = 100}).size() == 50);
}

TEST_CASE("the quantization is changed while the index answers and others write; closed and opened, or crashed, it stays") {
  const bool in_memory = GENERATE(true, false);
  const bool close = GENERATE(true, false);
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  const std::string path = in_memory ? ":memory:" : "/d/x.fornix";
  Source source(31, 32);
  Vectors model;
  IndexId index;
  {
    TestStore db(disk, path);
    index = MakeIndex(db, {});
    Insert(db, &source, 1500, &model);
    auto before = db.Begin(true);
    const Vectors then = model;
    std::atomic<bool> stop{false};
    std::vector<std::pair<uint64_t, std::vector<float>>> written;
    std::thread writer([&] {
      Source other(32, 32);
      for (int i = 0; i < 2000 && !stop; ++i) {
        auto t = std::move(db.store->Begin()).value();
        const LabelId label[] = {t->InternLabel("M").value()};
        std::vector<float> v = other.Next();
        const uint64_t id = t->CreateNode(label, {{t->InternProperty("e").value(), Value::Vector(v)}}).value().value;
        if (!t->Commit().ok()) std::abort();
        written.emplace_back(id, std::move(v));
      }
    });
    auto alter = [&](Quantization to) {
      auto t = db.Begin();
      CHECK(Must(t->AlterVectorIndex("emb", [to](VectorIndexOptions* o) {
        o->quantization = to;
        return Status::Ok();
      })));
      Must(t->Commit());
    };
    alter(Quantization::kRabitq4);
    alter(Quantization::kByte);
    stop = true;
    writer.join();
    for (auto& [id, v] : written) model[id] = std::move(v);
    auto again = db.Begin();
    CHECK_FALSE(Must(again->AlterVectorIndex("emb", [](VectorIndexOptions* o) {
      o->quantization = Quantization::kByte;
      return Status::Ok();
    })));
    again->Rollback();
    const Status unknown = db.Begin()->AlterVectorIndex("nope", [](VectorIndexOptions*) { return Status::Ok(); }).status();
    CHECK(unknown.code() == Code::kSchemaNotFound);
    auto r = db.Begin(true);
    CHECK(r->view().schema().FindIndex("emb")->vector.quantization == Quantization::kByte);
    CHECK(IndexOf(*r, index).graph()->options().quantization == vector::Quantization::kByte);
    CHECK_FALSE(IndexOf(*r, index).graph()->options().centre.empty());
    CHECK(Recall(r->view(), index, model, &source, Metric::kCosine, 50) >= 0.97);
    CHECK(IndexOf(*before, index).options().quantization == Quantization::kNone);
    CHECK(Recall(before->view(), index, then, &source, Metric::kCosine, 50) >= 0.97);
    r.reset();
    before.reset();
    if (in_memory) return;
    if (close) Must(db.store->Close());
  }
  TestStore db(disk, path);
  auto r = db.Begin(true);
  CHECK(r->view().schema().FindIndex("emb")->vector.quantization == Quantization::kByte);
  CHECK(Recall(r->view(), index, model, &source, Metric::kCosine, 50) >= 0.97);
  Must(db.store->AwaitIndexes());
  CHECK(IndexOf(*r, index).graph()->options().quantization == vector::Quantization::kByte);
  CHECK(Recall(r->view(), index, model, &source, Metric::kCosine, 50) >= 0.97);
}

TEST_CASE("an index that is dropped while it is rebuilt ends the rebuilding, by name") {
  TestStore db;
  Source source(37, 16);
  Vectors model;
  MakeIndex(db, {});
  Insert(db, &source, 100, &model);
  auto t = db.Begin();
  CHECK(Must(t->AlterVectorIndex("emb", [](VectorIndexOptions* o) {
    o->quantization = Quantization::kHalf;
    return Status::Ok();
  })));
  auto drop = db.Begin();
  CHECK(Must(drop->DropIndex("emb", false)));
  Must(drop->Commit());
  const Status status = t->Commit().status();
  CHECK(status.code() == Code::kSchemaNotFound);
  CHECK(status.message().find("emb") != std::string::npos);
}

TEST_CASE("vector indexes of one property: one for each similarity, of one model and length; refused with both names") {
  TestStore db;
  auto add = [&](const std::string& name, const std::string& label, VectorIndexOptions options) {
    auto ddl = db.Begin();
    IndexDefinition d;
    d.name = name;
    d.kind = IndexKind::kVector;
    d.tokens = {L(*ddl, label).value};
    d.properties = {P(*ddl, "e")};
    d.vector = std::move(options);
    const Status status = ddl->CreateIndex(d, false).status();
    if (status.ok()) Must(ddl->Commit());
    return status;
  };
  VectorIndexOptions options;
  options.dimensions = 3;
  options.model = "small";
  options.expansion_factor = 5;
  Must(add("a", "M", options));
  options.metric = Metric::kEuclidean;
  Must(add("b", "M", options));
  CHECK(add("c", "M", options).code() == Code::kSchemaConflict);
  options.metric = Metric::kDot;
  options.model = "large";
  const Status model = add("d", "M", options);
  CHECK(model.code() == Code::kSchemaConflict);
  for (const char* word : {"'d'", "'a'", "'small'", "'large'"}) CHECK(model.message().find(word) != std::string::npos);
  options.model.clear();
  options.dimensions = 4;
  const Status length = add("d", "M", options);
  CHECK(length.code() == Code::kSchemaConflict);
  for (const char* word : {"'d'", "'a'", "3", "4"}) CHECK(length.message().find(word) != std::string::npos);
  options.model = "large";
  Must(add("other", "N", options));

  auto t = db.Begin();
  MakeNode(*t, "M", {{"e", List{1, 2, 3}}});
  MakeNode(*t, "M", {{"e", List{2.0, 4.0, 6.5}}});
  Must(t->Commit());
  auto r = db.Begin(true);
  const std::vector<float> q = {1, 2, 3};
  CHECK(Search(r->view(), r->view().schema().FindIndex("a")->id, {.vector = q, .k = 2}).size() == 2);
  CHECK(Search(r->view(), r->view().schema().FindIndex("b")->id, {.vector = q, .k = 2}).size() == 2);
}

TEST_CASE("model and expansion factor are in the record of the schema; the factor widens a search") {
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  Source source(41, 32);
  Vectors model;
  VectorIndexOptions options;
  options.model = "small";
  options.expansion_factor = 40;
  IndexId index;
  {
    TestStore db(disk, "/d/x.fornix");
    index = MakeIndex(db, options);
    Insert(db, &source, 1500, &model);
    Must(db.store->Close());
  }
  TestStore db(disk, "/d/x.fornix");
  Must(db.store->AwaitIndexes());
  auto r = db.Begin(true);
  const VectorIndexOptions& read = r->view().schema().FindIndex("emb")->vector;
  CHECK(read.model == "small");
  CHECK(read.expansion_factor == 40);
  const std::vector<float> q = source.Next();
  VectorSearchStats wide, narrow;
  Search(r->view(), index, {.vector = q, .k = 10}, &wide);
  Search(r->view(), index, {.vector = q, .k = 10, .ef = 80}, &narrow);
  CHECK(wide.distance_computations > narrow.distance_computations);
}

TEST_CASE("a commit whose vectors the budget can't hold is refused by name, and the index is as before") {
  MemoryBudget budget(uint64_t{24} << 20);
  StoreOptions options;
  options.budget = &budget;
  TestStore db(PosixFileSystem(), ":memory:", options);
  Source source(43, 512);
  Vectors model;
  const IndexId index = MakeIndex(db, {});
  Status refused;
  for (int i = 0; i < 4000 && refused.ok(); ++i) {
    auto t = db.Begin();
    const LabelId label[] = {L(*t, "M")};
    for (int n = 0; n < 10 && refused.ok(); ++n) refused = t->CreateNode(label, {{P(*t, "e"), Value::Vector(source.Next())}}).status();
    if (refused.ok()) refused = t->Commit().status();
  }
  CHECK(refused.code() == Code::kResourceExhausted);
  INFO(refused.message());
  CHECK(budget.total() <= budget.limit() + budget.limit() / 8);
  auto r = db.Begin(true);
  CHECK(Search(r->view(), index, {.vector = source.Next(), .k = 10}).size() == 10);
}

TEST_CASE("an index over more vectors than the budget holds is given up by name, answers by scans, and can be dropped") {
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  MemoryBudget budget(uint64_t{10} << 20);
  StoreOptions store_options;
  store_options.budget = &budget;
  TestStore db(disk, "/d/x.fornix", store_options);
  Source source(47, 96);
  Vectors model;
  Insert(db, &source, kOnlineSchemaElements + 1000, &model);
  Must(db.store->Checkpoint());
  const uint64_t before = budget.used(MemoryUse::kIndexes);
  const IndexId index = MakeIndex(db, {});     // whole vectors: some 13 MB
  const Status status = db.store->AwaitIndexes();
  INFO(status.ToString());
  CHECK(status.code() == Code::kResourceExhausted);
  CHECK(status.message().find("'emb'") != std::string::npos);
  {
    auto r = db.Begin(true);
    const IndexProgress progress = r->view().ProgressOf(index);
    CHECK_FALSE(progress.filled);
    CHECK(progress.failure.message() == status.message());
    const std::vector<float> q = source.Next();
    VectorSearchStats stats;
    CHECK(Common(Search(r->view(), index, {.vector = q, .k = 10}, &stats), Nearest(model, q, 10, Metric::kCosine)) == 10);
    CHECK(stats.strategy == "exact scan");
  }
  CHECK(budget.total() <= budget.limit() + budget.limit() / 8);
  {
    auto drop = db.Begin();
    CHECK(Must(drop->DropIndex("emb", false)));
    Must(drop->Commit());
  }
  // The next change of the schema, and the next checkpoint, let the old one go, when who links it has seen that it is gone.
  {
    auto next = db.Begin();
    IndexDefinition range;
    range.tokens = {L(*next, "Z").value};
    range.properties = {P(*next, "z")};
    CHECK(Must(next->CreateIndex(range, false)));
    Must(next->Commit());
  }
  Must(db.store->Checkpoint());
  for (int i = 0; i < 3000 && budget.used(MemoryUse::kIndexes) > before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(budget.used(MemoryUse::kIndexes) <= before);
  VectorIndexOptions small;
  small.quantization = Quantization::kByte;
  const IndexId again = MakeIndex(db, small);
  Must(db.store->AwaitIndexes());
  CHECK(budget.used(MemoryUse::kIndexes) > before);
  auto r = db.Begin(true);
  CHECK(r->view().ProgressOf(again).filled);
  CHECK(Recall(r->view(), again, model, &source, Metric::kCosine, 10) > 0.9);
}

TEST_CASE("a change of codes that is cancelled, wherever, leaves the index as it was, also for the next opening; made again it succeeds") {
  const bool in_memory = GENERATE(true, false);
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  const std::string path = in_memory ? ":memory:" : "/d/x.fornix";
  Source source(53, 32);
  Vectors model;
  int cancelled = 0;
  IndexId index;
  {
    TestStore db(disk, path);
    index = MakeIndex(db, {});
    Insert(db, &source, 600, &model);
    for (int after = 0;; after = after * 2 + 1) {
      auto t = db.Begin();
      CHECK(Must(t->AlterVectorIndex("emb", [](VectorIndexOptions* o) {
        o->quantization = Quantization::kByte;
        return Status::Ok();
      })));
      Status status;
      {
        int looks = 0;
        const WorkScope scope([&] { return looks++ < after ? Status::Ok() : Status(Code::kCancelled, "by the test"); });
        status = t->Commit().status();
      }
      if (status.ok()) break;
      ++cancelled;
      CHECK(status.code() == Code::kCancelled);
      auto r = db.Begin(true);
      const VectorBinding* binding = static_cast<const TransactionImpl&>(*r).schema_state().FindVector(index);
      CHECK(binding->definition->vector.quantization == Quantization::kNone);
      CHECK(binding->index->options().quantization == Quantization::kNone);
      CHECK(binding->index->successor() == nullptr);
      CHECK(Recall(r->view(), index, model, &source, Metric::kCosine, 5) >= 0.95);
      Insert(db, &source, 5, &model);
      if (in_memory || cancelled != 2) continue;
      r.reset();
      t.reset();
      db.store.reset();                        // a crash, for what was committed is in the log
      db.store = Must(Store::Open(disk, path, {}));
      Must(db.store->AwaitIndexes());
      CHECK(db.Begin(true)->view().schema().FindIndex("emb")->vector.quantization == Quantization::kNone);
    }
    CHECK(cancelled > 0);
    auto r = db.Begin(true);
    CHECK(IndexOf(*r, index).options().quantization == Quantization::kByte);
    CHECK(Recall(r->view(), index, model, &source, Metric::kCosine, 20) >= 0.95);
  }
}

}  // namespace fornix::storage
