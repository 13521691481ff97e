// A relationship that is known already, as part of a pattern: its ends are read from it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "planner/logical/logical_plan.h"

namespace fornix::planner {

// Whether the functions that this needs exist.
bool CanFindEnds(const FunctionCatalog& functions);
// Above `child`: r.slot fits the pattern (not null, of its types, not one of its distinct_from) and r.left, r.right are its ends;
// those known before are compared. A pattern without a direction gives a row for each way round.
std::shared_ptr<PhysicalOperator> RelationshipEnds(std::shared_ptr<PhysicalOperator> child, const PatternRelationship& r, bool left_known,
                                                   bool right_known, const FunctionCatalog& functions,
                                                   std::vector<std::string>* slot_names);

}  // namespace fornix::planner
