// In which order to find the parts of a connected pattern: where to start, which relationship next, which pieces to join.
//
// Dynamic programming over the sets of relationships found. A set has one number of rows, whatever the order in which it was found:
// the product of what its relationships match, divided by the size of each node's kind for every time the node is met again (but for
// what is only counted, which makes no rows). Costs are rows and list entries looked at. Beyond kPartsMax relationships the caller goes on greedily.
// Pure functions of numbers: no catalog, no operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fornix::planner {

inline constexpr size_t kPartsMax = 12;          // 4,096 sets: a millisecond
inline constexpr size_t kJoinedMax = 8;          // divisions of sets are 3^n: 6,561

inline constexpr double kNever = std::numeric_limits<double>::infinity();

struct OrderNode {
  bool known = false;                            // bound before: every row has one
  double size = 1;                               // nodes that have its labels
  double share = 1;                              // of them that its other predicates keep
  double start_cost = 0;                         // what is looked at to find it alone
  bool filtered = false;                         // reached by an expansion, it must be looked at
};
struct OrderRelationship {
  int left = 0, right = 0;                       // places in the nodes
  double pairs = 0;                              // pairs of ends that fit, labels included
  double from_left = 0, from_right = 0;          // list entries met when one end is expanded
  bool both_needed = false;                      // shortest paths: both ends must be known before
  bool single = true;                            // one relationship, no variable length
  double scan_cost = kNever;                     // to start with the relationship itself
  bool left_counted = false, right_counted = false;   // an expansion that reaches this end last is only counted: no row for each
};
struct OrderPredicate {                          // over several parts
  uint64_t nodes = 0;                            // bits by place
  uint64_t relationships = 0;
  double share = 1;
};
struct OrderInput {
  std::vector<OrderNode> nodes;                  // at most 64
  std::vector<OrderRelationship> relationships;  // at most kPartsMax
  std::vector<OrderPredicate> predicates;
  double rows = 1;                               // rows before, if a node is known
  bool may_join = true;                          // hash joins are allowed
};

struct OrderStep {
  enum class Kind : uint8_t { kNode, kScan, kExpand, kIntersect, kJoin } kind;
  int index = -1;                                // node (kNode), relationship (kScan, kExpand, kIntersect)
  int second = -1;                               // kIntersect: the other relationship to the same node
  std::vector<OrderStep> build;                  // kJoin: what is found apart
  std::vector<int> shared;                       // kJoin: nodes that both sides hold
};
struct Order {
  std::vector<OrderStep> steps;                  // empty: there is no way
  double cost = kNever;
  double rows = 0;
};

Order FindOrder(const OrderInput& input);

}  // namespace fornix::planner
