// The year of memories of examples/memory, and how it gets into a database: through the public interface alone.
#pragma once

#include <string>
#include <vector>

#include "fornix/database.h"

namespace fornix::demo {

struct Question {
  std::string id, title, question, cypher;
  Map parameters;                    // without $q
  Value embedding;                   // $q
};
struct RefusedWrite {
  std::string id, title, cypher;
};
struct RowGroup {
  std::string text;                  // the statement, with $rows
  std::string name;                  // "Decision", "CAUSED_BY"
  bool relationships = false;
  List rows;
};
struct MemoryData {
  std::vector<std::string> schema;   // statements
  std::vector<RowGroup> groups;      // in the order to run them
  std::vector<Question> questions;
  std::vector<RefusedWrite> refused;
  size_t nodes = 0, relationships = 0;
};

// Reads the folder; errors name the file and the line.
Result<MemoryData> ReadMemoryData(const std::string& folder);
Status LoadSchema(Connection& connection, const MemoryData& data);
Status LoadRows(Connection& connection, const MemoryData& data);
// The parameters of a question, $q included.
Map ParametersOf(const Question& question);

}  // namespace fornix::demo
