// See plan_graph.h.
#include "planner/physical/plan_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/bind/expr_util.h"
#include "planner/physical/graph_planner.h"
#include "planner/physical/op_util.h"
#include "planner/physical/relationship_ends.h"
#include "planner/physical/seed_ids.h"

namespace fornix::planner {
namespace {

constexpr int kStartsCompared = 64;   // a cross product of more unconnected nodes is beyond help, and comparing all is quadratic

}  // namespace

GraphPlanner::GraphPlanner(QueryGraph graph, OpPtr child, const PlannerInput& input, std::vector<std::string>* slot_names,
                           const std::set<Slot>* reads)
    : graph_(std::move(graph)), input_(input), estimate_(input), slot_names_(slot_names), op_(std::move(child)), has_child_(op_ != nullptr), reads_(reads) {
  for (Slot s : graph_.nodes) unknown_.insert(s);
  for (const auto& r : graph_.relationships) r.AddFound(&unknown_);
  for (const auto& s : graph_.seeds) unknown_.insert({s.element, s.score});
  for (const auto& p : graph_.paths) unknown_.insert(p.slot);
  for (Slot s : graph_.arguments) unknown_.erase(s);
  done_.assign(graph_.relationships.size(), false);
  paths_done_.assign(graph_.paths.size(), false);
  seeds_done_.assign(graph_.seeds.size(), false);
  for (size_t i = 0; i < graph_.predicates.size(); ++i) {
    slots_.push_back(FreeSlots(*graph_.predicates[i]));
    for (Slot s : slots_[i]) predicates_of_[s].push_back(i);
    const BoundExpr& p = *graph_.predicates[i];
    if (p.kind == BoundKind::kHasLabels && p.args[0]->kind == BoundKind::kSlot) labels_of_[p.args[0]->slot].push_back(p.labels);
  }
  all_unknown_ = unknown_;
  if (input_.optimize) ForgetPlainDifferences();
}

// Relationships whose types tell them apart need no comparison.
void GraphPlanner::ForgetPlainDifferences() {
  for (auto& r : graph_.relationships) {
    for (const auto& other : graph_.relationships) {
      if (r.types.empty() || other.types.empty() || r.repeat || other.repeat) continue;
      const bool shared = std::any_of(r.types.begin(), r.types.end(), [&](const std::string& t) {
        return std::find(other.types.begin(), other.types.end(), t) != other.types.end();
      });
      if (!shared) std::erase(r.distinct_from, other.slot);
    }
  }
}

GraphPlanner::OpPtr GraphPlanner::Plan() {
  Settle();
  while (Step()) Settle();
  EnsureRow();   // a graph of nothing but known nodes
  return op_;
}

void GraphPlanner::Push(OpPtr op, double rows) {
  if (op_) op->children.insert(op->children.begin(), std::move(op_));
  op->estimated_rows = rows;
  op_ = std::move(op);
}

void GraphPlanner::EnsureRow() {
  if (op_) return;
  op_ = std::make_shared<PhysicalOperator>(OpKind::kArgument);
  op_->estimated_rows = 1;
}

// A source: a leaf, or the right side of an Apply.
void GraphPlanner::Start(OpPtr source) {
  if (!op_) {
    op_ = std::move(source);
    return;
  }
  auto apply = std::make_shared<PhysicalOperator>(OpKind::kApply);
  const double rows = Rows() * source->estimated_rows;
  apply->children.push_back(std::move(op_));
  apply->children.push_back(std::move(source));
  apply->estimated_rows = rows;
  op_ = std::move(apply);
}

// Filters and paths that can be computed now.
void GraphPlanner::Settle() {
  for (size_t i = 0; i < graph_.paths.size(); ++i) {
    const auto& path = graph_.paths[i];
    if (paths_done_[i] || !std::all_of(path.elements.begin(), path.elements.end(), [&](Slot s) { return Known(s); })) continue;
    paths_done_[i] = true;
    EnsureRow();
    auto op = std::make_shared<PhysicalOperator>(OpKind::kProject);
    auto expr = std::make_unique<BoundExpr>(BoundKind::kPath);
    expr->type = kPathType;
    expr->path_slots = path.elements;
    op->projections.push_back({path.slot, std::move(expr)});
    const double rows = Rows();
    Push(std::move(op), rows);
    unknown_.erase(path.slot);
  }
  const bool all_found = std::all_of(done_.begin(), done_.end(), [](bool d) { return d; }) &&
                         std::all_of(graph_.nodes.begin(), graph_.nodes.end(), [&](Slot s) { return Known(s); });
  std::vector<BoundExprPtr> ready;
  double rows = Rows();
  // Subplans are the dearest to ask: after the others, and when nothing is left to find unless they are all that remains.
  for (int dear = 0; dear < 2; ++dear) {
    for (size_t i = 0; i < graph_.predicates.size(); ++i) {
      auto& predicate = graph_.predicates[i];
      if (!predicate || HasSubplan(*predicate) != (dear == 1) || (dear == 1 && input_.optimize && !all_found)) continue;
      if (std::any_of(slots_[i].begin(), slots_[i].end(), [&](Slot s) { return !Known(s); })) continue;
      if (!op_ && !all_found && !slots_[i].empty()) continue;   // of the outer row only: asked above the first source
      const bool labels = predicate->kind == BoundKind::kHasLabels && slots_[i].size() == 1;
      const auto reached = labels ? reached_.find(*slots_[i].begin()) : reached_.end();
      rows *= reached == reached_.end() ? estimate_.Selectivity(*predicate) : std::exchange(reached->second, 1.0);
      ready.push_back(std::move(predicate));
    }
  }
  if (ready.empty()) return;
  EnsureRow();
  auto op = std::make_shared<PhysicalOperator>(OpKind::kFilter);
  op->predicate = MakeAnd(std::move(ready));
  Push(std::move(op), rows);
}

bool GraphPlanner::Step() {
  for (size_t i = 0; i < graph_.seeds.size(); ++i) {
    if (!seeds_done_[i]) return Seed(i), true;
  }
  for (size_t i = 0; i < graph_.relationships.size(); ++i) {
    if (!done_[i] && Known(graph_.relationships[i].slot)) return KnownRelationship(i), true;
  }
  if (FromEquality()) return true;
  if (input_.optimize && (TakeStep() || PlanAttached())) return true;
  return ExpandGreedily() || (input_.optimize && PlanPiece()) || StartSomewhere();
}

bool GraphPlanner::ExpandGreedily() {
  // The best expansion of what is known.
  size_t best = graph_.relationships.size();
  double best_rows = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < graph_.relationships.size(); ++i) {
    if (done_[i]) continue;
    const auto& r = graph_.relationships[i];
    const bool left = Known(r.left), right = Known(r.right);
    if (!left && !right) continue;
    if (r.shortest && !(left && right)) continue;
    double rows = Rows() * FanOut(r);
    if (left && right) {
      rows /= estimate_.Nodes();
    } else {
      rows *= ShareOfNode(left ? r.right : r.left);
    }
    if (!input_.optimize) rows = static_cast<double>(i);
    if (rows < best_rows) {
      best_rows = rows;
      best = i;
    }
  }
  if (best == graph_.relationships.size()) return false;
  Expand(best, Known(graph_.relationships[best].left));
  return true;
}

