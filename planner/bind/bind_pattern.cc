// Patterns that are matched: kinds of variables, labels and types, property maps, inline WHERE, hops, path variables.
#include <algorithm>

#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

namespace {

constexpr int64_t kHopsTextMax = 1'000'000'000;   // an upper bound above it can't be told from none

Status TypeConflict(std::string_view name, std::string_view wanted, TypeSet is, SourcePosition at) {
  return BindError("VariableTypeConflict",
                   "variable `" + std::string(name) + "` is used as a " + std::string(wanted) + " here, but its type is " + Describe(is), at);
}

// The names of A|B|C; false when the expression says more than that.
bool PlainTypes(const ast::LabelExpr& labels, std::vector<std::string>* out) {
  if (labels.kind == ast::LabelExpr::Kind::kName) {
    if (std::find(out->begin(), out->end(), labels.name.text) == out->end()) out->push_back(labels.name.text);
    return true;
  }
  if (labels.kind != ast::LabelExpr::Kind::kOr) return false;
  return std::all_of(labels.children.begin(), labels.children.end(), [&](const auto& child) { return PlainTypes(*child, out); });
}

}  // namespace

Result<Slot> Binder::DeclareNode(const ast::NodePattern& node, Scope* scope, bool existing_only, QueryGraph* graph) {
  Slot slot = kNoSlot;
  if (node.variable.empty()) {
    slot = NewSlot("");
  } else if (const Variable* known = Resolve(node.variable.text, *scope)) {
    if (!CanBe(known->type, kNodeType)) return TypeConflict(known->name, "node", known->type, node.variable.span.start);
    slot = known->slot;
  } else if (existing_only) {
    return UndefinedVariable(node.variable.text, *scope, node.variable.span.start);
  } else {
    slot = NewSlot(node.variable.text);
    scope->Add({node.variable.text, slot, kNodeType, kAnyType});
  }
  if (std::find(graph->nodes.begin(), graph->nodes.end(), slot) == graph->nodes.end()) graph->nodes.push_back(slot);
  return slot;
}

Result<Binder::Step> Binder::DeclareRelationship(const ast::RelationshipPattern& pattern, const ast::PatternPart& part, Slot left,
                                                 Slot right, Scope* scope, bool existing_only, std::set<std::string>* seen,
                                                 QueryGraph* graph) {
  PatternRelationship made;
  made.left = left;
  made.right = right;
  made.direction = pattern.direction == ast::Direction::kRight  ? Direction::kOutgoing
                   : pattern.direction == ast::Direction::kLeft ? Direction::kIncoming
                                                                : Direction::kBoth;
  made.shortest = part.selector != ast::PatternPart::Selector::kNone && &part != kept_;
  made.paths_max = part.selected;
  made.all_shortest = part.selector == ast::PatternPart::Selector::kAllShortestPaths;
  made.condition_chooses = part.selector_function;
  if (made.shortest && part.relationships.size() != 1) {
    if (!part.selector_function) return NotAvailable("SHORTEST over several relationships beside another pattern, or in an expression", part.span.start);
    return BindError("InvalidRelationshipPattern", "shortestPath() takes a pattern of one relationship: (a)-[:T*]-(b)", part.span.start);
  }
  // It chooses among the paths; the one behind the pattern is asked of those that were chosen.
  if (made.shortest && part.where) {
    return NotAvailable("a WHERE inside the parentheses of a SHORTEST pattern beside another pattern, or in an expression", part.where->span.start);
  }
  made.var_length = pattern.length.has_value() || made.shortest;
  if (pattern.length) {
    const int64_t min = pattern.length->min.value_or(1);
    const int64_t max = pattern.length->max.value_or(kHopsTextMax);
    made.hops_min = static_cast<uint32_t>(std::min(min, kHopsTextMax));
    made.hops_max = max >= kHopsTextMax ? kHopsUnbounded : static_cast<uint32_t>(max);
  }
  if (part.selector_function && made.hops_max == kHopsUnbounded) {
    Notify("Neo.ClientNotification.Statement.UnboundedVariableLengthPattern", "The provided pattern is unbounded, consider adding an upper limit.",
           "a shortest path without an upper bound is searched through all that can be reached: write *..15, for example.", pattern.span.start,
           "INFORMATION");
  }
  const std::string& name = pattern.variable.text;
  const Variable* known = name.empty() ? nullptr : Resolve(name, *scope);
  const SourcePosition at = pattern.variable.span.start;
  if (!name.empty() && !known && existing_only) return UndefinedVariable(name, *scope, at);
  if (known) {
    if (!CanBe(known->type, made.var_length ? kListType : kRelationshipType)) {
      return TypeConflict(name, made.var_length ? "list of relationships" : "relationship", known->type, at);
    }
    if (made.var_length && !CanBe(known->element, kRelationshipType)) {
      return TypeConflict(name, "list of relationships", known->type, at);
    }
    if (!seen->insert(name).second) {
      return BindError("RelationshipUniquenessViolation",
                       "relationship `" + name + "` stands twice in one MATCH, where no relationship is found twice", at);
    }
    // Found again under a slot of its own, and then compared with the known one.
    made.slot = NewSlot(name);
    BoundExprPtr same = MakeCompare(MakeSlot(made.slot, known->type, at), BoundOp::kEq, MakeSlot(known->slot, known->type, at));
    same->text = name;
    graph->predicates.push_back(std::move(same));
    if (!made.var_length && known->type != kRelationshipType) graph->predicates.push_back(IsElement("type", kRelationshipType, *known, at));
  } else {
    made.slot = NewSlot(name);
    if (!name.empty()) {
      seen->insert(name);
      scope->Add({name, made.slot, made.var_length ? kListType : kRelationshipType, kRelationshipType});
    }
  }
  if (made.var_length) {
    made.step_relationship = NewSlot(name);
    made.step_node = NewSlot("");
  }
  const Slot path_slot = made.slot;
  graph->relationships.push_back(std::move(made));
  return Step{path_slot, graph->relationships.size() - 1};
}

