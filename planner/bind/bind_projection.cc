// WITH and RETURN: items, DISTINCT, ORDER BY, SKIP, LIMIT, and WHERE after WITH.
//
// An item that is a variable needs no work: the name gets the variable's slot. Anything else gets a slot of its own, so
// after a plain projection the earlier variables are still in the row, and ORDER BY and WHERE may use them.
#include <algorithm>

#include "base/nearest.h"
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

struct Binder::Item {
  const ast::Expr* expr = nullptr;     // null: a variable of `*`
  std::string name;
  Variable variable;                   // of `*`; filled for the others when bound
  bool aggregates = false;
  BoundExprPtr bound;
};

Result<std::vector<Binder::Item>> Binder::CollectItems(const ast::Projection& body, Stars stars, bool is_return, const Scope& scope) {
  std::vector<Item> items;
  if (stars != Stars::kNone) {
    for (const auto& v : scope.own()) {
      Item item;
      item.name = v.name;
      item.variable = v;
      items.push_back(std::move(item));
    }
    if (items.empty() && is_return) {
      return BindError("NoVariablesInScope", "RETURN * needs a variable, and none is in scope here", body.span.start);
    }
    if (stars == Stars::kSorted) std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.name < b.name; });
  }
  for (const auto& given : body.items) {
    Item item;
    item.expr = given.expr.get();
    item.aggregates = ContainsAggregate(*given.expr);
    if (!given.alias.empty()) {
      item.name = given.alias.text;
    } else if (given.expr->kind == ast::ExprKind::kVariable) {
      item.name = given.expr->name;
    } else {
      item.name = TextOf(given.expr->span);
    }
    for (const auto& other : items) {
      if (other.name != item.name) continue;
      return BindError("ColumnNameConflict", "two columns are named `" + item.name + "`: name one of them with AS",
                       given.alias.empty() ? given.expr->span.start : given.alias.span.start);
    }
    items.push_back(std::move(item));
  }
  return items;
}

Status Binder::CheckNames(const ast::Projection& body, std::string_view place) const {
  for (const auto& given : body.items) {
    if (!given.alias.empty() || given.expr->kind == ast::ExprKind::kVariable) continue;
    return BindError("NoExpressionAlias", "an expression in " + std::string(place) + " needs a name: `" + TextOf(given.expr->span) + " AS ...`",
                     given.expr->span.start);
  }
  return Status::Ok();
}

Result<LogicalPtr> Binder::BindProjection(const ast::Clause& clause, Scope* scope, LogicalPtr input, std::vector<Variable>* columns) {
  const Stars stars = clause.projection.star ? Stars::kSorted : Stars::kNone;
  return BindProjectionBody(clause.projection, clause.where.get(), stars, scope, std::move(input), columns,
                            clause.kind == ast::ClauseKind::kReturn);
}

