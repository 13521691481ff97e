// The syntax tree of a statement: what was written and where, nothing about what it means.
//
// Made by grammar/parse.h and read by planner/bind and by the reference model of the tests. Plain structs with one kind
// each; a node of a kind uses the fields that the comment beside the kind names and leaves the others empty. Chains of
// one operator (a AND b AND c, a + b - c) are flat, so that no reader needs deep recursion for wide texts; real nesting
// is bounded by kNestingMax before the parser runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::ast {

struct Expr;
struct Query;
struct PatternPart;
using ExprPtr = std::unique_ptr<Expr>;

// A piece of the statement's text: where it starts, and its length in bytes.
struct Span {
  SourcePosition start;
  uint32_t length = 0;
};

struct Name {
  std::string text;            // without backticks
  Span span;
  bool empty() const { return text.empty(); }
};

// ---------------------------------------------------------------------------------------------- label expressions
struct LabelExpr {
  enum class Kind : uint8_t { kName, kAnd, kOr, kNot, kWildcard, kDynamic };
  Kind kind = Kind::kName;
  Name name;                                        // kName
  std::vector<std::unique_ptr<LabelExpr>> children; // kAnd, kOr (two or more), kNot (one)
  ExprPtr dynamic;                                  // kDynamic: $(expr) or $any(expr)
  bool dynamic_any = false;
  bool is_colon_and = false;                        // kAnd written as :A:B, the only form that CREATE and MERGE take
  Span span;
};
using LabelExprPtr = std::unique_ptr<LabelExpr>;

// ----------------------------------------------------------------------------------------------------- expressions
enum class ExprKind : uint8_t {
  kLiteral,           // value; also a long list of constants, whole (see grammar/constant_list.cc)
  kParameter,         // name: "x" of $x
  kVariable,          // name
  kProperty,          // args[0].name
  kSubscript,         // args[0][args[1]]
  kSlice,             // args[0][args[1]..args[2]]; either bound may be null
  kList,              // [args...]
  kMap,               // {keys[i]: args[i]}
  kMapProjection,     // args[0] {projection...}
  kFunctionCall,      // name(args...), distinct; namespaced names are joined by '.'
  kCountStar,         // count(*)
  kAnd, kOr, kXor,    // args (two or more)
  kNot,               // args[0]
  kComparison,        // args[0] ops[0] args[1] ops[1] ...: = <> < <= > >=
  kArithmetic,        // args[0] ops[0] args[1] ...: one precedence level a node: {+ - ||}, {* / %}, {^}; left to right
  kUnaryMinus, kUnaryPlus,
  kIn, kStartsWith, kEndsWith, kContains, kRegexMatch,   // args[0] op args[1]
  kIsNull, kIsNotNull,                                   // args[0]
  kIsTyped, kIsNotTyped,                                 // args[0] IS :: type_name
  kLabelCheck,        // args[0]:labels (also on relationships)
  kCase,              // args[0] operand or null; then when, then pairs; else_expr
  kListComprehension, // [variable IN args[0] WHERE args[1] | args[2]]; args[1], args[2] may be null
  kPatternComprehension, // [path = pattern WHERE args[0] | args[1]]; args[0] may be null
  kQuantifier,        // quantifier(variable IN args[0] WHERE args[1]); args[1] null is an error of the binder
  kReduce,            // reduce(accumulator = args[0], variable IN args[1] | args[2]); name = the accumulator
  kPattern,           // a pattern as a predicate: (a)-[:T]->(b)
  kExists, kCountSubquery, kCollectSubquery,  // subquery, or pattern parts with args[0] as WHERE (may be null)
  kShortestPath,      // shortestPath(pattern) as a value, patterns[0] with its selector set
};
enum class Op : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kAdd, kSub, kConcat, kMul, kDiv, kMod, kPow };
enum class Quantifier : uint8_t { kAll, kAny, kNone, kSingle };

struct MapProjectionItem {
  enum class Kind : uint8_t { kAllProperties, kProperty, kLiteral, kVariable };
  Kind kind;
  Name name;         // the key
  ExprPtr value;     // kLiteral
};

struct Expr {
  ExprKind kind;
  Span span;                                 // the whole text of the expression, blanks and case kept
  Value value;
  std::string name;
  std::vector<ExprPtr> args;                 // entries may be null where the kind says so
  std::vector<Op> ops;
  std::vector<std::string> keys;
  std::vector<MapProjectionItem> projection;
  Name variable;                             // of comprehensions, quantifiers, reduce; path variable of kPatternComprehension
  Quantifier quantifier = Quantifier::kAll;
  bool distinct = false;
  LabelExprPtr labels;
  std::vector<std::unique_ptr<PatternPart>> patterns;
  std::unique_ptr<Query> subquery;
  std::vector<std::pair<ExprPtr, ExprPtr>> whens;   // kCase
  ExprPtr else_expr;                                // kCase
  std::string type_name;                            // kIsTyped: normalised, "INTEGER NOT NULL | STRING"
  bool parenthesized = false;                       // written in parentheses
  Expr(ExprKind k, Span s) : kind(k), span(s) {}
};