Result<Binder::Step> Binder::DeclareRepeat(const ast::RelationshipPattern& pattern, const ast::PatternPart& part, Slot left,
                                           const Scope& before, Scope* scope, QueryGraph* graph) {
  if (part.selector != ast::PatternPart::Selector::kNone && &part != kept_) {
    return NotAvailable("SHORTEST over a repeated pattern beside another pattern, or in an expression", part.span.start);
  }
  PatternRelationship made;
  made.left = left;
  made.var_length = true;
  made.hops_min = static_cast<uint32_t>(std::min(pattern.length->min.value_or(0), kHopsTextMax));
  const int64_t max = pattern.length->max.value_or(kHopsTextMax);
  made.hops_max = max >= kHopsTextMax ? kHopsUnbounded : static_cast<uint32_t>(max);
  made.slot = NewSlot("");
  made.repeat = std::make_shared<PatternRepeat>();
  PatternRepeat& repeat = *made.repeat;
  const auto refuse_known = [&](const ast::Name& name) {
    if (name.empty() || !scope->Find(name.text)) return Status::Ok();
    return BindError("VariableAlreadyBound",
                     "variable `" + name.text + "` stands inside and outside of a repeated pattern: inside it needs another name", name.span.start);
  };
  for (const ast::NodePattern& node : pattern.repeated->nodes) RETURN_IF_ERROR(refuse_known(node.variable));
  for (const ast::RelationshipPattern& r : pattern.repeated->relationships) RETURN_IF_ERROR(refuse_known(r.variable));

  Scope inner(&before);
  std::vector<const ast::PatternPart*> inner_parts{pattern.repeated.get()};
  RETURN_IF_ERROR(BindParts(inner_parts, &inner, false, &repeat.graph));
  for (const auto& r : repeat.graph.relationships) repeat.relationships.push_back(r.slot);
  repeat.first = repeat.graph.relationships.front().left;
  repeat.last = repeat.graph.relationships.back().right;
  for (const Variable& v : inner.own()) {
    const Slot outer = NewSlot(v.name);
    repeat.groups.emplace_back(v.slot, outer);
    scope->Add({v.name, outer, kListType, v.type});
  }
  const Slot path_slot = made.slot;
  graph->relationships.push_back(std::move(made));
  return Step{path_slot, graph->relationships.size() - 1};
}

Status Binder::DeclarePath(const ast::PatternPart& part, std::vector<Slot> elements, Scope* scope, QueryGraph* graph) {
  if (part.path_variable.empty()) return Status::Ok();
  if (scope->Find(part.path_variable.text)) {
    return BindError("VariableAlreadyBound", "variable `" + part.path_variable.text + "` is defined already: a path needs a new name",
                     part.path_variable.span.start);
  }
  const Slot slot = NewSlot(part.path_variable.text);
  scope->Add({part.path_variable.text, slot, kPathType, kAnyType});
  graph->paths.push_back({slot, std::move(elements)});
  return Status::Ok();
}

Result<LabelPredicate> Binder::BindLabels(const ast::LabelExpr& labels, const Scope& scope) {
  LabelPredicate made;
  switch (labels.kind) {
    case ast::LabelExpr::Kind::kName:
      made.kind = LabelPredicate::Kind::kName;
      made.name = labels.name.text;
      break;
    case ast::LabelExpr::Kind::kAnd: made.kind = LabelPredicate::Kind::kAnd; break;
    case ast::LabelExpr::Kind::kOr: made.kind = LabelPredicate::Kind::kOr; break;
    case ast::LabelExpr::Kind::kNot: made.kind = LabelPredicate::Kind::kNot; break;
    case ast::LabelExpr::Kind::kWildcard: made.kind = LabelPredicate::Kind::kAny; break;
    case ast::LabelExpr::Kind::kDynamic: {
      made.kind = LabelPredicate::Kind::kDynamic;
      ASSIGN_OR_RETURN(BoundExprPtr name, BindIn(*labels.dynamic, scope));
      RETURN_IF_ERROR(Expect(*name, kStringType | kListType, "$(...)"));
      made.dynamic = std::move(name);
      made.dynamic_any = labels.dynamic_any;
      break;
    }
  }
  for (const auto& child : labels.children) {
    ASSIGN_OR_RETURN(LabelPredicate bound, BindLabels(*child, scope));
    made.children.push_back(std::move(bound));
  }
  return made;
}

