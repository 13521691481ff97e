// SET and REMOVE. Items take effect from left to right.
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

Result<BoundExprPtr> Binder::BindTarget(const ast::Expr& expr, const Scope& scope, std::string_view clause_name) {
  ASSIGN_OR_RETURN(BoundExprPtr target, BindIn(expr, scope));
  RETURN_IF_ERROR(Expect(*target, kNodeType | kRelationshipType, clause_name));
  return target;
}

Status Binder::BindSetItem(const ast::SetItem& item, const Scope& scope, std::vector<SetAction>* out) {
  using Kind = ast::SetItem::Kind;
  SetAction action;
  action.position = item.span.start;
  switch (item.kind) {
    case Kind::kProperty: {
      action.kind = SetAction::Kind::kProperty;
      action.key = item.target->name;
      ASSIGN_OR_RETURN(action.target, BindTarget(*item.target->args[0], scope, "SET"));
      break;
    }
    case Kind::kDynamicProperty: {
      action.kind = SetAction::Kind::kDynamicProperty;
      ASSIGN_OR_RETURN(action.target, BindTarget(*item.target->args[0], scope, "SET"));
      ASSIGN_OR_RETURN(action.key_expr, BindIn(*item.target->args[1], scope));
      RETURN_IF_ERROR(Expect(*action.key_expr, kStringType, "the name of a property"));
      break;
    }
    case Kind::kReplaceProperties:
    case Kind::kMergeProperties: {
      action.kind = item.kind == Kind::kReplaceProperties ? SetAction::Kind::kReplace : SetAction::Kind::kMergeInto;
      ASSIGN_OR_RETURN(action.target, BindTarget(*item.target, scope, "SET"));
      break;
    }
    case Kind::kLabels: {
      action.kind = SetAction::Kind::kAddLabels;
      ASSIGN_OR_RETURN(action.target, BindIn(*item.target, scope));
      RETURN_IF_ERROR(Expect(*action.target, kNodeType, "SET of labels"));
      RETURN_IF_ERROR(CreateLabels(item.labels.get(), scope, &action.labels, &action.dynamic_labels));
      break;
    }
  }
  if (item.value) {
    ASSIGN_OR_RETURN(action.value, BindIn(*item.value, scope));
    if (item.kind == Kind::kReplaceProperties || item.kind == Kind::kMergeProperties) {
      RETURN_IF_ERROR(Expect(*action.value, kMapType | kNodeType | kRelationshipType, "SET of all properties"));
    }
  }
  out->push_back(std::move(action));
  return Status::Ok();
}

Result<LogicalPtr> Binder::BindSet(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  writes_ = true;
  LogicalPtr plan = MakeOperator(OpKind::kSet, std::move(input));
  for (const auto& item : clause.set_items) RETURN_IF_ERROR(BindSetItem(item, *scope, &plan->op->sets));
  return plan;
}

Result<LogicalPtr> Binder::BindRemove(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  using Kind = ast::RemoveItem::Kind;
  writes_ = true;
  LogicalPtr plan = MakeOperator(OpKind::kSet, std::move(input));
  for (const auto& item : clause.remove_items) {
    SetAction action;
    action.position = item.target->span.start;
    switch (item.kind) {
      case Kind::kProperty: {
        action.kind = SetAction::Kind::kRemoveProperty;
        action.key = item.target->name;
        ASSIGN_OR_RETURN(action.target, BindTarget(*item.target->args[0], *scope, "REMOVE"));
        break;
      }
      case Kind::kDynamicProperty: {
        action.kind = SetAction::Kind::kRemoveDynamicProperty;
        ASSIGN_OR_RETURN(action.target, BindTarget(*item.target->args[0], *scope, "REMOVE"));
        ASSIGN_OR_RETURN(action.key_expr, BindIn(*item.target->args[1], *scope));
        RETURN_IF_ERROR(Expect(*action.key_expr, kStringType, "the name of a property"));
        break;
      }
      case Kind::kLabels: {
        action.kind = SetAction::Kind::kRemoveLabels;
        ASSIGN_OR_RETURN(action.target, BindIn(*item.target, *scope));
        RETURN_IF_ERROR(Expect(*action.target, kNodeType, "REMOVE of labels"));
        RETURN_IF_ERROR(CreateLabels(item.labels.get(), *scope, &action.labels, &action.dynamic_labels));
        break;
      }
    }
    plan->op->sets.push_back(std::move(action));
  }
  return plan;
}

}  // namespace fornix::planner
