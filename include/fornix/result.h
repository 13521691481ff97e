// Cursor: the rows of one statement, streamed, and what is known of it at its end.
//
// Rows come when they are asked for: Fetch runs the statement just far enough. Several cursors may be open in one
// transaction; each sees the transaction as it was when its statement started. A cursor is tied to its connection and must be
// destroyed before it. A writing statement outside an explicit transaction has run and is durable when Execute returns.
// Thread safety: one thread at a time, together with its connection; Connection::Cancel may come from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix {

using Row = std::vector<Value>;

enum class QueryType : uint8_t { kRead, kReadWrite, kWrite, kSchema };
std::string_view QueryTypeName(QueryType type);    // "r", "rw", "w", "s"

struct Counters {
  uint64_t nodes_created = 0, nodes_deleted = 0;
  uint64_t relationships_created = 0, relationships_deleted = 0;
  uint64_t properties_set = 0, labels_added = 0, labels_removed = 0;
  uint64_t indexes_added = 0, indexes_removed = 0;
  uint64_t constraints_added = 0, constraints_removed = 0;
  bool contains_updates() const;
  // "Created 2 nodes, set 3 properties"; empty when nothing changed.
  std::string ToString() const;
};

struct Notification {
  std::string code;          // "Neo.ClientNotification.Statement.CartesianProduct"
  std::string title, description;
  std::string severity;      // "WARNING", "INFORMATION"
  SourcePosition position;
};

// One operator of EXPLAIN or PROFILE. The numbers below `estimated_rows` are of PROFILE alone.
struct PlanNode {
  std::string op;            // "Expand"
  std::string details;       // "(m)-[r:SUPPORTS]->(g)"
  double estimated_rows = 0;
  uint64_t rows = 0;
  uint64_t db_hits = 0;
  uint64_t time_ns = 0;                    // its own, without its children
  uint64_t distance_computations = 0;
  uint64_t memory_bytes = 0;
  uint64_t spilled_bytes = 0, spilled_runs = 0;   // put on disk, because memory didn't hold it
  std::vector<PlanNode> children;
};

struct Summary {
  QueryType query_type = QueryType::kRead;
  Counters counters;
  std::vector<Notification> notifications;
  std::shared_ptr<const PlanNode> plan;    // with EXPLAIN and PROFILE
  bool profiled = false;
  std::string plan_text;                   // the same as an aligned tree
  uint64_t rows = 0;
  uint64_t compile_ns = 0, run_ns = 0;     // compile_ns is 0 when the plan was cached
  bool plan_cached = false;
  uint64_t memory_bytes_peak = 0;          // what its operators and its write set held at most
  uint64_t spilled_bytes = 0;              // what went to disk meanwhile, compressed
  uint64_t commit = 0;                     // log number of the commit of an auto-commit statement; 0 if it wrote nothing
};

class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual const std::vector<std::string>& columns() const = 0;
  virtual QueryType query_type() const = 0;
  // Appends up to `rows_max` rows to *rows. Nothing appended and ok: the end. After an error the cursor is at its end.
  virtual Status Fetch(size_t rows_max, std::vector<Row>* rows) = 0;
  virtual bool done() const = 0;
  // Complete once done() is true; before that columns, plan and query type are known.
  virtual const Summary& summary() const = 0;
};

}  // namespace fornix
