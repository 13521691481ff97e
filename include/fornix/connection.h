// Connection: one session with a database. Statements run in an explicit transaction (Begin ... Commit or Rollback) or,
// without one, each in its own (auto-commit).
//
// Isolation is snapshot isolation; constraints hold at every commit. An auto-commit statement that loses against another
// writer is tried again (kAutoCommitRetriesMax times) before the error shows; an explicit transaction gets
// TransactionConflict at Commit and may be run again as a whole. Any error of a statement inside an explicit transaction dooms it:
// only Rollback is taken then.
// Thread safety: one thread at a time a connection, Cancel() excepted; different connections run in parallel.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fornix/result.h"

namespace fornix {

struct ExecuteOptions {
  std::chrono::milliseconds timeout{0};    // 0: the database's default (none when embedded)
  uint64_t memory_bytes_max = 0;           // 0: the database's default
  uint32_t batch_rows = 0;                 // 0: growing, 1 to 1,024; for tests: a fixed number of rows
  bool optimize = true;                    // false: no rewrites, no indexes; for tests
};

struct TransactionOptions {
  bool read_only = false;
  std::chrono::milliseconds timeout{0};    // of the whole transaction
};

// A statement that was parsed and planned. Valid as long as its connection; planned again when the schema changed.
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual const std::vector<std::string>& columns() const = 0;
  virtual const std::vector<std::string>& parameters() const = 0;   // names, sorted
  virtual QueryType query_type() const = 0;
};

class Connection {
 public:
  virtual ~Connection() = default;         // rolls back an open transaction

  // `text` is one statement; a ';' at its end is allowed. Errors carry position, detail and compile_time().
  virtual Result<std::unique_ptr<Prepared>> Prepare(std::string_view text) = 0;
  virtual Result<std::unique_ptr<Cursor>> Execute(std::string_view text, const Map& parameters = {},
                                                  const ExecuteOptions& options = {}) = 0;
  virtual Result<std::unique_ptr<Cursor>> Execute(const Prepared& prepared, const Map& parameters = {},
                                                  const ExecuteOptions& options = {}) = 0;

  virtual Status Begin(const TransactionOptions& options = {}) = 0;
  // Blocks until the commit is durable; open cursors of the transaction end. Returns the log number, 0 if nothing was written.
  virtual Result<uint64_t> Commit() = 0;
  // Returns at once; `done` is called exactly once, from another thread or from inside this call. The connection may be used meanwhile.
  virtual void CommitAsync(std::function<void(Result<uint64_t>)> done) = 0;
  virtual Status Rollback() = 0;
  virtual bool in_transaction() const = 0;

  // Ends the running statement with Cancelled; does nothing when none runs. From any thread.
  virtual void Cancel() = 0;

  // Execute and fetch everything: for small results.
  Result<std::vector<Row>> Query(std::string_view text, const Map& parameters = {});
};

}  // namespace fornix
