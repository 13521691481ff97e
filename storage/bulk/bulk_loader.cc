// A data file made in one go; see bulk_loader.h.
#include "storage/bulk/bulk_loader.h"

#include "storage/checkpoint/catalog.h"
#include "storage/graph/directory.h"
#include "storage/page/root_slots.h"
#include "storage/txn/log_record.h"
#include "wal/writer.h"

namespace fornix::storage {
namespace {

constexpr Timestamp kLoadTimestamp = 1;        // the load is the database's first commit

class BaseSink final : public ChunkSink {
 public:
  explicit BaseSink(BaseWriter* writer) : writer_(writer) {}
  Status Apply(const NodeChunkEdit& edit) override { return writer_->Apply(edit); }
  Status Apply(const RelChunkEdit& edit) override { return writer_->Apply(edit); }

 private:
  BaseWriter* writer_;
};

}  // namespace

BulkLoader::BulkLoader(FileSystem& files, std::string path, const BulkOptions& options)
    : files_(files), path_(std::move(path)), options_(options) {}
BulkLoader::~BulkLoader() {
  nodes_.reset();
  relationships_.reset();
  temp_.reset();
  if (lock_) lock_->RemoveIfUnused();
}

Result<std::unique_ptr<BulkLoader>> BulkLoader::Create(FileSystem& files, const std::string& path, const BulkOptions& options) {
  std::unique_ptr<BulkLoader> loader(new BulkLoader(files, path, options));
  ASSIGN_OR_RETURN(loader->lock_, WriterLock::Take(files, path));
  ASSIGN_OR_RETURN(loader->temp_, TempFiles::Create(files, path + "-import"));
  ASSIGN_OR_RETURN(loader->nodes_, NodeSpool::Create(loader->temp_.get()));
  return loader;
}

Status BulkLoader::BeginRelationships(uint64_t memory_bytes) {
  RETURN_IF_ERROR(nodes_->Flush());
  relationships_ = std::make_unique<RunSorter>(temp_.get(), "relationships", memory_bytes);
  return Status::Ok();
}

Status BulkLoader::Finish(const BuildProgress& progress) {
  const std::string data = path_ + ".import";
  if (Status status = WriteFile(data, progress); !status.ok()) {
    (void)files_.RemoveFile(data);
    return status;
  }
  const std::string log = path_ + "-log";
  ASSIGN_OR_RETURN(const FileKind kind, files_.Kind(log));
  RETURN_IF_ERROR(files_.Rename(data, path_));
  RETURN_IF_ERROR(files_.SyncDir(DirName(path_)));
  return kind == FileKind::kNone ? Status::Ok() : wal::RemoveLog(files_, log);
}

Status BulkLoader::WriteFile(const std::string& path, const BuildProgress& progress) {
  ASSIGN_OR_RETURN(const FileKind left, files_.Kind(path));
  if (left == FileKind::kFile) RETURN_IF_ERROR(files_.RemoveFile(path));   // of a load that was cut short
  Root root;
  root.uuid = NewUuid();
  ASSIGN_OR_RETURN(auto slots, RootSlots::Create(files_, path, root));
  root = slots->root();
  ASSIGN_OR_RETURN(auto file, files_.Open(path, {.write = true}));
  const std::unique_ptr<ExtentFile> extents = ExtentFile::New(std::move(file));
  MemoryBudget budget(options_.memory_bytes / 8);
  FrameCache cache(&budget);
  RETURN_IF_ERROR(extents->BeginWriting(root.seq + 1, root.seq));

  BaseWriter writer({extents.get(), &cache, &label_sets_}, extents.get(), BaseRoots{});
  BaseSink sink(&writer);
  IdAllocator::Snapshot ids;
  RETURN_IF_ERROR(BuildChunks(*nodes_, std::move(relationships_), temp_.get(), options_.memory_bytes, &sink, progress, &ids));
  nodes_->Save(&ids);
  StoredCatalog catalog;
  ASSIGN_OR_RETURN(catalog.base, writer.Finish(kLoadTimestamp));
  const LoggedTokens none;
  RecordWriter record(tokens_, none);
  record.Schema(SchemaVersion{});
  record.Ids(ids);
  record.UseAllNames();
  catalog.record = record.Finish(kLoadTimestamp);
  ASSIGN_OR_RETURN(root.catalog, WriteCatalog(extents.get(), catalog));
  ASSIGN_OR_RETURN(root.free_map, extents->FinishWriting());
  root.file_pages = extents->file_pages();
  root.checkpoint_ts = kLoadTimestamp;
  root.next_timestamp = kLoadTimestamp + 1;
  root.next_node_id = ids.node_chunks * kChunkElements;
  root.next_rel_id = ids.relationship_chunks * kChunkElements;
  root.closed = true;
  RETURN_IF_ERROR(slots->Write(root));
  extents->Committed();
  return Status::Ok();
}

}  // namespace fornix::storage
