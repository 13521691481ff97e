// What stands behind the public interface: the store, the plan cache and the catalog of functions, shared by a database's
// connections.
#pragma once

#include <atomic>
#include <memory>

#include "base/file.h"
#include "base/memory_budget.h"
#include "base/process.h"
#include "engine/api/reaper.h"
#include "engine/exec/spill/spill_file.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/session/plan_cache.h"
#include "engine/session/transaction_registry.h"
#include "fornix/database.h"
#include "storage/store.h"

namespace fornix::engine {

// Opens with a file system and a catalog of the caller's choice (tests: a disk that fails, procedures of their own). Both
// outlive the database.
Result<std::unique_ptr<Database>> OpenDatabase(FileSystem& files, const std::string& path, const DatabaseOptions& options,
                                               const planner::FunctionCatalog& catalog);

struct DatabaseCore {
  DatabaseOptions options;
  uint64_t statement_memory_bytes_max = 0;
  std::unique_ptr<MemoryBudget> budget;            // outlives the store, which charges it too
  std::unique_ptr<SpillFolder> spill;
  std::unique_ptr<storage::Store> store;
  std::unique_ptr<Reaper> reaper = std::make_unique<Reaper>();
  int64_t process = ProcessId();                   // that opened it
  const planner::FunctionCatalog* catalog = nullptr;
  bool use_indexes = true;                         // false for tests, set before the first statement: plans that seek in no range index
  PlanCache plans;                                 // by exact text
  PlanCache shared_plans;                          // by text without literals
  TransactionRegistry transactions;                // open now; outlives the connections
  std::atomic<int> connections{0};
};

// What stands behind a database, for tests.
DatabaseCore& CoreOf(Database& database);

// The plan of a text, from the cache or made now. `compile_ns` is 0 when it was cached.
struct Planned {
  std::shared_ptr<const planner::PhysicalPlan> plan;
  uint64_t compile_ns = 0;
  // Of a plan that texts with other literals share: those of this text, where they stand, and where they stood in the text that
  // the plan was made of. An error of a run has its position there.
  std::vector<Value> literals;
  std::vector<grammar::LiteralSpan> spans, spans_planned;
  // The error as it concerns `text`, the text asked for.
  Status Moved(Status status, std::string_view text) const;
};
// Against `schema`, a committed version, or the newest if it is null.
Result<Planned> PlanText(DatabaseCore& core, std::string_view text, bool optimize, const storage::SchemaVersion* schema = nullptr);

std::unique_ptr<Connection> NewConnection(std::shared_ptr<DatabaseCore> core);

}  // namespace fornix::engine
