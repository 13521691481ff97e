// Binder: from a syntax tree to a LogicalPlan of bound expressions. Every error that needs no data is found here.
//
// One object a statement. Its methods are grouped by what they bind, a file each: bind_query (clauses in their order,
// UNION), bind_match and bind_pattern, bind_projection (WITH, RETURN, ORDER BY) with aggregation, bind_write (CREATE,
// MERGE, SET, REMOVE, DELETE, FOREACH), bind_call, bind_subquery, bind_search, bind_schema, bind_expr and its parts.
// Errors: SyntaxError with a detail word (TypeError where the openCypher TCK says so), marked compile time.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "grammar/ast/ast.h"
#include "planner/bind/expr.h"
#include "planner/bind/scope.h"
#include "planner/logical/logical_plan.h"
#include "planner/planner.h"

namespace fornix::planner {

// The aggregate calls of one WITH or RETURN, each once.
struct AggregateCollector {
  std::vector<AggregateTo> calls;
  std::vector<std::string> keys;           // of calls, in the same order
  std::vector<TypeSet> types;
  bool closed = false;                     // ORDER BY: a new one is an error
  const Scope* closed_scope = nullptr;     // what an argument of a new one could see
};

// What an expression may do at its place.
struct ExprContext {
  const Scope* scope;
  AggregateCollector* aggregates = nullptr;   // null: an aggregate is an error
  bool in_aggregate = false;
  bool predicate = false;                     // a pattern may stand here as a predicate
};

class Binder {
 public:
  Binder(const ast::Statement& statement, std::shared_ptr<const ast::SchemaCommand> schema, const PlannerInput& input);
  Result<LogicalPlan> Bind();

 private:
  struct QueryOut {
    LogicalPtr plan;
    std::vector<Variable> columns;
    bool returns = false;                     // ends in RETURN (or is a standalone CALL with columns)
    bool writes = false;
  };
  // How a query sits in its surroundings.
  struct QueryPlace {
    enum class Kind : uint8_t { kTop, kCall, kExpression };
    Kind kind = Kind::kTop;
    const Scope* outer = nullptr;             // kExpression: always visible; kCall: what an importing WITH sees
    bool importing_with = false;              // CALL { WITH x ... }
    bool needs_return = false;
  };

  // bind_query.cc
  Result<QueryOut> BindQuery(const ast::Query& query, const Scope& scope, const QueryPlace& place);
  Result<QueryOut> BindSingle(const ast::SingleQuery& query, Scope scope, const QueryPlace& place);
  Result<QueryOut> JoinUnion(std::vector<QueryOut> parts, const ast::Query& query);
  Status CountClause(const ast::Clause& clause);
  Status CheckClauseOrder(const ast::SingleQuery& query, const QueryPlace& place) const;
  Status CheckLet(const ast::Clause& clause, const Scope& scope) const;
  Result<LogicalPtr> BindClause(const ast::Clause& clause, Scope* scope, LogicalPtr input, const QueryPlace& place);
  Result<LogicalPtr> BindUnwind(const ast::Clause& clause, Scope* scope, LogicalPtr input);

  // bind_match.cc
  Result<LogicalPtr> BindKeptShortest(const ast::Clause& clause, Scope* scope, LogicalPtr input);
  Result<LogicalPtr> BindMatch(const ast::Clause& clause, Scope* scope, LogicalPtr input);
  // All parts into one graph, new variables into `scope`. `existing_only`: a pattern predicate, which declares none.
  Status BindPatterns(const std::vector<std::unique_ptr<ast::PatternPart>>& parts, Scope* scope, bool existing_only,
                      QueryGraph* graph);
  Status BindParts(const std::vector<const ast::PatternPart*>& parts, Scope* scope, bool existing_only, QueryGraph* graph);
  // A notification when parts of a MATCH have nothing to do with each other.
  void NotifyCartesianProduct(const QueryGraph& graph, SourcePosition position);
  // That a value which may be anything is an element, by a function that takes no other: null gives null, anything else an error.
  BoundExprPtr IsElement(const char* function, TypeSet wanted, const Variable& known, SourcePosition at) const;
  Status AddPredicate(const ast::Expr& where, const Scope& scope, QueryGraph* graph);
  Result<LogicalPtr> MatchOperator(std::unique_ptr<QueryGraph> graph, LogicalPtr input, bool optional);
  // bind_shortest.cc
  Status BindShortestConditions(QueryGraph* graph);
  // bind_pattern.cc
  Result<Slot> DeclareNode(const ast::NodePattern& node, Scope* scope, bool existing_only, QueryGraph* graph);
  struct Step { Slot path_slot; size_t relationship; };
  Result<Step> DeclareRelationship(const ast::RelationshipPattern& pattern, const ast::PatternPart& part, Slot left, Slot right,
                                   Scope* scope, bool existing_only, std::set<std::string>* seen, QueryGraph* graph);
  // ((a)-[r]->(b) WHERE ...){1,3}: a graph of its own, whose variables are lists in `scope`.
  Result<Step> DeclareRepeat(const ast::RelationshipPattern& pattern, const ast::PatternPart& part, Slot left, const Scope& before,
                             Scope* scope, QueryGraph* graph);
  Status DeclarePath(const ast::PatternPart& part, std::vector<Slot> elements, Scope* scope, QueryGraph* graph);
  Status NodePredicates(const ast::NodePattern& node, Slot slot, const Scope& scope, std::vector<BoundExprPtr>* out);
  Status RelationshipPredicates(const ast::RelationshipPattern& pattern, const Scope& scope, PatternRelationship* relationship,
                                std::vector<BoundExprPtr>* out);
  Status PropertyPredicates(const ast::Expr& map, Slot slot, TypeSet type, const Scope& scope, std::vector<BoundExprPtr>* out);
  Result<LabelPredicate> BindLabels(const ast::LabelExpr& labels, const Scope& scope);

