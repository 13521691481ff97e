// Queries: clauses in their order, what a query may end with, and UNION.
#include <algorithm>

#include "base/limits.h"
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

using ast::ClauseKind;

namespace {

bool Updates(ClauseKind kind) {
  switch (kind) {
    case ClauseKind::kCreate:
    case ClauseKind::kMerge:
    case ClauseKind::kSet:
    case ClauseKind::kRemove:
    case ClauseKind::kDelete:
    case ClauseKind::kForeach: return true;
    default: return false;
  }
}

std::string_view Word(ClauseKind kind) {
  static constexpr std::string_view kWords[] = {"MATCH", "UNWIND", "WITH", "RETURN", "CREATE", "MERGE", "SET", "REMOVE",
                                                "DELETE", "FOREACH", "CALL", "CALL {...}", "LOAD CSV", "FINISH"};
  return kWords[static_cast<int>(kind)];
}

}  // namespace

Status Binder::CountClause(const ast::Clause& clause) {
  if (++clauses_ <= kClausesMax) return Status::Ok();
  return Status(Code::kLimitExceeded, "a statement of more than " + std::to_string(kClausesMax) +
                                          " clauses (CREATE after CREATE counts once); split it, or put the data into a parameter and UNWIND it")
      .At(clause.span.start)
      .Detail("StatementTooLarge")
      .CompileTime();
}

Status Binder::CheckClauseOrder(const ast::SingleQuery& query, const QueryPlace& place) const {
  const auto& clauses = query.clauses;
  if (clauses.empty()) return BindError("UnexpectedSyntax", "a query needs a clause", query.span.start);
  for (size_t i = 0; i < clauses.size(); ++i) {
    const ast::Clause& clause = *clauses[i];
    const bool last = i + 1 == clauses.size();
    if (!last && (clause.kind == ClauseKind::kReturn || clause.kind == ClauseKind::kFinish)) {
      return BindError("InvalidClauseComposition",
                       std::string(Word(clause.kind)) + " must be the last clause: " + std::string(Word(clauses[i + 1]->kind)) +
                           " can't follow it (WITH passes rows on)",
                       clauses[i + 1]->span.start);
    }
    if (place.kind == QueryPlace::Kind::kExpression && Updates(clause.kind)) {
      return BindError("InvalidClauseComposition", "a subquery in an expression only reads: " + std::string(Word(clause.kind)) +
                       " can't stand in it", clause.span.start);
    }
    if (!last || place.kind == QueryPlace::Kind::kExpression) continue;
    const bool may_end = Updates(clause.kind) || clause.kind == ClauseKind::kReturn || clause.kind == ClauseKind::kFinish ||
                         clause.kind == ClauseKind::kCallProcedure || clause.kind == ClauseKind::kCallSubquery ||
                         clause.kind == ClauseKind::kLoadCsv;
    if (!may_end) {
      return BindError("InvalidClauseComposition",
                       "a query can't end with " + std::string(Word(clause.kind)) + ": end it with RETURN or a clause that writes",
                       clause.span.start);
    }
  }
  return Status::Ok();
}

Result<Binder::QueryOut> Binder::BindQuery(const ast::Query& query, const Scope& scope, const QueryPlace& place) {
  for (size_t i = 1; i < query.union_all.size(); ++i) {
    if (query.union_all[i] != query.union_all[0]) {
      return BindError("InvalidClauseComposition", "UNION and UNION ALL can't be mixed in one query", query.parts[i + 1].span.start);
    }
  }
  std::vector<QueryOut> parts;
  for (const auto& single : query.parts) {
    ASSIGN_OR_RETURN(QueryOut out, BindSingle(single, scope, place));
    parts.push_back(std::move(out));
  }
  if (parts.size() == 1) return std::move(parts[0]);
  return JoinUnion(std::move(parts), query);
}

Result<Binder::QueryOut> Binder::JoinUnion(std::vector<QueryOut> parts, const ast::Query& query) {
  QueryOut out;
  out.returns = parts[0].returns;
  out.plan = MakeOperator(OpKind::kUnion);
  for (const auto& column : parts[0].columns) {
    out.columns.push_back({column.name, NewSlot(column.name), column.type, column.element});
    out.plan->op->slots.push_back(out.columns.back().slot);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    QueryOut& part = parts[i];
    std::vector<Slot> slots;
    bool same = part.returns == out.returns && part.columns.size() == out.columns.size();
    for (auto& column : out.columns) {
      auto it = std::find_if(part.columns.begin(), part.columns.end(), [&](const Variable& v) { return v.name == column.name; });
      if (it == part.columns.end()) {
        same = false;
        break;
      }
      slots.push_back(it->slot);
      column.type = column.type | it->type;
      column.element = column.element | it->element;
    }
    if (!same) {
      std::string first, other;
      for (const auto& c : parts[0].columns) first += (first.empty() ? "" : ", ") + c.name;
      for (const auto& c : part.columns) other += (other.empty() ? "" : ", ") + c.name;
      return BindError("DifferentColumnsInUnion",
                       "all parts of a UNION must return the same columns: the first returns (" + first + "), this one (" + other + ")",
                       query.parts[i].span.start);
    }
    out.writes = out.writes || part.writes;
    // Part by part, also where all parts write: each sees what the ones before it wrote.
    out.plan->inputs.push_back(std::move(part.plan));
    out.plan->op->union_slots.push_back(std::move(slots));
  }
  if (!query.union_all[0]) {
    auto slots = out.plan->op->slots;
    out.plan = MakeOperator(OpKind::kDistinct, std::move(out.plan));
    out.plan->op->slots = std::move(slots);
  }
  return out;
}

