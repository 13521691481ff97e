// What an old snapshot keeps in memory, and what becomes of it where that is too much.
#include "storage/txn/old_snapshots.h"

#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/fault_file.h"
#include "base/read_failure.h"
#include "tests/unit/storage/graph/layers_world.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// A store on a simulated disk, whose budget can be looked at.
struct Pressed {
  explicit Pressed(uint64_t budget_bytes, uint64_t age_millis = 1) : budget(budget_bytes) {
    StoreOptions options;
    options.budget = &budget;
    options.snapshot_age_millis = age_millis;
    options.checkpoint_log_bytes = 64 * kMiB;    // those that are asked for, and those for memory
    store = Must(Store::Open(files, "/db", options));
  }
  ~Pressed() {
    if (store != nullptr) Must(store->Close());
  }
  std::unique_ptr<Transaction> Begin(bool read_only = false) { return Must(store->Begin(read_only)); }
  // About 300 bytes of delta a node.
  void Write(size_t nodes) {
    auto t = Begin();
    for (size_t i = 0; i < nodes; ++i) MakeNode(*t, "Thing", {{"text", Value(std::string(100, 'x'))}});
    Must(t->Commit());
  }
  uint64_t delta() const { return budget.used(MemoryUse::kDelta); }

  FaultFileSystem files;
  MemoryBudget budget;
  std::unique_ptr<Store> store;
};

bool IsTooOld(const Status& status) {
  return status.code() == Code::kTransactionConflict && status.retryable() && status.detail() == "SnapshotTooOld" &&
         status.message().starts_with("snapshot too old");
}
template <typename F>
bool ReadIsTooOld(F read) {
  try {
    read();
  } catch (const ReadFailure& failure) {
    return IsTooOld(failure.status());
  }
  return false;
}

}  // namespace

