// LogicalPlan: what the clauses of a statement ask for, before it is decided how to get it.
//
// The binder makes one tree, each clause above the one before it (inputs[0]). Only MATCH leaves anything open, so only
// MATCH has a form of its own: a QueryGraph. Everything else carries the operator it will become (`op`), already filled
// with bound expressions. Rewrite rules (planner/rewrite) move predicates into graphs and drop work; planner/physical
// then chooses scans, seeks and directions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "planner/physical/plan.h"

namespace fornix::planner {

struct PatternRepeat;

struct PatternRelationship {
  Slot slot = kNoSlot;
  Slot left = kNoSlot, right = kNoSlot;          // as written
  Direction direction = Direction::kBoth;        // from left to right
  std::vector<std::string> types;                // any of; empty: all
  bool var_length = false;
  uint32_t hops_min = 1, hops_max = 1;
  bool shortest = false, all_shortest = false;
  uint32_t paths_max = 1;                        // how many of them, or all of how many lengths
  bool condition_chooses = false;                // of shortestPath(): WHERE says which paths count
  Slot step_relationship = kNoSlot, step_node = kNoSlot;
  BoundExprPtr step_predicate;                   // of each step of a variable length
  std::vector<Slot> distinct_from;               // the other relationships of the same MATCH
  std::shared_ptr<PatternRepeat> repeat;         // not one relationship but a pattern, hops_min to hops_max times; `slot` lists all of its
  // Every slot that finding it fills, the nodes at its ends apart.
  template <typename Set>
  void AddFound(Set* slots) const;
};

// A vector index as the source of one variable.
struct PatternSeed {
  Slot element = kNoSlot;
  bool relationship = false;
  Slot score = kNoSlot;
  std::string index_name;
  BoundExprPtr index_name_expr;                  // when it isn't a literal
  BoundExprPtr query, limit, filter;
  BoundExprPtr options;                          // of a procedure; may be null
};

struct PatternPath {
  Slot slot = kNoSlot;
  std::vector<Slot> elements;                    // node, relationship(s), node, ...
};

// The parts of one MATCH: nodes and relationships by slot, and every condition on them as one predicate each (labels and
// property maps included).
struct QueryGraph {
  std::vector<Slot> nodes;                       // each once; those bound before included
  std::vector<PatternRelationship> relationships;
  std::vector<PatternSeed> seeds;
  std::vector<PatternPath> paths;
  std::vector<BoundExprPtr> predicates;
  std::vector<Slot> arguments;                   // bound before this clause
};

// ((first)-[..]->..(last)){m,n}: each time the graph is found anew, `first` being the `last` of the time before. Its variables are lists
// outside, one entry a time.
struct PatternRepeat {
  QueryGraph graph;
  Slot first = kNoSlot, last = kNoSlot;
  std::vector<Slot> relationships;               // as written
  std::vector<std::pair<Slot, Slot>> groups;     // inner -> outer, the list
};

template <typename Set>
void PatternRelationship::AddFound(Set* slots) const {
  slots->insert(slot);
  if (!repeat) return;
  for (const auto& [inner, outer] : repeat->groups) slots->insert(outer);
}

enum class LogicalKind : uint8_t {
  kArgument,
  kMatch,          // inputs[0], graph; optional: null_slots of op
  kOperator,       // op, with inputs as its children
};

struct LogicalOperator {
  LogicalKind kind;
  std::vector<std::shared_ptr<LogicalOperator>> inputs;
  std::unique_ptr<QueryGraph> graph;
  bool optional = false;
  std::shared_ptr<PhysicalOperator> op;          // also of an optional kMatch: its null_slots
  std::shared_ptr<PhysicalOperator> lowered;     // set once planned
  explicit LogicalOperator(LogicalKind k) : kind(k) {}
};
using LogicalPtr = std::shared_ptr<LogicalOperator>;

inline LogicalPtr MakeArgument() { return std::make_shared<LogicalOperator>(LogicalKind::kArgument); }
// The operator `kind` above `input` (none: a leaf).
inline LogicalPtr MakeOperator(OpKind kind, LogicalPtr input = nullptr) {
  auto made = std::make_shared<LogicalOperator>(LogicalKind::kOperator);
  made->op = std::make_shared<PhysicalOperator>(kind);
  if (input) made->inputs.push_back(std::move(input));
  return made;
}
inline bool Is(const LogicalOperator& o, OpKind kind) { return o.kind == LogicalKind::kOperator && o.op->kind == kind; }

// What the binder hands to the rewrite rules and the physical planner.
struct LogicalPlan {
  LogicalPtr root;
  std::vector<std::string> slot_names;
  std::vector<std::string> parameters;
  std::vector<std::pair<uint32_t, uint32_t>> literals;   // as in PhysicalPlan
  std::vector<Notification> notifications;
  QueryType type = QueryType::kRead;
};

}  // namespace fornix::planner
