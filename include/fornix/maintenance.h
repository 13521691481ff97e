// Looking after a database's files: the integrity check and backups. Both work on a file that is closed, on one that this process
// has open, and on one that another process is writing: they register as readers, so that nothing they look at is written over.
// Thread safety: any number of calls at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"

namespace fornix {

using MaintenanceProgress = std::function<void(std::string_view stage, uint64_t done, uint64_t all)>;

struct DatabaseCheckOptions {
  uint64_t memory_bytes = uint64_t{256} << 20;   // for what is read
  size_t problems_shown_max = 100;
  MaintenanceProgress progress;
};

struct DatabaseCheckReport {
  std::vector<std::string> problems;           // the first ones; empty: all is well
  uint64_t problem_count = 0;
  uint64_t nodes = 0, relationships = 0, index_entries = 0;   // of the last checkpoint
  uint64_t pages = 0, free_pages = 0, extents = 0;            // of 4 KiB
  uint64_t log_records = 0;                    // since then
};

// Checksums of everything, adjacency in both directions, counts, each range index against the elements and back, space, and that the
// log can be read. An error only where nothing could be looked at. Changes nothing.
Status CheckDatabase(const std::string& path, const DatabaseCheckOptions& options, DatabaseCheckReport* report);

struct BackupOptions {
  MaintenanceProgress progress;
};

// Copies the database to a new file `to`: everything that was committed durably when the call began, and perhaps some commits of
// meanwhile, each whole. The copy is a closed database of its own, and appears under its name when it is whole and durable.
// Usage if `to` exists.
Status BackupDatabase(const std::string& path, const std::string& to, const BackupOptions& options = {});

}  // namespace fornix
