// The rewrite rules, one a file. Each keeps the answer and its order where the order is asked for.
//
// Rules on the logical plan run before access paths are chosen, rules on the physical plan after it, when it is known which
// order the rows come in. The plan is right without any of them (PlannerInput::optimize = false).
#pragma once

#include <string>
#include <vector>

#include "planner/logical/logical_plan.h"

namespace fornix::planner {

void Rewrite(LogicalPlan* plan);
// `slot_names` grows by slots that only the plan needs.
void RewritePhysical(std::shared_ptr<PhysicalOperator>* root, std::vector<std::string>* slot_names);

}  // namespace fornix::planner
