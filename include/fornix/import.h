// Import: CSV files into a new database, many times faster than statements could.
//
//   fornix::ImportOptions options;
//   options.nodes = {{"Person", {"people.csv"}}};
//   options.relationships = {{"KNOWS", {"knows.csv"}}};
//   fornix::ImportReport report;
//   fornix::Status status = fornix::ImportDatabase("social.fornix", options, &report);
//
// The header conventions are neo4j-admin's (docs/tools.md). The database appears under its name when it is whole: an
// import that fails or is killed leaves nothing but temporary files, which the next one removes. Rows that can't be taken are
// put aside with file, line and reason, up to a tolerance. Memory stays within the budget given, whatever the files' size;
// what the ids of the nodes take must fit into half of it.
// Thread safety: one call a path at a time; the callback comes from any of the import's threads, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fornix/status.h"

namespace fornix {

// Files that are read as one: the first line of the first is the header.
struct ImportFiles {
  std::string name;                          // labels of all its nodes ("Person:Actor"), or the type of all its relationships;
                                             // empty: what the column :LABEL or :TYPE says, alone
  std::vector<std::string> paths;
};

enum class ImportStage : uint8_t { kNodes, kRelationships, kWritingRelationships, kWritingNodes, kFinishing };
struct ImportProgress {
  ImportStage stage = ImportStage::kNodes;
  uint64_t rows = 0;                         // of this stage, done so far (chunks of 4,096 nodes while writing nodes)
  double fraction = 0;                       // of this stage, 0 to 1
};

struct ImportReport {
  uint64_t nodes = 0, relationships = 0;
  uint64_t bad_rows = 0;                     // put aside
  uint64_t bytes_read = 0;
  std::vector<std::string> schema;           // statements that JSON Lines held: to be run when the import is done
};

struct ImportOptions {
  std::vector<ImportFiles> nodes, relationships;
  std::vector<std::string> json_lines;       // files of `fornix export --format jsonl`; beside CSV files or instead of them
  char delimiter = ',', array_delimiter = ';', quote = '"';
  bool integer_ids = false;                  // ids are integers, and kept so as properties; else they are strings
  std::string bad_file;                      // where rows put aside go, as CSV; empty: nowhere, they are counted alone
  uint64_t bad_tolerance = 1000;             // more rows than this end the import
  bool skip_bad_relationships = false;       // a relationship from or to an unknown node is put aside; else it ends the import
  bool skip_duplicate_nodes = false;         // so is a node with an id that came before
  bool ignore_extra_columns = false;         // fields beyond the header; else such a row is put aside
  uint64_t memory_bytes = 0;                 // 0: half of the machine's
  int threads = 0;                           // 0: as many as processors, at most 8
  std::function<void(const ImportProgress&)> progress;
};

// Makes the database at `path`. One that is there must be empty, and is replaced.
Status ImportDatabase(const std::string& path, const ImportOptions& options, ImportReport* report);

}  // namespace fornix
