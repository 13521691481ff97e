// The public face of storage/check and storage/backup.
#include "fornix/maintenance.h"

#include <new>

#include "base/file.h"
#include "base/read_failure.h"
#include "storage/backup/backup.h"
#include "storage/check/check.h"

namespace fornix {

Status CheckDatabase(const std::string& path, const DatabaseCheckOptions& options, DatabaseCheckReport* report) {
  storage::CheckOptions inner;
  inner.memory_bytes = options.memory_bytes;
  inner.problems_shown_max = options.problems_shown_max;
  inner.progress = options.progress;
  storage::CheckResult result;
  const Status status = storage::CheckFiles(PosixFileSystem(), path, inner, &result);
  report->problems = std::move(result.problems);
  report->problem_count = result.problem_count;
  report->nodes = result.nodes;
  report->relationships = result.relationships;
  report->index_entries = result.index_entries;
  report->pages = result.pages;
  report->free_pages = result.free_pages;
  report->extents = result.extents;
  report->log_records = result.log_records;
  return status;
}

Status BackupDatabase(const std::string& path, const std::string& to, const BackupOptions& options) {
  try {
    return storage::Backup(PosixFileSystem(), path, to, options.progress);
  } catch (const ReadFailure& failure) {
    return failure.status();
  } catch (const std::bad_alloc&) {
    return Status(Code::kResourceExhausted, "the backup ran out of memory");
  }
}

}  // namespace fornix
