// GraphPlanner: the state of planning one QueryGraph, shared by the files that take its steps: plan_graph.cc (what is known is settled,
// expanded, started from), graph_order.cc (the order of a connected piece, by cost) and graph_joins.cc (what is joined by hash or by
// cutting lists). Used by plan_graph.cc alone.
//
// `op_` is the plan so far, `unknown_` what the graph still looks for. Predicates are used up (null) once they are in the plan.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "planner/cost/estimate.h"
#include "planner/cost/pattern_order.h"
#include "planner/logical/logical_plan.h"
#include "planner/physical/access_path.h"

namespace fornix::planner {

class GraphPlanner {
 public:
  using OpPtr = std::shared_ptr<PhysicalOperator>;

  GraphPlanner(QueryGraph graph, OpPtr child, const PlannerInput& input, std::vector<std::string>* slot_names, const std::set<Slot>* reads);
  OpPtr Plan();

 private:
  void ForgetPlainDifferences();
  bool Known(Slot slot) const { return !unknown_.count(slot); }
  double Rows() const { return op_ ? op_->estimated_rows : 1; }
  void Push(OpPtr op, double rows);
  void EnsureRow();
  void Start(OpPtr source);
  void Settle();

  // One step on the way; false when nothing is left.
  bool Step();
  bool ExpandGreedily();
  double FanOut(const PatternRelationship& r) const;
  double ShareOfNode(Slot node) const;
  void Seed(size_t i);
  void KnownRelationship(size_t i);
  bool FromEquality();
  void Expand(size_t i, bool from_left);
  void Repeat(PatternRelationship& r, bool from_left);
  bool StartSomewhere();
  void StartNode(Slot node, AccessPath path);
  bool SeekRelationship(double rows);
  bool StartWithRelationship(const AccessPath& path);
  AccessPath RelationshipIndex(const PatternRelationship& r) const;
  void ScanRelationship(size_t i);
  void FilterDistinct(const PatternRelationship& r);
  static BoundExprPtr DifferFrom(Slot slot, const PatternRelationship& other);

  // graph_order.cc: connected pieces in the order that costs least.
  struct Piece {
    std::vector<size_t> relationships;           // places in the graph
    std::vector<Slot> nodes;
    OrderInput input;
    Order order;
  };
  Piece PieceAt(Slot node) const;                // what hangs together with it, but for what is done
  void Cost(Piece* piece) const;
  bool IsCounted(const PatternRelationship& r, Slot end) const;
  double SizeOf(Slot node, LabelTests* tests) const;
  double Pairs(const PatternRelationship& r, const LabelTests& left, const LabelTests& right) const;
  void Enqueue(const Piece& piece);
  bool PlanAttached();                           // a piece that touches what is known
  double CostBehind(const Piece& first, const Piece& next) const;
  bool TiedByEquality(Slot node, const std::set<Slot>& unknown) const;
  bool PlanPiece();                              // the best of the others
  bool TakeStep();

  // A step with the names of the graph.
  struct Todo {
    OrderStep::Kind kind;
    Slot node = kNoSlot;
    size_t relationship = 0, second = 0;
    std::vector<Todo> build;
    std::vector<Slot> shared;
  };
  static std::vector<Todo> Named(const Piece& piece, const std::vector<OrderStep>& steps);

  // graph_joins.cc
  bool JoinStart(Slot start, AccessPath* path);
  OpPtr FilterOf(Slot node, OpPtr source);
  static OpPtr WithKey(OpPtr child, Slot key, BoundExprPtr expr);
  void Intersect(size_t first, size_t second);
  void Join(const Todo& todo);

  void Take(const Todo& todo);

  QueryGraph graph_;
  const PlannerInput& input_;
  Estimator estimate_;
  std::vector<std::string>* slot_names_;
  OpPtr op_;
  std::set<Slot> unknown_;                       // of this graph, not found yet
  std::vector<std::set<Slot>> slots_;            // of each predicate
  std::map<Slot, std::vector<size_t>> predicates_of_;
  std::vector<bool> done_, paths_done_, seeds_done_;
  std::deque<Todo> todo_;
  std::map<Slot, std::vector<LabelPredicate>> labels_of_;   // asked of each node, used up or not
  std::map<Slot, double> reached_;               // the share of what an expansion reached that has the labels asked for
  std::map<size_t, BoundExprPtr> shared_copies_; // of predicates that both sides of a join may ask
  std::set<Slot> all_unknown_;                   // unknown_ at the beginning
  bool has_child_;                               // the rows before come from an operator, not from the outer row
  const std::set<Slot>* reads_;                  // null unless the rows are only counted
};

}  // namespace fornix::planner
