// Predicates go down: from a filter after WITH into the MATCH before it, and from a MATCH to the one that made what they read.
//
// They pass what neither drops rows by count (SKIP, LIMIT) nor makes the slots they read, and nothing that writes: the
// answer there would be another. OPTIONAL MATCH is passed only by what it doesn't make.
#include "planner/rewrite/rules.h"

#include <algorithm>

#include "planner/bind/expr_util.h"
#include "planner/physical/op_util.h"

namespace fornix::planner {
namespace {

bool Makes(const LogicalOperator& op, const std::set<Slot>& slots) {
  std::set<Slot> made;
  if (op.kind == LogicalKind::kMatch) {
    made.insert(op.graph->nodes.begin(), op.graph->nodes.end());
    for (const auto& r : op.graph->relationships) r.AddFound(&made);
    for (const auto& p : op.graph->paths) made.insert(p.slot);
    for (const auto& s : op.graph->seeds) made.insert({s.element, s.score});
    for (Slot s : op.graph->arguments) made.erase(s);
  } else if (op.op) {
    AddMakes(*op.op, &made);
  }
  return std::any_of(slots.begin(), slots.end(), [&](Slot s) { return made.count(s) > 0; });
}

// Whether the predicate means the same below this operator.
bool Passes(const LogicalOperator& op, const std::set<Slot>& slots) {
  if (op.kind == LogicalKind::kMatch) return !Makes(op, slots);
  if (op.kind != LogicalKind::kOperator) return false;
  switch (op.op->kind) {
    case OpKind::kFilter:
    case OpKind::kSort:
    case OpKind::kDistinct: return true;
    case OpKind::kProject:
    case OpKind::kUnwind: return !Makes(op, slots);
    default: return false;
  }
}

// Puts the predicate into a graph below, if there is one it can reach.
bool Push(LogicalOperator& op, BoundExprPtr* predicate, const std::set<Slot>& slots) {
  if (op.kind == LogicalKind::kMatch && !op.optional && Makes(op, slots)) {
    op.graph->predicates.push_back(std::move(*predicate));
    return true;
  }
  if (!Passes(op, slots) || op.inputs.empty()) return false;
  return Push(*op.inputs[0], predicate, slots);
}

void PushAll(std::vector<BoundExprPtr>* predicates, LogicalOperator& below) {
  for (auto& predicate : *predicates) {
    // What differs each time it is asked must be asked as often as written.
    if (!IsDeterministic(*predicate)) continue;
    const std::set<Slot> slots = FreeSlots(*predicate);
    if (!slots.empty()) Push(below, &predicate, slots);
  }
  std::erase_if(*predicates, [](const BoundExprPtr& p) { return !p; });
}

}  // namespace

void PushPredicates(LogicalPtr* root) {
  LogicalOperator& op = **root;
  if (Is(op, OpKind::kFilter)) {
    std::vector<BoundExprPtr> parts;
    SplitAnd(std::move(op.op->predicate), &parts);
    PushAll(&parts, *op.inputs[0]);
    if (parts.empty()) {
      LogicalPtr below = op.inputs[0];
      *root = std::move(below);
      return PushPredicates(root);
    }
    op.op->predicate = MakeAnd(std::move(parts));
  } else if (op.kind == LogicalKind::kMatch && !op.optional) {
    std::vector<BoundExprPtr> own;
    std::vector<BoundExprPtr> outer;
    for (auto& p : op.graph->predicates) {
      const std::set<Slot> slots = FreeSlots(*p);
      (Makes(op, slots) ? own : outer).push_back(std::move(p));
    }
    PushAll(&outer, *op.inputs[0]);
    for (auto& p : outer) own.push_back(std::move(p));
    op.graph->predicates = std::move(own);
  }
  for (auto& in : op.inputs) PushPredicates(&in);
}

}  // namespace fornix::planner
