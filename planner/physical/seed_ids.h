// Where the elements that a vector search may answer with come from, when its filter names them: a range index, a label smaller than
// the index's own, or a pattern (EXISTS {...}) walked from its other end. The search then looks at these alone.
#pragma once

#include <string>
#include <vector>

#include "planner/physical/plan.h"
#include "planner/planner.h"

namespace fornix::planner {

// How many elements an index may have, at most.
double IndexedElements(const storage::IndexDefinition& index, const PlannerInput& input);
// What EXPLAIN says of its vectors: "" where they are kept as they are.
std::string KindOf(const storage::IndexDefinition& index);

// Gives `seed`, a kVectorSeed, children if some of its predicate's parts lead to few enough elements; these parts move to exprs[2].
void AddIdSources(const storage::IndexDefinition& index, const PlannerInput& input, std::vector<std::string>* slot_names, PhysicalOperator* seed);

}  // namespace fornix::planner
