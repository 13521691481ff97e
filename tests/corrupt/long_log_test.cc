// A log that is longer than the memory it is opened with: what a process with much memory wrote and one with little finds.
#include <iostream>

#include "tests/corrupt/content.h"
#include "tests/corrupt/must.h"
#include "tests/corrupt/sample.h"

namespace fornix::corrupt {

using namespace storage;   // NOLINT: a test

TEST_CASE("a log longer than memory is recovered, and the database goes on within its memory") {
  constexpr uint64_t kCommits = 48;
  constexpr size_t kTextBytes = 512 << 10;
  const auto disk = EmptyDisk();
  std::unique_ptr<FaultFileSystem> killed;
  NodeId first, last;
  PropertyId key;
  {
    MemoryBudget budget(uint64_t{1} << 30);
    StoreOptions options = SampleOptions();
    options.log_segment_bytes = 1 << 20;
    options.budget = &budget;
    options.checkpoint_log_bytes = options.checkpoint_delta_bytes = uint64_t{1} << 40;   // never
    const auto store = Must(Store::Open(*disk, kSamplePath, options));
    for (uint64_t i = 0; i < kCommits; ++i) {
      const auto t = Must(store->Begin());
      key = Must(t->InternProperty("text"));
      last = Must(t->CreateNode({}, {{key, Value(std::string(kTextBytes, static_cast<char>('a' + i % 26)))}}));
      if (i == 0) first = last;
      Must(t->Commit().status());
    }
    killed = disk->Copy();
  }
  MemoryBudget budget(uint64_t{8} << 20);        // a third of the log
  StoreOptions options = SampleOptions();
  options.log_segment_bytes = 1 << 20;
  options.budget = &budget;
  options.read_only = true;
  const auto whole = [&](Store& store, uint64_t nodes) {
    const auto t = Must(store.Begin(true));
    CHECK(t->view().CountNodes() == nodes);
    CHECK(t->view().Property(first, key).AsString() == std::string(kTextBytes, 'a'));
    CHECK(t->view().Property(last, key).AsString() == std::string(kTextBytes, static_cast<char>('a' + (kCommits - 1) % 26)));
  };
  {
    const auto store = Must(Store::Open(*killed, kSamplePath, options));
    whole(*store, kCommits);
  }
  options.read_only = false;
  {
    const auto store = Must(Store::Open(*killed, kSamplePath, options));
    whole(*store, kCommits);
    Must(store->Checkpoint().status());          // makes room
    std::cout << "after the checkpoint " << budget.total() << " of " << budget.limit() << " bytes are in use\n";
    CHECK(budget.total() <= budget.limit());
    const auto t = Must(store->Begin());
    Must(t->CreateNode({}, {}).status());
    Must(t->Commit().status());
    whole(*store, kCommits + 1);
    Must(store->Close());
  }
  whole(*Must(Store::Open(*killed, kSamplePath, options)), kCommits + 1);
}

}  // namespace fornix::corrupt
