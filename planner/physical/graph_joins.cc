// Hash joins and intersections of a graph: see graph_planner.h.
#include <algorithm>
#include <iterator>

#include "planner/bind/expr_util.h"
#include "planner/physical/graph_planner.h"
#include "planner/physical/op_util.h"

namespace fornix::planner {
namespace {

constexpr double kJoinRowsMin = 1000;   // a smaller product is looked through faster than hashed

Direction Reverse(Direction d) {
  if (d == Direction::kBoth) return d;
  return d == Direction::kOutgoing ? Direction::kIncoming : Direction::kOutgoing;
}

}  // namespace

// A new start that is tied to what is known by `=` alone: a hash join instead of the product. Its second child is read
// first, so nothing below may write.
bool GraphPlanner::JoinStart(Slot start, AccessPath* path) {
  if (!input_.optimize || !op_ || Rows() * path->op->estimated_rows < kJoinRowsMin || TreeWrites(*op_)) return false;
  std::set<Slot> read;
  AddReads(*path->op, &read);
  if (!read.empty()) return false;   // a seek for each row is better still
  for (size_t i : predicates_of_[start]) {
    const auto& predicate = graph_.predicates[i];
    if (!predicate || !IsEquality(*predicate)) continue;
    if (HasSubplan(*predicate) || !IsDeterministic(*predicate)) continue;
    for (int side = 0; side < 2; ++side) {
      const BoundExpr& mine = *predicate->args[side];
      const BoundExpr& other = *predicate->args[1 - side];
      const std::set<Slot> other_slots = FreeSlots(other);
      if (FreeSlots(mine) != std::set<Slot>{start} || other_slots.empty()) continue;
      if (!std::all_of(other_slots.begin(), other_slots.end(), [&](Slot s) { return Known(s); })) continue;
      slot_names_->push_back(mine.text);
      const Slot key = static_cast<Slot>(slot_names_->size() - 1);
      OpPtr right = WithKey(FilterOf(start, std::move(path->op)), key, Clone(mine));
      OpPtr left = WithKey(std::move(op_), key, Clone(other));
      op_ = std::make_shared<PhysicalOperator>(OpKind::kHashJoin);
      op_->slots = {key};
      op_->estimated_rows = left->estimated_rows * right->estimated_rows * estimate_.Selectivity(*predicate);
      op_->children = {std::move(left), std::move(right)};
      unknown_.erase(start);
      return true;   // the predicate is asked again above: a hash knows no NaN
    }
  }
  return false;
}

// The source with the filters that are about it alone.
GraphPlanner::OpPtr GraphPlanner::FilterOf(Slot node, OpPtr source) {
  std::vector<BoundExprPtr> own;
  double rows = source->estimated_rows;
  for (size_t i : predicates_of_[node]) {
    auto& predicate = graph_.predicates[i];
    if (!predicate || slots_[i].size() != 1 || HasSubplan(*predicate)) continue;
    rows *= estimate_.Selectivity(*predicate);
    own.push_back(std::move(predicate));
  }
  if (own.empty()) return source;
  auto filter = std::make_shared<PhysicalOperator>(OpKind::kFilter);
  filter->predicate = MakeAnd(std::move(own));
  filter->children.push_back(std::move(source));
  filter->estimated_rows = rows;
  return filter;
}

GraphPlanner::OpPtr GraphPlanner::WithKey(OpPtr child, Slot key, BoundExprPtr expr) {
  auto project = std::make_shared<PhysicalOperator>(OpKind::kProject);
  project->projections.push_back({key, std::move(expr)});
  project->estimated_rows = child->estimated_rows;
  project->children.push_back(std::move(child));
  return project;
}

// Both lists of the node that two known nodes reach are cut with each other.
void GraphPlanner::Intersect(size_t first, size_t second) {
  EnsureRow();
  auto op = std::make_shared<PhysicalOperator>(OpKind::kIntersect);
  const auto& a = graph_.relationships[first];
  op->to = Known(a.left) ? a.right : a.left;
  double rows = Rows();
  for (size_t i : {first, second}) {
    const auto& r = graph_.relationships[i];
    const bool from_left = r.right == op->to;
    IntersectBranch branch;
    branch.from = from_left ? r.left : r.right;
    branch.relationship = r.slot;
    branch.types = r.types;
    branch.direction = from_left ? r.direction : Reverse(r.direction);
    for (Slot s : r.distinct_from) {
      const bool other = s == graph_.relationships[i == first ? second : first].slot;
      if (Known(s) || (other && i == second)) branch.distinct_from.push_back(s);
    }
    LabelTests from_tests;
    const double size = SizeOf(branch.from, &from_tests);
    rows *= Pairs(r, from_left ? from_tests : LabelTests(), from_left ? LabelTests() : from_tests) / std::max(1.0, size);
    op->branches.push_back(std::move(branch));
    done_[i] = true;
  }
  LabelTests tests;
  rows /= std::max(1.0, SizeOf(op->to, &tests));
  for (const IntersectBranch& branch : op->branches) unknown_.erase(branch.relationship);
  unknown_.erase(op->to);
  Push(std::move(op), rows);
}

// Finds one part of the graph apart from what is known, and joins both by the nodes they share. What is asked of a shared node is
// asked on both sides.
void GraphPlanner::Join(const Todo& todo) {
  const std::set<Slot> shared(todo.shared.begin(), todo.shared.end());
  std::map<size_t, BoundExprPtr> again;
  for (auto& [i, copy] : shared_copies_) {
    if (std::includes(shared.begin(), shared.end(), slots_[i].begin(), slots_[i].end())) again[i] = Clone(*copy);
  }
  OpPtr probe = std::move(op_);
  const std::set<Slot> unknown_after_probe = unknown_;
  std::set<Slot> made;
  for (Slot s : all_unknown_) {
    if (!unknown_.count(s)) made.insert(s);
  }
  unknown_ = all_unknown_;
  std::vector<bool> done_before = done_;
  std::vector<BoundExprPtr> held(graph_.predicates.size());
  for (auto& [i, copy] : again) std::swap(held[i], graph_.predicates[i]);
  for (auto& [i, copy] : again) graph_.predicates[i] = std::move(copy);
  op_ = nullptr;
  std::vector<size_t> built;
  for (const Todo& step : todo.build) {
    Take(step);
    Settle();
  }
  for (size_t i = 0; i < done_.size(); ++i) {
    if (done_[i] && !done_before[i]) built.push_back(i);
  }
  for (auto& [i, copy] : again) graph_.predicates[i] = std::move(held[i]);
  OpPtr build = std::move(op_);
  std::set<Slot> left;
  std::set_intersection(unknown_.begin(), unknown_.end(), unknown_after_probe.begin(), unknown_after_probe.end(), std::inserter(left, left.end()));
  unknown_ = std::move(left);
  auto join = std::make_shared<PhysicalOperator>(OpKind::kHashJoin);
  join->slots = todo.shared;
  double rows = probe->estimated_rows * build->estimated_rows;
  LabelTests tests;
  for (Slot s : todo.shared) rows /= std::max(1.0, SizeOf(s, &(tests = LabelTests())));
  join->estimated_rows = rows;
  join->children = {std::move(probe), std::move(build)};
  op_ = std::move(join);
  // Neither side saw the relationships of the other.
  std::vector<BoundExprPtr> differ;
  for (size_t i : built) {
    const auto& r = graph_.relationships[i];
    for (const auto& other : graph_.relationships) {
      const bool wanted = std::find(r.distinct_from.begin(), r.distinct_from.end(), other.slot) != r.distinct_from.end();
      if (wanted && made.count(other.slot)) differ.push_back(DifferFrom(r.slot, other));
    }
  }
  if (differ.empty()) return;
  auto filter = std::make_shared<PhysicalOperator>(OpKind::kFilter);
  filter->predicate = MakeAnd(std::move(differ));
  Push(std::move(filter), rows);
}

}  // namespace fornix::planner