Result<Binder::QueryOut> Binder::BindSingle(const ast::SingleQuery& query, Scope scope, const QueryPlace& place) {
  RETURN_IF_ERROR(CheckClauseOrder(query, place));
  QueryOut out;
  out.plan = MakeArgument();
  const bool outer_writes = writes_;
  writes_ = false;
  size_t first = 0;
  if (place.importing_with && query.clauses[0]->kind == ClauseKind::kWith) {
    // Only names, unchanged: WITH x, y. What it lets through is all that the subquery sees.
    const ast::Clause& with = *query.clauses[0];
    const ast::Projection& body = with.projection;
    bool simple = !body.distinct && body.order_by.empty() && !body.skip && !body.limit && !with.where;
    for (const auto& item : body.items) {
      simple = simple && item.expr->kind == ast::ExprKind::kVariable && (item.alias.empty() || item.alias.text == item.expr->name);
    }
    if (!simple) {
      return BindError("InvalidClauseComposition",
                       "the WITH that imports variables into CALL {...} may only list them; compute in a second WITH, or write CALL (x) {...}",
                       with.span.start);
    }
    if (body.star) {
      for (const auto& v : place.outer->own()) {
        NoteUse(v.slot);
        scope.Add(v);
      }
    }
    for (const auto& item : body.items) {
      const Variable* v = Resolve(item.expr->name, *place.outer);
      if (!v) return UndefinedVariable(item.expr->name, *place.outer, item.expr->span.start);
      scope.Add(*v);
    }
    first = 1;
  }
  for (size_t i = first; i < query.clauses.size(); ++i) {
    const ast::Clause& clause = *query.clauses[i];
    const bool goes_on = clause.kind == ClauseKind::kCreate && i > 0 && query.clauses[i - 1]->kind == ClauseKind::kCreate;
    if (!goes_on) RETURN_IF_ERROR(CountClause(clause));
    if (clause.kind == ClauseKind::kReturn) {
      ASSIGN_OR_RETURN(out.plan, BindProjection(clause, &scope, std::move(out.plan), &out.columns));
      if (place.kind == QueryPlace::Kind::kCall) RETURN_IF_ERROR(CheckNames(clause.projection, "the RETURN of CALL {...}"));
      out.returns = true;
    } else if (clause.kind == ClauseKind::kWith) {
      if (clause.let) RETURN_IF_ERROR(CheckLet(clause, scope));
      ASSIGN_OR_RETURN(out.plan, BindProjection(clause, &scope, std::move(out.plan), nullptr));
    } else if (clause.kind == ClauseKind::kCallProcedure) {
      std::vector<Variable> columns;
      ASSIGN_OR_RETURN(out.plan, BindCallProcedure(clause, &scope, std::move(out.plan), &columns));
      if (clause.standalone && place.kind == QueryPlace::Kind::kTop) {
        out.returns = !columns.empty();
        out.columns = std::move(columns);
      }
    } else {
      ASSIGN_OR_RETURN(out.plan, BindClause(clause, &scope, std::move(out.plan), place));
    }
  }
  out.writes = writes_;
  writes_ = writes_ || outer_writes;
  return out;
}

// LET only adds names; WITH, which it is otherwise, could also change one, or aggregate.
Status Binder::CheckLet(const ast::Clause& clause, const Scope& scope) const {
  for (const ast::ProjectionItem& item : clause.projection.items) {
    if (scope.Find(item.alias.text)) {
      return BindError("VariableAlreadyBound", "variable `" + item.alias.text + "` is defined already: LET needs a new name", item.alias.span.start);
    }
    if (ContainsAggregate(*item.expr)) {
      return BindError("InvalidAggregation", "LET doesn't aggregate: WITH does, and names what rows are grouped by", item.expr->span.start);
    }
  }
  return Status::Ok();
}

Result<LogicalPtr> Binder::BindClause(const ast::Clause& clause, Scope* scope, LogicalPtr input, const QueryPlace& place) {
  switch (clause.kind) {
    case ClauseKind::kMatch: return BindMatch(clause, scope, std::move(input));
    case ClauseKind::kUnwind: return BindUnwind(clause, scope, std::move(input));
    case ClauseKind::kCreate: return BindCreate(clause, scope, std::move(input));
    case ClauseKind::kMerge: return BindMerge(clause, scope, std::move(input));
    case ClauseKind::kSet: return BindSet(clause, scope, std::move(input));
    case ClauseKind::kRemove: return BindRemove(clause, scope, std::move(input));
    case ClauseKind::kDelete: return BindDelete(clause, scope, std::move(input));
    case ClauseKind::kForeach: return BindForeach(clause, scope, std::move(input), place);
    case ClauseKind::kCallSubquery: return BindCallSubquery(clause, scope, std::move(input));
    case ClauseKind::kLoadCsv: return NotAvailable("LOAD CSV", clause.span.start);
    case ClauseKind::kFinish: return input;
    default: return Status(Code::kInternal, "a clause of unknown kind");
  }
}

Result<LogicalPtr> Binder::BindUnwind(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  ASSIGN_OR_RETURN(BoundExprPtr list, BindIn(*clause.expr, *scope));
  if (scope->Find(clause.name.text)) {
    return BindError("VariableAlreadyBound", "variable `" + clause.name.text + "` is defined already: UNWIND needs a new name",
                     clause.name.span.start);
  }
  // A value that is no list counts as a list of one.
  TypeSet type = list->type.Has(Type::kList) ? list->element_type | TypeSet{list->type.bits & ~kListType.bits} : list->type;
  const Slot slot = NewSlot(clause.name.text);
  scope->Add({clause.name.text, slot, type, kAnyType});
  LogicalPtr plan = MakeOperator(OpKind::kUnwind, std::move(input));
  plan->op->exprs.push_back(std::move(list));
  plan->op->slot = slot;
  return plan;
}

}  // namespace fornix::planner
