// Runs a statement's tree over a Graph the slow and obvious way: a table of rows goes from clause to clause, patterns are
// nested loops over all nodes and relationships, every clause completes before the next begins (MERGE works row by row,
// DELETE takes effect at its end). Expressions are evaluated here, not by the engine; only the functions themselves
// (toUpper, sum) are shared.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/value_compare.h"
#include "engine/function/function.h"
#include "fornix/result.h"
#include "tests/model/graph.h"

namespace fornix::model {

using Variables = std::map<std::string, Value>;

struct Table {
  std::set<std::string> scope;         // names that exist, also when there are no rows
  std::vector<Variables> rows;
};
struct Answer {
  std::vector<std::string> columns;
  std::vector<Row> rows;
  Counters counters;
};

class Interpreter {
 public:
  Interpreter(const ast::Statement& statement, const Map& parameters, Graph* graph);
  Result<Answer> Run();

 private:
  using Found = std::function<Status(const Variables&)>;
  using Group = std::vector<Variables>;
  struct Match;                        // the state of one pattern match, in match.cc

  // query.cc
  Result<Answer> RunQuery(const ast::Query& query, const Table& input);
  Status RunClause(const ast::Clause& clause, Table* table, Answer* answer);
  Status RunMatch(const ast::Clause& clause, Table* table);
  Status RunUnwind(const ast::Clause& clause, Table* table);
  Status RunSubquery(const ast::Clause& clause, Table* table);
  Status RunProcedure(const ast::Clause& clause, Table* table, Answer* answer);
  Status RunForeach(const ast::Clause& clause, Table* table);
  Result<Value> Shown(const Value& value);      // elements as results show them

  // project.cc
  Status Project(const ast::Projection& projection, const ast::Expr* where, bool returns, Table* table, Answer* answer);
  Result<int64_t> Count(const ast::ExprPtr& expr, std::string_view word);
  bool HasAggregate(const ast::Expr* expr);

  // evaluate.cc. `group`: the rows that aggregates run over; null outside of projections.
  Result<Value> Evaluate(const ast::Expr& expr, const Variables& row, const Group* group = nullptr);
  Result<Truth> Test(const ast::Expr& expr, const Variables& row, const Group* group = nullptr);
  Result<bool> Holds(const ast::Expr* where, const Variables& row);
  Result<Value> Logic(const ast::Expr& expr, const Variables& row, const Group* group);
  Result<Value> Compare(const ast::Expr& expr, const Variables& row, const Group* group);
  Result<Value> Arithmetic(const ast::Expr& expr, const Variables& row, const Group* group);
  Result<Value> Call(const ast::Expr& expr, const Variables& row, const Group* group);
  Result<Value> Aggregate(const ast::Expr& expr, const planner::FunctionSignature& function, const Group& group);
  Result<Value> Over(const ast::Expr& expr, const Variables& row, const Group* group);          // comprehension, quantifier, reduce
  Result<Value> MapProjection(const ast::Expr& expr, const Variables& row, const Group* group);
  Result<Value> Subqueries(const ast::Expr& expr, const Variables& row);                        // EXISTS, COUNT, COLLECT, patterns
  Result<bool> LabelsHold(const ast::LabelExpr& labels, const std::set<std::string>& names, const Variables& row);
  Result<std::vector<std::string>> DynamicNames(const ast::LabelExpr& labels, const Variables& row);

  // match.cc
  Status MatchAll(const std::vector<std::unique_ptr<ast::PatternPart>>& parts, const Variables& row, const Found& found);
  Status MatchPart(Match* match, size_t part, const Variables& row);
  Status MatchNode(Match* match, size_t part, size_t index, uint64_t node, const Variables& row);
  Status MatchRelationship(Match* match, size_t part, size_t index, uint64_t from, const Variables& row);
  Status Walk(Match* match, size_t part, size_t index, uint64_t at, int64_t steps, List walked, const Variables& row);
  Result<bool> Fits(const ast::ExprPtr& properties, const ast::ExprPtr& where, const Map& actual, const Variables& row);
  static void Names(const std::vector<std::unique_ptr<ast::PatternPart>>& parts, std::set<std::string>* names);

  // search.cc
  struct Scored {
    uint64_t id;
    double score;
  };
  Result<std::vector<Scored>> Search(const std::string& index, const Value& query, int64_t limit,
                                     const std::function<Result<bool>(uint64_t)>& keep);

  // write.cc
  Status RunCreate(const ast::Clause& clause, Table* table);
  Status RunMerge(const ast::Clause& clause, Table* table);
  Status RunSet(const std::vector<ast::SetItem>& items, const Variables& row);
  Status RunRemove(const ast::Clause& clause, Table* table);
  Status RunDelete(const ast::Clause& clause, Table* table);
  Status Create(const ast::PatternPart& part, bool merging, Variables* row);
  Result<Map> PropertiesOf(const ast::ExprPtr& expr, const Variables& row, bool merging);
  Result<std::vector<std::string>> LabelNames(const ast::LabelExpr& labels, const Variables& row);
  Status SetProperty(const Value& element, const std::string& key, const Value& value);
  Result<Map*> MutableProperties(const Value& element);
  Status AddLabels(const ast::LabelExpr& labels, const Value& node, const Variables& row, bool add);

  const ast::Statement& statement_;
  const Map& parameters_;
  Graph* graph_;
  GraphReader reader_;
  Random random_;
  engine::FunctionContext functions_;
  Counters counters_;
  // A pattern over everything, three times, is no use to anybody: such statements are refused (LimitExceeded), and the
  // random test leaves them out.
  static constexpr uint64_t kStepsMax = 100'000;
  uint64_t steps_ = 0;
};

}  // namespace fornix::model
