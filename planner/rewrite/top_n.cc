// LIMIT n above ORDER BY: no more than n rows (n + SKIP) need to be kept and sorted. The LIMIT itself stays, and says what is
// wrong with a count that is none.
#include "planner/bind/expr_util.h"
#include "planner/rewrite/rules.h"

namespace fornix::planner {

void LimitSorts(PhysicalOperator* root) {
  for (auto& child : root->children) LimitSorts(child.get());
  if (root->kind != OpKind::kLimit) return;
  PhysicalOperator* below = root->children[0].get();
  BoundExprPtr count = Clone(*root->exprs[0]);
  if (below->kind == OpKind::kSkip) {
    auto sum = std::make_unique<BoundExpr>(BoundKind::kArithmetic);
    sum->type = kIntegerType;
    sum->position = count->position;
    sum->ops.push_back(BoundOp::kAdd);
    sum->args.push_back(std::move(count));
    sum->args.push_back(Clone(*below->exprs[0]));
    count = std::move(sum);
    below = below->children[0].get();
  }
  // rand() would be asked twice and answer twice.
  if (below->kind != OpKind::kSort || !below->exprs.empty() || !IsDeterministic(*count)) return;
  below->exprs.push_back(std::move(count));
}

}  // namespace fornix::planner
