// MATCH: all its patterns become one QueryGraph, so that the planner may start anywhere in it.
//
// First every variable is declared, then conditions are bound, because a condition may name any variable of the clause.
// No two relationships of one MATCH are the same (distinct_from), except where their types tell them apart already.
#include <algorithm>
#include <map>

#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

namespace {

// Types that are both given and share none: never the same relationship.
bool TypesDiffer(const PatternRelationship& a, const PatternRelationship& b) {
  if (a.types.empty() || b.types.empty()) return false;
  return std::none_of(a.types.begin(), a.types.end(),
                      [&](const std::string& t) { return std::find(b.types.begin(), b.types.end(), t) != b.types.end(); });
}

// Every slot that a match fills.
std::vector<Slot> FoundBy(const QueryGraph& graph) {
  std::set<Slot> found(graph.nodes.begin(), graph.nodes.end());
  for (const auto& r : graph.relationships) r.AddFound(&found);
  for (const auto& p : graph.paths) found.insert(p.slot);
  for (const auto& s : graph.seeds) {
    if (s.score != kNoSlot) found.insert(s.score);
  }
  for (Slot s : graph.arguments) found.erase(s);
  return {found.begin(), found.end()};
}

// SHORTEST before more than one relationship of variable length: a search can't tell which paths count, so all are matched and the
// shortest kept.
bool KeepsShortest(const ast::Clause& clause) {
  if (clause.patterns.size() != 1 || clause.search) return false;
  const ast::PatternPart& part = *clause.patterns[0];
  if (part.selector == ast::PatternPart::Selector::kNone || part.selector_function || part.relationships.empty()) return false;
  return part.relationships.size() > 1 || part.where || part.relationships[0].repeated || !part.relationships[0].length;
}

}  // namespace

Status Binder::BindPatterns(const std::vector<std::unique_ptr<ast::PatternPart>>& parts, Scope* scope, bool existing_only,
                            QueryGraph* graph) {
  std::vector<const ast::PatternPart*> all;
  for (const auto& part : parts) all.push_back(part.get());
  return BindParts(all, scope, existing_only, graph);
}

