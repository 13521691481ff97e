// WHERE EXISTS {...} and WHERE NOT EXISTS {...} (patterns as predicates too) become SemiApply and AntiApply, which run the
// subplan for a batch of rows at once; as an expression it runs row by row.
#include "planner/bind/expr_util.h"
#include "planner/rewrite/rules.h"

namespace fornix::planner {
namespace {

// The subplan of EXISTS or NOT EXISTS, else a null pointer.
std::shared_ptr<PhysicalOperator> PlanOf(const BoundExpr& predicate, bool* negated) {
  *negated = predicate.kind == BoundKind::kNot;
  const BoundExpr& inner = *negated ? *predicate.args[0] : predicate;
  return inner.kind == BoundKind::kExistsPlan ? inner.plan : nullptr;
}

}  // namespace

void FilterToSemiApply(std::shared_ptr<PhysicalOperator>* root) {
  for (auto& child : (*root)->children) FilterToSemiApply(&child);
  if ((*root)->kind != OpKind::kFilter) return;
  auto filter = *root;
  std::vector<BoundExprPtr> parts, kept;
  SplitAnd(std::move(filter->predicate), &parts);
  std::vector<std::pair<std::shared_ptr<PhysicalOperator>, bool>> plans;
  for (auto& part : parts) {
    bool negated = false;
    if (auto plan = PlanOf(*part, &negated)) {
      plans.emplace_back(std::move(plan), negated);
    } else {
      kept.push_back(std::move(part));
    }
  }
  std::shared_ptr<PhysicalOperator> top = kept.empty() ? filter->children[0] : filter;
  filter->predicate = MakeAnd(std::move(kept));
  for (auto& [plan, negated] : plans) {
    auto apply = std::make_shared<PhysicalOperator>(negated ? OpKind::kAntiApply : OpKind::kSemiApply);
    apply->estimated_rows = filter->estimated_rows;
    apply->children = {std::move(top), std::move(plan)};
    top = std::move(apply);
  }
  *root = std::move(top);
}

}  // namespace fornix::planner
