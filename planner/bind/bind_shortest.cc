// Conditions on the path of shortestPath(...): they say which paths count, so the shortest is sought among those that meet them.
//
// all(x IN r WHERE ...), none(...) over the relationships or the nodes of the path become conditions of each step of the search, and the
// nodes at its ends get them as their own. An upper bound of the length and IS NOT NULL mean the same asked afterwards: the
// shortest path meets them or none does. Anything else would need a search of another kind, and is refused rather than asked of the one
// path that came out. (Of SHORTEST before a pattern WHERE is asked afterwards by definition.)
#include <algorithm>

#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

namespace {

enum class Part : uint8_t { kNone, kRelationships, kNodes, kWhole };

bool IsFunction(const BoundExpr& expr, std::string_view name) {
  return expr.kind == BoundKind::kFunction && expr.function != nullptr && expr.function->name == name && expr.args.size() == 1;
}

// What of the path the expression is.
Part PartOf(const BoundExpr& expr, Slot relationship, Slot path) {
  if (expr.kind == BoundKind::kSlot) return expr.slot == relationship ? Part::kRelationships : expr.slot == path ? Part::kWhole : Part::kNone;
  const bool of_path = expr.kind == BoundKind::kFunction && expr.args.size() == 1 && expr.args[0]->kind == BoundKind::kSlot &&
                       expr.args[0]->slot == path && path != kNoSlot;
  if (!of_path) return Part::kNone;
  if (IsFunction(expr, "relationships") || IsFunction(expr, "rels")) return Part::kRelationships;
  return IsFunction(expr, "nodes") ? Part::kNodes : Part::kNone;
}

bool IsLength(const BoundExpr& expr, Slot relationship, Slot path) {
  if (IsFunction(expr, "length")) return PartOf(*expr.args[0], relationship, path) == Part::kWhole;
  return IsFunction(expr, "size") && PartOf(*expr.args[0], relationship, path) == Part::kRelationships;
}

bool MayBeAskedAfterwards(const BoundExpr& expr, Slot relationship, Slot path) {
  if (expr.kind == BoundKind::kIsNotNull) return PartOf(*expr.args[0], relationship, path) != Part::kNone;
  if (expr.kind != BoundKind::kComparison || expr.ops.size() != 1) return false;
  const auto free_of_path = [&](const BoundExpr& e) {
    const std::set<Slot> slots = FreeSlots(e);
    return !slots.count(relationship) && !slots.count(path);
  };
  const bool below = expr.ops[0] == BoundOp::kLt || expr.ops[0] == BoundOp::kLe;
  const bool above = expr.ops[0] == BoundOp::kGt || expr.ops[0] == BoundOp::kGe;
  if (below) return IsLength(*expr.args[0], relationship, path) && free_of_path(*expr.args[1]);
  if (above) return IsLength(*expr.args[1], relationship, path) && free_of_path(*expr.args[0]);
  return false;
}

void ReplaceSlot(BoundExpr* expr, Slot from, Slot to) {
  if (expr->kind == BoundKind::kSlot && expr->slot == from) expr->slot = to;
  for (auto& arg : expr->args) {
    if (arg) ReplaceSlot(arg.get(), from, to);
  }
}

// The condition on each element, if `expr` is one on all of them.
BoundExpr* EachOf(BoundExpr* expr, bool* negated) {
  *negated = false;
  if (expr->kind == BoundKind::kNot && expr->args[0]->kind == BoundKind::kQuantifier) {
    expr = expr->args[0].get();
    *negated = true;
    return expr->quantifier == BoundQuantifier::kAny ? expr : nullptr;
  }
  if (expr->kind != BoundKind::kQuantifier) return nullptr;
  *negated = expr->quantifier == BoundQuantifier::kNone;
  return *negated || expr->quantifier == BoundQuantifier::kAll ? expr : nullptr;
}

}  // namespace

Status Binder::BindShortestConditions(QueryGraph* graph) {
  for (PatternRelationship& r : graph->relationships) {
    if (!r.shortest || !r.condition_chooses) continue;
    Slot path = kNoSlot;
    for (const PatternPath& p : graph->paths) {
      if (std::find(p.elements.begin(), p.elements.end(), r.slot) != p.elements.end()) path = p.slot;
    }
    std::vector<BoundExprPtr> kept, steps;
    for (BoundExprPtr& predicate : graph->predicates) {
      const std::set<Slot> slots = FreeSlots(*predicate);
      if ((!slots.count(r.slot) && !slots.count(path)) || MayBeAskedAfterwards(*predicate, r.slot, path)) {
        kept.push_back(std::move(predicate));
        continue;
      }
      bool negated = false;
      BoundExpr* each = EachOf(predicate.get(), &negated);
      const Part part = each ? PartOf(*each->args[0], r.slot, path) : Part::kNone;
      bool fits = (part == Part::kRelationships || part == Part::kNodes) && each->args[1] && !HasSubplan(*each->args[1]);
      if (fits) {
        for (Slot s : FreeSlots(*each->args[1])) {
          const bool bound = std::find(graph->arguments.begin(), graph->arguments.end(), s) != graph->arguments.end();
          fits = fits && (s == each->slot || s == r.left || s == r.right || bound);
        }
      }
      if (!fits) {
        return NotAvailable("a condition on the path of shortestPath other than all(...), none(...) and an upper bound of its length",
                            predicate->position);
      }
      BoundExprPtr condition = std::move(each->args[1]);
      if (negated) condition = MakeNot(std::move(condition));
      if (part == Part::kNodes) {
        for (Slot end : {r.left, r.right}) {
          BoundExprPtr own = Clone(*condition);
          ReplaceSlot(own.get(), each->slot, end);
          kept.push_back(std::move(own));
        }
      }
      ReplaceSlot(condition.get(), each->slot, part == Part::kNodes ? r.step_node : r.step_relationship);
      steps.push_back(std::move(condition));
    }
    graph->predicates = std::move(kept);
    if (steps.empty()) continue;
    if (r.step_predicate) steps.push_back(std::move(r.step_predicate));
    r.step_predicate = MakeAnd(std::move(steps));
  }
  return Status::Ok();
}

}  // namespace fornix::planner