Result<LogicalPtr> Binder::BindProjectionBody(const ast::Projection& body, const ast::Expr* where, Stars stars, Scope* scope,
                                              LogicalPtr input, std::vector<Variable>* columns, bool is_return) {
  ASSIGN_OR_RETURN(std::vector<Item> items, CollectItems(body, stars, is_return, *scope));
  AggregateCollector collector;
  Grouping grouping;
  for (const auto& item : items) grouping.aggregated = grouping.aggregated || item.aggregates;

  if (scope->parent()) {   // the row around a subquery is the same for all its rows
    for (Slot s : scope->parent()->Slots()) grouping.allowed.insert(s);
  }
  // Items without aggregates first: they are the grouping keys of the others.
  std::vector<ProjectionTo> plain, above;
  for (auto& item : items) {
    if (item.aggregates) continue;
    if (item.expr) {
      ASSIGN_OR_RETURN(item.bound, BindIn(*item.expr, *scope));
      const bool is_slot = item.bound->kind == BoundKind::kSlot;
      item.variable = {item.name, is_slot ? item.bound->slot : NewSlot(item.name), item.bound->type, item.bound->element_type};
    } else {
      NoteUse(item.variable.slot);
      item.bound = MakeSlot(item.variable.slot, item.variable.type);
      item.bound->text = item.name;
    }
    const std::string key = KeyOf(*item.bound);
    if (!key.empty()) grouping.keys.emplace_back(key, item.variable.slot);
    grouping.allowed.insert(item.variable.slot);
    if (grouping.aggregated) AddFreeSlots(*item.bound, &grouping.inside);
    // `a, a AS b` is one grouping key.
    const bool repeated = std::any_of(plain.begin(), plain.end(), [&](const ProjectionTo& p) { return p.slot == item.variable.slot; });
    const bool computed = item.bound->kind != BoundKind::kSlot;
    if ((grouping.aggregated || computed) && !repeated) plain.push_back({item.variable.slot, std::move(item.bound)});
  }
  for (auto& item : items) {
    if (!item.aggregates) continue;
    ASSIGN_OR_RETURN(item.bound, BindExpr(*item.expr, ExprContext{scope, &collector}));
  }
  for (const auto& call : collector.calls) grouping.allowed.insert(call.slot);
  for (auto& item : items) {
    if (!item.aggregates) continue;
    RETURN_IF_ERROR(ReplaceGrouped(&item.bound, grouping, false));
    const bool is_slot = item.bound->kind == BoundKind::kSlot;
    item.variable = {item.name, is_slot ? item.bound->slot : NewSlot(item.name), item.bound->type, item.bound->element_type};
    grouping.allowed.insert(item.variable.slot);
    if (!is_slot) above.push_back({item.variable.slot, std::move(item.bound)});
  }

  LogicalPtr plan = std::move(input);
  if (grouping.aggregated) {
    plan = MakeOperator(OpKind::kAggregate, std::move(plan));
    plan->op->projections = std::move(plain);
    plan->op->aggregates = std::move(collector.calls);
    collector.calls.clear();
    for (const auto& call : plan->op->aggregates) collector.calls.push_back({call.slot, call.function, call.distinct, {}});
  } else if (!plain.empty()) {
    plan = MakeOperator(OpKind::kProject, std::move(plan));
    plan->op->projections = std::move(plain);
  }
  if (!above.empty()) {
    plan = MakeOperator(OpKind::kProject, std::move(plan));
    plan->op->projections = std::move(above);
  }
  if (body.distinct) {
    plan = MakeOperator(OpKind::kDistinct, std::move(plan));
    for (const auto& item : items) plan->op->slots.push_back(item.variable.slot);
  }

  Scope after(scope->parent());
  for (const auto& item : items) after.Add(item.variable);
  // Aliases first, then what was there before; which of the latter may be used depends on the projection.
  Scope both(scope);
  for (const auto& item : items) both.Add(item.variable);
  const bool closed = grouping.aggregated || body.distinct;

  if (!body.order_by.empty()) {
    collector.closed = true;
    collector.closed_scope = &after;
    auto keys = MakeOperator(OpKind::kProject, plan);
    auto sort = MakeOperator(OpKind::kSort, nullptr);
    for (const auto& sort_item : body.order_by) {
      ExprContext context{&both, grouping.aggregated ? &collector : nullptr};
      ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(*sort_item.expr, context));
      if (closed) {
        Grouping wanted = grouping;
        wanted.aggregated = ContainsAggregate(*sort_item.expr);
        RETURN_IF_ERROR(ReplaceGrouped(&bound, wanted, true));
      }
      SortKey key{bound->slot, sort_item.descending};
      if (bound->kind != BoundKind::kSlot) {
        key.slot = NewSlot(bound->text);
        keys->op->projections.push_back({key.slot, std::move(bound)});
      }
      sort->op->sort_keys.push_back(key);
    }
    sort->inputs.push_back(keys->op->projections.empty() ? plan : keys);
    plan = std::move(sort);
  }
  ASSIGN_OR_RETURN(plan, BindSkipLimit(body, std::move(plan)));

  if (where) {
    ASSIGN_OR_RETURN(BoundExprPtr predicate, BindPredicate(*where, ExprContext{&both}));
    if (closed) {
      Grouping wanted = grouping;
      wanted.aggregated = false;
      RETURN_IF_ERROR(ReplaceGrouped(&predicate, wanted, true));
    }
    plan = MakeOperator(OpKind::kFilter, std::move(plan));
    plan->op->predicate = std::move(predicate);
  }
  // Last, because a WITH that is wrong in another way too is better told about that.
  if (!is_return) RETURN_IF_ERROR(CheckNames(body, "WITH"));
  if (columns) *columns = after.own();
  *scope = std::move(after);
  return plan;
}

Result<LogicalPtr> Binder::BindSkipLimit(const ast::Projection& body, LogicalPtr input) {
  if (body.skip) {
    ASSIGN_OR_RETURN(BoundExprPtr count, BindRowCount(*body.skip, "SKIP"));
    input = MakeOperator(OpKind::kSkip, std::move(input));
    input->op->exprs.push_back(std::move(count));
  }
  if (body.limit) {
    ASSIGN_OR_RETURN(BoundExprPtr count, BindRowCount(*body.limit, "LIMIT"));
    input = MakeOperator(OpKind::kLimit, std::move(input));
    input->op->exprs.push_back(std::move(count));
  }
  return input;
}

Result<BoundExprPtr> Binder::BindRowCount(const ast::Expr& expr, std::string_view word) {
  // Evaluated once, so it can't name a variable: seen before names are looked up, because none would be right.
  Scope nothing;
  Result<BoundExprPtr> bound = BindExpr(expr, ExprContext{&nothing});
  if (!bound.ok()) {
    if (bound.status().detail() != "UndefinedVariable") return bound.status();
    return BindError("NonConstantExpression", std::string(word) + " can't use variables: it is evaluated once for all rows",
                     expr.span.start);
  }
  const BoundExpr& count = **bound;
  if (HasSubplan(count)) {
    return BindError("NonConstantExpression", std::string(word) + " can't read the graph: it is evaluated once for all rows",
                     expr.span.start);
  }
  RETURN_IF_ERROR(Expect(count, kIntegerType, std::string(word)));
  if (count.kind == BoundKind::kLiteral && count.value.type() == Type::kInteger && count.value.AsInteger() < 0) {
    return BindError("NegativeIntegerArgument", std::string(word) + " takes a count of rows, 0 or more, found " + TextOf(expr.span),
                     expr.span.start);
  }
  return bound;
}

}  // namespace fornix::planner
