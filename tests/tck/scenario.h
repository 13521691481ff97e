// One TCK scenario: its steps as expand.py gives them, and the run of it, strict.
//
// Strict means: header, rows (order where the step says so), error type, phase and detail, and side effects as a difference
// of two snapshots. A step this runner doesn't know makes the scenario fail loudly; nothing is skipped but @ignore.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace fornix::tck {

struct Step {
  std::string kind, text;                 // kind: given, when, then
  std::string docstring;
  std::vector<std::vector<std::string>> table;
  bool has_table = false;
};
struct Scenario {
  std::string id, name;
  bool ignored = false;
  std::vector<Step> steps;
};
Scenario FromJson(const nlohmann::json& record);

struct RunOptions {
  std::string shared;                     // folder that holds tck/
  bool on_file = false;                   // on a file database, reopened between set-up and query
  std::string scratch;                    // folder for those files
  bool restart = false;                   // and before every other statement that stands outside of a transaction
  bool optimize = true;
  bool use_indexes = true;                // false: rules keep theirs, but no plan seeks in one
  uint64_t memory_bytes = 0;              // the database's budget; 0: the default
  unsigned batch_rows = 0;
  bool bolt = false;                      // through a Bolt server and a client of it
  bool tree_for_any_graph = false;        // "any graph" is binary-tree-1 instead of an empty one
};
struct Outcome {
  bool passed = false;
  bool error_type_matched = false;        // an error was expected and its type came, whatever its phase and detail
  bool error_expected = false, any_error = false;
  std::string why;                        // for failed ones
};
Outcome Run(const Scenario& scenario, const RunOptions& options);

}  // namespace fornix::tck
