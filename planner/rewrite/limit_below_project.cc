// LIMIT and SKIP count rows, and a projection changes none of them: they go below it, so that only rows that are kept are
// computed.
#include "planner/rewrite/rules.h"

namespace fornix::planner {

void LimitBelowProject(std::shared_ptr<PhysicalOperator>* root) {
  PhysicalOperator& op = **root;
  const bool counts = op.kind == OpKind::kLimit || op.kind == OpKind::kSkip;
  if (counts && op.children[0]->kind == OpKind::kProject) {
    auto count = *root;
    auto project = op.children[0];
    count->children[0] = project->children[0];
    project->children[0] = count;
    project->estimated_rows = count->estimated_rows;
    *root = std::move(project);
  }
  for (auto& child : (*root)->children) LimitBelowProject(&child);
}

}  // namespace fornix::planner
