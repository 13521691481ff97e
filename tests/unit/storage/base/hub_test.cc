// Lists that grow out of their pieces and come back; what a change of them costs.
#include "tests/unit/storage/base/model.h"

namespace fornix::storage::base_test {
namespace {

constexpr uint64_t kHub = 17;

struct HubStore {
  TestFile file;
  Random random{77};
  Model model;
  BaseRoots roots;
  Timestamp now = 0;
  uint64_t next_rel = 0;
  size_t written = 0;

  HubStore() {
    file.file->set_pace([this](size_t bytes) { written += bytes; });
    Model first;
    for (uint64_t id = 0; id < 3000; ++id) first.used_nodes.insert(id);
    first.used_nodes.insert(9000);
    for (const uint64_t id : first.used_nodes) first.nodes[id] = {};
    Step(std::move(first));
  }
  // Relationships of type 0 alone: ids in chunks 0, 3, 6, ...
  uint64_t NextRel() {
    const uint64_t id = next_rel++;
    return id / 4096 * 3 * 4096 + id % 4096;
  }
  void Add(Model* to, uint64_t start, uint64_t end) { to->AddRel(NextRel(), {start, end, {}}); }
  size_t Step(Model next, bool compare = true) {
    written = 0;
    roots = Checkpoint(file, roots, model, next, ++now, file.seq < 1 ? 0 : file.seq - 1);
    const size_t bytes = written;
    model = std::move(next);
    if (compare) {
      Compare(*OpenBase(file.context, roots), model, random);
      CheckWhole(file, roots);
    }
    return bytes;
  }
};

}  // namespace

TEST_CASE("a hub's list leaves its piece, grows over leaves, shrinks and comes back, and always says the same as the model") {
  HubStore store;
  const std::vector<int> sizes = {2000, 2048, 2049, 2300, 9000, 24'000, 23'990, 12'000, 1500, 1023, 1500, 2500, 0, 3};
  for (const int size : sizes) {
    INFO("to " << size);
    Model next = store.model;
    auto degree = [&next] { return next.around.contains(kHub) ? next.around[kHub].size() : 0; };
    while (degree() < static_cast<size_t>(size)) {
      const uint64_t other = store.random.OneIn(50)   ? 42
                             : store.random.OneIn(99) ? kHub
                                                      : store.random.Below(3000);  // many to one, and loops
      if (store.random.OneIn(3)) store.Add(&next, other, kHub); else store.Add(&next, kHub, other);
    }
    while (degree() > static_cast<size_t>(size)) {
      auto it = next.around[kHub].lower_bound(store.random.Below(store.next_rel * 3));
      if (it == next.around[kHub].end()) it = next.around[kHub].begin();
      next.RemoveRel(*it);
    }
    store.Step(std::move(next));
  }
  Model gone = store.model;
  gone.RemoveNode(kHub);
  store.Step(std::move(gone));
}

TEST_CASE("a few relationships at a hub rewrite the leaves they fall into, and no others") {
  HubStore store;
  Model next = store.model;
  for (int i = 0; i < 60'000; ++i) store.Add(&next, kHub, store.random.Below(3000));
  const size_t all = store.Step(next, false);
  next = store.model;
  store.Add(&next, kHub, 9000);   // the last leaf alone
  const size_t one = store.Step(next, false);
  INFO(one << " of " << all);
  // A leaf, the fences, two pieces of lists, two chunks, ends and directories.
  REQUIRE(one < 150'000);
  REQUIRE(all > 500'000);
  Compare(*OpenBase(store.file.context, store.roots), store.model, store.random);
}

TEST_CASE("an edit that contradicts the base is Corruption, and the writer is dead") {
  HubStore store;
  Model next = store.model;
  store.Add(&next, 1, 2);
  store.Step(next);
  for (const bool removed : {false, true}) {
    store.file.Begin();
    BaseWriter writer(store.file.context, store.file.file.get(), store.roots);
    NodeChunkEdit edit;
    edit.adjacency = {{0, false, removed, 1, 2, removed ? uint64_t{55} : uint64_t{0}}};
    REQUIRE(writer.Apply(edit).code() == Code::kCorruption);
    REQUIRE(writer.Apply(NodeChunkEdit{}).code() == Code::kCorruption);
    REQUIRE_FALSE(writer.Finish(9).ok());
    store.file.file->Abandon();
  }
  Compare(*OpenBase(store.file.context, store.roots), store.model, store.random);
}

}  // namespace fornix::storage::base_test
