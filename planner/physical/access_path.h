// Access paths: the ways to find the candidates of one node: by id, by a range index, by a label, or all nodes.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "planner/cost/estimate.h"
#include "planner/physical/plan.h"

namespace fornix::planner {

struct AccessPath {
  std::shared_ptr<PhysicalOperator> op;     // a source; estimated_rows set
  std::vector<size_t> consumed;             // predicates that the source answers completely
  double rows_after = 0;                    // after the other predicates on this node alone
};

// The cheapest way to find `node`. `predicates` are those still open (null entries are skipped); what a seek compares with
// must not read a slot of `unknown` (those that are found later). Without input.optimize: all nodes.
AccessPath ChooseAccessPath(Slot node, const std::vector<BoundExprPtr>& predicates, const std::set<Slot>& unknown,
                            const PlannerInput& input);

// The same for a relationship of one type: a range index, or no operator.
AccessPath SeekRelationshipIndex(Slot relationship, const std::string& type, const std::vector<BoundExprPtr>& predicates,
                                 const std::set<Slot>& unknown, const PlannerInput& input);

}  // namespace fornix::planner
