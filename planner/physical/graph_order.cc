// The order of connected pieces: what the planner knows of a graph, as numbers for planner/cost/pattern_order, and its answer as steps.
#include <algorithm>

#include "planner/bind/expr_util.h"
#include "planner/physical/graph_planner.h"
#include "planner/physical/op_util.h"
#include "planner/physical/relationship_ends.h"

namespace fornix::planner {
namespace {

constexpr size_t kPiecesCompared = 64;     // beyond it a cross product is beyond help, and comparing all is quadratic
constexpr size_t kPiecesPaired = 8;     // so many are judged by what each makes of the others, which is quadratic for every choice
constexpr size_t kNodesMax = 64;        // of a piece: bits of a word

}  // namespace

double GraphPlanner::SizeOf(Slot node, LabelTests* tests) const {
  if (const auto it = labels_of_.find(node); it != labels_of_.end()) {
    for (const LabelPredicate& test : it->second) tests->push_back(&test);
  }
  return estimate_.NodesWith(*tests);
}

double GraphPlanner::Pairs(const PatternRelationship& r, const LabelTests& left, const LabelTests& right) const {
  if (!r.var_length && !r.repeat) return estimate_.Pairs(r.types, r.direction, left, right);
  return estimate_.NodesWith(left) * FanOut(r) * estimate_.NodesWith(right) / estimate_.Nodes();
}

// Whether an expansion of r that reaches `end` would be turned into a Degree (rewrite/count_by_degree.cc).
bool GraphPlanner::IsCounted(const PatternRelationship& r, Slot end) const {
  if (reads_ == nullptr || r.var_length || r.shortest || r.left == r.right || Known(end) || Known(r.slot)) return false;
  if (reads_->count(end) || reads_->count(r.slot) || predicates_of_.count(r.slot)) return false;
  for (const auto& other : graph_.relationships) {
    if (other.repeat || (&other != &r && (other.left == end || other.right == end))) return false;
  }
  for (const auto& path : graph_.paths) {
    if (std::find(path.elements.begin(), path.elements.end(), end) != path.elements.end()) return false;
  }
  const auto about = predicates_of_.find(end);
  if (about == predicates_of_.end()) return true;
  return std::all_of(about->second.begin(), about->second.end(), [&](size_t p) {
    return graph_.predicates[p] && slots_[p].size() == 1 && graph_.predicates[p]->kind == BoundKind::kHasLabels;
  });
}

GraphPlanner::Piece GraphPlanner::PieceAt(Slot node) const {
  Piece piece;
  piece.nodes.push_back(node);
  std::set<Slot> seen = {node};
  std::vector<bool> taken(graph_.relationships.size());
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < graph_.relationships.size(); ++i) {
      const auto& r = graph_.relationships[i];
      if (done_[i] || taken[i] || (!seen.count(r.left) && !seen.count(r.right))) continue;
      taken[i] = grown = true;
      piece.relationships.push_back(i);
      for (Slot end : {r.left, r.right}) {
        if (seen.insert(end).second) piece.nodes.push_back(end);
      }
    }
  }
  // In the order written: ties are decided by it.
  std::sort(piece.relationships.begin(), piece.relationships.end());
  return piece;
}

