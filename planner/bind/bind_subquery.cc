// Expressions with a plan of their own: pattern predicates and comprehensions, EXISTS, COUNT, COLLECT, shortestPath().
//
// The plan starts at kArgument with the row around it; `outer_slots` says which of its columns the plan reads.
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

using ast::ExprKind;

Result<BoundExprPtr> Binder::BindPatternPredicate(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kExistsPlan, expr, kBooleanType);
  SubplanFrame frame(this);
  auto graph = std::make_unique<QueryGraph>();
  Scope inner(context.scope);
  RETURN_IF_ERROR(BindPatterns(expr.patterns, &inner, true, graph.get()));
  ASSIGN_OR_RETURN(made->logical, MatchOperator(std::move(graph), MakeArgument(), false));
  made->outer_slots = frame.used();
  return made;
}

Result<BoundExprPtr> Binder::BindPatternComprehension(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kCollectPlan, expr, kListType);
  SubplanFrame frame(this);
  auto graph = std::make_unique<QueryGraph>();
  Scope inner(context.scope);
  RETURN_IF_ERROR(BindPatterns(expr.patterns, &inner, false, graph.get()));
  if (expr.args[0]) RETURN_IF_ERROR(AddPredicate(*expr.args[0], inner, graph.get()));
  ASSIGN_OR_RETURN(BoundExprPtr item, BindIn(*expr.args[1], inner));
  ASSIGN_OR_RETURN(made->logical, MatchOperator(std::move(graph), MakeArgument(), false));
  made->element_type = item->type;
  made->args.push_back(std::move(item));
  made->outer_slots = frame.used();
  return made;
}

Result<BoundExprPtr> Binder::BindShortestPathValue(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr all = Make(BoundKind::kCollectPlan, expr, kListType);
  SubplanFrame frame(this);
  auto graph = std::make_unique<QueryGraph>();
  Scope inner(context.scope);
  for (const auto& node : expr.patterns[0]->nodes) {
    if (node.variable.empty() || !context.scope->Find(node.variable.text)) {
      return BindError("UndefinedVariable", "shortestPath() as a value needs both ends known: match them before", node.span.start);
    }
  }
  RETURN_IF_ERROR(BindPatterns(expr.patterns, &inner, false, graph.get()));
  if (graph->paths.empty()) {
    PatternPath path;
    path.slot = NewSlot("");
    path.elements = {graph->relationships[0].left, graph->relationships[0].slot, graph->relationships[0].right};
    graph->paths.push_back(std::move(path));
  }
  const bool every = graph->relationships[0].all_shortest;
  all->args.push_back(MakeSlot(graph->paths[0].slot, kPathType, expr.span.start));
  all->element_type = kPathType;
  ASSIGN_OR_RETURN(all->logical, MatchOperator(std::move(graph), MakeArgument(), false));
  all->outer_slots = frame.used();
  if (every) return all;
  BoundExprPtr first = Make(BoundKind::kSubscript, expr, kPathType);
  first->args.push_back(std::move(all));
  first->args.push_back(MakeLiteral(Value(0), expr.span.start));
  return first;
}

Result<BoundExprPtr> Binder::BindSubqueryExpr(const ast::Expr& expr, const ExprContext& context) {
  BoundKind kind = BoundKind::kExistsPlan;
  if (expr.kind == ExprKind::kCountSubquery) kind = BoundKind::kCountPlan;
  if (expr.kind == ExprKind::kCollectSubquery) kind = BoundKind::kCollectPlan;
  BoundExprPtr made = Make(kind, expr, kind == BoundKind::kExistsPlan ? kBooleanType : kind == BoundKind::kCountPlan ? kIntegerType : kListType);
  SubplanFrame frame(this);
  Scope inner(context.scope);
  if (!expr.subquery) {
    auto graph = std::make_unique<QueryGraph>();
    RETURN_IF_ERROR(BindPatterns(expr.patterns, &inner, false, graph.get()));
    if (!expr.args.empty() && expr.args[0]) RETURN_IF_ERROR(AddPredicate(*expr.args[0], inner, graph.get()));
    if (kind == BoundKind::kCollectPlan) {
      return BindError("InvalidClauseComposition", "COLLECT {...} needs a query that ends in RETURN of one column", expr.span.start);
    }
    ASSIGN_OR_RETURN(made->logical, MatchOperator(std::move(graph), MakeArgument(), false));
    made->outer_slots = frame.used();
    return made;
  }
  QueryPlace place;
  place.kind = QueryPlace::Kind::kExpression;
  place.outer = context.scope;
  ASSIGN_OR_RETURN(QueryOut out, BindQuery(*expr.subquery, inner, place));
  if (out.writes) {
    return BindError("InvalidClauseComposition", "a subquery in an expression only reads", expr.span.start);
  }
  if (kind == BoundKind::kCollectPlan) {
    if (!out.returns || out.columns.size() != 1) {
      return BindError("InvalidClauseComposition", "COLLECT {...} needs a query that ends in RETURN of one column", expr.span.start);
    }
    made->element_type = out.columns[0].type;
    made->args.push_back(MakeSlot(out.columns[0].slot, out.columns[0].type, expr.span.start));
  }
  made->logical = std::move(out.plan);
  made->outer_slots = frame.used();
  return made;
}

}  // namespace fornix::planner