// ---------------------------------------------------------------------------------------------------------- patterns
struct NodePattern {
  Name variable;                // empty text: anonymous
  LabelExprPtr labels;          // may be null
  ExprPtr properties;           // a map or a parameter; may be null
  ExprPtr where;                // inline WHERE; may be null
  Span span;
};
enum class Direction : uint8_t { kRight, kLeft, kBoth };   // -->, <--, -- or <-->
struct VarLength {
  std::optional<int64_t> min;   // *  = {}, {};  *2 = {2}, {2};  *1.. = {1}, {};  *..3 = {}, {3}
  std::optional<int64_t> max;
};
struct RelationshipPattern {
  Name variable;
  LabelExprPtr types;           // kName, kOr of names in most texts; may be null
  Direction direction = Direction::kBoth;
  std::optional<VarLength> length;
  ExprPtr properties;
  ExprPtr where;
  // A part in place of one relationship: ((a)-[r]->(b) WHERE ...){1,3} is this part, `length` times, its WHERE in the part. The other
  // fields are empty then.
  std::unique_ptr<PatternPart> repeated;
  Span span;
};
// nodes.size() == relationships.size() + 1
struct PatternPart {
  // shortestPath(...), allShortestPaths(...); SHORTEST k and ANY k, SHORTEST k GROUPS and ALL SHORTEST before the pattern.
  enum class Selector : uint8_t { kNone, kShortestPath, kAllShortestPaths };
  Name path_variable;
  Selector selector = Selector::kNone;
  uint32_t selected = 1;            // how many paths, or (kAllShortestPaths) all of how many lengths
  bool selector_function = false;   // written as a function around the pattern
  std::vector<NodePattern> nodes;
  std::vector<RelationshipPattern> relationships;
  ExprPtr where;                // inside the parentheses of a whole part: ((a)-->(b) WHERE ...); may be null
  Span span;
};

// ----------------------------------------------------------------------------------------------------------- clauses
struct ProjectionItem {
  ExprPtr expr;
  Name alias;                   // empty: none
};
struct SortItem {
  ExprPtr expr;
  bool descending = false;
};
// The body of RETURN, WITH and YIELD's tail.
struct Projection {
  bool distinct = false;
  bool star = false;            // `*` first, items may follow
  std::vector<ProjectionItem> items;
  std::vector<SortItem> order_by;
  ExprPtr skip, limit;
  Span span;
};
struct SetItem {
  enum class Kind : uint8_t { kProperty, kDynamicProperty, kReplaceProperties, kMergeProperties, kLabels };
  Kind kind;
  ExprPtr target;               // kProperty: the kProperty expression; kDynamicProperty: a kSubscript; else the variable
  ExprPtr value;                // not for kLabels
  LabelExprPtr labels;          // kLabels: names and dynamic ones, joined by kAnd
  Span span;
};
struct RemoveItem {
  enum class Kind : uint8_t { kProperty, kDynamicProperty, kLabels };
  Kind kind;
  ExprPtr target;
  LabelExprPtr labels;
  Span span;
};
// SEARCH var IN (VECTOR INDEX name FOR query [WHERE filter] LIMIT n) [SCORE AS score]   (Cypher 25)
struct SearchClause {
  Name variable;
  bool fulltext = false;
  Name index;
  ExprPtr query;
  ExprPtr filter;               // may be null
  ExprPtr limit;
  Name score;                   // empty: none
  Span span;
};
struct YieldItem {
  Name field;
  Name alias;                   // empty: the field's own name
};

enum class ClauseKind : uint8_t {
  kMatch,        // optional, patterns, where, search
  kUnwind,       // expr AS name
  kWith,         // projection, where; also LET and FILTER, and RETURN before NEXT: see `let`
  kReturn,       // projection
  kCreate,       // patterns
  kMerge,        // patterns[0], on_create, on_match
  kSet,          // set_items
  kRemove,       // remove_items
  kDelete,       // exprs, detach
  kForeach,      // FOREACH (name IN expr | body)
  kCallProcedure,// procedure, exprs, implicit_arguments, yield, yield_star, where (of YIELD), standalone
  kCallSubquery, // subquery, imports, imports_star, has_scope, optional, in_transactions
  kLoadCsv,      // recognised so that it can be refused by name
  kFinish,       // FINISH
};

struct InTransactions {
  ExprPtr batch_rows;           // OF n ROWS; may be null
  enum class OnError : uint8_t { kFail, kContinue, kBreak } on_error = OnError::kFail;
  bool retry = false;           // ON ERROR RETRY: what may succeed later is tried again before on_error says what becomes of it
  ExprPtr retry_seconds;        // RETRY FOR n SECONDS; may be null
  ExprPtr concurrency;          // IN n CONCURRENT TRANSACTIONS; may be null
  bool concurrent = false;
  Name status;                  // REPORT STATUS AS name
};

