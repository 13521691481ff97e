// PhysicalPlan: what to run, operator by operator. Made by the planner, run by engine/exec, printed by planner/explain.
//
// Immutable and shared by all executions of one cached text; all state of a run lives in engine/exec. An operator uses the
// fields that its kind names. Rows are columns by slot (planner/bind/expr.h); `live` lists the slots that anything after
// the operator still needs, so that batches carry no dead columns.
//
// Every source reads the outer row like kArgument does: its rows are the outer row plus what it finds, its expressions may
// name outer slots, and so it can stand alone as children[1] of a kApply. At the top the outer row is one empty row.
// Operators with one child add their slots to the child's row (kProject too: it keeps the other columns); only kAggregate
// starts a new row, of its keys and aggregates, and kUnion one of its `slots`; the outer row's slots stay in both.
//
// Writing operators take in all their input before they write anything (unless `stream_input`: nothing before them reads
// the graph) and emit nothing before all is written. This is what makes a clause see exactly the writes of the clauses before it,
// at any batch size (docs/decisions/003).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "grammar/ast/ast.h"
#include "planner/bind/expr.h"
#include "storage/catalog/catalog.h"

namespace fornix::planner {

enum class OpKind : uint8_t {
  // Sources
  kArgument,            // the outer row(s) of a subquery; at the top: one empty row
  kAllNodesScan,        // node
  kLabelScan,           // node, label
  kIndexSeek,           // node or relationship, index, seek: means Cypher's `=`, IN, `<`, STARTS WITH; label = what it was chosen for
  kAllRelationshipsScan,// relationship, node, to, types, direction (from node to `to`; never kBoth)
  kNodeById,            // node, exprs[0]: id or list of ids (id(n) = ..., elementId(n) = ...)
  kVectorSeed,          // node or relationship, score, index_name, exprs[0] query, exprs[1] limit, predicate (over the hit; may be null).
                        // children: each finds elements that may pass, all together every one that does; exprs[2] = what of the filter they answer (it is
                        // asked where there is no list of them; may be null), exprs[3] = the options map of a procedure (may be null).
                        // scan_else: instead of children[0], whose rows it stands for as far as a sort by similarity above keeps them: the first
                        // exprs[1] + exprs[2] of them; where the index can't promise that, or needn't, it hands on what the child finds
  // One child
  kExpand,              // from, relationship, to, types, direction, distinct_from; expand_into: `to` is bound already
  kVarExpand,           // as kExpand, relationship = a list; hops_min, hops_max (kHopsUnbounded); filter may name step_relationship
  kRepeat,              // from, to, expand_into, relationship = the list of all, hops..., distinct_from, reverse_list as kVarExpand;
                        // children[1] = one time, from step_node to `node`, over the relationships `slots`; groups: inner -> list outside
  kShortestPath,        // from, to (both bound), relationship = list, all_shortest, hops...; expand_into: never from a node back to itself
  kIntersect,           // to, branches (two): the nodes that both ends reach; a row for each pair of relationships
  kDegree,              // from, types, direction, distinct_from, slot: how many an Expand would find, instead of a row for each; rows without
                        // any are dropped, or counted once (optional_subquery). predicate reads `to` and `relationship` alone
  kFilter,              // predicate
  kProject,             // projections
  kAggregate,           // projections = grouping keys, aggregates; weights: a row stands for so many (their product), counts alone
  kDistinct,            // slots
  kSort,                // sort_keys; limit (exprs[0]) may be set: keep the first n only
  kSkip, kLimit,        // exprs[0]; evaluated once, before the first row
  kUnwind,              // exprs[0], slot
  kCreate,              // creates
  kSet,                 // sets
  kDelete,              // exprs, detach
  kForeach,             // exprs[0], slot, children[1] = the writes, starting at kArgument
  kCallProcedure,       // procedure, exprs = arguments, outputs; void: rows pass through
  kBarrier,             // takes in everything, then emits
  kKeepShortest,        // of the rows with the same `from` and `to` the paths_max shortest; `slots` = the relationships (or lists) of the path
  // Two children: children[1] starts at kArgument and sees the row of children[0]
  kApply,               // for each row of [0] the rows of [1]
  kOptional,            // the same; a row without any gets nulls in null_slots
  kSemiApply, kAntiApply, // keeps rows of [0] for which [1] has a row / has none
  kMerge,               // children[1] = the match; creates = what to create when it is empty; sets = ON MATCH, on_create_sets
  kSubquery,            // CALL {}: row by row; optional_subquery (null_slots); unit_subquery: rows pass through; in_transactions, slot = REPORT STATUS
  kHashJoin,            // slots = keys present in both
  // Many children
  kUnion,               // children side by side, union_slots; DISTINCT is an operator above
  // Roots
  kProduceResults,      // columns
  kEmptyResult,         // runs everything, returns no columns
  kSchemaCommand,       // schema
};

enum class Direction : uint8_t { kOutgoing, kIncoming, kBoth };
inline constexpr uint32_t kHopsUnbounded = ~0u;

struct ProjectionTo {
  Slot slot;
  BoundExprPtr expr;
};
struct AggregateTo {
  Slot slot;
  const FunctionSignature* function = nullptr;   // null: count(*)
  bool distinct = false;
  std::vector<BoundExprPtr> args;
};
struct SortKey {
  Slot slot;                   // computed by a kProject before
  bool descending = false;
};
// One element that CREATE or MERGE makes; they are made in this order, a relationship after its nodes.
struct CreateElement {
  bool relationship = false;
  Slot slot;
  std::vector<std::string> labels;               // or the one type
  std::vector<BoundExprPtr> dynamic_labels;      // $(expr)
  Slot start = kNoSlot, end = kNoSlot;           // relationship form
  BoundExprPtr properties;                       // a map, may be null pointer
  SourcePosition position;
};
struct SetAction {
  enum class Kind : uint8_t { kProperty, kDynamicProperty, kReplace, kMergeInto, kAddLabels, kRemoveLabels, kRemoveProperty, kRemoveDynamicProperty };
  Kind kind;
  BoundExprPtr target;                           // the element (may be null at run time: nothing happens)
  std::string key;
  BoundExprPtr key_expr;                         // kDynamicProperty
  BoundExprPtr value;
  std::vector<std::string> labels;
  std::vector<BoundExprPtr> dynamic_labels;
  SourcePosition position;
};
struct SeekBound {
  std::vector<BoundExprPtr> values;
  bool inclusive = true;
};
struct IndexSeekSpec {
  IndexId index;
  std::string index_name;
  std::vector<BoundExprPtr> equal;               // a prefix of the index's properties
  BoundExprPtr in_list;                          // property IN list, when the index has one property
  std::optional<SeekBound> lower, upper;         // on the property after the prefix
  BoundExprPtr string_prefix;
  bool descending = false;
};

// One list of a kIntersect: the relationships from a bound node to the node looked for.
struct IntersectBranch {
  Slot from = kNoSlot, relationship = kNoSlot;
  std::vector<std::string> types;
  Direction direction = Direction::kOutgoing;
  std::vector<Slot> distinct_from;               // the other branch's relationship may be among them
};

struct PhysicalOperator {
  OpKind kind;
  uint32_t id = 0;                               // place in PROFILE; preorder number
  std::vector<std::shared_ptr<PhysicalOperator>> children;
  std::vector<Slot> live;
  double estimated_rows = 0;
  std::string details;                           // for EXPLAIN: "(m)-[r:SUPPORTS|ABOUT]->(g)"

