// What commits keep for the planner: counts, samples of types, and when plans made from them are out of date.
#include <algorithm>
#include <cmath>

#include "storage/stats/type_sampler.h"
#include "tests/unit/storage/fixture.h"

using namespace fornix;
using namespace fornix::storage;

namespace {

double Share(const TypeSample& sample, LabelId start, LabelId end) {
  double seen = 0;
  for (const auto& kind : sample.kinds) {
    const bool from = std::find(kind.start.begin(), kind.start.end(), start) != kind.start.end();
    const bool to = std::find(kind.end.begin(), kind.end.end(), end) != kind.end.end();
    if (from && to) seen += static_cast<double>(kind.seen);
  }
  return seen / static_cast<double>(sample.seen);
}

}  // namespace

TEST_CASE("a small type is sampled whole, and again when a commit has changed it") {
  TestStore s;
  auto t = s.Begin();
  const NodeId a = MakeNode(*t, "A"), b = MakeNode(*t, "B"), c = MakeNode(*t, "C");
  for (int i = 0; i < 30; ++i) MakeRelationship(*t, a, "T", i < 20 ? b : c);
  const LabelId la = L(*t, "A"), lb = L(*t, "B"), lc = L(*t, "C");
  const TypeId type = T(*t, "T");
  Must(t->Commit());
  const Statistics& statistics = s.store->statistics();
  const auto sample = statistics.Sample(type);
  REQUIRE(sample);
  CHECK(sample->seen == 30);
  CHECK(Share(*sample, la, lb) == Approx(2.0 / 3));
  CHECK(Share(*sample, la, lc) == Approx(1.0 / 3));
  CHECK(Share(*sample, lb, la) == 0);
  CHECK(statistics.Sample(type) == sample);
  t = s.Begin();
  for (int i = 0; i < 30; ++i) MakeRelationship(*t, a, "T", c);
  CHECK(statistics.Sample(type) == sample);      // not committed yet
  Must(t->Commit());
  CHECK(Share(*statistics.Sample(type), la, lc) == Approx(2.0 / 3));
}

TEST_CASE("a large type is sampled over all its ids, so a hub counts as often as it has relationships") {
  TestStore s;
  auto t = s.Begin();
  const NodeId hub = MakeNode(*t, "Hub");
  std::vector<NodeId> many;
  for (int i = 0; i < 2000; ++i) many.push_back(MakeNode(*t, "N"));
  // Two thirds lead to the hub, in blocks; other types lie between.
  for (int i = 0; i < 12000; ++i) {
    MakeRelationship(*t, many[static_cast<size_t>(i % 2000)], "T", i / 1000 % 3 < 2 ? hub : many[static_cast<size_t>(i * 7 % 2000)]);
    MakeRelationship(*t, hub, i % 2 ? "U" : "V", many[static_cast<size_t>(i % 2000)]);
  }
  const LabelId n = L(*t, "N"), h = L(*t, "Hub");
  const TypeId type = T(*t, "T");
  Must(t->Commit());
  const auto sample = s.store->statistics().Sample(type);
  REQUIRE(sample);
  CHECK(sample->seen < 1000);
  CHECK(sample->seen > 200);
  // Runs of neighbouring ids are looked at, and what leads to the hub stands in runs too: of a dozen or so of them a fifth is chance.
  CHECK(std::abs(Share(*sample, n, h) - 2.0 / 3) < 0.2);
  CHECK(std::abs(Share(*sample, n, n) - 1.0 / 3) < 0.2);
}

TEST_CASE("a type without relationships has no sample") {
  TestStore s;
  auto t = s.Begin();
  const TypeId type = T(*t, "T");
  MakeNode(*t, "A");
  Must(t->Commit());
  CHECK(s.store->statistics().Sample(type) == nullptr);
}

TEST_CASE("the epoch moves when a count has grown or shrunk several times, and not before") {
  TestStore s;
  const Statistics& statistics = s.store->statistics();
  const uint64_t first = statistics.Epoch();
  auto grow = [&](int nodes, const char* label) {
    auto t = s.Begin();
    for (int i = 0; i < nodes; ++i) MakeNode(*t, label);
    Must(t->Commit());
  };
  grow(300, "A");
  CHECK(statistics.Epoch() == first);
  grow(400, "A");
  const uint64_t second = statistics.Epoch();
  CHECK(second > first);
  grow(400, "A");
  CHECK(statistics.Epoch() == second);
  grow(4000, "B");
  const uint64_t third = statistics.Epoch();
  CHECK(third > second);
  auto t = s.Begin();
  for (uint64_t id : AllNodes(t->view())) {
    if (id >= 1100) Must(t->DeleteNode(NodeId(id), false));
  }
  Must(t->Commit());
  CHECK(statistics.Epoch() > third);
}
