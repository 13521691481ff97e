// The store below everything: what a point lookup, an expansion, a commit and a replay cost without a query around them.
#include <benchmark/benchmark.h>

#include "base/fault_file.h"
#include "base/random.h"
#include "storage/store.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kNodes = 100'000, kRelationshipsPerNode = 3;

std::unique_ptr<Store> OpenMemory() { return std::move(Store::Open(PosixFileSystem(), ":memory:", {})).value(); }

// Nodes (:P {k}) with three random relationships each and a range index on k, like WordNet in size.
struct Graph {
  std::unique_ptr<Store> store = OpenMemory();
  std::vector<NodeId> nodes;
  IndexId index;
  TypeId type;
  PropertyId key;
  Graph() {
    auto ddl = store->Begin().value();
    IndexDefinition d;
    d.name = std::string("k");   // assigned from a literal, g++ 12 -O2 sees an overlapping copy
    d.tokens = {ddl->InternLabel("P").value().value};
    d.properties = {ddl->InternProperty("k").value()};
    static_cast<void>(ddl->CreateIndex(d, false).value());
    static_cast<void>(ddl->Commit().value());
    index = store->schema()->FindIndex("k")->id;
    Random random(1);
    auto t = store->Begin().value();
    type = t->InternType("R").value();
    key = t->InternProperty("k").value();
    const LabelId label[] = {t->InternLabel("P").value()};
    for (uint64_t i = 0; i < kNodes; ++i) {
      nodes.push_back(t->CreateNode(label, {{key, static_cast<int64_t>(i)}}).value());
    }
    for (uint64_t i = 0; i < kNodes * kRelationshipsPerNode; ++i) {
      static_cast<void>(t->CreateRelationship(nodes[i % kNodes], type, nodes[random.Below(kNodes)], {}).value());
    }
    static_cast<void>(t->Commit().value());
  }
};
Graph& SharedGraph() {
  static Graph graph;
  return graph;
}

void BM_StoreBegin(benchmark::State& state) {
  Graph& g = SharedGraph();
  for (auto _ : state) benchmark::DoNotOptimize(g.store->Begin(true));
}
BENCHMARK(BM_StoreBegin);

void BM_StoreSeekKeyAndProperty(benchmark::State& state) {
  Graph& g = SharedGraph();
  auto t = g.store->Begin(true).value();
  Random random(2);
  std::vector<uint64_t> found;
  for (auto _ : state) {
    found.clear();
    SeekPosition position;
    static_cast<void>(t->view().SeekIndex(g.index, ExactKey({static_cast<int64_t>(random.Below(kNodes))}), false, &position, 1, &found).ok());
    benchmark::DoNotOptimize(t->view().Property(NodeId(found[0]), g.key));
  }
}
BENCHMARK(BM_StoreSeekKeyAndProperty);

void BM_StoreExpand1Hop(benchmark::State& state) {
  Graph& g = SharedGraph();
  auto t = g.store->Begin(true).value();
  Random random(3);
  const TypeId types[] = {g.type};
  std::vector<Neighbour> out;
  for (auto _ : state) {
    out.clear();
    ScanPosition position;
    t->view().Expand(g.nodes[random.Below(kNodes)], types, Direction::kOutgoing, &position, ~size_t{0}, &out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_StoreExpand1Hop);

// From one node three hops on, frontier by frontier: about 39 neighbours.
void BM_StoreExpand3HopsBatched(benchmark::State& state) {
  Graph& g = SharedGraph();
  auto t = g.store->Begin(true).value();
  Random random(4);
  const TypeId types[] = {g.type};
  std::vector<NodeId> frontier;
  std::vector<uint32_t> parent;
  std::vector<Neighbour> out;
  for (auto _ : state) {
    frontier = {g.nodes[random.Below(kNodes)]};
    for (int hop = 0; hop < 3; ++hop) {
      parent.clear();
      out.clear();
      t->view().ExpandBatch(frontier, types, Direction::kOutgoing, &parent, &out);
      frontier.clear();
      for (const Neighbour& n : out) frontier.push_back(n.node);
    }
    benchmark::DoNotOptimize(frontier.data());
  }
}
BENCHMARK(BM_StoreExpand3HopsBatched);

void BM_StoreScanLabel(benchmark::State& state) {
  Graph& g = SharedGraph();
  auto t = g.store->Begin(true).value();
  const LabelId label = *g.store->tokens().labels.Find("P");
  std::vector<NodeId> out(1024);
  for (auto _ : state) {
    ScanPosition position;
    while (t->view().ScanLabel(label, &position, out.data(), out.size()) > 0) benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kNodes));
}
BENCHMARK(BM_StoreScanLabel)->Unit(benchmark::kMillisecond);

// One node, one indexed property, no disk.
void BM_StoreCommitCreate(benchmark::State& state) {
  Graph& g = SharedGraph();
  int64_t k = kNodes;
  for (auto _ : state) {
    auto t = g.store->Begin().value();
    const LabelId label[] = {t->InternLabel("P").value()};
    static_cast<void>(t->CreateNode(label, {{g.key, ++k}}).value());
    static_cast<void>(t->Commit().value());
  }
}
BENCHMARK(BM_StoreCommitCreate);

void BM_StoreCommitUpdate(benchmark::State& state) {
  Graph& g = SharedGraph();
  Random random(5);
  int64_t x = 0;
  for (auto _ : state) {
    auto t = g.store->Begin().value();
    static_cast<void>(t->SetProperty(g.nodes[random.Below(1000)], t->InternProperty("x").value(), ++x).ok());
    static_cast<void>(t->Commit().value());
  }
}
BENCHMARK(BM_StoreCommitUpdate);

// Building and committing one transaction of 100,000 nodes and 300,000 relationships.
void BM_StoreBulk(benchmark::State& state) {
  for (auto _ : state) Graph graph;
}
BENCHMARK(BM_StoreBulk)->Unit(benchmark::kMillisecond)->Iterations(1);

// Opening what BM_StoreBulk makes from a compact log, on a disk in memory.
void BM_StoreOpen(benchmark::State& state) {
  static FaultFileSystem* disk = [] {
    auto* files = new FaultFileSystem;
    static_cast<void>(files->CreateDir("/d").ok());
    auto store = Store::Open(*files, "/d/x.fornix", {}).value();
    Random random(1);
    auto t = store->Begin().value();
    const TypeId type = t->InternType("R").value();
    const PropertyId key = t->InternProperty("k").value();
    const LabelId label[] = {t->InternLabel("P").value()};
    std::vector<NodeId> nodes;
    for (uint64_t i = 0; i < kNodes; ++i) nodes.push_back(t->CreateNode(label, {{key, static_cast<int64_t>(i)}}).value());
    for (uint64_t i = 0; i < kNodes * kRelationshipsPerNode; ++i) {
      static_cast<void>(t->CreateRelationship(nodes[i % kNodes], type, nodes[random.Below(kNodes)], {}).value());
    }
    static_cast<void>(t->Commit().value());
    t.reset();
    static_cast<void>(store->Close().ok());
    return files;
  }();
  StoreOptions options;
  options.read_only = true;
  for (auto _ : state) benchmark::DoNotOptimize(Store::Open(*disk, "/d/x.fornix", options).value());
}
BENCHMARK(BM_StoreOpen)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace fornix::storage