double GraphPlanner::FanOut(const PatternRelationship& r) const {
  return r.var_length ? estimate_.FanOut(r.types, r.direction, r.hops_min, r.hops_max) : estimate_.FanOut(r.types, r.direction);
}

// The share of nodes that the predicates on `node` alone keep.
double GraphPlanner::ShareOfNode(Slot node) const {
  double share = 1;
  const auto about = predicates_of_.find(node);
  if (about == predicates_of_.end()) return share;
  for (size_t i : about->second) {
    if (!graph_.predicates[i]) continue;
    const bool alone = std::all_of(slots_[i].begin(), slots_[i].end(), [&](Slot s) { return s == node || Known(s); });
    if (alone) share *= estimate_.Selectivity(*graph_.predicates[i]);
  }
  return share;
}

void GraphPlanner::Seed(size_t i) {
  PatternSeed& seed = graph_.seeds[i];
  seeds_done_[i] = true;
  auto op = std::make_shared<PhysicalOperator>(OpKind::kVectorSeed);
  (seed.relationship ? op->relationship : op->node) = seed.element;
  op->score = seed.score;
  op->index_name = seed.index_name;
  op->estimated_rows = seed.limit->kind == BoundKind::kLiteral && seed.limit->value.type() == Type::kInteger
                           ? static_cast<double>(seed.limit->value.AsInteger())
                           : 10;
  op->exprs.push_back(std::move(seed.query));
  op->exprs.push_back(std::move(seed.limit));
  op->predicate = std::move(seed.filter);
  op->exprs.push_back(nullptr);
  op->exprs.push_back(std::move(seed.options));
  if (const storage::IndexDefinition* index = input_.schema->FindIndex(op->index_name)) {
    op->index_kind = KindOf(*index);
    if (input_.optimize) AddIdSources(*index, input_, slot_names_, op.get());
  }
  Start(std::move(op));
  unknown_.erase(seed.element);
  unknown_.erase(seed.score);
}

