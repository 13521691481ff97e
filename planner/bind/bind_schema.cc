// Schema commands and SHOW.
//
// A command becomes one kSchemaCommand operator with the command itself; schema_exprs[0] is its name when that is a parameter
// (else null), schema_exprs[1] its OPTIONS (may be null). SHOW is an ordinary query over a procedure ("show.indexes"), so
// that YIELD, WHERE and RETURN need nothing of their own. A procedure with an input gets the word before INDEXES there
// ("VECTOR", "" for all); without one the word is compared with the field `type`.
#include <algorithm>

#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

namespace {

using Kind = ast::SchemaCommand::Kind;
using IndexKind = ast::SchemaCommand::IndexKind;
using ShowKind = ast::SchemaCommand::ShowKind;

struct ShowSource {
  const char* procedure;
  std::vector<std::string_view> only_on_yield;   // fields that stand behind YIELD only
  size_t shown = ~size_t{0};                     // as those behind so many
};

Result<ShowSource> SourceOf(ShowKind kind, SourcePosition at) {
  switch (kind) {
    case ShowKind::kIndexes: return ShowSource{"show.indexes", {"trackedSince", "options", "failureMessage", "createStatement"}};
    case ShowKind::kConstraints: return ShowSource{"show.constraints", {"options", "createStatement"}};
    case ShowKind::kFunctions:
      return ShowSource{"show.functions", {"signature", "isBuiltIn", "argumentDescription", "returnDescription", "aggregating", "rolesExecution", "rolesBoostedExecution", "isDeprecated", "deprecatedBy"}};
    case ShowKind::kProcedures:
      return ShowSource{"show.procedures", {"signature", "argumentDescription", "returnDescription", "admin", "rolesExecution", "rolesBoostedExecution", "isDeprecated", "deprecatedBy", "option"}};
    case ShowKind::kTransactions: return ShowSource{"show.transactions", {}, 10};
    case ShowKind::kTerminate: return ShowSource{"show.terminate", {}};
    case ShowKind::kGraphType: return ShowSource{"show.graphType", {}};
    case ShowKind::kSettings: return NotAvailable("SHOW SETTINGS", at);
    case ShowKind::kDatabases: return NotAvailable("SHOW DATABASES", at);
  }
  return Status(Code::kInternal, "SHOW of an unknown kind");
}

Status CheckAvailable(const ast::SchemaCommand& command) {
  if (command.kind != Kind::kCreateIndex) return Status::Ok();
  switch (command.index_kind) {
    case IndexKind::kFulltext: return NotAvailable("CREATE FULLTEXT INDEX", command.span.start);
    case IndexKind::kText: return NotAvailable("CREATE TEXT INDEX", command.span.start);
    case IndexKind::kPoint: return NotAvailable("CREATE POINT INDEX", command.span.start);
    case IndexKind::kLookup: return NotAvailable("CREATE LOOKUP INDEX (labels and types are always indexed)", command.span.start);
    default: return Status::Ok();
  }
}

}  // namespace

Result<LogicalPtr> Binder::BindSchema(std::shared_ptr<const ast::SchemaCommand> schema, std::vector<Variable>* columns) {
  if (schema->kind == Kind::kShow) return BindShow(*schema, columns);
  RETURN_IF_ERROR(CheckAvailable(*schema));
  ddl_ = true;
  LogicalPtr plan = MakeOperator(OpKind::kSchemaCommand);
  BoundExprPtr name, options;
  if (!schema->name_parameter.empty()) {
    name = std::make_unique<BoundExpr>(BoundKind::kParameter);
    name->name = schema->name_parameter;
    name->text = "$" + schema->name_parameter;
    name->position = schema->span.start;
    name->parameter = ParameterPlace(schema->name_parameter);
  }
  if (schema->options) {
    Scope nothing;
    ASSIGN_OR_RETURN(options, BindIn(*schema->options, nothing));
    RETURN_IF_ERROR(Expect(*options, kMapType, "OPTIONS"));
  }
  plan->op->schema_exprs.push_back(std::move(name));
  plan->op->schema_exprs.push_back(std::move(options));
  plan->op->schema = std::move(schema);
  return plan;
}

Result<LogicalPtr> Binder::BindShow(const ast::SchemaCommand& command, std::vector<Variable>* columns) {
  LogicalPtr plan = MakeArgument();
  Scope scope;   // what the commands before yield
  for (const ast::SchemaCommand* part = &command; part != nullptr; part = part->then.get()) {
    ASSIGN_OR_RETURN(plan, BindShowPart(*part, &scope, std::move(plan), columns));
  }
  return plan;
}

