// The base in the data file: writing whole chunks as the bulk loader does, and reading warm columns and lists.
// Items are nodes, relationships, entries of lists, values or lists, as the name says.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "base/fault_file.h"
#include "base/random.h"
#include "storage/base/base_writer.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kChunks = 16, kNodes = kChunks * 4096, kRels = 3 * kNodes;
constexpr PropertyId kNumber{1}, kName{2};

struct Store {
  Store() {
    OpenOptions options;
    options.write = options.create = true;
    auto raw = fs.Open("bench.fornix", options).value();
    (void)raw->WriteZeros(0, kFirstExtentPage * kPageBytes);
    file = ExtentFile::New(std::move(raw));
    context = {file.get(), &cache, &sets};
    (void)file->BeginWriting(1, 0);
  }
  FaultFileSystem fs;
  std::unique_ptr<ExtentFile> file;
  MemoryBudget budget{uint64_t{4} << 30};
  FrameCache cache{&budget};
  LabelSets sets;
  BaseContext context;
};

// Random neighbours, as ids of a graph a hundred times as large: lists with the widths they have there.
struct Edits {
  std::vector<NodeChunkEdit> nodes{kChunks}, lists{kChunks};
  std::vector<RelChunkEdit> rels{kRels / 4096};
  std::vector<StoredProperties> node_properties{kNodes}, rel_properties{kRels};

  explicit Edits(LabelSets* sets) {
    Random random(3);
    const LabelSet* label = sets->Intern(std::vector<LabelId>{LabelId(0)});
    for (uint64_t id = 0; id < kNodes; ++id) {
      node_properties[id] = {{kNumber, Packing::kPlain, Value(static_cast<int64_t>(random.Below(1'000'000)))},
                             {kName, Packing::kPlain, Value("name " + std::to_string(random.Below(1'000'000)))}};
      nodes[id / 4096].chunk = lists[id / 4096].chunk = id / 4096;
      nodes[id / 4096].nodes.push_back({static_cast<uint32_t>(id % 4096), false, label, &node_properties[id]});
      lists[id / 4096].nodes.push_back({static_cast<uint32_t>(id % 4096), false, label, nullptr});
    }
    for (uint64_t id = 0; id < kRels; ++id) {
      const uint64_t start = random.Below(kNodes), end = random.Below(kNodes), far = random.Below(10'000'000), rel = random.Below(30'000'000);
      lists[start / 4096].adjacency.push_back({0, false, false, static_cast<uint32_t>(start % 4096), far, rel});
      lists[end / 4096].adjacency.push_back({0, true, false, static_cast<uint32_t>(end % 4096), far, rel});
      rel_properties[id] = {{kNumber, Packing::kPlain, Value(static_cast<int64_t>(random.Below(1'000'000)))}};
      rels[id / 4096].chunk = id / 4096;
      rels[id / 4096].relationships.push_back({static_cast<uint32_t>(id % 4096), true, false, start, end, &rel_properties[id]});
    }
    for (NodeChunkEdit& chunk : lists) std::sort(chunk.adjacency.begin(), chunk.adjacency.end());
  }
};

template <typename Edit>
void Write(benchmark::State& state, const std::vector<Edit>& edits, size_t items) {
  for (auto _ : state) {
    state.PauseTiming();
    Store store;
    BaseWriter writer(store.context, store.file.get(), {});
    state.ResumeTiming();
    for (const Edit& edit : edits) {
      if (!writer.Apply(edit).ok()) state.SkipWithError("apply");
    }
    state.PauseTiming();
    (void)writer.Finish(1);
    (void)store.file->FinishWriting();
    state.counters["bytes"] = static_cast<double>(store.file->file_pages() * kPageBytes) / static_cast<double>(items);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * items));
}
LabelSets* SharedSets() {
  static LabelSets sets;
  return &sets;
}
const Edits& SharedEdits() {
  static const Edits edits(SharedSets());
  return edits;
}
void BM_BaseWriteNodes(benchmark::State& state) { Write(state, SharedEdits().nodes, kNodes); }
void BM_BaseWriteRelationships(benchmark::State& state) { Write(state, SharedEdits().rels, kRels); }
void BM_BaseWriteLists(benchmark::State& state) { Write(state, SharedEdits().lists, 2 * kRels); }
BENCHMARK(BM_BaseWriteNodes)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_BaseWriteRelationships)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_BaseWriteLists)->Unit(benchmark::kMillisecond);

struct Written : Store {
  Written() {
    BaseWriter writer(context, file.get(), {});
    for (uint64_t i = 0; i < kChunks; ++i) {
      NodeChunkEdit edit = SharedEdits().nodes[i];
      edit.adjacency = SharedEdits().lists[i].adjacency;
      (void)writer.Apply(edit);
    }
    base = OpenBase(context, writer.Finish(1).value());
    (void)file->FinishWriting();
    file->Committed();
  }
  std::shared_ptr<const Base> base;
};
const Base& WrittenBase() {
  static const Written written;
  return *written.base;
}

void BM_BaseGather(benchmark::State& state) {
  const PropertyId key(static_cast<uint32_t>(state.range(0)));
  std::vector<NodeId> ids(1024);
  std::vector<Value> out(1024);
  uint64_t at = 0;
  for (auto _ : state) {
    for (NodeId& id : ids) id = NodeId(at++ % kNodes);
    WrittenBase().Gather(std::span<const NodeId>(ids), key, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * ids.size()));
}
BENCHMARK(BM_BaseGather)->Arg(1)->Arg(2);

void BM_BaseNeighbours(benchmark::State& state) {
  Random random(1);
  std::vector<Neighbour> out;
  for (auto _ : state) {
    out.clear();
    WrittenBase().Neighbours(NodeId(random.Below(kNodes)), TypeId(0), false, 0, 100, &out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_BaseNeighbours);

void BM_BaseProperty(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(WrittenBase().Property(NodeId(random.Below(kNodes)), kNumber));
}
BENCHMARK(BM_BaseProperty);

}  // namespace
}  // namespace fornix::storage