Status Binder::BindParts(const std::vector<const ast::PatternPart*>& parts, Scope* scope, bool existing_only, QueryGraph* graph) {
  graph->arguments = scope->Slots();
  const auto is_repeated = [](const auto& pattern) { return pattern.repeated != nullptr; };
  const bool repeats = std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
    return std::any_of(part->relationships.begin(), part->relationships.end(), is_repeated);
  });
  // What a repeated part may read of its surroundings: what was bound before this clause.
  Scope before(repeats ? scope->parent() : nullptr);
  if (repeats) {
    for (const Variable& v : scope->own()) before.Add(v);
  }
  std::set<std::string> relationships_seen;
  std::vector<std::pair<const ast::NodePattern*, Slot>> nodes;
  std::vector<std::pair<const ast::RelationshipPattern*, size_t>> relationships;
  for (const ast::PatternPart* part : parts) {
    std::vector<Slot> elements;
    ASSIGN_OR_RETURN(Slot left, DeclareNode(part->nodes[0], scope, existing_only, graph));
    nodes.emplace_back(&part->nodes[0], left);
    elements.push_back(left);
    // Nothing would look at a known node that stands alone, and null is no node.
    if (part->relationships.empty() && std::find(graph->arguments.begin(), graph->arguments.end(), left) != graph->arguments.end()) {
      const Variable* known = Resolve(part->nodes[0].variable.text, *scope);
      graph->predicates.push_back(IsElement("labels", kNodeType, *known, part->nodes[0].variable.span.start));
    }
    // A relationship is declared after the node on its left and before the one on its right, as it is read.
    for (size_t i = 0; i < part->relationships.size(); ++i) {
      const auto& pattern = part->relationships[i];
      if (pattern.repeated) {
        if (existing_only) return NotAvailable("a repeated pattern in a pattern expression", pattern.span.start);
        ASSIGN_OR_RETURN(Step step, DeclareRepeat(pattern, *part, left, before, scope, graph));
        ASSIGN_OR_RETURN(Slot right, DeclareNode(part->nodes[i + 1], scope, existing_only, graph));
        graph->relationships[step.relationship].right = right;
        nodes.emplace_back(&part->nodes[i + 1], right);
        elements.push_back(step.path_slot);
        elements.push_back(right);
        left = right;
        continue;
      }
      ASSIGN_OR_RETURN(Step step, DeclareRelationship(pattern, *part, left, kNoSlot, scope, existing_only, &relationships_seen, graph));
      ASSIGN_OR_RETURN(Slot right, DeclareNode(part->nodes[i + 1], scope, existing_only, graph));
      graph->relationships[step.relationship].right = right;
      nodes.emplace_back(&part->nodes[i + 1], right);
      relationships.emplace_back(&pattern, step.relationship);
      elements.push_back(step.path_slot);
      elements.push_back(right);
      left = right;
    }
    RETURN_IF_ERROR(DeclarePath(*part, std::move(elements), scope, graph));
  }
  for (size_t i = 0; i < graph->relationships.size(); ++i) {
    for (size_t j = 0; j < graph->relationships.size(); ++j) {
      auto& a = graph->relationships[i];
      const auto& b = graph->relationships[j];
      const bool selected = a.shortest || b.shortest;   // found by a search of their own
      if (i != j && !selected && !TypesDiffer(a, b)) a.distinct_from.push_back(b.slot);
    }
  }
  for (const auto& [node, slot] : nodes) RETURN_IF_ERROR(NodePredicates(*node, slot, *scope, &graph->predicates));
  for (const auto& [pattern, index] : relationships) {
    RETURN_IF_ERROR(RelationshipPredicates(*pattern, *scope, &graph->relationships[index], &graph->predicates));
  }
  for (const ast::PatternPart* part : parts) {
    if (part->where) RETURN_IF_ERROR(AddPredicate(*part->where, *scope, graph));
  }
  return Status::Ok();
}

BoundExprPtr Binder::IsElement(const char* function, TypeSet wanted, const Variable& known, SourcePosition at) const {
  auto is_element = std::make_unique<BoundExpr>(BoundKind::kIsNotNull);
  is_element->type = kBooleanType;
  is_element->position = at;
  BoundExprPtr value = MakeSlot(known.slot, known.type, at);
  if (known.type != wanted) {
    auto asked = std::make_unique<BoundExpr>(BoundKind::kFunction);
    asked->function = input_.functions->FindFunction(function);
    asked->type = asked->function->result;
    asked->text = asked->name = known.name;   // the error is about the variable, not about a function that nobody wrote
    asked->position = at;
    asked->args.push_back(std::move(value));
    value = std::move(asked);
  }
  is_element->args.push_back(std::move(value));
  return is_element;
}

Status Binder::AddPredicate(const ast::Expr& where, const Scope& scope, QueryGraph* graph) {
  ASSIGN_OR_RETURN(BoundExprPtr predicate, BindPredicate(where, ExprContext{&scope}));
  SplitAnd(std::move(predicate), &graph->predicates);
  return Status::Ok();
}

Result<LogicalPtr> Binder::MatchOperator(std::unique_ptr<QueryGraph> graph, LogicalPtr input, bool optional) {
  auto match = std::make_shared<LogicalOperator>(LogicalKind::kMatch);
  match->inputs.push_back(std::move(input));
  match->optional = optional;
  if (optional) {
    match->op = std::make_shared<PhysicalOperator>(OpKind::kOptional);
    match->op->null_slots = FoundBy(*graph);
  }
  match->graph = std::move(graph);
  return match;
}

