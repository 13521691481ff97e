// The base's two innermost paths: a hit in the frame cache, and a seek in an ordered index whose pages are all in memory.
#include <benchmark/benchmark.h>

#include "base/fault_file.h"
#include "base/random.h"
#include "storage/index/tree/index_tree.h"

namespace fornix::storage {
namespace {

struct Store {
  explicit Store(uint64_t entries) {
    OpenOptions options;
    options.write = options.create = true;
    auto raw = fs.Open("bench.fornix", options).value();
    (void)raw->WriteZeros(0, kFirstExtentPage * kPageBytes);
    file = ExtentFile::New(std::move(raw));
    (void)file->BeginWriting(1, 0);
    uint64_t i = 0;
    std::string key;
    root = IndexTree::Build(file.get(), kIndex, [&]() -> Result<std::optional<TreeEntry>> {
             if (i == entries) return std::optional<TreeEntry>();
             key = Key(i);
             return std::optional(TreeEntry{key, i++});
           }).value();
    (void)file->FinishWriting();
    file->Committed();
  }
  static std::string Key(uint64_t i) {   // as storage/index/key.h writes an integer
    std::string key(11, '\0');
    key[0] = 0x30;
    for (int byte = 0; byte < 8; ++byte) key[static_cast<size_t>(8 - byte)] = static_cast<char>(i >> (8 * byte));
    return key;
  }
  static constexpr IndexId kIndex{1};
  FaultFileSystem fs;
  std::unique_ptr<ExtentFile> file;
  MemoryBudget budget{uint64_t{4} << 30};
  FrameCache cache{&budget};
  TreeRoot root;
};

void BM_EpochGuard(benchmark::State& state) {
  for (auto _ : state) {
    const EpochGuard guard;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_EpochGuard)->Threads(1)->Threads(2);

void BM_CacheHit(benchmark::State& state) {
  static Store store(10);
  static const Frame* frame = [] {
    const EpochGuard guard;
    return store.cache.Insert(store.root.root.page, store.root.root.seq, std::make_unique<Frame>());
  }();
  const EpochGuard guard;
  for (auto _ : state) benchmark::DoNotOptimize(store.cache.Find(store.root.root.page, store.root.root.seq) == frame);
}
BENCHMARK(BM_CacheHit)->Threads(1)->Threads(2);

void BM_TreeSeek(benchmark::State& state) {
  static Store store(1'000'000);
  const IndexTree tree(store.file.get(), &store.cache, Store::kIndex, store.root);
  Random random(static_cast<uint64_t>(state.thread_index()) + 1);
  uint64_t found = 0;
  for (auto _ : state) {
    const std::string key = Store::Key(random.Below(1'000'000));
    tree.Visit(key, 0, key + '\0', [&](const TreeEntry& entry) { return found += entry.id, true; });
  }
  benchmark::DoNotOptimize(found);
}
BENCHMARK(BM_TreeSeek)->Threads(1)->Threads(2);

void BM_TreeScan(benchmark::State& state) {
  static Store store(1'000'000);
  const IndexTree tree(store.file.get(), &store.cache, Store::kIndex, store.root);
  uint64_t entries = 0;
  for (auto _ : state) tree.Visit("", 0, "", [&](const TreeEntry&) { return ++entries, true; });
  state.SetItemsProcessed(static_cast<int64_t>(entries));
}
BENCHMARK(BM_TreeScan)->Unit(benchmark::kMillisecond);

void BM_TreeUpdate(benchmark::State& state) {   // 1,000 changes spread over a million entries
  static Store store(1'000'000);
  uint64_t seq = 1, round = 0;
  for (auto _ : state) {
    std::vector<std::string> keys;
    std::vector<TreeChange> changes;
    for (uint64_t i = 0; i < 1000; ++i) keys.push_back(Store::Key(i * 1000));
    for (const std::string& key : keys) changes.push_back({key, 2'000'000 + round, false});
    (void)store.file->BeginWriting(seq + 1, seq);
    store.root = IndexTree::Update(store.file.get(), &store.cache, Store::kIndex, store.root, changes).value();
    (void)store.file->FinishWriting();
    store.file->Committed();
    ++seq, ++round;
  }
}
BENCHMARK(BM_TreeUpdate)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
}  // namespace fornix::storage