// The relationship is there already (a seed, or equal to a known one): its ends are looked up, not searched.
void GraphPlanner::KnownRelationship(size_t i) {
  const auto& r = graph_.relationships[i];
  EnsureRow();
  const double rows = Rows();
  FilterDistinct(r);
  op_ = RelationshipEnds(std::move(op_), r, Known(r.left), Known(r.right), *input_.functions, slot_names_);
  op_->estimated_rows = rows;
  unknown_.erase(r.left);
  unknown_.erase(r.right);
  done_[i] = true;
}

// A relationship that a predicate equates with a known one becomes known.
bool GraphPlanner::FromEquality() {
  if (!input_.optimize || !CanFindEnds(*input_.functions)) return false;
  for (size_t i = 0; i < graph_.relationships.size(); ++i) {
    const auto& r = graph_.relationships[i];
    const auto about = predicates_of_.find(r.slot);
    if (done_[i] || r.var_length || about == predicates_of_.end()) continue;
    for (size_t index : about->second) {
      auto& predicate = graph_.predicates[index];
      if (!predicate || !IsEquality(*predicate)) continue;
      for (int side = 0; side < 2; ++side) {
        const BoundExpr& mine = *predicate->args[side];
        const BoundExpr& other = *predicate->args[1 - side];
        if (mine.kind != BoundKind::kSlot || mine.slot != r.slot || other.kind != BoundKind::kSlot || !Known(other.slot)) continue;
        if (!(other.type == kRelationshipType)) continue;
        EnsureRow();
        auto op = std::make_shared<PhysicalOperator>(OpKind::kProject);
        op->projections.push_back({r.slot, Clone(other)});
        const double rows = Rows();
        Push(std::move(op), rows);
        unknown_.erase(r.slot);
        predicate.reset();
        return true;
      }
    }
  }
  return false;
}

