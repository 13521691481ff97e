// Counts of what nothing reads: below an aggregation that only counts, an Expand whose node and relationship nobody reads becomes a Degree,
// which says how many rows it would have made, and the counts take that number for each row (weights). So does an OPTIONAL MATCH of one such
// Expand. A filter on what the Expand finds goes into the Degree.
//
// Between the two only operators are passed that hand each row on as often as it comes, whatever it holds.
#include <algorithm>

#include "planner/bind/expr_util.h"
#include "planner/physical/op_util.h"
#include "planner/rewrite/rules.h"

namespace fornix::planner {
namespace {

using OpPtr = std::shared_ptr<PhysicalOperator>;

void AddTreeReads(const PhysicalOperator& op, std::set<Slot>* out) {
  AddReads(op, out);
  for (const auto& child : op.children) AddTreeReads(*child, out);
}

// Whether rows pass through one by one, so that a row may stand for many. Other rows are looked at in their own right: `reads` grows by
// what the operator reads, its inner plans included.
bool PassesRows(const PhysicalOperator& op, std::set<Slot>* reads) {
  switch (op.kind) {
    case OpKind::kFilter:
    case OpKind::kProject:
    case OpKind::kExpand:
    case OpKind::kVarExpand:
    case OpKind::kShortestPath:
    case OpKind::kIntersect:
    case OpKind::kDegree:
    case OpKind::kUnwind:
    case OpKind::kSort:
    case OpKind::kApply:
    case OpKind::kOptional:
    case OpKind::kSemiApply:
    case OpKind::kAntiApply:
    case OpKind::kHashJoin: break;
    default: return false;
  }
  if (op.kind == OpKind::kSort && !op.exprs.empty()) return false;   // it keeps the first rows alone
  AddReads(op, reads);
  for (size_t i = 1; i < op.children.size(); ++i) AddTreeReads(*op.children[i], reads);
  return !std::any_of(op.children.begin() + 1, op.children.end(), [](const OpPtr& c) { return TreeWrites(*c); });
}

class Rule {
 public:
  Rule(PhysicalOperator* aggregate, std::vector<std::string>* slot_names) : aggregate_(aggregate), slot_names_(slot_names) {}

  void Run() {
    std::set<Slot> reads;
    AddReads(*aggregate_, &reads);
    OpPtr* at = &aggregate_->children[0];
    while (!(*at)->children.empty()) {
      if (OpPtr degree = FromOptional(**at, reads)) {
        *at = std::move(degree);
      } else if (OpPtr expand = FromExpand(**at, reads)) {
        *at = std::move(expand);
      }
      PhysicalOperator& op = **at;
      if (!PassesRows(op, &reads)) return;
      at = &op.children[0];
    }
  }

 private:
  static bool IsPlain(const PhysicalOperator& op, const std::set<Slot>& reads) {
    return op.kind == OpKind::kExpand && !op.expand_into && op.from != op.to && !reads.count(op.to) && !reads.count(op.relationship);
  }

  // [Filter] Expand, where the filter's parts are about what was found, or not at all: those stay above.
  OpPtr FromExpand(PhysicalOperator& top, const std::set<Slot>& reads) {
    PhysicalOperator* expand = &top;
    std::vector<BoundExprPtr> about, others;      // parts of the filter
    if (top.kind == OpKind::kFilter) {
      expand = top.children[0].get();
      if (!IsPlain(*expand, reads) || !Divides(*expand, *top.predicate)) return nullptr;
    }
    if (!IsPlain(*expand, reads)) return nullptr;
    // What it reads of the row must come from below, and not be bound there already.
    std::set<Slot> below;
    AddTreeMakes(*expand->children[0], &below);
    if (below.count(expand->to) || below.count(expand->relationship)) return nullptr;
    OpPtr degree = Make(*expand, false);
    degree->estimated_rows = expand->children[0]->estimated_rows;
    degree->children = {expand->children[0]};
    if (&top != expand) {
      std::vector<BoundExprPtr> parts;
      SplitAnd(std::move(top.predicate), &parts);
      for (auto& part : parts) (AboutFound(*expand, *part) ? about : others).push_back(std::move(part));
      degree->predicate = MakeAnd(std::move(about));
    }
    if (others.empty()) return degree;
    auto filter = std::make_shared<PhysicalOperator>(OpKind::kFilter);
    filter->predicate = MakeAnd(std::move(others));
    filter->estimated_rows = degree->estimated_rows;
    filter->children = {std::move(degree)};
    return filter;
  }

