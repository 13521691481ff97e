// fornix export: a database as CSV files, JSON Lines or a Cypher script, through the public interface.
//
//   csv     a directory: nodes-N-LABELS.csv per set of labels, relationships-N-TYPE.csv per type, with the headers of
//           `fornix import`, and schema.cypher
//   jsonl   a line a schema statement, node and relationship (typed JSON, typed_text.h)
//   cypher  statements that `fornix query NEW.fornix -` runs
// All is read in one transaction, so it is one state of the database, and streamed: memory doesn't grow with the data, only with the
// number of label sets, types and property names. A file appears under its name when it is whole.
// Threads: one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fornix/database.h"

namespace fornix::tools {

enum class ExportFormat : uint8_t { kCsv, kJsonLines, kCypher };

struct ExportOptions {
  ExportFormat format = ExportFormat::kJsonLines;
  std::string out;                           // a directory for csv, which must be empty or not there; else a file, or "-" for standard output
  std::function<void(uint64_t done, uint64_t all)> progress;   // elements
};
struct ExportReport {
  uint64_t nodes = 0, relationships = 0;
};

Status Export(Connection* connection, const ExportOptions& options, ExportReport* report);

// Statements that make the schema anew, in an order in which they can run: graph type, constraints, indexes.
Result<std::vector<std::string>> SchemaStatements(Connection* connection);

}  // namespace fornix::tools
