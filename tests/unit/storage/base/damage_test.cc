// Damaged extents of every kind: behind the checksums, as if they had been written so. Readers throw or answer; nothing crashes.
#include "tests/unit/storage/base/model.h"

namespace fornix::storage::base_test {
namespace {

// The file with one extent that reads differently.
class DamagedFile : public ExtentFile {
 public:
  explicit DamagedFile(const ExtentFile& file) : file_(file) {}
  uint32_t page = 0;
  std::function<void(std::vector<std::byte>*)> damage;

  Result<ExtentBytes> Read(const ExtentRef& ref, ExtentKind kind, uint64_t owner) const override {
    Result<ExtentBytes> bytes = file_.Read(ref, kind, owner);
    if (bytes.ok() && ref.page == page) damage(&bytes->bytes);
    return bytes;
  }
  Status ReadPages(const ExtentRef& ref, uint32_t first, std::span<const uint32_t> crcs, std::span<std::byte> out) const override {
    return file_.ReadPages(ref, first, crcs, out);
  }
  uint64_t file_pages() const override { return file_.file_pages(); }
  const std::string& path() const override { return file_.path(); }
  Status BeginWriting(uint64_t, uint64_t) override { return Status(Code::kUsage, "read only"); }
  Result<ExtentRef> Write(ExtentKind, uint64_t, std::span<const std::byte>, Compress) override { return Status(Code::kUsage, "read only"); }
  Result<ExtentRef> WriteFloats(uint64_t, std::span<const std::byte>, std::span<const std::byte>) override {
    return Status(Code::kUsage, "read only");
  }
  void Free(const ExtentRef&) override {}
  Result<ExtentRef> FinishWriting() override { return Status(Code::kUsage, "read only"); }
  void Committed() override {}
  void Abandon() override {}
  void set_pace(std::function<void(size_t)>) override {}
  void Pace() override {}
  uint64_t free_pages() const override { return 0; }
  Result<std::vector<std::pair<uint32_t, uint32_t>>> FreeRanges() const override { return std::vector<std::pair<uint32_t, uint32_t>>(); }
  Result<std::vector<ExtentRef>> FreeMapExtents() const override { return std::vector<ExtentRef>(); }

