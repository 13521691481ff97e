// Aggregation: where aggregate calls may stand, and what may stand beside them.
//
// A WITH or RETURN with an aggregate call groups by its other items. In an item with a call everything outside the calls
// must be constant or a grouping key, else its value would depend on which row of the group is asked. ORDER BY after an
// aggregation or DISTINCT may use what was projected, also written out again.
#include <algorithm>

#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

using ast::ExprKind;

bool Binder::ContainsAggregate(const ast::Expr& expr) const {
  if (expr.kind == ExprKind::kCountStar) return true;
  if (expr.kind == ExprKind::kFunctionCall) {
    const FunctionSignature* function = input_.functions->FindFunction(expr.name);
    if (function && function->aggregate) return true;
  }
  // Subqueries and pattern comprehensions aggregate for themselves.
  if (expr.kind == ExprKind::kExists || expr.kind == ExprKind::kCountSubquery || expr.kind == ExprKind::kCollectSubquery) return false;
  for (const auto& arg : expr.args) {
    if (arg && ContainsAggregate(*arg)) return true;
  }
  for (const auto& item : expr.projection) {
    if (item.value && ContainsAggregate(*item.value)) return true;
  }
  for (const auto& [when, then] : expr.whens) {
    if (ContainsAggregate(*when) || ContainsAggregate(*then)) return true;
  }
  return expr.else_expr && ContainsAggregate(*expr.else_expr);
}

Result<BoundExprPtr> Binder::BindAggregate(const ast::Expr& expr, const FunctionSignature* function, const ExprContext& context) {
  if (context.in_aggregate) {
    return BindError("NestedAggregation", "an aggregate function can't stand inside another: `" + TextOf(expr.span) + "`",
                     expr.span.start);
  }
  if (!context.aggregates) {
    return BindError("InvalidAggregation",
                     "`" + TextOf(expr.span) + "` aggregates rows, which only an item of WITH or RETURN can do; compute it in a WITH before",
                     expr.span.start);
  }
  AggregateCollector& collector = *context.aggregates;
  ExprContext inside = context;
  inside.in_aggregate = true;
  AggregateTo call;
  call.function = function;
  call.distinct = expr.distinct;
  std::string key = function ? function->name : "count(*)";
  if (call.distinct) key += " DISTINCT";
  for (size_t i = 0; i < expr.args.size(); ++i) {
    ASSIGN_OR_RETURN(BoundExprPtr arg, BindExpr(*expr.args[i], inside));
    if (!IsDeterministic(*arg)) {
      return BindError("NonConstantExpression", "an aggregate function can't take an argument that differs each time it is asked: `" +
                       TextOf(expr.args[i]->span) + "`", expr.args[i]->span.start);
    }
    if (!function->arguments.empty()) {
      const TypeSet wanted = function->arguments[std::min(i, function->arguments.size() - 1)];
      RETURN_IF_ERROR(Expect(*arg, wanted, "argument " + std::to_string(i + 1) + " of " + function->name + "()"));
    }
    const std::string arg_key = KeyOf(*arg);
    key += arg_key.empty() ? "@" + std::to_string(expr.span.start.offset) : arg_key;
    call.args.push_back(std::move(arg));
  }
  BoundExprPtr made = Make(BoundKind::kSlot, expr, function ? function->result : kIntegerType);
  if (function && function->name == "collect") made->element_type = call.args[0]->type;
  if (function && (function->name == "min" || function->name == "max")) made->type = call.args[0]->type | kNullType;
  for (size_t i = 0; i < collector.keys.size(); ++i) {
    if (collector.keys[i] != key) continue;
    made->slot = collector.calls[i].slot;
    return made;
  }
  if (collector.closed) {
    ExprContext outside{collector.closed_scope, nullptr, true, false};
    for (const auto& arg : expr.args) RETURN_IF_ERROR(BindExpr(*arg, outside).status());
    return BindError("InvalidAggregation", "ORDER BY can use only the aggregates that are projected, and `" + TextOf(expr.span) +
                     "` is not: add it as an item", expr.span.start);
  }
  call.slot = NewSlot(TextOf(expr.span));
  made->slot = call.slot;
  collector.keys.push_back(std::move(key));
  collector.types.push_back(made->type);
  collector.calls.push_back(std::move(call));
  return made;
}

Status Binder::ReplaceGrouped(BoundExprPtr* expr, const Grouping& grouping, bool order_by) const {
  // Written out again: the same expression as a key, at any depth, is the key.
  const std::string key = KeyOf(**expr);
  if (!key.empty()) {
    for (const auto& [known, slot] : grouping.keys) {
      if (known != key) continue;
      if ((*expr)->kind == BoundKind::kSlot && (*expr)->slot == slot) return Status::Ok();
      BoundExprPtr replaced = MakeSlot(slot, (*expr)->type, (*expr)->position);
      replaced->element_type = (*expr)->element_type;
      replaced->text = (*expr)->text;
      *expr = std::move(replaced);
      return Status::Ok();
    }
  }
  std::set<Slot> own;   // of comprehensions inside
  if ((*expr)->kind == BoundKind::kListComprehension || (*expr)->kind == BoundKind::kQuantifier || (*expr)->kind == BoundKind::kReduce) {
    own.insert((*expr)->slot);
    own.insert((*expr)->slot2);
  }
  std::vector<Slot> read = (*expr)->path_slots;
  if ((*expr)->kind == BoundKind::kSlot) read.push_back((*expr)->slot);
  read.insert(read.end(), (*expr)->outer_slots.begin(), (*expr)->outer_slots.end());
  for (Slot slot : read) {
    if (grouping.allowed.count(slot)) continue;
    const std::string name = plan_.slot_names[slot];
    if (order_by && !(grouping.aggregated && grouping.inside.count(slot))) {
      return BindError("UndefinedVariable",
                       "variable `" + name + "` is not defined here: after DISTINCT or an aggregation only what is projected can be used",
                       (*expr)->position);
    }
    return BindError("AmbiguousAggregationExpression",
                     "`" + name + "` stands beside an aggregate function but is no grouping key: project it as an item of its own, in a "
                     "WITH before",
                     (*expr)->position);
  }
  if ((*expr)->kind == BoundKind::kCollectPlan) return Status::Ok();   // its argument belongs to its plan
  if (own.empty()) {
    for (auto& arg : (*expr)->args) {
      if (arg) RETURN_IF_ERROR(ReplaceGrouped(&arg, grouping, order_by));
    }
    return Status::Ok();
  }
  Grouping wider = grouping;
  wider.allowed.insert(own.begin(), own.end());
  for (auto& arg : (*expr)->args) {
    if (arg) RETURN_IF_ERROR(ReplaceGrouped(&arg, wider, order_by));
  }
  return Status::Ok();
}

}  // namespace fornix::planner