  Slot node = kNoSlot, from = kNoSlot, to = kNoSlot, relationship = kNoSlot, slot = kNoSlot, score = kNoSlot;
  Slot step_relationship = kNoSlot, step_node = kNoSlot;   // kVarExpand: slots that `predicate` reads for each step
  std::string label;
  std::vector<std::string> types;
  Direction direction = Direction::kOutgoing;
  bool expand_into = false;
  bool reverse_list = false;                     // kVarExpand, kShortestPath: written from `to` to `from`; the list of `relationship`
                                                 // is in the order written, so it is built back to front
  std::vector<Slot> distinct_from;               // relationships (or lists) of the same MATCH that must differ
  uint32_t hops_min = 1, hops_max = 1;
  bool all_shortest = false;
  uint32_t paths_max = 1;                        // kShortestPath, kKeepShortest: how many, or with all_shortest all of how many lengths
  BoundExprPtr predicate;
  std::vector<ProjectionTo> projections;
  std::vector<AggregateTo> aggregates;
  std::vector<Slot> slots, null_slots;
  std::vector<std::pair<Slot, Slot>> groups;     // kRepeat
  std::vector<Slot> weights;
  std::vector<IntersectBranch> branches;
  std::vector<SortKey> sort_keys;
  std::vector<BoundExprPtr> exprs;               // entries may be null where the kind says so
  IndexSeekSpec seek;
  std::string index_name;
  std::string index_kind;                        // kVectorSeed: what its index keeps of a vector; "" if it is the vector
  bool scan_else = false;
  std::vector<CreateElement> creates;
  std::vector<SetAction> sets, on_create_sets;
  bool detach = false;
  bool stream_input = false;
  const ProcedureSignature* procedure = nullptr;
  std::vector<std::pair<uint32_t, Slot>> outputs;  // procedure output field -> slot
  bool optional_subquery = false, unit_subquery = false;
  bool in_transactions = false;                  // exprs[0] = rows a batch, exprs[1] = seconds of retrying, if it retries
  uint8_t on_error = 0;                          // 0 fail, 1 continue, 2 break
  std::vector<std::vector<Slot>> union_slots;    // [child][column] -> `slots`[column]
  std::vector<std::pair<std::string, Slot>> columns;
  std::shared_ptr<const ast::SchemaCommand> schema;
  std::vector<BoundExprPtr> schema_exprs;        // [0] the name, if it is a parameter, [1] OPTIONS; either may be null
  explicit PhysicalOperator(OpKind k) : kind(k) {}
};

enum class QueryType : uint8_t { kRead, kReadWrite, kWrite, kSchema };

struct Notification {
  std::string code, title, description, severity;
  SourcePosition position;
};

struct PhysicalPlan {
  std::shared_ptr<PhysicalOperator> root;
  uint32_t slot_count = 0;
  uint32_t operator_count = 0;
  std::vector<std::string> parameters;           // names by place
  // Literals that the caller gives with each run: (place of a parameter without a name, number in PlannerInput::lifted).
  std::vector<std::pair<uint32_t, uint32_t>> literals;
  std::vector<std::string> slot_names;           // for EXPLAIN
  QueryType type = QueryType::kRead;
  ast::Statement::Mode mode = ast::Statement::Mode::kNormal;
  std::vector<Notification> notifications;
  uint64_t schema_epoch = 0;
  uint64_t token_count = 0;                      // sizes of the token tables when it was made
};

}  // namespace fornix::planner
