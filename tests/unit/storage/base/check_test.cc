// The integrity check names what contradicts itself. The writer believes its edits, so edits that lie make such bases.
#include "tests/unit/storage/base/model.h"

namespace fornix::storage::base_test {
namespace {

struct Lies {
  std::vector<AdjacencyEdit> lists;
  std::vector<RelEdit> rels;
  uint64_t more_nodes = 0;
};

// Nodes 0 to 9 and what the lies say, then the texts of the check.
std::string Check(const Lies& lies) {
  TestFile file;
  file.Begin();
  BaseWriter writer(file.context, file.file.get(), {});
  NodeChunkEdit nodes;
  for (uint32_t slot = 0; slot < 10; ++slot) nodes.nodes.push_back({slot, false, file.label_sets.Intern(std::vector<LabelId>{LabelId(3)}), nullptr});
  nodes.adjacency = lies.lists;
  std::sort(nodes.adjacency.begin(), nodes.adjacency.end());
  Must(writer.Apply(nodes));
  RelChunkEdit rels;
  rels.type = 5;
  rels.relationships = lies.rels;
  Must(writer.Apply(rels));
  BaseRoots roots = Must(writer.Finish(1));
  file.Commit();
  roots.nodes += lies.more_nodes;
  std::string texts;
  uint64_t done = 0, all = 0;
  BaseCheck check;
  check.problem = [&texts](std::string text) { texts += text + "\n"; };
  check.progress = [&](uint64_t d, uint64_t a) { done = d, all = a; };
  Must(CheckBase(file.context, roots, check));
  REQUIRE(done == all);
  REQUIRE(done == (lies.rels.empty() ? 1u : 2u));
  return texts;
}
AdjacencyEdit In(uint32_t slot, uint64_t other, uint64_t rel) { return {5, true, false, slot, other, rel}; }
AdjacencyEdit Out(uint32_t slot, uint64_t other, uint64_t rel) { return {5, false, false, slot, other, rel}; }
RelEdit Rel(uint32_t slot, uint64_t start, uint64_t end) { return {slot, true, false, start, end, nullptr}; }

}  // namespace

TEST_CASE("the check finds nothing in a base that agrees with itself") {
  REQUIRE(Check({}) == "");
  REQUIRE(Check({{Out(1, 2, 0), In(2, 1, 0), Out(3, 3, 1), In(3, 3, 1)}, {Rel(0, 1, 2), Rel(1, 3, 3)}}) == "");
}

TEST_CASE("the check names a relationship that one of its ends doesn't list, and an entry that no relationship asks for") {
  REQUIRE(Check({{Out(1, 2, 0)}, {Rel(0, 1, 2)}}) ==
          "relationship 0 of type 5 with node 1 isn't listed incoming at node 2, as it says itself\n");
  REQUIRE(Check({{Out(1, 2, 0), In(2, 1, 0), In(4, 1, 7)}, {Rel(0, 1, 2)}}) ==
          "relationship 7 of type 5 with node 1 is listed incoming at node 4, which it doesn't say itself\n");
  // At the wrong node: one too many and one too few.
  const std::string both = Check({{Out(1, 2, 0), In(3, 1, 0)}, {Rel(0, 1, 2)}});
  REQUIRE(both.find("is listed incoming at node 3") != std::string::npos);
  REQUIRE(both.find("isn't listed incoming at node 2") != std::string::npos);
}

TEST_CASE("the check names ends that aren't there, and counts that weren't counted") {
  REQUIRE(Check({{Out(1, 77, 0)}, {Rel(0, 1, 77)}}) == "relationship 0 ends at node 77, which isn't there\n");
  REQUIRE(Check({{}, {}, 1}) == "the base has 10 nodes, expected 11\n");
}

}  // namespace fornix::storage::base_test
