// CALL procedure() YIELD and CALL {...}.
#include <algorithm>

#include "base/nearest.h"
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

namespace {
constexpr double kRetrySecondsDefault = 30;   // as Neo4j
}  // namespace

Result<std::vector<BoundExprPtr>> Binder::BindProcedureArguments(const ast::Clause& clause, const ProcedureSignature& procedure,
                                                                 const Scope& scope) {
  std::vector<BoundExprPtr> arguments;
  if (clause.implicit_arguments) {
    if (!clause.standalone) {
      return BindError("InvalidArgumentPassingMode",
                       "only a CALL that stands alone may take its arguments from parameters: write them, CALL " + procedure.name + "(...)",
                       clause.span.start);
    }
    for (const auto& input : procedure.inputs) {
      auto parameter = std::make_unique<BoundExpr>(BoundKind::kParameter);
      parameter->name = input.name;
      parameter->text = "$" + input.name;
      parameter->position = clause.span.start;
      parameter->parameter = ParameterPlace(input.name);
      arguments.push_back(std::move(parameter));
    }
    return arguments;
  }
  const size_t needed = std::count_if(procedure.inputs.begin(), procedure.inputs.end(), [](const auto& f) { return !f.has_default; });
  if (clause.exprs.size() < needed || clause.exprs.size() > procedure.inputs.size()) {
    std::string wanted;
    for (const auto& input : procedure.inputs) wanted += (wanted.empty() ? "" : ", ") + input.name + " :: " + input.type_name;
    return BindError("InvalidNumberOfArguments",
                     procedure.name + "(" + wanted + ") takes " + std::to_string(procedure.inputs.size()) + " arguments, found " +
                         std::to_string(clause.exprs.size()),
                     clause.span.start);
  }
  for (size_t i = 0; i < clause.exprs.size(); ++i) {
    ASSIGN_OR_RETURN(BoundExprPtr argument, BindIn(*clause.exprs[i], scope));
    TypeSet wanted = procedure.inputs[i].type;
    if (wanted.Has(Type::kFloat)) wanted = wanted | kIntegerType;   // widened
    RETURN_IF_ERROR(Expect(*argument, wanted, "argument `" + procedure.inputs[i].name + "` of " + procedure.name));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

Result<LogicalPtr> Binder::BindCallProcedure(const ast::Clause& clause, Scope* scope, LogicalPtr input, std::vector<Variable>* columns) {
  const ProcedureSignature* procedure = input_.functions->FindProcedure(clause.procedure);
  if (!procedure) {
    const std::string nearest = input_.functions->NearestProcedure(clause.procedure);
    return BindError("ProcedureNotFound",
                     "there is no procedure `" + clause.procedure + "`" + (nearest.empty() ? "" : "; did you mean `" + nearest + "`?"),
                     clause.span.start, Code::kProcedureNotFound);
  }
  if (clause.yield_star && !clause.standalone) {
    return BindError("UnexpectedSyntax", "YIELD * belongs to a CALL that stands alone: name the fields", clause.span.start);
  }
  ASSIGN_OR_RETURN(std::vector<BoundExprPtr> arguments, BindProcedureArguments(clause, *procedure, *scope));
  if (procedure->writes) writes_ = true;
  ASSIGN_OR_RETURN(LogicalPtr seed, SeedOfCall(clause, *procedure, &arguments, scope, input));
  LogicalPtr plan = std::move(seed);
  if (!plan) {
    plan = MakeOperator(OpKind::kCallProcedure, std::move(input));
    plan->op->procedure = procedure;
    plan->op->exprs = std::move(arguments);
    // All fields where none is named and the CALL is the whole query.
    if ((clause.standalone && !clause.has_yield) || clause.yield_star) {
      for (uint32_t i = 0; i < procedure->outputs.size(); ++i) {
        const auto& field = procedure->outputs[i];
        const Slot slot = NewSlot(field.name);
        plan->op->outputs.emplace_back(i, slot);
        scope->Add({field.name, slot, field.type, kAnyType});
      }
    }
    for (const auto& item : clause.yield) {
      const auto& outputs = procedure->outputs;
      auto it = std::find_if(outputs.begin(), outputs.end(), [&](const ProcedureField& f) { return f.name == item.field.text; });
      if (it == outputs.end()) {
        std::vector<std::string> names;
        for (const auto& f : outputs) names.push_back(f.name);
        return BindError("UndefinedVariable", procedure->name + " yields no field `" + item.field.text + "`" + DidYouMeanOrAll(item.field.text, names),
                         item.field.span.start);
      }
      const ast::Name& name = item.alias.empty() ? item.field : item.alias;
      if (scope->Find(name.text)) {
        return BindError("VariableAlreadyBound", "variable `" + name.text + "` is defined already: YIELD " + item.field.text + " AS another name",
                         name.span.start);
      }
      const Slot slot = NewSlot(name.text);
      plan->op->outputs.emplace_back(static_cast<uint32_t>(it - outputs.begin()), slot);
      scope->Add({name.text, slot, it->type, kAnyType});
    }
    if (clause.where) {
      ASSIGN_OR_RETURN(BoundExprPtr predicate, BindPredicate(*clause.where, ExprContext{scope}));
      plan = MakeOperator(OpKind::kFilter, std::move(plan));
      plan->op->predicate = std::move(predicate);
    }
  }
  if (clause.standalone) *columns = scope->own();
  return plan;
}

// Its transactions see what is committed: neither what this statement wrote before it, nor what a subquery around it writes.
Status Binder::CheckInTransactions(const ast::Clause& clause) const {
  const ast::InTransactions& in = *clause.in_transactions;
  if (writes_) {
    return BindError("InvalidClauseComposition", "CALL {...} IN TRANSACTIONS can't follow a clause that writes: its transactions wouldn't see those writes",
                     clause.span.start);
  }
  if (calls_in_transactions_ > 0) {
    return BindError("InvalidClauseComposition", "CALL {...} IN TRANSACTIONS can't stand inside another one", clause.span.start);
  }
  if (!in.status.empty() && in.on_error == ast::InTransactions::OnError::kFail) {
    return BindError("InvalidClauseComposition", "REPORT STATUS needs ON ERROR CONTINUE or ON ERROR BREAK: with ON ERROR FAIL there is nothing to report",
                     in.status.span.start);
  }
  return Status::Ok();
}

// ON ERROR RETRY and CONCURRENT.
Status Binder::BindRetry(const ast::Clause& clause, PhysicalOperator* op) {
  const ast::InTransactions& in = *clause.in_transactions;
  const auto constant = [&](const ast::Expr& expr, TypeSet wanted, const char* word) -> Result<BoundExprPtr> {
    Scope nothing;
    Result<BoundExprPtr> bound = BindExpr(expr, ExprContext{&nothing});
    if (!bound.ok() && bound.status().detail() == "UndefinedVariable") {
      return BindError("NonConstantExpression", std::string(word) + " can't use variables: it is evaluated once for all rows", expr.span.start);
    }
    RETURN_IF_ERROR(bound.status());
    RETURN_IF_ERROR(Expect(**bound, wanted, word));
    return bound;
  };
  if (in.retry && in.retry_seconds) {
    ASSIGN_OR_RETURN(BoundExprPtr seconds, constant(*in.retry_seconds, kNumberType, "ON ERROR RETRY FOR"));
    op->exprs.push_back(std::move(seconds));
  } else if (in.retry) {
    op->exprs.push_back(MakeLiteral(Value(kRetrySecondsDefault), clause.span.start));
  }
  if (!in.concurrent) return Status::Ok();
  if (in.concurrency) RETURN_IF_ERROR(constant(*in.concurrency, kIntegerType, "IN CONCURRENT TRANSACTIONS").status());
  Notify("Neo.ClientNotification.Statement.ConcurrencyUnsupported", "The transactions run one after the other.",
         "CONCURRENT allows transactions to run side by side; here they run one after the other, with the same result.", clause.span.start, "INFORMATION");
  return Status::Ok();
}

Result<LogicalPtr> Binder::BindCallSubquery(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  if (clause.in_transactions) RETURN_IF_ERROR(CheckInTransactions(clause));
  Scope imports;           // of CALL (x): visible in all of the subquery, whatever its WITHs drop
  Scope nothing;
  QueryPlace place;
  place.kind = QueryPlace::Kind::kCall;
  place.outer = scope;
  LogicalPtr plan = MakeOperator(OpKind::kSubquery, std::move(input));
  SubplanFrame frame(this);
  if (clause.has_scope) {
    if (clause.imports_star) {
      for (const auto& v : scope->own()) {
        NoteUse(v.slot);
        imports.Add(v);
      }
    }
    for (const auto& name : clause.imports) {
      const Variable* v = Resolve(name.text, *scope);
      if (!v) return UndefinedVariable(name.text, *scope, name.span.start);
      imports.Add(*v);
    }
  } else {
    place.importing_with = true;
  }
  const Scope inner(&imports);
  calls_in_transactions_ += clause.in_transactions ? 1 : 0;
  ASSIGN_OR_RETURN(QueryOut out, BindQuery(*clause.subquery, clause.has_scope ? inner : nothing, place));
  calls_in_transactions_ -= clause.in_transactions ? 1 : 0;
  // What it returns of the row around it gets a slot of its own: the outer one must not become null with it.
  LogicalPtr copies;
  for (auto& column : out.columns) {
    const auto outer = scope->Slots();
    if (std::find(outer.begin(), outer.end(), column.slot) == outer.end()) continue;
    if (!copies) copies = MakeOperator(OpKind::kProject);
    const Slot slot = NewSlot(column.name);
    copies->op->projections.push_back({slot, MakeSlot(column.slot, column.type)});
    column.slot = slot;
  }
  if (copies) {
    copies->inputs.push_back(std::move(out.plan));
    out.plan = std::move(copies);
  }
  plan->inputs.push_back(std::move(out.plan));
  plan->op->optional_subquery = clause.optional;
  plan->op->unit_subquery = !out.returns;
  if (clause.in_transactions) {
    plan->op->in_transactions = true;
    plan->op->on_error = static_cast<uint8_t>(clause.in_transactions->on_error);
    if (clause.in_transactions->batch_rows) {
      ASSIGN_OR_RETURN(BoundExprPtr rows, BindRowCount(*clause.in_transactions->batch_rows, "IN TRANSACTIONS OF"));
      plan->op->exprs.push_back(std::move(rows));
    } else {
      plan->op->exprs.push_back(MakeLiteral(Value(1000), clause.span.start));   // as Neo4j
    }
    RETURN_IF_ERROR(BindRetry(clause, plan->op.get()));
  }
  for (auto& column : out.columns) {
    // `RETURN x` of an imported x would define it a second time.
    if (scope->Find(column.name)) {
      return BindError("VariableAlreadyBound", "variable `" + column.name + "` is defined outside CALL {...} already: return it under another name",
                       clause.span.start);
    }
    scope->Add(column);
    plan->op->null_slots.push_back(column.slot);
  }
  if (clause.in_transactions && !clause.in_transactions->status.empty()) {
    const ast::Name& name = clause.in_transactions->status;
    if (scope->Find(name.text)) {
      return BindError("VariableAlreadyBound", "variable `" + name.text + "` is defined already: REPORT STATUS AS another name", name.span.start);
    }
    plan->op->slot = NewSlot(name.text);
    scope->Add({name.text, plan->op->slot, kMapType, kAnyType});
  }
  return plan;
}

}  // namespace fornix::planner