TEST_CASE("an old snapshot keeps its own generation, and what later ones held comes back") {
  Pressed db(256 * kMiB);
  db.Write(1000);
  auto old = db.Begin(true);
  uint64_t first = 0;
  for (int i = 0; i < 10; ++i) {
    db.Write(1000);
    Must(db.store->Checkpoint());
    if (i == 0) first = db.delta();
  }
  CHECK(first > 300'000);                      // it does hold the first one
  CHECK(db.delta() < first + 200'000);         // and none of the nine others
  CHECK(AllNodes(old->view()).size() == 1000);
  CHECK(AllNodes(db.Begin(true)->view()).size() == 11'000);
  old.reset();
  db.Write(1);
  Must(db.store->Checkpoint());
  CHECK(db.delta() < 300'000);
}

TEST_CASE("a transaction that may write keeps what its commit is tested against, and conflicts are found generations later") {
  Pressed db(256 * kMiB);
  NodeId changed;
  {
    auto t = db.Begin();
    changed = MakeNode(*t, "Thing", {{"n", Value(0)}});
    Must(t->Commit());
  }
  Must(db.store->Checkpoint());
  auto loser = db.Begin(), winner = db.Begin();
  Must(loser->SetProperty(changed, P(*loser, "n"), Value(1)));
  Must(winner->CreateNode({}, {}));
  {
    auto t = db.Begin();
    Must(t->SetProperty(changed, P(*t, "n"), Value(2)));
    Must(t->Commit());
  }
  for (int i = 0; i < 5; ++i) {
    db.Write(1000);
    Must(db.store->Checkpoint());
  }
  CHECK(db.delta() > 5 * 200'000);             // the price of being a writer
  CHECK(loser->Commit().status().code() == Code::kTransactionConflict);
  CHECK(winner->Commit().ok());
  loser.reset();
  winner.reset();
  Must(db.store->Checkpoint());
  db.Write(1);
  Must(db.store->Checkpoint());
  CHECK(db.delta() < 300'000);
}

TEST_CASE("where memory is short the oldest snapshot that pins some is ended: it says so, and its memory comes back") {
  Pressed db(16 * kMiB);
  db.Write(8000);                              // about 2.5 MiB in its generation
  auto idle = db.Begin(true), idle_writer = db.Begin(), busy = db.Begin(true);
  const NodeId own = MakeNode(*idle_writer, "Mine", {{"n", Value(1)}});
  CHECK(AllNodes(idle->view()).size() == 8000);
  idle->Suspend();
  idle_writer->Suspend();
  Must(db.store->Checkpoint());
  // 1 MiB a round: without the end of the writer, which pins all since it began, the budget would be full long before.
  for (int i = 0; i < 30; ++i) {
    db.Write(3000);
    if (i % 10 == 9) Must(db.store->Checkpoint());
  }
  CHECK(IsTooOld(idle->Resume()));
  CHECK(ReadIsTooOld([&] { AllNodes(idle->view()); }));
  CHECK(ReadIsTooOld([&] { idle->view().CountNodes(); }));
  CHECK(ReadIsTooOld([&] { idle->view().StateOf(NodeId(0)); }));
  CHECK(IsTooOld(idle_writer->Resume()));
  CHECK(IsTooOld(idle_writer->SetProperty(own, P(*idle_writer, "n"), Value(2))));
  CHECK(IsTooOld(idle_writer->Commit().status()));
  // Never suspended, so it was asked at most, if the end of the others wasn't enough: it says so, or reads what it always read.
  size_t seen = 0;
  const bool asked = ReadIsTooOld([&] { seen = AllNodes(busy->view()).size(); });
  CHECK((asked || seen == 8000));
  idle->Rollback();
  busy->Rollback();
  db.Write(1);
  Must(db.store->Checkpoint());
  CHECK(db.delta() < kMiB);
  CHECK(AllNodes(db.Begin(true)->view()).size() == 98'001);
}

TEST_CASE("while there is room old snapshots are left alone") {
  Pressed db(256 * kMiB);
  db.Write(1000);
  auto old = db.Begin(true);
  old->Suspend();
  for (int i = 0; i < 5; ++i) {
    db.Write(1000);
    Must(db.store->Checkpoint());
  }
  CHECK(old->Resume().ok());
  CHECK(AllNodes(old->view()).size() == 1000);
}

TEST_CASE("only what pins replaced generations is ended, the oldest first, not what is young, and not whoever asks") {
  World world;
  auto first = world.Begin(true), second = world.Begin(), third = world.Begin(true);
  for (auto* t : {&first, &second, &third}) (*t)->Suspend();
  CHECK(EndOldest(&world.store, 0, nullptr) == OldSnapshots::kNone);
  world.Checkpoint();
  auto newest = world.Begin(true);
  newest->Suspend();
  CHECK(EndOldest(&world.store, uint64_t{3600} * 1'000'000'000, nullptr) == OldSnapshots::kWait);
  CHECK(first->Resume().ok());
  first->Suspend();
  CHECK(EndOldest(&world.store, 0, first.get()) == OldSnapshots::kEnded);
  CHECK(first->Resume().ok());                 // stays in use from here on
  CHECK(IsTooOld(second->Resume()));
  CHECK(EndOldest(&world.store, 0, nullptr) == OldSnapshots::kEnded);
  CHECK(ReadIsTooOld([&] { AllNodes(first->view()); }));
  CHECK(EndOldest(&world.store, 0, nullptr) == OldSnapshots::kEnded);
  CHECK(IsTooOld(third->Resume()));
  CHECK(EndOldest(&world.store, 0, nullptr) == OldSnapshots::kWait);   // for the first
  first->Suspend();
  CHECK(IsTooOld(first->Resume()));
  CHECK(EndOldest(&world.store, 0, nullptr) == OldSnapshots::kNone);
  CHECK(newest->Resume().ok());
  CHECK(AllNodes(newest->view()).empty());
  CHECK_FALSE(world.store.generations.Release());
}

TEST_CASE("snapshots end while their users come and go") {
  World world;
  std::atomic<bool> stop{false};
  std::atomic<int> ended{0};
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i) {
    users.emplace_back([&] {
      while (!stop.load()) {
        auto t = world.Begin(true);
        t->Suspend();
        for (int use = 0; use < 50; ++use) {
          Status status = t->Resume();
          try {
            if (status.ok()) AllNodes(t->view());
          } catch (const ReadFailure& failure) {
            status = failure.status();
          }
          if (!status.ok() && !IsTooOld(status)) std::abort();
          t->Suspend();
          if (status.ok()) continue;
          ++ended;
          if (!IsTooOld(t->Resume())) std::abort();
          break;
        }
      }
    });
  }
  for (int round = 0; round < 300 || ended.load() < 20; ++round) {
    world.Checkpoint();
    EndOldest(&world.store, 0, nullptr);
    world.store.generations.Release();
  }
  stop.store(true);
  for (std::thread& user : users) user.join();
  CHECK_FALSE(world.store.generations.Release());
}

}  // namespace fornix::storage