void GraphPlanner::Cost(Piece* piece) const {
  OrderInput& in = piece->input;
  std::map<Slot, int> place;
  std::vector<LabelTests> tests(piece->nodes.size());
  for (size_t i = 0; i < piece->nodes.size(); ++i) {
    const Slot node = piece->nodes[i];
    place[node] = static_cast<int>(i);
    OrderNode n;
    n.known = Known(node);
    n.size = std::max(1.0, SizeOf(node, &tests[i]));
    if (!n.known) {
      const AccessPath path = ChooseAccessPath(node, graph_.predicates, unknown_, input_);
      double rest = 1;
      if (const auto about = predicates_of_.find(node); about != predicates_of_.end()) {
        for (size_t p : about->second) {
          const BoundExprPtr& predicate = graph_.predicates[p];
          if (!predicate || !std::all_of(slots_[p].begin(), slots_[p].end(), [&](Slot s) { return s == node || Known(s); })) continue;
          n.filtered = true;
          const double share = estimate_.Selectivity(*predicate);
          const bool label = predicate->kind == BoundKind::kHasLabels;
          const bool consumed = std::find(path.consumed.begin(), path.consumed.end(), p) != path.consumed.end();
          if (!label) n.share *= share;
          if (!consumed) rest *= share;
        }
      }
      n.start_cost = path.op->estimated_rows * (rest < 1 ? 1.5 : 1);
      n.share = std::min(n.share, path.op->estimated_rows * rest / n.size);
    }
    in.nodes.push_back(n);
  }
  std::set<Slot> counted;   // relationships; those that must differ are not counted both
  for (size_t i : piece->relationships) {
    const auto& r = graph_.relationships[i];
    OrderRelationship rel;
    if (std::none_of(r.distinct_from.begin(), r.distinct_from.end(), [&](Slot s) { return counted.count(s) > 0; })) {
      rel.left_counted = IsCounted(r, r.left);
      rel.right_counted = IsCounted(r, r.right);
      if (rel.left_counted || rel.right_counted) counted.insert(r.slot);
    }
    rel.left = place[r.left];
    rel.right = place[r.right];
    const auto &left = tests[static_cast<size_t>(rel.left)], &right = tests[static_cast<size_t>(rel.right)];
    rel.pairs = Pairs(r, left, right);
    rel.from_left = Pairs(r, left, {}) / in.nodes[static_cast<size_t>(rel.left)].size;
    rel.from_right = Pairs(r, {}, right) / in.nodes[static_cast<size_t>(rel.right)].size;
    rel.both_needed = r.shortest;
    rel.single = !r.var_length && !r.shortest && !r.repeat;
    if (rel.single && !Known(r.left) && !Known(r.right)) {
      const AccessPath path = RelationshipIndex(r);
      if (path.op) {
        rel.scan_cost = path.op->estimated_rows;
      } else if (!r.types.empty() && r.direction != Direction::kBoth && r.left != r.right) {
        rel.scan_cost = estimate_.Relationships(r.types);
      }
    }
    in.relationships.push_back(rel);
  }
  for (size_t p = 0; p < graph_.predicates.size(); ++p) {
    if (!graph_.predicates[p] || HasSubplan(*graph_.predicates[p])) continue;
    OrderPredicate predicate;
    int nodes = 0;
    bool inside = true;
    for (Slot s : slots_[p]) {
      if (const auto node = place.find(s); node != place.end()) {
        predicate.nodes |= uint64_t{1} << node->second;
        nodes += !Known(s);
        continue;
      }
      bool found = Known(s);
      for (size_t k = 0; k < piece->relationships.size(); ++k) {
        if (graph_.relationships[piece->relationships[k]].slot != s) continue;
        predicate.relationships |= uint64_t{1} << k;
        found = true;
      }
      inside &= found;
    }
    if (!inside || (nodes < 2 && predicate.relationships == 0)) continue;
    predicate.share = estimate_.Selectivity(*graph_.predicates[p]);
    in.predicates.push_back(predicate);
  }
  in.rows = Rows();
  in.may_join = !has_child_;
  piece->order = FindOrder(in);
}

std::vector<GraphPlanner::Todo> GraphPlanner::Named(const Piece& piece, const std::vector<OrderStep>& steps) {
  std::vector<Todo> todo;
  for (const OrderStep& step : steps) {
    Todo one;
    one.kind = step.kind;
    if (step.kind == OrderStep::Kind::kNode) {
      one.node = piece.nodes[static_cast<size_t>(step.index)];
    } else if (step.kind != OrderStep::Kind::kJoin) {
      one.relationship = piece.relationships[static_cast<size_t>(step.index)];
      if (step.second >= 0) one.second = piece.relationships[static_cast<size_t>(step.second)];
    }
    one.build = Named(piece, step.build);
    for (int node : step.shared) one.shared.push_back(piece.nodes[static_cast<size_t>(node)]);
    todo.push_back(std::move(one));
  }
  return todo;
}

void GraphPlanner::Enqueue(const Piece& piece) {
  for (Todo& todo : Named(piece, piece.order.steps)) todo_.push_back(std::move(todo));
  const bool joins = std::any_of(todo_.begin(), todo_.end(), [](const Todo& t) { return t.kind == OrderStep::Kind::kJoin; });
  if (!joins) return;
  for (size_t i = 0; i < graph_.predicates.size(); ++i) {
    const BoundExprPtr& p = graph_.predicates[i];
    if (p && slots_[i].size() == 1 && !HasSubplan(*p) && IsDeterministic(*p)) shared_copies_[i] = Clone(*p);
  }
}

bool GraphPlanner::PlanAttached() {
  for (size_t i = 0; i < graph_.relationships.size(); ++i) {
    const auto& r = graph_.relationships[i];
    if (done_[i] || (!Known(r.left) && !Known(r.right))) continue;
    Piece piece = PieceAt(r.left);
    if (piece.relationships.size() > kPartsMax || piece.nodes.size() > kNodesMax) return false;
    Cost(&piece);
    if (piece.order.steps.empty()) return false;
    Enqueue(piece);
    return true;
  }
  return false;
}

