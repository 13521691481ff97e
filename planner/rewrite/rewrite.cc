// See rewrite.h: the rules in their order.
#include "planner/rewrite/rewrite.h"

namespace fornix::planner {

void Rewrite(LogicalPlan*, const PlannerInput&) {}
void RewritePhysical(PhysicalOperator*) {}

}  // namespace fornix::planner
