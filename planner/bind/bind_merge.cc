// MERGE: one pattern twice, as a graph to match and as elements to create when nothing matches, under the same slots.
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

Result<LogicalPtr> Binder::BindMerge(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  writes_ = true;
  const ast::PatternPart& part = *clause.patterns[0];
  if (part.selector != ast::PatternPart::Selector::kNone) {
    return BindError("UnexpectedSyntax", "MERGE can't make a shortest path", part.span.start);
  }
  for (const auto& node : part.nodes) {
    if (node.properties && node.properties->kind == ast::ExprKind::kParameter) {
      RETURN_IF_ERROR(PropertyPredicates(*node.properties, 0, kNodeType, *scope, nullptr));
    }
  }
  for (const auto& pattern : part.relationships) {
    if (pattern.properties && pattern.properties->kind == ast::ExprKind::kParameter) {
      RETURN_IF_ERROR(PropertyPredicates(*pattern.properties, 0, kRelationshipType, *scope, nullptr));
    }
  }
  LogicalPtr plan = MakeOperator(OpKind::kMerge, std::move(input));

  // What would be created; this also finds all that a pattern to be written must not say.
  Scope made = *scope;
  std::vector<CreateElement> nodes, relationships;
  std::vector<Slot> ends;
  for (const auto& node : part.nodes) {
    // Bound against what was there before: a pattern can't read what it makes.
    Scope visible = made;
    ASSIGN_OR_RETURN(Slot slot, CreateNode(node, part.relationships.empty(), &visible, "MERGE", &nodes));
    if (!node.variable.empty() && !made.Find(node.variable.text)) made.Add({node.variable.text, slot, kNodeType, kAnyType});
    ends.push_back(slot);
  }
  for (size_t i = 0; i < part.relationships.size(); ++i) {
    ASSIGN_OR_RETURN(Slot slot, CreateRelationship(part.relationships[i], ends[i], ends[i + 1], &made, true, &relationships));
    (void)slot;
  }

  in_merge_ = true;
  // The same as a graph. Its slots are the created ones, so each is declared by hand.
  auto graph = std::make_unique<QueryGraph>();
  graph->arguments = scope->Slots();
  PatternPath path;
  for (size_t i = 0; i < ends.size(); ++i) {
    bool seen = false;
    for (Slot s : graph->nodes) seen = seen || s == ends[i];
    if (!seen) graph->nodes.push_back(ends[i]);
    RETURN_IF_ERROR(NodePredicates(part.nodes[i], ends[i], *scope, &graph->predicates));
    path.elements.push_back(ends[i]);
    if (i == part.relationships.size()) break;
    const auto& pattern = part.relationships[i];
    PatternRelationship relationship;
    relationship.slot = relationships[i].slot;
    relationship.left = ends[i];
    relationship.right = ends[i + 1];
    relationship.direction = pattern.direction == ast::Direction::kRight  ? Direction::kOutgoing
                             : pattern.direction == ast::Direction::kLeft ? Direction::kIncoming
                                                                          : Direction::kBoth;
    RETURN_IF_ERROR(RelationshipPredicates(pattern, *scope, &relationship, &graph->predicates));
    path.elements.push_back(relationship.slot);
    for (auto& other : graph->relationships) {
      relationship.distinct_from.push_back(other.slot);
      other.distinct_from.push_back(relationship.slot);
    }
    graph->relationships.push_back(std::move(relationship));
  }
  in_merge_ = false;
  ASSIGN_OR_RETURN(LogicalPtr match, MatchOperator(std::move(graph), MakeArgument(), false));
  plan->inputs.push_back(std::move(match));
  for (auto* elements : {&nodes, &relationships}) {
    for (auto& element : *elements) plan->op->creates.push_back(std::move(element));
  }
  if (!part.path_variable.empty() && made.Find(part.path_variable.text)) {
    return BindError("VariableAlreadyBound", "variable `" + part.path_variable.text + "` is defined already: a path needs a new name",
                     part.path_variable.span.start);
  }
  for (const auto& item : clause.on_match) RETURN_IF_ERROR(BindSetItem(item, made, &plan->op->sets));
  for (const auto& item : clause.on_create) RETURN_IF_ERROR(BindSetItem(item, made, &plan->op->on_create_sets));
  if (!part.path_variable.empty()) {
    path.slot = NewSlot(part.path_variable.text);
    made.Add({part.path_variable.text, path.slot, kPathType, kAnyType});
    plan = MakeOperator(OpKind::kProject, std::move(plan));
    auto expr = std::make_unique<BoundExpr>(BoundKind::kPath);
    expr->type = kPathType;
    expr->path_slots = std::move(path.elements);
    plan->op->projections.push_back({path.slot, std::move(expr)});
  }
  *scope = std::move(made);
  return plan;
}

}  // namespace fornix::planner
