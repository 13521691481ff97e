// BoundExpr: an expression after names and types are known. Made by the binder, evaluated by engine/exec.
//
// Every variable of a statement, those of subqueries and comprehensions included, has a slot of its own: a column of the
// row. So a subquery reads its outer variables by the same slots, and nothing needs renaming.
// Aggregate calls never occur here: the planner moves them into an Aggregate operator and leaves kSlot.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/type_set.h"
#include "fornix/status.h"
#include "fornix/value.h"
#include "planner/bind/function_catalog.h"

namespace fornix::planner {

struct PhysicalOperator;
struct LogicalOperator;
using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~0u;

enum class BoundKind : uint8_t {
  kLiteral,          // value
  kParameter,        // parameter: place in PhysicalPlan::parameters
  kSlot,             // slot
  kProperty,         // args[0].name
  kSubscript,        // args[0][args[1]]
  kSlice,            // args[0][args[1]..args[2]], bounds may be null
  kList,             // [args...]
  kMap,              // {keys[i]: args[i]}
  kMapProjection,    // args[0]{...}: all_properties first, then keys[i]: args[i]
  kFunction,         // function(args...)
  kAnd, kOr, kXor, kNot,
  kComparison,       // args[0] ops[0] args[1] ...; chained ones are an AND of neighbours, each argument evaluated once
  kArithmetic,       // args[0] ops[0] args[1] ..., left to right
  kNegate,
  kIn, kStartsWith, kEndsWith, kContains, kRegexMatch,
  kIsNull, kIsNotNull,
  kIsTyped, kIsNotTyped,      // args[0], name = the normalised type text
  kHasLabels,        // args[0] (node or relationship), labels
  kCase,             // whens (pairs in args: when, then, when, then, ...), has_else: the last of args; operand: see has_operand (first of args)
  kListComprehension,// slot = the variable; args[0] list, args[1] where or null, args[2] projection or null
  kQuantifier,       // slot; args[0] list, args[1] predicate; quantifier
  kReduce,           // slot2 = the accumulator, slot; args[0] start, args[1] list, args[2] step
  kPath,             // path_slots: node, relationship(s), node, ...; null if any is null
  kExistsPlan,       // plan: has a row?
  kCountPlan,        // plan: how many rows
  kCollectPlan,      // plan: args[0] of each row as a list, in the plan's order
};
enum class BoundOp : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kAdd, kSub, kConcat, kMul, kDiv, kMod, kPow };
enum class BoundQuantifier : uint8_t { kAll, kAny, kNone, kSingle };

struct BoundExpr;
using BoundExprPtr = std::unique_ptr<BoundExpr>;

// A predicate over labels (or a relationship's type) by name; names need not exist in the catalog.
struct LabelPredicate {
  enum class Kind : uint8_t { kName, kAnd, kOr, kNot, kAny, kDynamic };
  Kind kind = Kind::kName;
  std::string name;
  std::vector<LabelPredicate> children;
  std::shared_ptr<BoundExpr> dynamic;      // kDynamic: a string or a list of strings
  bool dynamic_any = false;
};

struct BoundExpr {
  BoundKind kind;
  TypeSet type = kAnyType;                 // what it may evaluate to
  TypeSet element_type = kAnyType;         // if it is a list: what its elements may be
  SourcePosition position;
  std::string text;                        // as written (for EXPLAIN and messages)
  Value value;
  Slot slot = kNoSlot, slot2 = kNoSlot;
  uint32_t parameter = 0;
  std::string name;
  std::vector<BoundExprPtr> args;
  std::vector<BoundOp> ops;
  std::vector<std::string> keys;
  bool all_properties = false;
  bool has_operand = false, has_else = false;
  BoundQuantifier quantifier = BoundQuantifier::kAll;
  const FunctionSignature* function = nullptr;
  LabelPredicate labels;
  std::vector<Slot> path_slots;
  std::shared_ptr<PhysicalOperator> plan;
  std::vector<Slot> outer_slots;           // of the kinds with a plan: what the plan reads of the row around it
  std::shared_ptr<LogicalOperator> logical;  // the planner's own, until `plan` is made
  explicit BoundExpr(BoundKind k) : kind(k) {}
};

}  // namespace fornix::planner
