// From the logical plan to the physical one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "planner/logical/logical_plan.h"
#include "planner/planner.h"

namespace fornix::planner {

// Uses the logical plan up. Subplans of expressions are lowered too. `slot_names` grows by slots that only the plan needs.
std::shared_ptr<PhysicalOperator> Lower(LogicalOperator& logical, const PlannerInput& input, std::vector<std::string>* slot_names);

// The last step on a whole physical tree (subplans of expressions included): drops projections that nobody reads, fills `live`
// and `details`, numbers the operators. Returns how many there are.
uint32_t Finish(PhysicalOperator& root, const std::vector<std::string>& slot_names, bool optimize);

}  // namespace fornix::planner
