// The order of a pattern's parts from numbers alone.
#include "planner/cost/pattern_order.h"

#include <catch2/catch.hpp>

using namespace fornix::planner;
using Kind = OrderStep::Kind;

namespace {

OrderNode Node(double size, double share = 1) {
  OrderNode n;
  n.size = size;
  n.share = share;
  n.start_cost = size * share;
  return n;
}
OrderRelationship Rel(int left, int right, double pairs, const OrderInput& in) {
  OrderRelationship r;
  r.left = left;
  r.right = right;
  r.pairs = pairs;
  r.from_left = pairs / in.nodes[static_cast<size_t>(left)].size;
  r.from_right = pairs / in.nodes[static_cast<size_t>(right)].size;
  return r;
}

}  // namespace

TEST_CASE("a chain starts at its selective end") {
  OrderInput in;
  in.nodes = {Node(1000), Node(1000), Node(1000, 0.001)};
  in.relationships = {Rel(0, 1, 10000, in), Rel(1, 2, 10000, in)};
  const Order order = FindOrder(in);
  REQUIRE(order.steps.size() == 3);
  CHECK(order.steps[0].kind == Kind::kNode);
  CHECK(order.steps[0].index == 2);
  CHECK(order.steps[1].index == 1);
  CHECK(order.steps[2].index == 0);
  CHECK(order.rows == Approx(100));
}

TEST_CASE("rows of a set don't depend on the order in which it is found") {
  OrderInput in;
  in.nodes = {Node(100), Node(50), Node(10)};
  in.relationships = {Rel(0, 1, 1000, in), Rel(1, 2, 200, in), Rel(0, 2, 300, in)};
  CHECK(FindOrder(in).rows == Approx(1000.0 * 200 * 300 / (100 * 50 * 10)));
}

TEST_CASE("two selective ends that meet at a hub are joined") {
  OrderInput in;
  in.nodes = {Node(4000, 0.0025), Node(5), Node(4000, 0.0025)};
  in.relationships = {Rel(0, 1, 20000, in), Rel(1, 2, 20000, in)};
  const Order order = FindOrder(in);
  REQUIRE(!order.steps.empty());
  CHECK(order.steps.back().kind == Kind::kJoin);
  CHECK(order.steps.back().shared == std::vector<int>{1});
  in.may_join = false;
  CHECK(FindOrder(in).steps.back().kind == Kind::kExpand);
}

TEST_CASE("a triangle is closed by cutting lists") {
  OrderInput in;
  in.nodes = {Node(1500), Node(1500), Node(1500)};
  in.relationships = {Rel(0, 1, 28000, in), Rel(1, 2, 28000, in), Rel(2, 0, 28000, in)};
  const Order order = FindOrder(in);
  REQUIRE(order.steps.size() == 3);
  CHECK(order.steps[2].kind == Kind::kIntersect);
}

TEST_CASE("what is known is where the pattern goes on, and shortest paths wait for both ends") {
  OrderInput in;
  in.nodes = {Node(1000), Node(1000), Node(1)};
  in.nodes[0].known = true;
  in.rows = 3;
  in.relationships = {Rel(0, 1, 2000, in), Rel(0, 2, 1000, in)};
  in.relationships[0].single = false;
  Order order = FindOrder(in);
  REQUIRE(order.steps.size() == 2);
  CHECK(order.steps[0].kind == Kind::kExpand);
  in.relationships[0].both_needed = true;
  order = FindOrder(in);
  CHECK(order.steps.empty());   // nothing leads to node 1
}

TEST_CASE("twelve relationships are ordered, and each stands there once") {
  OrderInput in;
  for (int i = 0; i < 13; ++i) in.nodes.push_back(Node(100 + 37 * (i % 5), i % 4 == 0 ? 0.1 : 1));
  for (int i = 0; i < 12; ++i) in.relationships.push_back(Rel(i / 2, i + 1, 500 + 100 * (i % 3), in));
  in.may_join = false;
  const Order order = FindOrder(in);
  std::vector<int> seen(12);
  for (const OrderStep& step : order.steps) {
    if (step.kind == Kind::kExpand) ++seen[static_cast<size_t>(step.index)];
  }
  CHECK(seen == std::vector<int>(12, 1));
}
