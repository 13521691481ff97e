// CREATE, DELETE, FOREACH.
//
// Clauses that follow each other become one operator, so that a script of thousands is no tower of operators. A property may
// read an element that the same CREATE made earlier; the operator is then cut at that place, because it writes nothing before
// it has evaluated everything.
#include <algorithm>

#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

using ast::ClauseKind;

Status Binder::CreateLabels(const ast::LabelExpr* labels, const Scope& scope, std::vector<std::string>* names,
                            std::vector<BoundExprPtr>* dynamic) {
  if (!labels) return Status::Ok();
  switch (labels->kind) {
    case ast::LabelExpr::Kind::kName: names->push_back(labels->name.text); return Status::Ok();
    case ast::LabelExpr::Kind::kAnd:
      for (const auto& child : labels->children) RETURN_IF_ERROR(CreateLabels(child.get(), scope, names, dynamic));
      return Status::Ok();
    case ast::LabelExpr::Kind::kDynamic: {
      ASSIGN_OR_RETURN(BoundExprPtr name, BindIn(*labels->dynamic, scope));
      RETURN_IF_ERROR(Expect(*name, kStringType | kListType, "$(...)"));
      dynamic->push_back(std::move(name));
      return Status::Ok();
    }
    default:
      return BindError("UnexpectedSyntax", "what is written gets labels by name, :A:B; `" + TextOf(labels->span) + "` only describes some",
                       labels->span.start);
  }
}

Result<Slot> Binder::CreateNode(const ast::NodePattern& node, bool alone, Scope* scope, std::string_view clause_name,
                                std::vector<CreateElement>* out) {
  const Variable* known = node.variable.empty() ? nullptr : Resolve(node.variable.text, *scope);
  if (node.where) {
    return BindError("UnexpectedSyntax", std::string(clause_name) + " takes no WHERE in a pattern", node.where->span.start);
  }
  if (known) {
    if (alone || node.labels || node.properties) {
      return BindError("VariableAlreadyBound",
                       "variable `" + node.variable.text + "` is defined already: " + std::string(clause_name) + " can use it as (" +
                           node.variable.text + ") in a relationship, without labels and properties, but can't make it again",
                       node.variable.span.start);
    }
    if (!CanBe(known->type, kNodeType)) {
      return BindError("VariableTypeConflict",
                       "variable `" + known->name + "` is used as a node here, but its type is " + Describe(known->type),
                       node.variable.span.start);
    }
    return known->slot;
  }
  CreateElement element;
  element.position = node.span.start;
  RETURN_IF_ERROR(CreateLabels(node.labels.get(), *scope, &element.labels, &element.dynamic_labels));
  if (node.properties) {
    ASSIGN_OR_RETURN(element.properties, BindIn(*node.properties, *scope));
  }
  element.slot = NewSlot(node.variable.text);
  if (!node.variable.empty()) scope->Add({node.variable.text, element.slot, kNodeType, kAnyType});
  const Slot slot = element.slot;
  out->push_back(std::move(element));
  return slot;
}

Result<Slot> Binder::CreateRelationship(const ast::RelationshipPattern& pattern, Slot left, Slot right, Scope* scope, bool merge,
                                        std::vector<CreateElement>* out) {
  const std::string word = merge ? "MERGE" : "CREATE";
  if (!pattern.variable.empty() && scope->Find(pattern.variable.text)) {
    return BindError("VariableAlreadyBound", "variable `" + pattern.variable.text + "` is defined already: " + word +
                     " makes a relationship and needs a new name", pattern.variable.span.start);
  }
  if (pattern.length) {
    return BindError("CreatingVarLength", word + " can't make a relationship of variable length", pattern.span.start);
  }
  if (pattern.where) return BindError("UnexpectedSyntax", word + " takes no WHERE in a pattern", pattern.where->span.start);
  CreateElement element;
  element.relationship = true;
  element.position = pattern.span.start;
  const bool single = pattern.types && (pattern.types->kind == ast::LabelExpr::Kind::kName || pattern.types->kind == ast::LabelExpr::Kind::kDynamic);
  if (!single) {
    return BindError("NoSingleRelationshipType", "a relationship has exactly one type: " + word + " needs it, as in -[:KNOWS]->",
                     pattern.span.start);
  }
  RETURN_IF_ERROR(CreateLabels(pattern.types.get(), *scope, &element.labels, &element.dynamic_labels));
  if (!merge && pattern.direction == ast::Direction::kBoth) {
    return BindError("RequiresDirectedRelationship", "CREATE needs the direction of a relationship: --> or <--", pattern.span.start);
  }
  const bool backwards = pattern.direction == ast::Direction::kLeft;
  element.start = backwards ? right : left;
  element.end = backwards ? left : right;
  if (pattern.properties) {
    ASSIGN_OR_RETURN(element.properties, BindIn(*pattern.properties, *scope));
  }
  element.slot = NewSlot(pattern.variable.text);
  if (!pattern.variable.empty()) scope->Add({pattern.variable.text, element.slot, kRelationshipType, kAnyType});
  const Slot slot = element.slot;
  out->push_back(std::move(element));
  return slot;
}

