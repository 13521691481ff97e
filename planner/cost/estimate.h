// How many rows? Simple estimates from counts, good enough to choose between plans: never used for anything else.
// Pure functions of the catalog and the statistics.
#pragma once

#include <string>
#include <vector>

#include "planner/bind/expr.h"
#include "planner/physical/plan.h"
#include "planner/planner.h"

namespace fornix::planner {

// What is asked of one node's labels: all of them must hold.
using LabelTests = std::vector<const LabelPredicate*>;

class Estimator {
 public:
  explicit Estimator(const PlannerInput& input) : input_(input) {}
  double Nodes() const;
  double NodesWithLabel(const std::string& label) const;
  double Relationships(const std::vector<std::string>& types) const;
  // Relationships met when one node is expanded.
  double FanOut(const std::vector<std::string>& types, Direction direction) const;
  // Of a variable length, up to a few hops.
  double FanOut(const std::vector<std::string>& types, Direction direction, uint32_t hops_min, uint32_t hops_max) const;
  // The share of rows that a predicate keeps.
  double Selectivity(const BoundExpr& predicate) const;
  // The share of all nodes that a label predicate keeps.
  double LabelShare(const LabelPredicate& labels) const;
  // The nodes that have them all.
  double NodesWith(const LabelTests& labels) const;
  // Pairs of ends (left, right) with a relationship of these types between them, seen from left; both ways round without a direction.
  double Pairs(const std::vector<std::string>& types, Direction direction, const LabelTests& left, const LabelTests& right) const;

 private:
  double PairsOfType(TypeId type, Direction direction, const LabelTests& left, const LabelTests& right) const;
  const PlannerInput& input_;
};

}  // namespace fornix::planner