Result<LogicalPtr> Binder::BindShowPart(const ast::SchemaCommand& command, Scope* scope, LogicalPtr input, std::vector<Variable>* columns) {
  ASSIGN_OR_RETURN(ShowSource source, SourceOf(command.show_kind, command.span.start));
  const ProcedureSignature* procedure = input_.functions->FindProcedure(source.procedure);
  if (!procedure) return NotAvailable("this SHOW", command.span.start);
  LogicalPtr plan = MakeOperator(OpKind::kCallProcedure, std::move(input));
  plan->op->procedure = procedure;
  if (command.show_kind == ShowKind::kTransactions || command.show_kind == ShowKind::kTerminate) {
    ASSIGN_OR_RETURN(BoundExprPtr ids, BindTransactionIds(command, *scope));
    plan->op->exprs.push_back(std::move(ids));
  } else if (!procedure->inputs.empty()) {
    plan->op->exprs.push_back(MakeLiteral(Value(command.show_filter), command.span.start));
  }

  std::vector<Variable> fields;
  for (uint32_t i = 0; i < procedure->outputs.size(); ++i) {
    const auto& field = procedure->outputs[i];
    const Slot slot = NewSlot(field.name);
    plan->op->outputs.emplace_back(i, slot);
    fields.push_back({field.name, slot, field.type, kAnyType});
  }
  if (procedure->inputs.empty() && !command.show_filter.empty()) {
    for (const auto& field : fields) {
      if (field.name != "type") continue;
      BoundExprPtr equal = MakeCompare(MakeSlot(field.slot, kStringType, command.span.start), BoundOp::kEq,
                                       MakeLiteral(Value(command.show_filter), command.span.start));
      plan = MakeOperator(OpKind::kFilter, std::move(plan));
      plan->op->predicate = std::move(equal);
    }
  }
  // The columns: named by YIELD, or all for YIELD *, or the short list.
  for (const auto& item : command.yield) {
    auto it = std::find_if(fields.begin(), fields.end(), [&](const Variable& v) { return v.name == item.field.text; });
    if (it == fields.end()) {
      Scope known;
      for (const auto& f : fields) known.Add(f);
      return UndefinedVariable(item.field.text, known, item.field.span.start);
    }
    Variable yielded = *it;
    if (!item.alias.empty()) yielded.name = item.alias.text;
    if (scope->Find(yielded.name)) {
      return BindError("VariableAlreadyBound", "variable `" + yielded.name + "` is defined already: YIELD " + item.field.text + " AS another name",
                       item.field.span.start);
    }
    scope->Add(std::move(yielded));
  }
  for (size_t i = 0; command.yield.empty() && i < fields.size(); ++i) {
    const auto& hidden = source.only_on_yield;
    const bool shown = i < source.shown && std::find(hidden.begin(), hidden.end(), fields[i].name) == hidden.end();
    if (!command.has_yield && !shown) continue;
    if (scope->Find(fields[i].name)) {
      return BindError("VariableAlreadyBound", "variable `" + fields[i].name + "` is defined already: name the fields, YIELD " + fields[i].name + " AS another name",
                       command.span.start);
    }
    scope->Add(fields[i]);
  }
  ASSIGN_OR_RETURN(plan, BindProjectionBody(command.yield_projection, command.where.get(), Stars::kInOrder, scope, std::move(plan), columns));
  if (command.has_return) {
    const Stars stars = command.returns.star ? Stars::kSorted : Stars::kNone;
    ASSIGN_OR_RETURN(plan, BindProjectionBody(command.returns, nullptr, stars, scope, std::move(plan), columns, true));
  }
  return plan;
}

// The ids as one list; null where none is given, which is SHOW of all.
Result<BoundExprPtr> Binder::BindTransactionIds(const ast::SchemaCommand& command, const Scope& scope) {
  if (command.transactions.empty()) return MakeLiteral(Value(), command.span.start);
  auto list = std::make_unique<BoundExpr>(BoundKind::kList);
  list->type = kListType;
  list->position = command.transactions[0]->span.start;
  for (const auto& id : command.transactions) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindIn(*id, scope));
    RETURN_IF_ERROR(Expect(*bound, kStringType | kListType, "the id of a transaction"));
    list->args.push_back(std::move(bound));
  }
  return list;
}

}  // namespace fornix::planner
