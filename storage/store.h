// Store: one open database. Owns the log, the delta, the catalog and the indexes; hands out transactions.
//
// Open replays the log into the delta (docs/format.md); Close waits for running commits, may rewrite the log compactly and
// releases the lock. A path of ":memory:" keeps everything in memory and logs nothing.
// Thread safety: all calls from any thread, Close once and last.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "base/memory_budget.h"
#include "storage/stats/statistics.h"
#include "storage/txn/transaction.h"

namespace fornix::storage {

struct StoreOptions {
  bool read_only = false;
  uint64_t log_segment_bytes = 0;               // 0: 1 MiB doubling to 64 MiB; tests use 64 KiB
  bool compact_on_close = true;                 // where it makes the log markedly smaller
  MemoryBudget* budget = nullptr;               // the database's; outlives the store. Null: no limit
  bool background_threads = true;               // false: the order of file operations follows from the calls alone, for tests
};

class Store {
 public:
  static Result<std::unique_ptr<Store>> Open(FileSystem& files, const std::string& path, const StoreOptions& options);
  virtual ~Store() = default;

  // read_only transactions refuse writes.
  virtual Result<std::unique_ptr<Transaction>> Begin(bool read_only = false) = 0;
  virtual const Tokens& tokens() const = 0;
  virtual std::shared_ptr<const SchemaVersion> schema() const = 0;   // the newest
  virtual const Statistics& statistics() const = 0;
  // Waits until every index is filled and every vector linked.
  virtual Status AwaitIndexes() = 0;
  virtual Status Close() = 0;
};

}  // namespace fornix::storage
