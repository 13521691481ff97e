// See op_util.h.
#include "planner/physical/op_util.h"

#include <algorithm>

#include "planner/bind/expr_util.h"

namespace fornix::planner {
namespace {

template <typename Op, typename Visit>
void EachExpr(Op& op, const Visit& visit) {
  auto each = [&](auto& expr) {
    if (expr) visit(expr);
  };
  each(op.predicate);
  for (auto& p : op.projections) each(p.expr);
  for (auto& a : op.aggregates) {
    for (auto& arg : a.args) each(arg);
  }
  for (auto& e : op.exprs) each(e);
  for (auto& e : op.seek.equal) each(e);
  each(op.seek.in_list);
  each(op.seek.string_prefix);
  for (auto* bound : {&op.seek.lower, &op.seek.upper}) {
    if (!bound->has_value()) continue;
    for (auto& e : (*bound)->values) each(e);
  }
  for (auto& c : op.creates) {
    each(c.properties);
    for (auto& l : c.dynamic_labels) each(l);
  }
  for (auto* sets : {&op.sets, &op.on_create_sets}) {
    for (auto& s : *sets) {
      each(s.target);
      each(s.key_expr);
      each(s.value);
      for (auto& l : s.dynamic_labels) each(l);
    }
  }
  for (auto& e : op.schema_exprs) each(e);
}

}  // namespace

void ForEachExpr(PhysicalOperator& op, const std::function<void(BoundExprPtr&)>& visit) {
  EachExpr(op, [&](BoundExprPtr& e) { visit(e); });
}
void ForEachExpr(const PhysicalOperator& op, const std::function<void(const BoundExpr&)>& visit) {
  EachExpr(op, [&](const BoundExprPtr& e) { visit(*e); });
}

void ForEachSubplanExpr(BoundExpr& expr, const std::function<void(BoundExpr&)>& visit) {
  if (expr.kind == BoundKind::kExistsPlan || expr.kind == BoundKind::kCountPlan || expr.kind == BoundKind::kCollectPlan) visit(expr);
  for (auto& arg : expr.args) {
    if (arg) ForEachSubplanExpr(*arg, visit);
  }
  std::function<void(LabelPredicate&)> labels = [&](LabelPredicate& l) {
    if (l.dynamic) ForEachSubplanExpr(*l.dynamic, visit);
    for (auto& child : l.children) labels(child);
  };
  if (expr.kind == BoundKind::kHasLabels) labels(expr.labels);
}

void AddReads(const PhysicalOperator& op, std::set<Slot>* out) {
  ForEachExpr(op, [&](const BoundExpr& e) { AddFreeSlots(e, out); });
  switch (op.kind) {
    case OpKind::kExpand:
    case OpKind::kVarExpand:
    case OpKind::kShortestPath:
      out->insert(op.from);
      if (op.expand_into || op.kind == OpKind::kShortestPath) out->insert(op.to);
      out->insert(op.distinct_from.begin(), op.distinct_from.end());
      out->erase(op.step_relationship);
      out->erase(op.step_node);
      break;
    case OpKind::kRepeat:
      out->insert(op.from);
      if (op.expand_into) out->insert(op.to);
      out->insert(op.distinct_from.begin(), op.distinct_from.end());
      break;
    case OpKind::kIntersect:
      for (const auto& branch : op.branches) {
        out->insert(branch.from);
        out->insert(branch.distinct_from.begin(), branch.distinct_from.end());
      }
      for (const auto& branch : op.branches) out->erase(branch.relationship);
      break;
    case OpKind::kDegree:
      out->insert(op.from);
      out->erase(op.to);
      out->erase(op.relationship);
      out->insert(op.distinct_from.begin(), op.distinct_from.end());
      break;
    case OpKind::kAggregate: out->insert(op.weights.begin(), op.weights.end()); break;
    case OpKind::kKeepShortest:
      out->insert({op.from, op.to});
      out->insert(op.slots.begin(), op.slots.end());
      break;
    case OpKind::kVectorSeed:
      out->erase(op.node);
      out->erase(op.relationship);
      break;
    case OpKind::kDistinct:
    case OpKind::kHashJoin: out->insert(op.slots.begin(), op.slots.end()); break;
    case OpKind::kSort:
      for (const auto& key : op.sort_keys) out->insert(key.slot);
      break;
    case OpKind::kUnion:
      for (const auto& child : op.union_slots) out->insert(child.begin(), child.end());
      break;
    case OpKind::kCreate:
    case OpKind::kMerge: {
      for (const auto& c : op.creates) {
        if (c.start != kNoSlot) out->insert({c.start, c.end});
      }
      for (const auto& c : op.creates) out->erase(c.slot);
      break;
    }
    case OpKind::kProduceResults:
      for (const auto& [name, slot] : op.columns) out->insert(slot);
      break;
    default: break;
  }
  out->erase(kNoSlot);
}

void AddMakes(const PhysicalOperator& op, std::set<Slot>* out) {
  switch (op.kind) {
    case OpKind::kAllNodesScan:
    case OpKind::kLabelScan:
    case OpKind::kIndexSeek:
    case OpKind::kAllRelationshipsScan:
    case OpKind::kNodeById:
    case OpKind::kVectorSeed: out->insert({op.node, op.relationship, op.to, op.score}); break;
    case OpKind::kExpand:
    case OpKind::kVarExpand:
    case OpKind::kShortestPath:
      out->insert(op.relationship);
      if (!op.expand_into) out->insert(op.to);
      break;
    case OpKind::kRepeat:
      out->insert(op.relationship);
      if (!op.expand_into) out->insert(op.to);
      for (const auto& [inner, outer] : op.groups) out->insert(outer);
      break;
    case OpKind::kIntersect:
      out->insert(op.to);
      for (const auto& branch : op.branches) out->insert(branch.relationship);
      break;
    case OpKind::kDegree:
    case OpKind::kUnwind:
    case OpKind::kSubquery:   // REPORT STATUS
    case OpKind::kForeach: out->insert(op.slot); break;
    case OpKind::kUnion: out->insert(op.slots.begin(), op.slots.end()); break;
    default: break;
  }
  for (const auto& p : op.projections) out->insert(p.slot);
  for (const auto& a : op.aggregates) out->insert(a.slot);
  for (const auto& c : op.creates) out->insert(c.slot);
  for (const auto& [field, slot] : op.outputs) out->insert(slot);
  out->insert(op.null_slots.begin(), op.null_slots.end());
  out->erase(kNoSlot);
}

bool OnlyCounts(const PhysicalOperator& op) {
  return !op.aggregates.empty() && std::all_of(op.aggregates.begin(), op.aggregates.end(), [](const AggregateTo& a) {
    return a.function == nullptr || (a.function->name == "count" && !a.distinct);
  });
}

bool IsWrite(OpKind kind) {
  return kind == OpKind::kCreate || kind == OpKind::kSet || kind == OpKind::kDelete || kind == OpKind::kMerge || kind == OpKind::kForeach;
}

bool LooksIntoGraph(const PhysicalOperator& op) {
  switch (op.kind) {
    case OpKind::kAllNodesScan:
    case OpKind::kLabelScan:
    case OpKind::kIndexSeek:
    case OpKind::kAllRelationshipsScan:
    case OpKind::kNodeById:
    case OpKind::kVectorSeed:
    case OpKind::kExpand:
    case OpKind::kVarExpand:
    case OpKind::kRepeat:
    case OpKind::kShortestPath:
    case OpKind::kIntersect:
    case OpKind::kDegree:
    case OpKind::kCallProcedure:
    case OpKind::kMerge: return true;
    default: break;
  }
  bool reads = false;
  ForEachExpr(op, [&](const BoundExpr& e) { reads = reads || ReadsGraph(e); });
  return reads;
}

bool TreeReadsGraph(const PhysicalOperator& op) {
  if (LooksIntoGraph(op)) return true;
  for (const auto& child : op.children) {
    if (TreeReadsGraph(*child)) return true;
  }
  return false;
}

bool TreeWrites(const PhysicalOperator& op) {
  if (IsWrite(op.kind) || (op.kind == OpKind::kCallProcedure && op.procedure && op.procedure->writes)) return true;
  for (const auto& child : op.children) {
    if (TreeWrites(*child)) return true;
  }
  return false;
}

}  // namespace fornix::planner