// What is looked at to find `next` once `first` has been found: for each of its rows, but where a hash join reads it once.
double GraphPlanner::CostBehind(const Piece& first, const Piece& next) const {
  const double rows = std::max(1.0, first.order.rows);
  if (!next.relationships.empty()) return rows * next.order.cost;
  std::set<Slot> unknown = unknown_;
  for (Slot node : first.nodes) unknown.erase(node);
  for (size_t i : first.relationships) unknown.erase(graph_.relationships[i].slot);
  const Slot node = next.nodes[0];
  const AccessPath path = ChooseAccessPath(node, graph_.predicates, unknown, input_);
  std::set<Slot> read;
  AddReads(*path.op, &read);
  if (read.empty() && TiedByEquality(node, unknown)) return next.order.cost + rows;
  return rows * path.op->estimated_rows;
}

bool GraphPlanner::TiedByEquality(Slot node, const std::set<Slot>& unknown) const {
  const auto about = predicates_of_.find(node);
  if (about == predicates_of_.end()) return false;
  return std::any_of(about->second.begin(), about->second.end(), [&](size_t i) {
    const BoundExprPtr& p = graph_.predicates[i];
    if (!p || !IsEquality(*p) || slots_[i].size() < 2) return false;
    return std::all_of(slots_[i].begin(), slots_[i].end(), [&](Slot s) { return s == node || !unknown.count(s); });
  });
}

// The piece that makes all of them cheapest when it comes first: one that a seek by another's values finds waits for those values.
bool GraphPlanner::PlanPiece() {
  std::vector<Piece> pieces;
  std::set<Slot> seen;
  for (Slot node : graph_.nodes) {
    if (Known(node) || seen.count(node)) continue;
    if (pieces.size() == kPiecesCompared) break;
    Piece piece = PieceAt(node);
    seen.insert(piece.nodes.begin(), piece.nodes.end());
    if (piece.relationships.size() > kPartsMax || piece.nodes.size() > kNodesMax) return false;
    Cost(&piece);
    if (piece.relationships.empty()) {
      const OrderNode& n = piece.input.nodes[0];
      piece.order.cost = n.start_cost;
      piece.order.rows = n.size * n.share;
      OrderStep start{OrderStep::Kind::kNode, 0, -1, {}, {}};
      piece.order.steps = {start};
    }
    if (piece.order.steps.empty()) return false;
    pieces.push_back(std::move(piece));
  }
  // Only a node that stands alone is found at less cost later than first; two patterns are as costly either way.
  const bool paired = pieces.size() <= kPiecesPaired && std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.relationships.empty(); });
  const Piece* best = nullptr;
  double best_cost = kNever;
  for (const Piece& first : pieces) {
    double cost = first.order.cost + first.order.rows;
    for (const Piece& next : pieces) {
      if (&next != &first && paired) cost += CostBehind(first, next);
    }
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = &first;
  }
  if (best == nullptr) return false;
  Enqueue(*best);
  return true;
}

bool GraphPlanner::TakeStep() {
  if (todo_.empty()) return false;
  const Todo todo = std::move(todo_.front());
  todo_.pop_front();
  Take(todo);
  return true;
}

// What another step has found meanwhile is left out.
void GraphPlanner::Take(const Todo& todo) {
  auto expand = [this](size_t i) {
    const auto& r = graph_.relationships[i];
    if (done_[i]) return;
    if (Known(r.slot)) return KnownRelationship(i);
    const bool left = Known(r.left), right = Known(r.right);
    if ((!left && !right) || (r.shortest && !(left && right))) return todo_.clear();   // planned anew
    Expand(i, left);
  };
  switch (todo.kind) {
    case OrderStep::Kind::kNode:
      if (!Known(todo.node)) StartNode(todo.node, ChooseAccessPath(todo.node, graph_.predicates, unknown_, input_));
      return;
    case OrderStep::Kind::kScan: {
      const auto& r = graph_.relationships[todo.relationship];
      if (done_[todo.relationship]) return;
      if (Known(r.left) || Known(r.right) || Known(r.slot)) return expand(todo.relationship);
      ScanRelationship(todo.relationship);
      if (!done_[todo.relationship]) KnownRelationship(todo.relationship);
      return;
    }
    case OrderStep::Kind::kExpand: return expand(todo.relationship);
    case OrderStep::Kind::kIntersect: {
      const auto &a = graph_.relationships[todo.relationship], &b = graph_.relationships[todo.second];
      const bool fresh = !done_[todo.relationship] && !done_[todo.second] && !Known(a.slot) && !Known(b.slot) &&
                         Known(a.left) != Known(a.right) && Known(b.left) != Known(b.right);
      if (fresh && (Known(a.left) ? a.right : a.left) == (Known(b.left) ? b.right : b.left)) return Intersect(todo.relationship, todo.second);
      expand(todo.relationship);
      return expand(todo.second);
    }
    case OrderStep::Kind::kJoin: return Join(todo);
  }
}

}  // namespace fornix::planner