Result<LogicalPtr> Binder::BindCreate(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  writes_ = true;
  std::vector<CreateElement> nodes, relationships;
  std::vector<PatternPath> paths;
  for (const auto& part : clause.patterns) {
    if (part->selector != ast::PatternPart::Selector::kNone) {
      return BindError("UnexpectedSyntax", "CREATE can't make a shortest path", part->span.start);
    }
    PatternPath path;
    // All nodes of a part first: a relationship may name the one on its right.
    for (const auto& node : part->nodes) {
      ASSIGN_OR_RETURN(Slot slot, CreateNode(node, part->relationships.empty(), scope, "CREATE", &nodes));
      path.elements.push_back(slot);
    }
    std::vector<Slot> interleaved{path.elements[0]};
    for (size_t i = 0; i < part->relationships.size(); ++i) {
      ASSIGN_OR_RETURN(Slot slot, CreateRelationship(part->relationships[i], path.elements[i], path.elements[i + 1], scope, false,
                                                     &relationships));
      interleaved.push_back(slot);
      interleaved.push_back(path.elements[i + 1]);
    }
    if (part->path_variable.empty()) continue;
    path.elements = std::move(interleaved);
    if (scope->Find(part->path_variable.text)) {
      return BindError("VariableAlreadyBound", "variable `" + part->path_variable.text + "` is defined already: a path needs a new name",
                       part->path_variable.span.start);
    }
    path.slot = NewSlot(part->path_variable.text);
    scope->Add({part->path_variable.text, path.slot, kPathType, kAnyType});
    paths.push_back(std::move(path));
  }
  LogicalPtr plan = std::move(input);
  LogicalPtr create;
  std::set<Slot> made;   // by `create` so far
  bool reads = false;
  for (auto* elements : {&nodes, &relationships}) {
    for (const auto& element : *elements) {
      reads = reads || (element.properties && ReadsGraph(*element.properties));
      for (const auto& label : element.dynamic_labels) reads = reads || ReadsGraph(*label);
    }
  }
  // CREATE after CREATE goes on in the same operator, unless it may read what the one before wrote.
  if (plan.get() == last_create_ && !reads) {
    create = plan;
    made = std::move(created_);
  }
  for (auto* elements : {&nodes, &relationships}) {
    for (auto& element : *elements) {
      std::set<Slot> read;
      if (element.properties) AddFreeSlots(*element.properties, &read);
      for (const auto& label : element.dynamic_labels) AddFreeSlots(*label, &read);
      const bool depends = std::any_of(read.begin(), read.end(), [&](Slot s) { return made.count(s) > 0; });
      if (!create || depends) {
        create = MakeOperator(OpKind::kCreate, std::move(plan));
        plan = create;
        made.clear();
      }
      made.insert(element.slot);
      create->op->creates.push_back(std::move(element));
    }
  }
  last_create_ = create.get();
  created_ = std::move(made);
  if (!paths.empty()) {
    plan = MakeOperator(OpKind::kProject, std::move(plan));
    for (auto& path : paths) {
      auto expr = std::make_unique<BoundExpr>(BoundKind::kPath);
      expr->type = kPathType;
      expr->path_slots = std::move(path.elements);
      plan->op->projections.push_back({path.slot, std::move(expr)});
    }
  }
  return plan;
}

Result<LogicalPtr> Binder::BindDelete(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  writes_ = true;
  LogicalPtr plan = MakeOperator(OpKind::kDelete, std::move(input));
  plan->op->detach = clause.detach;
  for (const auto& expr : clause.exprs) {
    if (expr->kind == ast::ExprKind::kLabelCheck) {
      return BindError("InvalidDelete", "DELETE takes an element; a label is taken away with REMOVE " + TextOf(expr->span), expr->span.start);
    }
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindIn(*expr, *scope));
    RETURN_IF_ERROR(Expect(*bound, kNodeType | kRelationshipType | kPathType, "DELETE"));
    plan->op->exprs.push_back(std::move(bound));
  }
  return plan;
}

Result<LogicalPtr> Binder::BindForeach(const ast::Clause& clause, Scope* scope, LogicalPtr input, const QueryPlace& place) {
  writes_ = true;
  ASSIGN_OR_RETURN(BoundExprPtr list, BindIn(*clause.expr, *scope));
  RETURN_IF_ERROR(Expect(*list, kListType, "FOREACH"));
  if (scope->Find(clause.name.text)) {
    return BindError("VariableAlreadyBound", "variable `" + clause.name.text + "` is defined already: FOREACH needs a new name",
                     clause.name.span.start);
  }
  LogicalPtr plan = MakeOperator(OpKind::kForeach, std::move(input));
  plan->op->slot = NewSlot(clause.name.text);
  Scope inner = *scope;
  inner.Add({clause.name.text, plan->op->slot, list->element_type, kAnyType});
  plan->op->exprs.push_back(std::move(list));
  LogicalPtr body = MakeArgument();
  for (const auto& inside : clause.body) {
    switch (inside->kind) {
      case ClauseKind::kCreate:
      case ClauseKind::kMerge:
      case ClauseKind::kSet:
      case ClauseKind::kRemove:
      case ClauseKind::kDelete:
      case ClauseKind::kForeach: break;
      default:
        return BindError("InvalidClauseComposition", "FOREACH takes only clauses that write", inside->span.start);
    }
    RETURN_IF_ERROR(CountClause(*inside));
    ASSIGN_OR_RETURN(body, BindClause(*inside, &inner, std::move(body), place));
  }
  plan->inputs.push_back(std::move(body));
  return plan;
}

}  // namespace fornix::planner
