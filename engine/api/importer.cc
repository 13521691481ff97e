// ImportDatabase: the stages of an import, one after the other; see fornix/import.h.
#include "fornix/import.h"

#include <new>

#include "base/errors.h"
#include "base/file.h"
#include "base/memory_budget.h"
#include "base/read_failure.h"
#include "engine/import/import_job.h"
#include "storage/store.h"

namespace fornix::engine {
namespace {

constexpr uint64_t kMemoryMin = uint64_t{16} << 20;    // buffers of two threads and a run of each

// Replacing data is never what an import is asked for.
Status MustBeEmpty(FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(const FileKind kind, files.Kind(path));
  if (kind == FileKind::kNone) return Status::Ok();
  MemoryBudget budget(uint64_t{64} << 20);
  storage::StoreOptions options;
  options.budget = &budget;
  ASSIGN_OR_RETURN(auto store, storage::Store::Open(files, path, options));
  const uint64_t nodes = store->statistics().NodeCount();
  const auto schema = store->schema();
  const bool empty = nodes == 0 && schema->indexes.empty() && schema->constraints.empty() && !schema->graph_type.declared;
  RETURN_IF_ERROR(store->Close());
  if (empty) return Status::Ok();
  return UsageError(path + " holds a database of " + std::to_string(nodes) + " nodes; an import makes a new one, so choose another name or remove the file");
}

Status CheckOptions(const std::string& path, const ImportOptions& options) {
  if (path.empty() || path == ":memory:") return UsageError("an import makes a file, so it needs a path");
  if (options.nodes.empty() && options.json_lines.empty()) return UsageError("an import needs at least one file of nodes");
  const char marks[] = {options.delimiter, options.array_delimiter, options.quote};
  for (char mark : marks) {
    if (mark == '\n' || mark == '\r' || mark == 0 || (mark & 0x80) != 0) return UsageError("delimiters and the quote are single ASCII characters");
  }
  if (options.delimiter == options.quote || options.array_delimiter == options.quote || options.delimiter == options.array_delimiter) {
    return UsageError("delimiter, array delimiter and quote must be three different characters");
  }
  return Status::Ok();
}

Status Import(FileSystem& files, const std::string& path, const ImportOptions& options, ImportReport* report) {
  RETURN_IF_ERROR(CheckOptions(path, options));
  RETURN_IF_ERROR(MustBeEmpty(files, path));
  const uint64_t memory = std::max(options.memory_bytes != 0 ? options.memory_bytes : DefaultMemoryBudget(), kMemoryMin);
  ASSIGN_OR_RETURN(auto loader, storage::BulkLoader::Create(files, path, {memory}));
  ImportJob job(files, options, memory, loader.get());
  auto run = [&]() -> Status {
    RETURN_IF_ERROR(job.ReadNodes(&report->schema));
    // Half of what the ids leave. When the ids are gone another quarter of the whole sorts the incoming lists; the rest is buffers.
    RETURN_IF_ERROR(loader->BeginRelationships((memory - std::min(memory, job.id_bytes())) / 2));
    return job.ReadRelationships();
  };
  const Status status = run();
  const Status closed = job.Close();
  report->nodes = loader->nodes();
  report->relationships = job.relationships();
  report->bad_rows = job.bad().count();
  report->bytes_read = job.bytes_read();
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(closed);
  storage::BuildProgress progress;
  if (options.progress) {
    progress.report = [&, last = uint64_t{0}](storage::BuildProgress::Stage stage, uint64_t done, uint64_t all) mutable {
      const bool nodes = stage == storage::BuildProgress::Stage::kNodes;
      if (done != all && done - last < (nodes ? 16 : uint64_t{1} << 18) && done > last) return;
      last = done;
      options.progress({nodes ? ImportStage::kWritingNodes : ImportStage::kWritingRelationships, done,
                        all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all)});
      if (nodes && done == all) options.progress({ImportStage::kFinishing, 0, 0});
    };
  }
  return loader->Finish(progress);
}

}  // namespace

Status ImportInto(FileSystem& files, const std::string& path, const ImportOptions& options, ImportReport* report) {
  *report = {};
  try {
    return Import(files, path, options, report);
  } catch (const ReadFailure& failure) {
    return failure.status();
  } catch (const std::bad_alloc&) {
    return Status(Code::kResourceExhausted, "the import ran out of memory");
  }
}

}  // namespace fornix::engine

namespace fornix {

Status ImportDatabase(const std::string& path, const ImportOptions& options, ImportReport* report) {
  return engine::ImportInto(PosixFileSystem(), path, options, report);
}

}  // namespace fornix
