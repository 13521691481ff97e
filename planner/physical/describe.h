// What EXPLAIN shows beside an operator's name.
#pragma once

#include <string>
#include <vector>

#include "planner/physical/plan.h"

namespace fornix::planner {

std::string Describe(const PhysicalOperator& op, const std::vector<std::string>& slot_names);

}  // namespace fornix::planner