  OpPtr FromOptional(PhysicalOperator& top, const std::set<Slot>& reads) {
    if (top.kind != OpKind::kOptional) return nullptr;
    PhysicalOperator* expand = top.children[1].get();
    BoundExprPtr* predicate = nullptr;
    if (expand->kind == OpKind::kFilter) {
      predicate = &expand->predicate;
      expand = expand->children[0].get();
    }
    if (!IsPlain(*expand, reads) || expand->children[0]->kind != OpKind::kArgument) return nullptr;
    std::set<Slot> left;
    AddTreeMakes(*top.children[0], &left);
    if (left.count(expand->to) || left.count(expand->relationship)) return nullptr;
    for (Slot s : top.null_slots) {
      if (reads.count(s)) return nullptr;
    }
    if (predicate != nullptr) {
      const std::set<Slot> slots = FreeSlots(**predicate);
      if (!AboutFound(*expand, **predicate) || slots.empty()) return nullptr;
    }
    OpPtr degree = Make(*expand, true);
    if (predicate != nullptr) degree->predicate = std::move(*predicate);
    degree->estimated_rows = top.children[0]->estimated_rows;
    degree->children = {top.children[0]};
    return degree;
  }

  static void AddTreeMakes(const PhysicalOperator& op, std::set<Slot>* out) {
    AddMakes(op, out);
    for (const auto& child : op.children) AddTreeMakes(*child, out);
  }

  // Can be asked of what was found alone, once for each.
  static bool AboutFound(const PhysicalOperator& expand, const BoundExpr& part) {
    if (HasSubplan(part) || !IsDeterministic(part)) return false;
    const std::set<Slot> slots = FreeSlots(part);
    return std::all_of(slots.begin(), slots.end(), [&](Slot s) { return s == expand.to || s == expand.relationship; });
  }
  // Whether each part is about what was found, or not at all. What reads nothing is left where it is.
  static bool Divides(const PhysicalOperator& expand, const BoundExpr& predicate) {
    std::vector<const BoundExpr*> parts;
    if (predicate.kind == BoundKind::kAnd) {
      for (const auto& arg : predicate.args) parts.push_back(arg.get());
    } else {
      parts.push_back(&predicate);
    }
    for (const BoundExpr* part : parts) {
      const std::set<Slot> slots = FreeSlots(*part);
      const bool found = slots.count(expand.to) || slots.count(expand.relationship);
      if (found && !AboutFound(expand, *part)) return false;
      if (!found && slots.empty()) return false;
    }
    return true;
  }

  OpPtr Make(const PhysicalOperator& expand, bool optional) {
    auto degree = std::make_shared<PhysicalOperator>(OpKind::kDegree);
    degree->from = expand.from;
    degree->to = expand.to;
    degree->relationship = expand.relationship;
    degree->types = expand.types;
    degree->direction = expand.direction;
    degree->distinct_from = expand.distinct_from;
    degree->optional_subquery = optional;
    slot_names_->push_back("");
    degree->slot = static_cast<Slot>(slot_names_->size() - 1);
    aggregate_->weights.push_back(degree->slot);
    return degree;
  }

  PhysicalOperator* aggregate_;
  std::vector<std::string>* slot_names_;
};

}  // namespace

void CountByDegree(PhysicalOperator* root, std::vector<std::string>* slot_names) {
  for (auto& child : root->children) CountByDegree(child.get(), slot_names);
  if (root->kind == OpKind::kAggregate && OnlyCounts(*root)) Rule(root, slot_names).Run();
}

}  // namespace fornix::planner
