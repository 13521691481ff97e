#include "storage/bulk/chunk_builder.h"

#include <catch2/catch.hpp>
#include <iostream>
#include <thread>

#include "base/fault_file.h"
#include "base/random.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kChunk = 4096;

uint64_t Seed() {
  const char* given = std::getenv("FORNIX_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : SystemRandom64();
  std::cout << "seed=" << seed << "\n";
  return seed;
}

// Remembers what it is given, and what a BaseWriter would stumble over.
struct Recorder final : ChunkSink {
  struct StoredNode {
    std::vector<uint32_t> labels;
    StoredProperties properties;
  };
  struct StoredRelationship {
    uint32_t type;
    uint64_t start, end;
    int64_t property;                          // of key 1; -1 if it has none
  };
  std::map<uint64_t, StoredNode> nodes;
  std::map<uint64_t, StoredRelationship> relationships;
  std::map<uint64_t, std::vector<std::tuple<uint32_t, bool, uint64_t, uint64_t>>> lists;   // node -> type, incoming, neighbour, relationship
  int64_t last_node_chunk = -1, last_rel_chunk = -1;
  bool ordered = true;
  int fail_after = -1;

  Status Apply(const NodeChunkEdit& edit) override {
    ordered &= static_cast<int64_t>(edit.chunk) > last_node_chunk;
    last_node_chunk = static_cast<int64_t>(edit.chunk);
    int64_t slot = -1;
    for (const NodeEdit& node : edit.nodes) {
      ordered &= node.slot > slot && node.labels != nullptr && !node.deleted;
      slot = node.slot;
      StoredNode stored;
      for (LabelId label : node.labels->labels) stored.labels.push_back(label.value);
      stored.properties = *node.properties;
      nodes[edit.chunk * kChunk + node.slot] = stored;
    }
    for (size_t i = 0; i < edit.adjacency.size(); ++i) {
      const AdjacencyEdit& a = edit.adjacency[i];
      ordered &= !a.removed && (i == 0 || edit.adjacency[i - 1] < a);
      lists[edit.chunk * kChunk + a.slot].emplace_back(a.type, a.incoming, a.neighbour, a.relationship);
    }
    return Status::Ok();
  }
  Status Apply(const RelChunkEdit& edit) override {
    if (fail_after-- == 0) return Status(Code::kIoError, "the disk is full");
    ordered &= static_cast<int64_t>(edit.chunk) > last_rel_chunk;
    last_rel_chunk = static_cast<int64_t>(edit.chunk);
    int64_t slot = -1;
    for (const RelEdit& r : edit.relationships) {
      ordered &= static_cast<int64_t>(r.slot) > slot && r.created;
      slot = r.slot;
      const int64_t property = r.properties->empty() ? -1 : r.properties->at(0).value.AsInteger();
      relationships[edit.chunk * kChunk + r.slot] = {edit.type, r.start, r.end, property};
    }
    return Status::Ok();
  }
};

}  // namespace

