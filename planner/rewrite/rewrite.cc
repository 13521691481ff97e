// See rewrite.h: the rules in their order.
#include "planner/rewrite/rewrite.h"

#include "planner/bind/expr_util.h"
#include "planner/physical/op_util.h"
#include "planner/rewrite/rules.h"

namespace fornix::planner {
namespace {

void RewriteTree(LogicalPtr* root);

// Subplans of expressions are plans like any other.
void RewriteSubplans(BoundExpr& expr) {
  ForEachSubplanExpr(expr, [](BoundExpr& sub) {
    if (sub.logical) RewriteTree(&sub.logical);
  });
}

void RewriteExprs(LogicalOperator& op) {
  if (op.op) ForEachExpr(*op.op, [](BoundExprPtr& e) { RewriteSubplans(*e); });
  if (op.graph) {
    for (auto& p : op.graph->predicates) RewriteSubplans(*p);
    for (auto& s : op.graph->seeds) {
      if (s.filter) RewriteSubplans(*s.filter);
    }
    for (auto& r : op.graph->relationships) {
      if (r.step_predicate) RewriteSubplans(*r.step_predicate);
      if (!r.repeat) continue;
      for (auto& p : r.repeat->graph.predicates) RewriteSubplans(*p);
    }
  }
  for (auto& in : op.inputs) RewriteExprs(*in);
}

void RewriteTree(LogicalPtr* root) {
  RewriteExprs(**root);
  PushPredicates(root);
  MergeMatches(root);
}

void RewriteExprsPhysical(PhysicalOperator& op, std::vector<std::string>* slot_names);

void RewritePhysicalTree(std::shared_ptr<PhysicalOperator>* root, std::vector<std::string>* slot_names) {
  FilterToSemiApply(root);
  DropSortsOfSeeds(root);
  LimitBelowProject(root);
  LimitSorts(root->get());
  CountByDegree(root->get(), slot_names);
  RewriteExprsPhysical(**root, slot_names);
}

void RewriteExprsPhysical(PhysicalOperator& op, std::vector<std::string>* slot_names) {
  ForEachExpr(op, [&](BoundExprPtr& e) {
    ForEachSubplanExpr(*e, [&](BoundExpr& sub) {
      if (sub.plan) RewritePhysicalTree(&sub.plan, slot_names);
    });
  });
  for (auto& child : op.children) RewriteExprsPhysical(*child, slot_names);
}

}  // namespace

void Rewrite(LogicalPlan* plan) { RewriteTree(&plan->root); }
void RewritePhysical(std::shared_ptr<PhysicalOperator>* root, std::vector<std::string>* slot_names) { RewritePhysicalTree(root, slot_names); }

}  // namespace fornix::planner
