#include "storage/txn/id_allocator.h"

#include <iostream>
#include <set>

#include "base/random.h"
#include "storage/graph/directory.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {
NodeId New(IdAllocator& ids, std::vector<LabelId> labels) { return ids.NewNode(labels).value(); }
}  // namespace

TEST_CASE("label sets share a chunk until they are large, relationship chunks hold one type") {
  IdAllocator ids;
  const std::vector<LabelId> a{LabelId(1)}, b{LabelId(2)};
  for (int i = 0; i < 999; ++i) New(ids, a);
  CHECK(ChunkOf(New(ids, b).value) == 0);
  CHECK(ChunkOf(New(ids, a).value) == 0);
  CHECK(ChunkOf(New(ids, a).value) == 1);      // the 1,001st
  CHECK(ChunkOf(New(ids, b).value) == 0);
  CHECK(ChunkOf(New(ids, a).value) == 1);
  CHECK(ids.NewRelationship(TypeId(0)).value().value == 0);
  CHECK(ids.NewRelationship(TypeId(1)).value().value == 4096);
  CHECK(ids.NewRelationship(TypeId(0)).value().value == 1);
}

TEST_CASE("the last id is handed out, and the next is refused by name") {
  IdAllocator ids;
  IdAllocator::Snapshot end;
  end.node_chunks = end.relationship_chunks = kIdsMax / kChunkElements;
  end.shared_next = kIdsMax - 1;
  end.shared_end = kIdsMax;
  end.types = {{TypeId(3), kIdsMax - 1, kIdsMax}};
  ids.Restore(end);
  CHECK(New(ids, {}).value == kIdsMax - 1);
  CHECK(ids.NewRelationship(TypeId(3)).value().value == kIdsMax - 1);
  for (const Status& status : {ids.NewNode({}).status(), ids.NewRelationship(TypeId(3)).status(), ids.NewRelationship(TypeId(4)).status()}) {
    CHECK(status.code() == Code::kLimitExceeded);
    CHECK(status.message().find("2^40") != std::string::npos);
  }
}

TEST_CASE("no id comes twice, through observed logs and saved states") {
  const uint64_t seed = GENERATE(1, 2, 3, 4);
  std::cout << "seed=" << seed << "\n";
  Random random(seed);
  std::set<uint64_t> nodes, rels;              // that were committed
  IdAllocator first;
  IdAllocator* ids = &first;
  std::unique_ptr<IdAllocator> next;
  std::vector<std::pair<NodeId, std::vector<LabelId>>> log;
  std::vector<std::pair<RelId, TypeId>> rel_log;
  for (int session = 0; session < 4; ++session) {
    for (int i = 0; i < 6000; ++i) {
      std::vector<LabelId> labels{LabelId(static_cast<uint32_t>(random.Below(4) * random.Below(2)))};
      const NodeId id = New(*ids, labels);
      const TypeId type(static_cast<uint32_t>(random.Below(3)));
      const RelId rel = ids->NewRelationship(type).value();
      if (random.OneIn(10)) continue;          // rolled back: may come again after a restart
      if (!nodes.insert(id.value).second) FAIL("node " << id.value << " twice");
      if (!rels.insert(rel.value).second) FAIL("relationship " << rel.value << " twice");
      // Commit order is not the order of ids.
      log.insert(log.end() - static_cast<long>(random.Below(std::min<size_t>(log.size() + 1, 5))), {id, labels});
      rel_log.emplace_back(rel, type);
    }
    auto restarted = std::make_unique<IdAllocator>();
    if (session % 2 == 0) {
      restarted->Restore(ids->Save());
    } else {
      for (const auto& [id, labels] : log) restarted->ObserveNode(id, labels);
      for (const auto& [rel, type] : rel_log) restarted->ObserveRelationship(rel, type);
    }
    next = std::move(restarted);
    ids = next.get();
  }
}

}  // namespace fornix::storage