Status Binder::PropertyPredicates(const ast::Expr& map, Slot slot, TypeSet type, const Scope& scope, std::vector<BoundExprPtr>* out) {
  if (map.kind == ast::ExprKind::kParameter) {
    return BindError("InvalidParameterUse",
                     "a parameter can't be the whole property map of a pattern that is matched: name the properties, {name: $" + map.name +
                         ".name}",
                     map.span.start);
  }
  for (size_t i = 0; i < map.args.size(); ++i) {
    if (!in_merge_) WarnUnknownName("property", map.keys[i], map.args[i]->span.start);
    auto property = std::make_unique<BoundExpr>(BoundKind::kProperty);
    property->name = map.keys[i];
    property->position = map.args[i]->span.start;
    property->args.push_back(MakeSlot(slot, type, map.span.start));
    property->args[0]->text = plan_.slot_names[slot];
    property->text = plan_.slot_names[slot] + "." + map.keys[i];
    ASSIGN_OR_RETURN(BoundExprPtr value, BindIn(*map.args[i], scope));
    BoundExprPtr equal = MakeCompare(std::move(property), BoundOp::kEq, std::move(value));
    equal->text = equal->args[0]->text + " = " + equal->args[1]->text;
    out->push_back(std::move(equal));
  }
  return Status::Ok();
}

Status Binder::NodePredicates(const ast::NodePattern& node, Slot slot, const Scope& scope, std::vector<BoundExprPtr>* out) {
  if (node.labels) {
    ASSIGN_OR_RETURN(LabelPredicate labels, BindLabels(*node.labels, scope));
    if (!in_merge_) WarnUnknownLabels(labels, false, node.labels->span.start);
    // :A:B as a condition for each, so that either may become a scan.
    std::vector<LabelPredicate> each;
    if (labels.kind == LabelPredicate::Kind::kAnd) {
      each = std::move(labels.children);
    } else {
      each.push_back(std::move(labels));
    }
    for (auto& one : each) {
      auto check = std::make_unique<BoundExpr>(BoundKind::kHasLabels);
      check->type = kBooleanType;
      check->position = node.labels->span.start;
      check->args.push_back(MakeSlot(slot, kNodeType, node.span.start));
      check->args[0]->text = node.variable.text;
      check->labels = std::move(one);
      out->push_back(std::move(check));
    }
  }
  if (node.properties) RETURN_IF_ERROR(PropertyPredicates(*node.properties, slot, kNodeType, scope, out));
  if (node.where) {
    ASSIGN_OR_RETURN(BoundExprPtr where, BindPredicate(*node.where, ExprContext{&scope}));
    SplitAnd(std::move(where), out);
  }
  return Status::Ok();
}

Status Binder::RelationshipPredicates(const ast::RelationshipPattern& pattern, const Scope& scope, PatternRelationship* relationship,
                                      std::vector<BoundExprPtr>* out) {
  // For a variable length each condition holds for every step, under the step's own slot.
  std::vector<BoundExprPtr> steps;
  std::vector<BoundExprPtr>* where_to = relationship->var_length ? &steps : out;
  const Slot slot = relationship->var_length ? relationship->step_relationship : relationship->slot;
  if (pattern.types && !PlainTypes(*pattern.types, &relationship->types)) {
    relationship->types.clear();
    auto check = std::make_unique<BoundExpr>(BoundKind::kHasLabels);
    check->type = kBooleanType;
    check->position = pattern.types->span.start;
    check->args.push_back(MakeSlot(slot, kRelationshipType, pattern.span.start));
    check->args[0]->text = pattern.variable.text;
    ASSIGN_OR_RETURN(check->labels, BindLabels(*pattern.types, scope));
    where_to->push_back(std::move(check));
  }
  for (const auto& type : relationship->types) {
    if (!in_merge_) WarnUnknownName("relationship type", type, pattern.types->span.start);
  }
  if (pattern.properties) RETURN_IF_ERROR(PropertyPredicates(*pattern.properties, slot, kRelationshipType, scope, where_to));
  if (pattern.where) {
    Scope inner(&scope);
    if (relationship->var_length && !pattern.variable.empty()) inner.Add({pattern.variable.text, slot, kRelationshipType, kAnyType});
    ASSIGN_OR_RETURN(BoundExprPtr where, BindPredicate(*pattern.where, ExprContext{&inner}));
    SplitAnd(std::move(where), where_to);
  }
  relationship->step_predicate = MakeAnd(std::move(steps));
  return Status::Ok();
}

}  // namespace fornix::planner
