// The rules themselves; see rewrite.h for their order.
#pragma once

#include <string>
#include <vector>

#include "planner/logical/logical_plan.h"

namespace fornix::planner {

// MATCH ... MATCH ... becomes one graph, so that the start may lie in either. (merge_matches.cc)
void MergeMatches(LogicalPtr* root);
// A predicate goes down to the MATCH that can ask it first. (push_predicates.cc)
void PushPredicates(LogicalPtr* root);

// ORDER BY score DESC over rows that come in that order already is no work. (seed_order.cc)
void DropSortsOfSeeds(std::shared_ptr<PhysicalOperator>* root);
// LIMIT above ORDER BY: the sort keeps that many rows only. (top_n.cc)
void LimitSorts(PhysicalOperator* root);
// EXISTS in a filter: an operator instead of an expression. (semi_apply.cc)
void FilterToSemiApply(std::shared_ptr<PhysicalOperator>* root);
// An expansion that is only counted is not made row by row. (count_by_degree.cc)
void CountByDegree(PhysicalOperator* root, std::vector<std::string>* slot_names);
// LIMIT and SKIP before the projection they stand above. (limit_below_project.cc)
void LimitBelowProject(std::shared_ptr<PhysicalOperator>* root);

}  // namespace fornix::planner
