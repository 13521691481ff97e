// From a QueryGraph to operators: where to start, which way to expand, and each predicate as early as it can be asked.
//
// Greedy: closing a pattern whose ends are known comes first, then the expansion that leaves the fewest rows, and a new start
// only when nothing is connected. Without input.optimize the order is the written one and predicates follow at once.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "planner/logical/logical_plan.h"
#include "planner/planner.h"

namespace fornix::planner {

// `child`: the rows that the graph is matched for, or a null pointer for one empty row. The graph is used up.
// `slot_names` grows by the slots that only the plan needs.
// `reads`, if the rows are only counted: what is read of them all the same. It makes a difference to costs alone.
std::shared_ptr<PhysicalOperator> PlanGraph(QueryGraph graph, std::shared_ptr<PhysicalOperator> child, const PlannerInput& input,
                                            std::vector<std::string>* slot_names, const std::set<Slot>* reads = nullptr);

}  // namespace fornix::planner
