// fornix import: CSV files or JSON Lines into a new database. The words of the command line into ImportOptions, progress, and the
// schema when the data is there.
#pragma once

#include <string>
#include <vector>

#include "fornix/import.h"

namespace fornix::tools {

struct ImportCommand {
  std::string file;
  std::vector<std::string> nodes, relationships;   // "[Label[:Label]=]f1.csv[,f2.csv]", "[TYPE=]f.csv"
  std::vector<std::string> json_lines;
  std::string from;                                // a directory made by `fornix export --format csv`
  std::string schema;                              // a file of statements
  std::string delimiter = ",", array_delimiter = ";", quote = "\"";
  std::string id_type = "string";
  std::string bad;                                 // empty: FILE.bad.csv
  uint64_t bad_tolerance = 1000;
  bool skip_bad_relationships = false, skip_duplicate_nodes = false, ignore_extra_columns = false;
  std::string memory;                              // "4g"
  int threads = 0;
};

// What the command line means; Usage errors say which word.
Result<ImportOptions> OptionsOf(const ImportCommand& command, std::string* schema_file);
// The exit code: 0 done (rows may have been put aside), 1 failed, 2 wrong usage.
int RunImport(const ImportCommand& command);
// "512m", "4g", "1048576".
Result<uint64_t> ParseBytes(const std::string& text);

}  // namespace fornix::tools
