// Database: one file, opened. The start of everything:
//
//   auto db = fornix::Database::Open("memory.fornix");
//   auto connection = (*db)->Connect();
//   auto rows = connection->Query("MATCH (n:Memory) RETURN n.text LIMIT 3");
//
// `X.fornix` is the data file; `X.fornix-log/` and `X.fornix-lock` stand beside it. The path ":memory:" opens a database
// that leaves nothing on disk. One process writes a file at a time: a second Open says Busy and who holds it. After fork the
// child can't use what its parent opened.
// Thread safety: Connect and the getters from any thread. Destroy all connections before the database.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fornix/connection.h"

namespace fornix {

enum class Durability : uint8_t {
  kFull,   // a commit is acknowledged when it is on the disk
  kAsync,  // ... when it is ordered; it is on the disk some 50 ms later. A crash or power cut may take the last commits, in order,
           // and nothing else
};

struct DatabaseOptions {
  bool read_only = false;
  Durability durability = Durability::kFull;
  bool create = true;                           // make the file if it isn't there
  // What the database may hold in all: cache, recent writes, indexes, running statements. 0: half of the machine's memory (or of the
  // control group's), or what FORNIX_MEMORY_BYTES says ("512 MiB"). At least 64 MiB is sensible.
  uint64_t memory_bytes_max = 0;
  // What one statement may hold; sorts, groupings and joins go to disk beyond three quarters of it, anything else ends with
  // ResourceExhausted. 0: a quarter of memory_bytes_max; of less than 128 MiB half, but at most 32 MiB.
  uint64_t statement_memory_bytes_max = 0;
  std::chrono::milliseconds statement_timeout{0};  // 0: none
  uint64_t log_segment_bytes = 0;               // 0: 1 MiB, doubling to 64 MiB
  bool checkpoint_on_close = true;
};

struct CheckpointSummary {
  uint64_t bytes_written = 0;                   // to the data file; the log is apart
  double seconds = 0;
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> Open(const std::string& path, const DatabaseOptions& options = {});
  virtual ~Database() = default;                // closes; errors of that are lost, so call Close where they matter
  virtual std::unique_ptr<Connection> Connect() = 0;
  // Moves everything committed so far from the log into the data file, while readers and writers go on. It happens by itself
  // as the log grows and at Close; with nothing new, nothing is written. In memory: nothing. From any thread.
  virtual Result<CheckpointSummary> Checkpoint() = 0;
  virtual Status Close() = 0;                   // Usage while connections are open
  static std::string_view Version();            // "0.1.0"
};

}  // namespace fornix
