// Store: one open database. Owns the log, the delta, the catalog and the indexes; hands out transactions.
//
// Open reads the newest root and replays the log behind it into the delta; Close waits for running commits, writes a last
// checkpoint, and removes log and lock. A path of ":memory:" keeps everything in memory and logs nothing.
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
  bool async = false;                           // acknowledge commits before they are durable; docs/wal.md, "Durability"
  bool checkpoint_on_close = true;              // false leaves the log, as a test of recovery wants it
  uint64_t checkpoint_log_bytes = 0;            // a checkpoint after so much log; 0: kCheckpointLogBytes
  uint64_t checkpoint_delta_bytes = 0;          // or so much memory of the delta; 0: a quarter of the budget
  uint64_t snapshot_age_millis = 0;             // txn/old_snapshots.h; 0: kSnapshotAgePressedMillis
  MemoryBudget* budget = nullptr;               // outlives the store; null: one of its own with the default limit
  bool background_threads = true;               // false: the order of file operations follows from the calls alone, for tests
};

struct CheckpointReport {
  uint64_t bytes_written = 0;                   // to the data file; the log is apart
  uint64_t nanos = 0;
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
  // Moves everything committed so far into the base, durably. In memory: nothing happens.
  virtual Result<CheckpointReport> Checkpoint() = 0;
  virtual Status Close() = 0;
};

}  // namespace fornix::storage