 private:
  const ExtentFile& file_;
};

// Asks everything; returns how many calls failed.
size_t Exercise(const Base& base, const Model& model) {
  size_t failures = 0;
  auto attempt = [&failures](auto call) {
    try {
      call();
    } catch (const ReadFailure& failure) {
      if (failure.status().code() != Code::kCorruption || failure.status().message().empty())
        FAIL("another failure: " << failure.status().ToString());
      ++failures;
    }
  };
  PropertyList properties;
  std::vector<NodeId> ids;
  std::vector<RelId> rels;
  for (const uint64_t id : model.used_nodes) ids.emplace_back(id);
  for (const uint64_t id : model.used_rels) rels.emplace_back(id);
  std::vector<Value> values(std::max(ids.size(), rels.size()));
  std::vector<const LabelSet*> sets(ids.size());
  for (uint32_t key = 0; key < Model::kProperties; ++key) {
    attempt([&] { base.Gather(std::span<const NodeId>(ids), PropertyId(key), values.data()); });
    attempt([&] { base.Gather(std::span<const RelId>(rels), PropertyId(key), values.data()); });
  }
  attempt([&] { base.GatherLabels(ids, sets.data()); });
  std::vector<Neighbour> neighbours;
  std::vector<RelId> between;
  std::vector<TypeId> types;
  for (size_t i = 0; i < ids.size(); i += 3) {
    attempt([&] { base.Properties(ids[i], &properties); });
    attempt([&] { (void)base.Labels(ids[i]); });
    for (uint32_t type = 0; type < Model::kTypes; ++type) {
      neighbours.clear();
      attempt([&] { base.Neighbours(ids[i], TypeId(type), i % 2 == 0, 0, 100'000, &neighbours); });
      attempt([&] { base.Between(ids[i], TypeId(type), i % 2 == 0, ids[i / 2], &between); });
      attempt([&] { (void)base.Loops(ids[i], TypeId(type)); });
      attempt([&] { (void)base.Degree(ids[i], TypeId(type), i % 2 == 0); });
    }
    attempt([&] { base.Types(ids[i], &types); });
  }
  for (size_t i = 0; i < rels.size(); i += 5) {
    attempt([&] { base.Properties(rels[i], &properties); });
    attempt([&] { (void)base.Ends(rels[i]); });
  }
  std::vector<uint64_t> out(10'000);
  for (uint32_t token = 0; token < 4; ++token) {
    attempt([&] { (void)base.Nodes(LabelId(token), 0, out.data(), out.size()); });
    attempt([&] { (void)base.Relationships(TypeId(token), 0, out.data(), out.size()); });
    attempt([&] { (void)base.LabelCount(LabelId(token)); });
  }
  attempt([&] { (void)base.Nodes({}, 0, out.data(), out.size()); });
  return failures;
}

}  // namespace

TEST_CASE("bit flips behind the checksums, in extents of every kind, give Corruption or other answers, and the check sees them") {
  const uint64_t seed = 5;
  INFO("seed=" << seed);
  Random random(seed);
  TestFile file;
  Model empty, model;
  for (uint64_t id = 0; id < 700; ++id) {
    const uint64_t node = id < 600 ? id : 8192 + id;
    model.used_nodes.insert(node);
    model.nodes[node] = {RandomLabels(random), RandomProperties(random, true)};
    if (id < 500) SetInList(&model.nodes[node].properties, PropertyId(5), RandomValue(random, true));
    if (id < 550) {
      std::vector<float> elements(100, static_cast<float>(id));
      SetInList(&model.nodes[node].properties, PropertyId(4), Value::Vector(std::move(elements)));
    }
  }
  for (uint64_t id = 0; id < 2600; ++id) {
    model.used_rels.insert(id);
    model.AddRel(id, {7, random.Below(600), {{PropertyId(0), Value(static_cast<int64_t>(random.Next() % 100'000))}}});
  }
  BaseRoots roots = Checkpoint(file, {}, empty, model, 1);
  Model next = model;   // with patches
  for (uint64_t id = 10; id < 30; ++id) next.rels[id].properties[0].second = Value(int64_t{1});
  roots = Checkpoint(file, roots, model, next, 2);
  model = next;

  std::map<ExtentKind, std::vector<ExtentRef>> extents;
  BaseCheck collect;
  collect.extent = [&](const ExtentRef& ref, ExtentKind kind, uint64_t) {
    extents[kind].push_back(ref);
    return Status::Ok();
  };
  collect.problem = [](std::string text) { FAIL(text); };
  Must(CheckBase(file.context, roots, collect));
  for (const ExtentKind kind : {ExtentKind::kDirectoryRoot, ExtentKind::kDirectoryLeaf, ExtentKind::kTokenLists, ExtentKind::kChunk,
                                ExtentKind::kPiece, ExtentKind::kHubRoot, ExtentKind::kHubLeaf, ExtentKind::kBlob, ExtentKind::kFloats}) {
    INFO("kind " << static_cast<int>(kind));
    REQUIRE_FALSE(extents[kind].empty());
    size_t noticed = 0;
    for (int round = 0; round < 25; ++round) {
      DamagedFile damaged(*file.file);
      damaged.page = extents[kind][random.Below(extents[kind].size())].page;
      const uint64_t round_seed = random.Next();
      damaged.damage = [round_seed](std::vector<std::byte>* bytes) {   // the same at every read
        Random flips(round_seed);
        for (uint64_t n = 1 + flips.Below(3); n > 0; --n) (*bytes)[flips.Below(bytes->size())] ^= std::byte(1u << flips.Below(8));
        if (flips.OneIn(5)) bytes->resize(flips.Below(bytes->size()));
      };
      FrameCache cache(&file.budget);
      const BaseContext context{&damaged, &cache, &file.label_sets};
      const size_t failures = Exercise(*OpenBase(context, roots), model);
      size_t problems = 0;
      BaseCheck check;
      check.problem = [&problems](std::string) { ++problems; };
      const Status status = CheckBase(context, roots, check);
      noticed += failures > 0 || problems > 0 || !status.ok();
    }
    INFO(noticed << " of 25 noticed");
    REQUIRE(noticed > 0);
  }
}

TEST_CASE("roots come back, and damaged ones are Corruption") {
  BaseRoots roots;
  roots.timestamp = 9;
  roots.node_directory = {10, 1, 3};
  roots.token_lists = {12, 2, 3};
  roots.nodes = 5;
  ByteWriter out;
  EncodeBaseRoots(roots, &out);
  ByteReader in(out.bytes());
  const BaseRoots back = Must(DecodeBaseRoots(&in, 100));
  REQUIRE(in.empty());
  REQUIRE(back.timestamp == 9);
  REQUIRE(back.node_directory == roots.node_directory);
  REQUIRE(back.token_lists == roots.token_lists);
  REQUIRE(back.nodes == 5);
  ByteReader small(out.bytes());
  REQUIRE(DecodeBaseRoots(&small, 11).status().code() == Code::kCorruption);
  roots.relationships = 1;   // without a directory
  ByteWriter wrong;
  EncodeBaseRoots(roots, &wrong);
  ByteReader wrong_in(wrong.bytes());
  REQUIRE(DecodeBaseRoots(&wrong_in, 100).status().code() == Code::kCorruption);
}

}  // namespace fornix::storage::base_test