  // bind_projection.cc
  Status CheckNames(const ast::Projection& body, std::string_view place) const;
  Result<LogicalPtr> BindProjection(const ast::Clause& clause, Scope* scope, LogicalPtr input, std::vector<Variable>* columns);
  enum class Stars : uint8_t { kNone, kSorted, kInOrder };   // `*`: by name, or as the fields of a SHOW stand
  Result<LogicalPtr> BindProjectionBody(const ast::Projection& body, const ast::Expr* where, Stars stars, Scope* scope,
                                        LogicalPtr input, std::vector<Variable>* columns, bool is_return = false);
  struct Item;
  Result<std::vector<Item>> CollectItems(const ast::Projection& body, Stars stars, bool is_return, const Scope& scope);
  Result<LogicalPtr> BindSkipLimit(const ast::Projection& body, LogicalPtr input);
  Result<BoundExprPtr> BindRowCount(const ast::Expr& expr, std::string_view word);
  // bind_aggregation.cc
  struct Grouping {
    std::vector<std::pair<std::string, Slot>> keys;   // KeyOf a grouping (or projected) expression -> its slot
    std::set<Slot> allowed;                            // slots that stay readable
    std::set<Slot> inside;                             // slots that occur inside grouping expressions
    bool aggregated = false;
  };
  bool ContainsAggregate(const ast::Expr& expr) const;
  Status ReplaceGrouped(BoundExprPtr* expr, const Grouping& grouping, bool order_by) const;
  Result<BoundExprPtr> BindAggregate(const ast::Expr& expr, const FunctionSignature* function, const ExprContext& context);

  // bind_write.cc, bind_merge.cc, bind_set.cc
  Result<LogicalPtr> BindCreate(const ast::Clause& clause, Scope* scope, LogicalPtr input);
  Status BindCreateParts(const std::vector<std::unique_ptr<ast::PatternPart>>& parts, Scope* scope, bool merge,
                         std::vector<CreateElement>* out);
  Result<Slot> CreateNode(const ast::NodePattern& node, bool alone, Scope* scope, std::string_view clause_name,
                          std::vector<CreateElement>* out);
  Result<Slot> CreateRelationship(const ast::RelationshipPattern& pattern, Slot left, Slot right, Scope* scope, bool merge,
                                  std::vector<CreateElement>* out);
  Status CreateLabels(const ast::LabelExpr* labels, const Scope& scope, std::vector<std::string>* names,
                      std::vector<BoundExprPtr>* dynamic);
  Result<LogicalPtr> BindMerge(const ast::Clause& clause, Scope* scope, LogicalPtr input);
  Result<LogicalPtr> BindSet(const ast::Clause& clause, Scope* scope, LogicalPtr input);
  Status BindSetItem(const ast::SetItem& item, const Scope& scope, std::vector<SetAction>* out);
  Result<LogicalPtr> BindRemove(const ast::Clause& clause, Scope* scope, LogicalPtr input);
  Result<BoundExprPtr> BindTarget(const ast::Expr& expr, const Scope& scope, std::string_view clause_name);
  Result<LogicalPtr> BindDelete(const ast::Clause& clause, Scope* scope, LogicalPtr input);
  Result<LogicalPtr> BindForeach(const ast::Clause& clause, Scope* scope, LogicalPtr input, const QueryPlace& place);

