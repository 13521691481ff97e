// TestGraph: a database in memory and statements run on it, from text to rows, at a batch size of one's choice.
//
// Eachway(f) runs a test at batch sizes 1, 64, 1,024 and growing: answers must not depend on them.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/value_format.h"
#include "engine/exec/executor.h"
#include "engine/procedure/procedure_catalog.h"
#include "grammar/parse.h"
#include "planner/planner.h"
#include "storage/store.h"

namespace fornix::engine {

using Rows = std::vector<std::string>;     // a row as "1 | 'a' | null"

class TestGraph {
 public:
  explicit TestGraph(size_t batch_rows = 0) : batch_rows_(batch_rows) {
    auto store = storage::Store::Open(PosixFileSystem(), ":memory:", {});
    REQUIRE(store.ok());
    store_ = std::move(store).value();
  }

  ExecutionOptions options;                 // changed by tests; transaction and batch size are set here
  storage::WriteCounters counters;          // of the last statement
  std::vector<planner::OperatorProfile> profile;
  std::shared_ptr<const planner::PhysicalPlan> plan;
  const planner::FunctionCatalog* catalog = &DefaultCatalog();

  void Begin() { transaction_ = std::move(store_->Begin()).value(); }
  Status Commit() {
    Status status = transaction_->Commit().status();
    transaction_.reset();
    return status;
  }
  void Rollback() { transaction_.reset(); }
  storage::Store& store() { return *store_; }
  storage::Transaction& transaction() { return *transaction_; }

  Result<std::shared_ptr<const planner::PhysicalPlan>> Plan(const std::string& text) {
    ASSIGN_OR_RETURN(std::unique_ptr<ast::Statement> statement, grammar::Parse(text));
    const auto schema = store_->schema();
    planner::PlannerInput input;
    input.tokens = &store_->tokens();
    input.schema = schema.get();
    input.statistics = &store_->statistics();
    input.functions = catalog;
    return planner::Plan(std::move(statement), input);
  }

  Result<std::unique_ptr<Execution>> Start(const std::string& text, const Map& parameters = {}) {
    ASSIGN_OR_RETURN(plan, Plan(text));
    ExecutionOptions run = options;
    run.transaction = transaction_.get();
    run.store = store_.get();
    run.catalog = catalog;
    run.parameters = parameters;
    run.batch_rows = batch_rows_;
    run.random_seed = 1;
    return Execution::Start(plan, std::move(run));
  }

  // In the transaction of Begin, or in one of its own that is committed.
  Result<Rows> Try(const std::string& text, const Map& parameters = {}) {
    const bool own = transaction_ == nullptr;
    if (own) Begin();
    Result<Rows> rows = TryHere(text, parameters);
    if (own) {
      if (rows.ok()) {
        const Status status = Commit();
        if (!status.ok()) return status;
      }
      transaction_.reset();
    }
    return rows;
  }

  Rows Run(const std::string& text, const Map& parameters = {}) {
    INFO(text);
    Result<Rows> rows = Try(text, parameters);
    INFO(rows.status().ToString());
    REQUIRE(rows.ok());
    return *rows;
  }
  // The rows in any order.
  Rows Sorted(const std::string& text, const Map& parameters = {}) {
    Rows rows = Run(text, parameters);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  Status Error(const std::string& text, const Map& parameters = {}) {
    INFO(text);
    Result<Rows> rows = Try(text, parameters);
    REQUIRE(!rows.ok());
    return rows.status();
  }

  static std::string RowText(const std::vector<Value>& row) {
    std::string text;
    for (const Value& v : row) text += (text.empty() ? "" : " | ") + ToText(v);
    return text;
  }

 private:
  Result<Rows> TryHere(const std::string& text, const Map& parameters) {
    ASSIGN_OR_RETURN(std::unique_ptr<Execution> run, Start(text, parameters));
    Rows rows;
    while (true) {
      std::vector<std::vector<Value>> some;
      ASSIGN_OR_RETURN(const size_t n, run->Next(100, &some));
      for (const auto& row : some) rows.push_back(RowText(row));
      if (n == 0) break;
    }
    counters = run->counters();
    profile = run->profile();
    return rows;
  }

  size_t batch_rows_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<storage::Transaction> transaction_;
};

template <typename Test>
void EachBatchSize(Test test) {
  for (size_t rows : {size_t{0}, size_t{1}, size_t{64}, size_t{1024}}) {
    INFO("batch size " << rows);
    TestGraph g(rows);
    test(g);
  }
}

}  // namespace fornix::engine
