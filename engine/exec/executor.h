// Execution: one run of a physical plan in a transaction. The door that a session uses.
//
// Rows are pulled and come out materialised: nodes, relationships and paths as they are at that moment, with labels and
// properties, also inside lists and maps. A writing plan has written everything before its first row comes out. A run
// holds ids and positions only, so it may be suspended between two calls for any time and beside other runs of the same
// transaction. Before a writing statement starts, the session calls Drain() on the open runs of that transaction.
// After an error the run is over: its operators are closed and every later call gives the same error. The transaction
// is left to the session (a failed statement dooms it).
// Thread safety: one thread at a time; `cancel` may be set from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "planner/planner.h"
#include "storage/store.h"

namespace fornix::engine {

class OpenTransaction;
class SpillFolder;
class TransactionRegistry;

struct ExecutionOptions {
  storage::Transaction* transaction = nullptr;    // outlives the run's work; to free a run needs it no more
  storage::Store* store = nullptr;                // for db.awaitIndexes, IN TRANSACTIONS and statistics; may be null in tests
  // What SHOW FUNCTIONS and SHOW PROCEDURES list: the catalog that the plan was bound with. Null: DefaultCatalog().
  const planner::FunctionCatalog* catalog = nullptr;
  Map parameters;
  std::vector<Value> literals;                    // those that the plan was made without: PhysicalPlan::literals
  const std::atomic<bool>* cancel = nullptr;
  // The database's open transactions, and the entry of this one, whose end ends the run. They outlive its work; null in tests of operators.
  TransactionRegistry* registry = nullptr;
  OpenTransaction* open = nullptr;
  uint64_t deadline_ns = 0;                       // by MonotonicNanos(); 0: none
  MemoryBudget* budget = nullptr;                 // the database's; outlives the run. Null: none
  SpillFolder* spill = nullptr;                   // the database's; outlives the run. Null: nothing spills
  size_t memory_bytes_max = 0;                    // what the operators may hold, the transaction's write set included; 0: no limit
  size_t batch_rows = 0;                          // 0: growing 1, 64, 1,024; tests fix it
  DateTime statement_time;                        // all of a statement's datetime() is this instant
  DateTime transaction_time;
  uint64_t random_seed = 0;                       // 0: from the operating system
  bool profile = false;
  bool auto_commit = false;                       // only then CALL { ... } IN TRANSACTIONS commits by itself
};

class Execution {
 public:
  // Builds the operators; nothing runs yet. Errors: ParameterMissing, and what the plan can't be run for.
  static Result<std::unique_ptr<Execution>> Start(std::shared_ptr<const planner::PhysicalPlan> plan, ExecutionOptions options);
  virtual ~Execution() = default;

  virtual const std::vector<std::string>& columns() const = 0;
  // Appends at most `max_rows` rows to `*rows` and returns how many. 0 (for max_rows > 0) means the end, and so does done().
  // A plan without columns is run to its end by the first call.
  virtual Result<size_t> Next(size_t max_rows, std::vector<std::vector<Value>>* rows) = 0;
  virtual bool done() const = 0;
  // Runs to the end and keeps the rows that are left for later calls of Next, which need the transaction no more.
  virtual Status Drain() = 0;

  // Operations of this run alone, IN TRANSACTIONS included. Final when done().
  virtual storage::WriteCounters counters() const = 0;
  // By operator id; empty unless options.profile.
  virtual const std::vector<planner::OperatorProfile>& profile() const = 0;
  // Of the plan, and those that the run added.
  virtual const std::vector<planner::Notification>& notifications() const = 0;
  virtual size_t memory_bytes_peak() const = 0;
  virtual uint64_t spilled_bytes() const = 0;      // as they lie on disk, compressed
};

}  // namespace fornix::engine