  // bind_call.cc
  Result<LogicalPtr> BindCallProcedure(const ast::Clause& clause, Scope* scope, LogicalPtr input, std::vector<Variable>* columns);
  Result<std::vector<BoundExprPtr>> BindProcedureArguments(const ast::Clause& clause, const ProcedureSignature& procedure,
                                                           const Scope& scope);
  Status CheckInTransactions(const ast::Clause& clause) const;
  Status BindRetry(const ast::Clause& clause, PhysicalOperator* op);
  Result<LogicalPtr> BindCallSubquery(const ast::Clause& clause, Scope* scope, LogicalPtr input);
  // bind_search.cc
  Status BindSearch(const ast::SearchClause& search, const Scope& before, Scope* scope, QueryGraph* graph);
  // A seed instead of `CALL db.index.vector.queryNodes`; a null pointer when the call must stay one.
  Result<LogicalPtr> SeedOfCall(const ast::Clause& clause, const ProcedureSignature& procedure, std::vector<BoundExprPtr>* arguments,
                                Scope* scope, LogicalPtr input);

  // bind_schema.cc
  Result<LogicalPtr> BindSchema(std::shared_ptr<const ast::SchemaCommand> schema, std::vector<Variable>* columns);
  Result<LogicalPtr> BindShow(const ast::SchemaCommand& command, std::vector<Variable>* columns);
  Result<LogicalPtr> BindShowPart(const ast::SchemaCommand& command, Scope* scope, LogicalPtr input, std::vector<Variable>* columns);
  Result<BoundExprPtr> BindTransactionIds(const ast::SchemaCommand& command, const Scope& scope);

  // bind_expr.cc, bind_operator.cc, bind_function.cc, bind_subquery.cc
  Result<BoundExprPtr> BindExpr(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindExprKind(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindIn(const ast::Expr& expr, const Scope& scope) { return BindExpr(expr, ExprContext{&scope}); }
  Result<BoundExprPtr> BindPredicate(const ast::Expr& expr, ExprContext context);
  Result<BoundExprPtr> BindVariable(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindProperty(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindSubscript(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindSlice(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindCollection(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindMapProjection(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindCase(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindLabelCheck(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindBoolean(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindComparison(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindArithmetic(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindSign(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindBinary(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindFunction(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindComprehension(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindReduce(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindPatternPredicate(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindPatternComprehension(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindShortestPathValue(const ast::Expr& expr, const ExprContext& context);
  Result<BoundExprPtr> BindSubqueryExpr(const ast::Expr& expr, const ExprContext& context);

  // binder.cc
  Slot NewSlot(std::string_view name);
  const Variable* Resolve(std::string_view name, const Scope& scope);    // notes uses inside subqueries
  void NoteUse(Slot slot);
  uint32_t ParameterPlace(const std::string& name);
  // Of a literal that the caller lifts (PlannerInput::lifted).
  std::optional<uint32_t> LiteralPlace(uint32_t offset);
  bool HoldsLifted(const ast::Span& span) const;
  std::string TextOf(const ast::Span& span) const { return std::string(ast::TextOf(statement_, span)); }
  BoundExprPtr Make(BoundKind kind, const ast::Expr& expr, TypeSet type) const;
  Status UndefinedVariable(std::string_view name, const Scope& scope, SourcePosition at) const;
  Status Expect(const BoundExpr& expr, TypeSet wanted, std::string_view what, Code code = Code::kSyntaxError) const;
  void Notify(std::string code, std::string title, std::string description, SourcePosition position, std::string severity = "WARNING");
  // A warning, once for each name, when what is read has a name that the database has never seen: most often a slip.
  void WarnUnknownName(std::string_view kind, const std::string& name, SourcePosition position);
  void WarnUnknownLabels(const LabelPredicate& labels, bool types, SourcePosition position);

  // Notes which slots of the surrounding row a subplan uses, from construction to Finish.
  class SubplanFrame {
   public:
    explicit SubplanFrame(Binder* binder);
    ~SubplanFrame();
    std::vector<Slot> used() const { return {used_.begin(), used_.end()}; }

   private:
    friend class Binder;
    Binder* binder_;
    Slot first_;
    std::set<Slot> used_;
  };

  const ast::PatternPart* kept_ = nullptr;   // the part at hand whose SHORTEST is an operator above its match
  const ast::Statement& statement_;
  std::shared_ptr<const ast::SchemaCommand> schema_;
  const PlannerInput& input_;
  LogicalPlan plan_;
  std::vector<SubplanFrame*> frames_;
  size_t clauses_ = 0;                        // so far, of the whole statement
  const LogicalOperator* last_create_ = nullptr;
  std::set<Slot> created_;                    // by last_create_
  std::set<std::string> warned_;
  bool in_merge_ = false;                     // its names may be new
  int calls_in_transactions_ = 0;             // around what is being bound
  bool writes_ = false, ddl_ = false;
};

// A compile-time error.
Status BindError(std::string detail, std::string message, SourcePosition at, Code code = Code::kSyntaxError);
Status NotAvailable(std::string what, SourcePosition at);
// "INTEGER", "STRING or LIST": for messages.
std::string Describe(TypeSet type);
// Null alone counts as everything.
inline bool CanBe(TypeSet type, TypeSet wanted) { return (type.bits & ~1u) == 0 || !type.Excludes(wanted); }

}  // namespace fornix::planner
