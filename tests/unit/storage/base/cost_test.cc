// What a change writes and what a read reads: patches, lists of floats, large values.
#include "tests/unit/storage/base/model.h"

namespace fornix::storage::base_test {
namespace {

struct Nodes {
  TestFile file;
  Random random{5};
  Model model;
  BaseRoots roots;
  Timestamp now = 0;
  size_t written = 0;
  Nodes() { file.file->set_pace([this](size_t bytes) { written += bytes; }); }
  void Put(uint64_t id, PropertyList properties) {
    model.used_nodes.insert(id);
    model.nodes[id] = {{}, std::move(properties)};
  }
  size_t Step(const Model& before) {
    written = 0;
    roots = Checkpoint(file, roots, before, model, ++now, file.seq < 1 ? 0 : file.seq - 1);
    return written;
  }
  void Verify() {
    Compare(*OpenBase(file.context, roots), model, random);
    CheckWhole(file, roots);
  }
};
Value RandomVector(Random& random, size_t dimensions) {
  std::vector<float> elements(dimensions);
  for (float& f : elements) f = static_cast<float>(random.Unit());
  return Value::Vector(std::move(elements));
}
constexpr PropertyId kFirst{0}, kSecond{1};

}  // namespace

TEST_CASE("a changed number is a patch: the chunk's main extent and the directory are written, nothing else") {
  Nodes nodes;
  for (uint64_t id = 0; id < 4096; ++id) nodes.Put(id, {{kFirst, Value(static_cast<int64_t>(nodes.random.Below(1 << 20)))}});
  nodes.Step({});
  for (int i = 0; i < 3; ++i) {
    const Model before = nodes.model;
    nodes.model.nodes[nodes.random.Below(4096)].properties = {{kFirst, Value(int64_t{i})}};
    REQUIRE(nodes.Step(before) <= 5 * kPageBytes);   // main extent, leaf, root, free map
  }
  nodes.Verify();
  // An eighth and more: the patches go into the piece.
  const Model before = nodes.model;
  for (uint64_t id = 0; id < 600; ++id) nodes.model.nodes[id * 3].properties = {{kFirst, Value(static_cast<int64_t>(id))}};
  REQUIRE(nodes.Step(before) >= 10'000);
  nodes.Verify();
}

TEST_CASE("one changed vector rewrites its block, and reading one reads its pages") {
  Nodes nodes;
  for (uint64_t id = 0; id < 2000; ++id)
    nodes.Put(id, {{kFirst, RandomVector(nodes.random, 384)}, {kSecond, Value(static_cast<int64_t>(id))}});
  const size_t all = nodes.Step({});
  REQUIRE(all > 2000 * 384 * 4);
  nodes.Verify();
  Model before = nodes.model;
  nodes.model.nodes[1234].properties[0].second = RandomVector(nodes.random, 384);
  REQUIRE(nodes.Step(before) < 300'000);
  nodes.Verify();
  nodes.file.cache.EvictTo(0);
  const auto base = OpenBase(nodes.file.context, nodes.roots);
  REQUIRE(base->Property(NodeId(77), kFirst) == nodes.model.nodes[77].properties[0].second);
  REQUIRE(nodes.file.cache.bytes() < 60'000);   // directories, chunk, table and two pages
  // Another property leaves the vectors where they are; deleting half and changing the length doesn't.
  before = nodes.model;
  nodes.model.nodes[3].properties[1].second = Value(int64_t{-5});
  REQUIRE(nodes.Step(before) < 60'000);
  before = nodes.model;
  for (uint64_t id = 100; id < 1100; ++id) nodes.model.RemoveNode(id);
  nodes.Step(before);
  nodes.Verify();
  before = nodes.model;
  for (uint64_t id = 1100; id < 2000; ++id) nodes.model.nodes[id].properties[0].second = RandomVector(nodes.random, 768);
  nodes.Step(before);
  nodes.Verify();
  before = nodes.model;
  for (auto& [id, node] : nodes.model.nodes) node.properties[0].second = Value("no vector any more");
  nodes.Step(before);
  nodes.Verify();
}

TEST_CASE("vectors of deleted nodes leave their blocks once they are the most of them") {
  Nodes nodes;
  for (uint64_t id = 0; id < 2000; ++id) nodes.Put(id, {{kFirst, RandomVector(nodes.random, 384)}});
  nodes.Step({});
  const Model before = nodes.model;
  for (uint64_t id = 0; id < 2000; ++id) {
    if (id % 50 != 0) nodes.model.RemoveNode(id);
  }
  nodes.Step(before);
  nodes.Verify();
  uint64_t pages = 0;
  BaseCheck check;
  check.extent = [&pages](const ExtentRef& ref, ExtentKind kind, uint64_t) {
    pages += kind == ExtentKind::kFloats ? ref.pages : 0;
    return Status::Ok();
  };
  Must(CheckBase(nodes.file.context, nodes.roots, check));
  REQUIRE(pages < 60);   // of 760
}

TEST_CASE("a large value lies in a blob: it isn't written again with its neighbours, and its pages are free when it goes") {
  Nodes nodes;
  std::string text(10 << 20, 'x');
  for (char& c : text) c = static_cast<char>(nodes.random.Below(256));
  for (uint64_t id = 0; id < 20; ++id) nodes.Put(id, {{kFirst, Value(static_cast<int64_t>(id))}, {kSecond, Value("short")}});
  nodes.model.nodes[7].properties[1].second = Value(text);
  nodes.Step({});
  nodes.Verify();
  Model before = nodes.model;
  nodes.model.nodes[7].properties[0].second = Value(int64_t{700});
  nodes.model.nodes[8].properties[1].second = Value("changed");
  REQUIRE(nodes.Step(before) < 100'000);
  nodes.Verify();
  before = nodes.model;
  nodes.model.RemoveNode(7);
  nodes.Step(before);
  nodes.Verify();
  before = nodes.model;
  nodes.Put(30, {{kSecond, Value(text.substr(5))}});
  nodes.Step(before);
  nodes.Verify();
  REQUIRE(nodes.file.file->file_pages() * kPageBytes < 3 * text.size());
}

TEST_CASE("long texts are split by slots, so that a cold point read is small") {
  Nodes nodes;
  for (uint64_t id = 0; id < 4096; ++id) {
    std::string text(1000, ' ');
    for (char& c : text) c = static_cast<char>(33 + nodes.random.Below(90));
    nodes.Put(id, {{kFirst, Value(text)}});
  }
  nodes.Step({});
  nodes.file.cache.EvictTo(0);
  const auto base = OpenBase(nodes.file.context, nodes.roots);
  REQUIRE(base->Property(NodeId(2222), kFirst) == nodes.model.nodes[2222].properties[0].second);
  REQUIRE(nodes.file.cache.bytes() < 120'000);   // of 4 MB
  Model before = nodes.model;
  for (const uint64_t id : {5, 2000, 4095}) nodes.model.nodes[id].properties.clear();
  nodes.Step(before);
  nodes.Verify();
}

}  // namespace fornix::storage::base_test