void GraphPlanner::Expand(size_t i, bool from_left) {
  auto& r = graph_.relationships[i];
  EnsureRow();
  done_[i] = true;
  if (r.repeat) return Repeat(r, from_left);
  auto op = std::make_shared<PhysicalOperator>(r.shortest ? OpKind::kShortestPath : r.var_length ? OpKind::kVarExpand : OpKind::kExpand);
  op->from = from_left ? r.left : r.right;
  op->to = from_left ? r.right : r.left;
  op->direction = r.direction;
  if (!from_left && r.direction != Direction::kBoth) {
    op->direction = r.direction == Direction::kOutgoing ? Direction::kIncoming : Direction::kOutgoing;
  }
  op->relationship = r.slot;
  op->types = r.types;
  op->expand_into = Known(op->to) && (!r.shortest || r.condition_chooses);   // shortestPath() finds no way from a node to itself
  op->hops_min = r.hops_min;
  op->hops_max = r.hops_max;
  op->all_shortest = r.all_shortest;
  op->paths_max = r.paths_max;
  op->step_relationship = r.step_relationship;
  op->step_node = r.step_node;
  op->predicate = std::move(r.step_predicate);
  op->reverse_list = !from_left && r.var_length;
  for (Slot s : r.distinct_from) {
    if (Known(s)) op->distinct_from.push_back(s);
  }
  LabelTests from_tests, to_tests;
  const double from_size = SizeOf(op->from, &from_tests), to_size = SizeOf(op->to, &to_tests);
  double rows = Rows() * Pairs(r, from_left ? from_tests : LabelTests(), from_left ? LabelTests() : from_tests) / std::max(1.0, from_size);
  if (op->expand_into || r.shortest) {
    rows /= std::max(1.0, to_size);
  } else if (!to_tests.empty()) {
    auto pairs = [&](const LabelTests& to) { return Pairs(r, from_left ? from_tests : to, from_left ? to : from_tests); };
    reached_[op->to] = std::min(1.0, pairs(to_tests) / std::max(1.0, pairs({})));
  }
  unknown_.erase(r.slot);
  unknown_.erase(op->to);
  Push(std::move(op), rows);
}

// Planned from the end that is known; from the right, each time is found from its last node to its first.
void GraphPlanner::Repeat(PatternRelationship& r, bool from_left) {
  PatternRepeat& repeat = *r.repeat;
  auto op = std::make_shared<PhysicalOperator>(OpKind::kRepeat);
  op->from = from_left ? r.left : r.right;
  op->to = from_left ? r.right : r.left;
  op->relationship = r.slot;
  op->expand_into = Known(op->to);
  op->hops_min = r.hops_min;
  op->hops_max = r.hops_max;
  op->reverse_list = !from_left;
  op->step_node = from_left ? repeat.first : repeat.last;
  op->node = from_left ? repeat.last : repeat.first;
  op->slots = repeat.relationships;
  op->groups = repeat.groups;
  for (Slot s : r.distinct_from) {
    if (Known(s)) op->distinct_from.push_back(s);
  }
  repeat.graph.arguments.push_back(op->step_node);
  auto start = std::make_shared<PhysicalOperator>(OpKind::kArgument);
  start->estimated_rows = 1;
  op->children.push_back(PlanGraph(std::move(repeat.graph), std::move(start), input_, slot_names_));
  double rows = Rows() * FanOut(r);
  if (op->expand_into) rows /= estimate_.Nodes();
  for (const auto& [inner, outer] : op->groups) unknown_.erase(outer);
  unknown_.erase(r.slot);
  unknown_.erase(op->to);
  Push(std::move(op), rows);
}

bool GraphPlanner::StartSomewhere() {
  Slot start = kNoSlot;
  AccessPath path;
  double best = std::numeric_limits<double>::infinity();
  int compared = 0;
  for (Slot node : graph_.nodes) {
    if (Known(node)) continue;
    if (++compared > kStartsCompared) break;
    AccessPath candidate = ChooseAccessPath(node, graph_.predicates, unknown_, input_);
    // What is found, and what must be looked at to find it.
    const double rows = candidate.op->estimated_rows + candidate.op->estimated_rows * ShareOfNode(node);
    if (start == kNoSlot || rows < best) {
      best = rows;
      start = node;
      path = std::move(candidate);
    }
    if (!input_.optimize) break;
  }
  if (start == kNoSlot) return false;
  if (SeekRelationship(best) || StartWithRelationship(path)) return true;
  StartNode(start, std::move(path));
  return true;
}

void GraphPlanner::StartNode(Slot node, AccessPath path) {
  for (size_t consumed : path.consumed) graph_.predicates[consumed].reset();
  if (JoinStart(node, &path)) return;
  unknown_.erase(node);
  Start(std::move(path.op));
}

