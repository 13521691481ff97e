// CREATE ... CREATE ... as one operator: a text of many CREATE clauses is one step and not a tower of them. Only where the
// later clause reads nothing that the earlier one writes.
#include "planner/rewrite/rules.h"

#include "planner/bind/expr_util.h"
#include "planner/physical/op_util.h"

namespace fornix::planner {
namespace {

bool Independent(const PhysicalOperator& later, const PhysicalOperator& earlier) {
  std::set<Slot> made, read;
  AddMakes(earlier, &made);
  bool graph = false;
  ForEachExpr(later, [&](const BoundExpr& e) {
    AddFreeSlots(e, &read);
    graph = graph || ReadsGraph(e);
  });
  if (graph) return false;
  for (Slot s : read) {
    if (made.count(s)) return false;
  }
  return true;
}

}  // namespace

void MergeCreates(LogicalPtr* root) {
  // From the top down in a loop: each step takes one clause off the tower.
  for (LogicalPtr* at = root;;) {
    LogicalOperator& op = **at;
    if (Is(op, OpKind::kCreate) && Is(*op.inputs[0], OpKind::kCreate) && Independent(*op.op, *op.inputs[0]->op)) {
      auto& earlier = op.inputs[0]->op->creates;
      std::vector<CreateElement> nodes, relationships;
      for (auto* elements : {&earlier, &op.op->creates}) {
        for (auto& e : *elements) (e.relationship ? relationships : nodes).push_back(std::move(e));
      }
      for (auto& e : relationships) nodes.push_back(std::move(e));
      op.op->creates = std::move(nodes);
      LogicalPtr below = op.inputs[0]->inputs[0];
      op.inputs[0] = std::move(below);
      continue;
    }
    for (size_t i = 1; i < op.inputs.size(); ++i) MergeCreates(&op.inputs[i]);
    if (op.inputs.empty()) return;
    at = &op.inputs[0];
  }
}

}  // namespace fornix::planner