void Binder::NotifyCartesianProduct(const QueryGraph& graph, SourcePosition position) {
  // Groups of slots that something ties together; all that was bound before is one.
  std::map<Slot, Slot> group_of;
  const auto find = [&](Slot s) {
    while (group_of.count(s) && group_of[s] != s) s = group_of[s];
    return s;
  };
  const auto tie = [&](Slot a, Slot b) { group_of[find(a)] = find(b); };
  for (Slot s : graph.nodes) group_of.emplace(s, s);
  const std::set<Slot> bound(graph.arguments.begin(), graph.arguments.end());
  Slot first_bound = kNoSlot;
  for (Slot s : bound) {
    group_of.emplace(s, s);
    if (first_bound != kNoSlot) tie(s, first_bound);
    first_bound = s;
  }
  for (const auto& r : graph.relationships) tie(r.left, r.right);
  for (const auto& predicate : graph.predicates) {
    Slot first = kNoSlot;
    for (Slot s : FreeSlots(*predicate)) {
      if (!group_of.count(s)) continue;
      if (first != kNoSlot) tie(s, first);
      first = s;
    }
  }
  std::set<Slot> groups;
  for (Slot s : graph.nodes) groups.insert(find(s));
  if (groups.size() < 2) return;
  Notify("Neo.ClientNotification.Statement.CartesianProduct", "This query builds a cartesian product between disconnected patterns.",
         "nothing ties the patterns of this MATCH together, so each match of one is combined with each of the others.", position, "INFORMATION");
}

// For each row that comes in: all matches, of them the shortest between each two ends, of those the ones that WHERE takes.
Result<LogicalPtr> Binder::BindKeptShortest(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  const ast::PatternPart& part = *clause.patterns[0];
  auto graph = std::make_unique<QueryGraph>();
  kept_ = &part;
  const Status bound = BindPatterns(clause.patterns, scope, false, graph.get());
  kept_ = nullptr;
  RETURN_IF_ERROR(bound);
  LogicalPtr outer = MakeOperator(clause.optional ? OpKind::kOptional : OpKind::kApply, std::move(input));
  if (clause.optional) outer->op->null_slots = FoundBy(*graph);
  LogicalPtr keep = MakeOperator(OpKind::kKeepShortest);
  keep->op->from = graph->relationships.front().left;
  keep->op->to = graph->relationships.back().right;
  keep->op->paths_max = part.selected;
  keep->op->all_shortest = part.selector == ast::PatternPart::Selector::kAllShortestPaths;
  for (const auto& r : graph->relationships) keep->op->slots.push_back(r.slot);
  ASSIGN_OR_RETURN(LogicalPtr match, MatchOperator(std::move(graph), MakeArgument(), false));
  keep->inputs.push_back(std::move(match));
  if (clause.where) {
    ASSIGN_OR_RETURN(BoundExprPtr predicate, BindPredicate(*clause.where, ExprContext{scope}));
    keep = MakeOperator(OpKind::kFilter, std::move(keep));
    keep->op->predicate = std::move(predicate);
  }
  outer->inputs.push_back(std::move(keep));
  return outer;
}

Result<LogicalPtr> Binder::BindMatch(const ast::Clause& clause, Scope* scope, LogicalPtr input) {
  if (KeepsShortest(clause)) return BindKeptShortest(clause, scope, std::move(input));
  auto graph = std::make_unique<QueryGraph>();
  const Scope before = *scope;
  RETURN_IF_ERROR(BindPatterns(clause.patterns, scope, false, graph.get()));
  if (clause.search) RETURN_IF_ERROR(BindSearch(*clause.search, before, scope, graph.get()));
  if (clause.where) RETURN_IF_ERROR(AddPredicate(*clause.where, *scope, graph.get()));
  RETURN_IF_ERROR(BindShortestConditions(graph.get()));
  if (clause.patterns.size() > 1) NotifyCartesianProduct(*graph, clause.span.start);
  return MatchOperator(std::move(graph), std::move(input), clause.optional);
}

}  // namespace fornix::planner