struct Clause {
  ClauseKind kind;
  Span span;
  bool optional = false;
  bool detach = false;
  bool let = false;             // kWith written LET: no aggregates, and no name that is there already
  std::vector<std::unique_ptr<PatternPart>> patterns;
  ExprPtr where;
  std::unique_ptr<SearchClause> search;
  ExprPtr expr;
  Name name;
  Projection projection;
  std::vector<SetItem> set_items;
  std::vector<SetItem> on_create, on_match;
  std::vector<RemoveItem> remove_items;
  std::vector<ExprPtr> exprs;
  std::vector<std::unique_ptr<Clause>> body;        // kForeach
  std::string procedure;                            // "db.labels"
  bool implicit_arguments = false;                  // CALL proc without parentheses: arguments from parameters by name
  bool standalone = false;                          // the only clause of its query
  bool has_yield = false, yield_star = false;
  std::vector<YieldItem> yield;
  std::unique_ptr<Query> subquery;
  bool has_scope = false;                           // CALL (x, y) {...}: imports; CALL (*) {...}: imports_star
  std::vector<Name> imports;
  bool imports_star = false;
  std::optional<InTransactions> in_transactions;
  Clause(ClauseKind k, Span s) : kind(k), span(s) {}
};

struct SingleQuery {
  std::vector<std::unique_ptr<Clause>> clauses;
  Span span;
};
// parts.size() >= 1; union_all[i] tells how parts[i] and parts[i + 1] are joined.
struct Query {
  std::vector<SingleQuery> parts;
  std::vector<bool> union_all;
  Span span;
};

// ------------------------------------------------------------------------------------------------------------ schema
struct SchemaCommand {
  enum class Kind : uint8_t {
    kCreateIndex, kDropIndex, kCreateConstraint, kDropConstraint, kAlterIndex, kAlterGraphType, kShow,
  };
  enum class IndexKind : uint8_t { kRange, kText, kPoint, kLookup, kVector, kFulltext };
  enum class ConstraintKind : uint8_t { kUnique, kKey, kExistence, kPropertyType };
  enum class ShowKind : uint8_t { kIndexes, kConstraints, kFunctions, kProcedures, kTransactions, kGraphType, kSettings, kDatabases, kTerminate };
  enum class GraphTypeAction : uint8_t { kSet, kAdd, kAlter, kDrop };

  Kind kind;
  Span span;
  Name name;                              // may be empty; name_parameter: the name is a parameter
  std::string name_parameter;
  bool if_not_exists = false, if_exists = false;
  IndexKind index_kind = IndexKind::kRange;
  ConstraintKind constraint_kind = ConstraintKind::kUnique;
  bool on_relationship = false;
  std::vector<Name> labels_or_types;      // A|B
  std::vector<Name> properties;
  std::vector<Name> filter_properties;    // WITH [n.a, n.b] of a vector index
  ExprPtr options;                        // OPTIONS {...}; a map or a parameter; may be null
  std::string type_name;                  // kPropertyType: normalised, "STRING | LIST<INTEGER NOT NULL>"

  // kAlterGraphType: the element types and constraints between the braces, and CLOSED.
  struct PropertyType {
    Name name;
    std::string type_name;
    bool not_null = false, unique = false, key = false;
  };
  struct ElementType {                    // (n:Label => :Implied {p :: T NOT NULL}) or (:A)-[:T => {...}]->(:B)
    bool is_relationship = false;
    Name variable;
    Name label_or_type;
    std::vector<Name> implied_labels;
    Name start_label, end_label;          // empty: any
    std::vector<PropertyType> properties;
    Span span;
  };
  GraphTypeAction action = GraphTypeAction::kSet;
  bool closed = false;
  std::vector<ElementType> elements;
  std::vector<std::unique_ptr<SchemaCommand>> constraints;   // CONSTRAINT name FOR ... REQUIRE ..., and REQUIRE after an element

  // kShow
  ShowKind show_kind = ShowKind::kIndexes;
  std::vector<ExprPtr> transactions;      // kTransactions, kTerminate: their ids, as strings and lists of strings
  std::unique_ptr<SchemaCommand> then;    // SHOW ... YIELD ... TERMINATE ...: the next, which reads what this yields; RETURN is the last one's
  std::string show_filter;                // "VECTOR", "RANGE", "UNIQUENESS", ...; empty: all
  bool has_yield = false, yield_star = false;
  std::vector<YieldItem> yield;
  Projection yield_projection;            // ORDER BY, SKIP, LIMIT after YIELD
  ExprPtr where;
  bool has_return = false;
  Projection returns;
  explicit SchemaCommand(Kind k) : kind(k) {}
};

struct Statement {
  enum class Mode : uint8_t { kNormal, kExplain, kProfile };
  Mode mode = Mode::kNormal;
  int cypher_version = 0;                 // CYPHER 5 | CYPHER 25; 0 = not said
  bool exact_vectors = false;             // CYPHER vectorSearch=exact: a sort by similarity compares all rows
  std::string text;                       // the text that the spans point into
  std::unique_ptr<Query> query;           // either this
  std::unique_ptr<SchemaCommand> schema;  // or this
  std::vector<std::string> parameters;    // names that occur, sorted, each once
};

// The text a span covers.
inline std::string_view TextOf(const Statement& statement, const Span& span) {
  return std::string_view(statement.text).substr(span.start.offset, span.length);
}

}  // namespace fornix::ast