// The range index that leads to a relationship by a property of its own, or no operator.
AccessPath GraphPlanner::RelationshipIndex(const PatternRelationship& r) const {
  if (!input_.optimize || !CanFindEnds(*input_.functions) || r.var_length || r.types.size() != 1) return {};
  return SeekRelationshipIndex(r.slot, r.types[0], graph_.predicates, unknown_, input_);
}

// Such an index, if it leads to fewer than `rows`.
bool GraphPlanner::SeekRelationship(double rows) {
  for (size_t i = 0; i < graph_.relationships.size(); ++i) {
    const auto& r = graph_.relationships[i];
    if (done_[i] || Known(r.left) || Known(r.right)) continue;
    AccessPath path = RelationshipIndex(r);
    if (!path.op || path.op->estimated_rows >= rows) continue;
    ScanRelationship(i);
    return true;
  }
  return false;
}

// Starts with a relationship: by its index, else all of its types.
void GraphPlanner::ScanRelationship(size_t i) {
  const auto& r = graph_.relationships[i];
  if (AccessPath path = RelationshipIndex(r); path.op) {
    for (size_t consumed : path.consumed) graph_.predicates[consumed].reset();
    Start(std::move(path.op));
    unknown_.erase(r.slot);   // Step finds its ends next
    return;
  }
  auto op = std::make_shared<PhysicalOperator>(OpKind::kAllRelationshipsScan);
  op->relationship = r.slot;
  op->node = r.left;
  op->to = r.right;
  op->direction = r.direction;
  op->types = r.types;
  op->estimated_rows = estimate_.Relationships(r.types);
  Start(std::move(op));
  done_[i] = true;
  unknown_.erase(r.slot);
  unknown_.erase(r.left);
  unknown_.erase(r.right);
  FilterDistinct(r);
}

// With no better start than all nodes, the relationships themselves may be fewer.
bool GraphPlanner::StartWithRelationship(const AccessPath& path) {
  if (!input_.optimize || path.op->kind != OpKind::kAllNodesScan) return false;
  for (size_t i = 0; i < graph_.relationships.size(); ++i) {
    const auto& r = graph_.relationships[i];
    if (done_[i] || r.var_length || r.left == r.right || r.direction == Direction::kBoth || Known(r.left) || Known(r.right)) continue;
    if (r.types.empty() || estimate_.Relationships(r.types) > path.op->estimated_rows) continue;
    ScanRelationship(i);
    return true;
  }
  return false;
}

// For what compares nothing by itself, while the graph may have found others of this type before.
void GraphPlanner::FilterDistinct(const PatternRelationship& r) {
  std::vector<BoundExprPtr> differ;
  for (const auto& other : graph_.relationships) {
    const bool wanted = std::find(r.distinct_from.begin(), r.distinct_from.end(), other.slot) != r.distinct_from.end();
    if (wanted && Known(other.slot)) differ.push_back(DifferFrom(r.slot, other));
  }
  if (differ.empty()) return;
  auto filter = std::make_shared<PhysicalOperator>(OpKind::kFilter);
  filter->predicate = MakeAnd(std::move(differ));
  const double rows = Rows();
  Push(std::move(filter), rows);
}

BoundExprPtr GraphPlanner::DifferFrom(Slot slot, const PatternRelationship& other) {
  BoundExprPtr mine = MakeSlot(slot, kRelationshipType);
  if (!other.var_length) return MakeCompare(std::move(mine), BoundOp::kNe, MakeSlot(other.slot, kRelationshipType));
  auto in = std::make_unique<BoundExpr>(BoundKind::kIn);
  in->type = kBooleanType;
  in->args.push_back(std::move(mine));
  in->args.push_back(MakeSlot(other.slot, kListType));
  return MakeNot(std::move(in));
}

std::shared_ptr<PhysicalOperator> PlanGraph(QueryGraph graph, std::shared_ptr<PhysicalOperator> child, const PlannerInput& input,
                                            std::vector<std::string>* slot_names, const std::set<Slot>* reads) {
  return GraphPlanner(std::move(graph), std::move(child), input, slot_names, reads).Plan();
}

}  // namespace fornix::planner
