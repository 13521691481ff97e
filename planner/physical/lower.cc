// See lower.h. Everything but MATCH carries its operator already; here it gets its children, its barriers and its estimate.
//
// A clause sees the writes of the clauses before it and not its own. Writing operators keep this by themselves (plan.h); a
// CALL {...} that writes is run row by row, so it stands between two barriers when anything around it reads.
#include "planner/physical/lower.h"

#include <algorithm>
#include <map>
#include <set>

#include "planner/bind/expr_util.h"
#include "planner/physical/op_util.h"
#include "planner/physical/plan_graph.h"

namespace fornix::planner {
namespace {

using OpPtr = std::shared_ptr<PhysicalOperator>;

OpPtr Above(OpKind kind, OpPtr child) {
  auto op = std::make_shared<PhysicalOperator>(kind);
  op->estimated_rows = child->estimated_rows;
  op->children.push_back(std::move(child));
  return op;
}

double CountOf(const PhysicalOperator& op, double otherwise) {
  const bool literal = !op.exprs.empty() && op.exprs[0] && op.exprs[0]->kind == BoundKind::kLiteral && op.exprs[0]->value.type() == Type::kInteger;
  return literal ? static_cast<double>(op.exprs[0]->value.AsInteger()) : otherwise;
}

double EstimateOf(const PhysicalOperator& op) {
  const double in = op.children.empty() ? 1 : op.children[0]->estimated_rows;
  switch (op.kind) {
    case OpKind::kFilter: return in * 0.5;
    case OpKind::kAggregate: return op.projections.empty() ? 1 : std::max(1.0, in / 2);
    case OpKind::kDistinct: return std::max(std::min(1.0, in), in / 2);
    case OpKind::kLimit: return std::min(in, CountOf(op, 10));
    case OpKind::kSkip: return std::max(0.0, in - CountOf(op, 10));
    case OpKind::kUnwind: return in * (op.exprs[0]->kind == BoundKind::kList ? static_cast<double>(op.exprs[0]->args.size()) : 10);
    case OpKind::kCallProcedure: return op.outputs.empty() ? in : in * 10;
    case OpKind::kSubquery: return op.unit_subquery ? in : in * op.children[1]->estimated_rows;
    case OpKind::kUnion: {
      double rows = 0;
      for (const auto& child : op.children) rows += child->estimated_rows;
      return rows;
    }
    case OpKind::kEmptyResult:
    case OpKind::kSchemaCommand: return 0;
    default: return in;
  }
}

class Lowerer {
 public:
  Lowerer(const PlannerInput& input, std::vector<std::string>* slot_names) : input_(input), slot_names_(slot_names) {}

  OpPtr Lower(LogicalOperator& logical) {
    if (!logical.lowered) logical.lowered = Make(logical);
    return logical.lowered;
  }

 private:
  OpPtr Make(LogicalOperator& logical) {
    switch (logical.kind) {
      case LogicalKind::kArgument: {
        auto op = std::make_shared<PhysicalOperator>(OpKind::kArgument);
        op->estimated_rows = 1;
        return op;
      }
      case LogicalKind::kMatch: return Match(logical);
      case LogicalKind::kOperator: return Operator(logical);
    }
    return nullptr;
  }

  OpPtr Match(LogicalOperator& logical) {
    LogicalOperator& before = *logical.inputs[0];
    if (!logical.optional) {
      OpPtr child = before.kind == LogicalKind::kArgument ? nullptr : Lower(before);
      const auto counted = counted_.find(&logical);
      OpPtr made = PlanGraph(std::move(*logical.graph), std::move(child), input_, slot_names_,
                             counted == counted_.end() ? nullptr : &counted->second);
      LowerSubplans(*made);
      return made;
    }
    OpPtr child = Lower(before);
    OpPtr op = logical.op;
    OpPtr found = PlanGraph(std::move(*logical.graph), nullptr, input_, slot_names_);
    LowerSubplans(*found);
    op->estimated_rows = std::max(child->estimated_rows, child->estimated_rows * found->estimated_rows);
    op->children = {std::move(child), std::move(found)};
    return op;
  }

  // Of a MATCH whose rows an aggregation above only counts: what is read of them.
  void NoteCounted(const LogicalOperator& aggregate) {
    std::set<Slot> reads;
    AddReads(*aggregate.op, &reads);
    const LogicalOperator* below = aggregate.inputs[0].get();
    while (true) {
      if (Is(*below, OpKind::kFilter) || Is(*below, OpKind::kProject)) {
        AddReads(*below->op, &reads);
      } else if (below->kind == LogicalKind::kMatch && below->optional) {
        const QueryGraph& graph = *below->graph;
        if (std::any_of(graph.relationships.begin(), graph.relationships.end(), [](const auto& r) { return r.repeat != nullptr; })) return;
        for (const auto& r : graph.relationships) {
          reads.insert({r.slot, r.left, r.right});
          if (r.step_predicate) AddFreeSlots(*r.step_predicate, &reads);
        }
        reads.insert(graph.nodes.begin(), graph.nodes.end());
        for (const auto& p : graph.predicates) AddFreeSlots(*p, &reads);
        for (const auto& s : graph.seeds) {
          for (const auto* e : {&s.query, &s.limit, &s.filter, &s.options}) {
            if (*e) AddFreeSlots(**e, &reads);
          }
        }
      } else {
        break;
      }
      below = below->inputs[0].get();
    }
    if (below->kind == LogicalKind::kMatch) counted_[below] = std::move(reads);
  }

  OpPtr Operator(LogicalOperator& logical) {
    OpPtr op = logical.op;
    if (op->kind == OpKind::kAggregate && input_.optimize && OnlyCounts(*op)) NoteCounted(logical);
    for (auto& in : logical.inputs) op->children.push_back(Lower(*in));
    if (op->kind == OpKind::kSubquery && !op->in_transactions && TreeWrites(*op->children[1])) {
      if (TreeReadsGraph(*op->children[0])) op->children[0] = Above(OpKind::kBarrier, op->children[0]);
      op->estimated_rows = EstimateOf(*op);
      LowerOwn(*op);
      return Above(OpKind::kBarrier, std::move(op));
    }
    op->estimated_rows = EstimateOf(*op);
    LowerOwn(*op);
    if (IsWrite(op->kind)) {
      const bool own_reads = LooksIntoGraph(*op) || (op->children.size() > 1 && TreeReadsGraph(*op->children[1]));
      op->stream_input = !own_reads && !TreeReadsGraph(*op->children[0]) && !TreeWrites(*op->children[0]);
    }
    return op;
  }

  void LowerOwn(PhysicalOperator& op) {
    ForEachExpr(op, [&](BoundExprPtr& e) {
      ForEachSubplanExpr(*e, [&](BoundExpr& sub) {
        if (!sub.logical) return;
        sub.plan = Lower(*sub.logical);
        sub.logical.reset();
      });
    });
  }

  // Of a tree that PlanGraph made: what was below it is lowered already, and to look again costs nothing.
  void LowerSubplans(PhysicalOperator& op) {
    LowerOwn(op);
    for (auto& child : op.children) LowerSubplans(*child);
  }

  const PlannerInput& input_;
  std::vector<std::string>* slot_names_;
  std::map<const LogicalOperator*, std::set<Slot>> counted_;
};

}  // namespace

OpPtr Lower(LogicalOperator& logical, const PlannerInput& input, std::vector<std::string>* slot_names) {
  return Lowerer(input, slot_names).Lower(logical);
}

}  // namespace fornix::planner