TEST_CASE("bulk load: every node and relationship arrives once, in order, with both lists, however little memory there is") {
  const uint64_t seed = Seed();
  for (uint64_t memory : {uint64_t{0}, uint64_t{1} << 30}) {
    Random random(seed);
    FaultFileSystem files;
    auto temp = TempFiles::Create(files, "x.tmp");
    REQUIRE(temp.ok());
    LabelSets label_sets;
    auto spool = NodeSpool::Create(temp->get());
    REQUIRE(spool.ok());
    std::vector<const LabelSet*> sets = {label_sets.Intern({}), label_sets.Intern(std::vector{LabelId(3)}),
                                         label_sets.Intern(std::vector{LabelId(1), LabelId(3)})};
    std::map<uint64_t, std::pair<const LabelSet*, int64_t>> expected_nodes;
    std::vector<uint64_t> ids;
    for (int64_t i = 0; i < 12'000; ++i) {
      const LabelSet* labels = sets[random.OneIn(20) ? 0 : 1 + random.Below(2)];
      RowBytes row;
      row.Integer(PropertyId(0), i);
      if (random.OneIn(3)) row.String(PropertyId(2), std::string(random.Below(200), 'x'));
      auto id = (*spool)->Add(labels, row.bytes());
      REQUIRE(id.ok());
      CHECK(expected_nodes.emplace(*id, std::pair(labels, i)).second);
      ids.push_back(*id);
    }
    REQUIRE((*spool)->Flush().ok());
    auto sorter = std::make_unique<RunSorter>(temp->get(), "relationships", memory);
    using Wanted = std::tuple<uint32_t, uint64_t, uint64_t, int64_t>;
    std::vector<Wanted> wanted[2];
    const uint64_t hub = ids[random.Below(ids.size())];
    auto write = [&](int part) {               // two writers at once
      Random own(seed + static_cast<uint64_t>(part));
      RunSorter::Writer writer(sorter.get());
      for (uint64_t i = 0; i < 40'000; ++i) {
        const TypeId type(own.OneIn(50) ? 9 : static_cast<uint32_t>(own.Below(3)));
        const uint64_t start = own.OneIn(8) ? hub : ids[own.Below(ids.size())];
        const uint64_t end = own.OneIn(30) ? start : own.OneIn(8) ? hub : ids[own.Below(ids.size())];
        RowBytes row;
        const int64_t property = own.OneIn(4) ? -1 : static_cast<int64_t>(own.Below(1000));
        if (property >= 0) row.Integer(PropertyId(1), property);
        if (!writer.Add(RelationshipKey(type, start, end, i * 2 + static_cast<uint64_t>(part)), row.bytes()).ok()) std::abort();
        wanted[part].emplace_back(type.value, start, end, property);
      }
      if (!writer.Close().ok()) std::abort();
    };
    std::thread other(write, 1);
    write(0);
    other.join();
    CHECK(sorter->records() == 80'000);

    Recorder sink;
    IdAllocator::Snapshot saved;
    BuildProgress progress;
    REQUIRE(BuildChunks(**spool, std::move(sorter), temp->get(), memory, &sink, progress, &saved).ok());
    (*spool)->Save(&saved);
    CHECK(sink.ordered);

    REQUIRE(sink.nodes.size() == expected_nodes.size());
    size_t wrong = 0;
    for (const auto& [id, node] : sink.nodes) {
      const auto& [labels, number] = expected_nodes.at(id);
      std::vector<uint32_t> names;
      for (LabelId label : labels->labels) names.push_back(label.value);
      wrong += node.labels != names || node.properties.at(0).value != Value(number);
    }
    CHECK(wrong == 0);

    std::vector<Wanted> got, all = wanted[0];
    all.insert(all.end(), wanted[1].begin(), wanted[1].end());
    std::map<uint64_t, std::vector<std::tuple<uint32_t, bool, uint64_t, uint64_t>>> lists;
    for (const auto& [id, r] : sink.relationships) {
      got.emplace_back(r.type, r.start, r.end, r.property);
      lists[r.start].emplace_back(r.type, false, r.end, id);
      lists[r.end].emplace_back(r.type, true, r.start, id);
    }
    std::sort(got.begin(), got.end());
    std::sort(all.begin(), all.end());
    CHECK(got == all);
    for (auto& [node, list] : lists) std::sort(list.begin(), list.end());
    CHECK(lists == sink.lists);

    // The allocator goes on where the load ended: no id comes twice.
    IdAllocator allocator;
    allocator.Restore(saved);
    for (int i = 0; i < 10'000; ++i) {
      auto node = allocator.NewNode(sets[static_cast<size_t>(i) % 3]->labels);
      auto relationship = allocator.NewRelationship(TypeId(static_cast<uint32_t>(i) % 4));
      REQUIRE((node.ok() && relationship.ok()));
      if (expected_nodes.contains(node->value) || sink.relationships.contains(relationship->value)) FAIL("an id came twice");
    }
  }
}

TEST_CASE("bulk load: an error of the writing side ends the load with that error") {
  FaultFileSystem files;
  auto temp = TempFiles::Create(files, "x.tmp");
  LabelSets label_sets;
  auto spool = NodeSpool::Create(temp->get());
  REQUIRE((*spool)->Add(label_sets.Intern({}), {}).ok());
  REQUIRE((*spool)->Flush().ok());
  auto sorter = std::make_unique<RunSorter>(temp->get(), "relationships", 1 << 20);
  RunSorter::Writer writer(sorter.get());
  for (uint64_t i = 0; i < 50'000; ++i) REQUIRE(writer.Add(RelationshipKey(TypeId(0), 0, 0, i), {}).ok());
  REQUIRE(writer.Close().ok());
  Recorder sink;
  sink.fail_after = 2;
  IdAllocator::Snapshot saved;
  const Status status = BuildChunks(**spool, std::move(sorter), temp->get(), 1 << 20, &sink, {}, &saved);
  CHECK(status.code() == Code::kIoError);
  CHECK(status.message() == "the disk is full");
}

TEST_CASE("bulk load: its directory goes with it, and what an earlier one left is removed") {
  FaultFileSystem files;
  REQUIRE(files.CreateDir("x.tmp").ok());
  REQUIRE(files.Open("x.tmp/old", {.write = true, .create = true}).ok());
  {
    auto temp = TempFiles::Create(files, "x.tmp");
    REQUIRE(temp.ok());
    CHECK(files.List("x.tmp")->empty());
    REQUIRE((*temp)->NewFile("a").ok());
  }
  CHECK(*files.Kind("x.tmp") == FileKind::kNone);
}

}  // namespace fornix::storage
