// MATCH p MATCH q = MATCH p, q, but that relationships of different clauses may be the same; distinct_from says which may
// not be, and stays as it is. OPTIONAL MATCH is left alone, and so is a MATCH with a seed of its own: the search is done for
// each row that comes before it.
#include "planner/rewrite/rules.h"

#include <algorithm>

namespace fornix::planner {

void MergeMatches(LogicalPtr* root) {
  LogicalOperator& op = **root;
  for (auto& in : op.inputs) MergeMatches(&in);
  if (op.kind != LogicalKind::kMatch || op.optional || !op.graph->seeds.empty()) return;
  LogicalOperator& before = *op.inputs[0];
  if (before.kind != LogicalKind::kMatch || before.optional) return;
  QueryGraph& into = *before.graph;
  QueryGraph& from = *op.graph;
  for (Slot node : from.nodes) {
    if (std::find(into.nodes.begin(), into.nodes.end(), node) == into.nodes.end()) into.nodes.push_back(node);
  }
  for (auto& r : from.relationships) into.relationships.push_back(std::move(r));
  for (auto& p : from.paths) into.paths.push_back(std::move(p));
  for (auto& p : from.predicates) into.predicates.push_back(std::move(p));
  LogicalPtr merged = op.inputs[0];
  *root = std::move(merged);
}

}  // namespace fornix::planner
