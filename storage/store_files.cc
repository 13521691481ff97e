#include "storage/store_files.h"

#include "base/errors.h"
#include "storage/recover.h"

namespace fornix::storage {

StoreFiles::StoreFiles(FileSystem& files, std::string path, const StoreOptions& options, StoreState* store)
    : files_(files),
      path_(std::move(path)),
      log_dir_(path_ + "-log"),
      options_(options),
      store_(store),
      cache_(std::make_unique<FrameCache>(store->budget)) {}

StoreFiles::~StoreFiles() {
  if (checkpointer_ != nullptr) checkpointer_->Stop();
  store_->checkpointer = nullptr;
}

Result<std::unique_ptr<StoreFiles>> StoreFiles::Open(FileSystem& files, const std::string& path, const StoreOptions& options,
                                                     StoreState* store) {
  std::unique_ptr<StoreFiles> opened(new StoreFiles(files, path, options, store));
  ASSIGN_OR_RETURN(const FileKind kind, files.Kind(path));
  if (kind != FileKind::kNone && kind != FileKind::kFile) {
    return IoError(path + ": is " + (kind == FileKind::kDirectory ? "a directory" : "no regular file") + ", expected a database");
  }
  ASSIGN_OR_RETURN(opened->lock_, WriterLock::Take(files, path));
  RETURN_IF_ERROR(kind == FileKind::kNone ? opened->CreateNew() : opened->OpenExisting());
  opened->StartCheckpoints();
  return opened;
}

wal::WriterOptions StoreFiles::LogOptions() const {
  wal::WriterOptions options;
  if (options_.log_segment_bytes != 0) options.segment_bytes_first = options.segment_bytes_max = options_.log_segment_bytes;
  options.background_thread = options_.background_threads;
  return options;
}

Status StoreFiles::CreateNew() {
  ASSIGN_OR_RETURN(const FileKind log_kind, files_.Kind(log_dir_));
  if (log_kind != FileKind::kNone) {
    ASSIGN_OR_RETURN(const bool records, wal::HasRecords(files_, log_dir_));
    if (records) {
      return Corruption(log_dir_ + ": a log with records, but its data file " + path_ +
                        " isn't there; bring the file back, or remove the log if its data may go");
    }
  }
  Root root;
  root.uuid = NewUuid();
  ASSIGN_OR_RETURN(store_->log, wal::LogWriter::Create(files_, log_dir_, root.uuid, root.log, LogOptions()));
  ASSIGN_OR_RETURN(slots_, RootSlots::Create(files_, path_, root));
  OpenOptions options;
  options.write = true;
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, files_.Open(path_, options));
  extents_ = ExtentFile::New(std::move(file));
  return Status::Ok();
}

Status StoreFiles::OpenExisting() {
  ASSIGN_OR_RETURN(slots_, RootSlots::Open(files_, path_));
  Root root = slots_->root();
  OpenOptions options;
  options.write = true;
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, files_.Open(path_, options));
  // What a checkpoint adds goes behind the root's pages: where they are fewer than it says, that would be far behind the end.
  ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  if (size < root.file_pages * kPageBytes) {
    return Corruption(path_ + ": the file ends at byte " + std::to_string(size) + ", by its root it has " + std::to_string(root.file_pages) +
                      " pages of " + std::to_string(kPageBytes) + " bytes: its end was cut off; restore a backup, or open it read-only to save what is left");
  }
  extents_ = ExtentFile::Open(std::move(file), root.free_map, root.file_pages);
  Recovery recovery(store_);
  RETURN_IF_ERROR(OpenBaseOf(root, &recovery));
  if (!root.closed) return ReadLogTail(&root, &recovery);
  return StartLog(&root);
}

Status StoreFiles::OpenBaseOf(const Root& root, Recovery* recovery) {
  if (root.catalog.none()) return Status::Ok();
  ASSIGN_OR_RETURN(const StoredCatalog catalog, ReadCatalog(*extents_, root.catalog, &catalog_extents_));
  if (catalog.base.timestamp != root.checkpoint_ts) {
    return Corruption(path_ + ": the root's checkpoint is of commit " + std::to_string(root.checkpoint_ts) + ", the catalog it names of " +
                      std::to_string(catalog.base.timestamp));
  }
  roots_ = catalog.base;
  const std::shared_ptr<const Base> base = OpenBase({extents_.get(), cache_.get(), &store_->label_sets}, roots_);
  return recovery->ApplyCatalog(catalog.record, path_ + " catalog", base, roots_.vectors);
}

Status StoreFiles::ReadLogTail(Root* root, Recovery* recovery) {
  wal::ReadOptions read;
  read.floor = root->log;
  read.known_end_lsn = root->clean_end_lsn;
  ASSIGN_OR_RETURN(wal::LogEnd end, wal::ReadLog(files_, log_dir_, root->uuid, read, *recovery));
  store_->log_appended = recovery->bytes();
  ASSIGN_OR_RETURN(store_->log, wal::LogWriter::Continue(files_, log_dir_, root->uuid, std::move(end), LogOptions()));
  if (root->clean_end_lsn != 0) {              // from now on the end is found by reading
    root->clean_end_lsn = 0;
    RETURN_IF_ERROR(slots_->Write(*root));
  }
  // A change of generation that a crash cut short left one that no root names.
  return store_->log->RemoveOthers();
}

// What stands in the log's folder is older than the root, or of an opening that was cut short before its root.
Status StoreFiles::StartLog(Root* root) {
  ASSIGN_OR_RETURN(const FileKind kind, files_.Kind(log_dir_));
  if (kind != FileKind::kNone) RETURN_IF_ERROR(wal::RemoveLog(files_, log_dir_));
  ++root->log.generation;
  root->log.segment = 1;
  root->log.lsn = root->clean_end_lsn + 1;
  ASSIGN_OR_RETURN(store_->log, wal::LogWriter::Create(files_, log_dir_, root->uuid, root->log, LogOptions()));
  root->closed = false;
  root->clean_end_lsn = 0;
  return slots_->Write(*root);
}

void StoreFiles::StartCheckpoints() {
  CheckpointOptions options;
  if (options_.checkpoint_log_bytes != 0) options.log_bytes = options_.checkpoint_log_bytes;
  options.delta_bytes = options_.checkpoint_delta_bytes;
  options.background = options_.background_threads;
  if (options_.snapshot_age_millis != 0) options.snapshot_age_millis = options_.snapshot_age_millis;
  RegisteredReaders readers;
  readers.oldest_root_seq = [this]() -> Result<uint64_t> {
    ASSIGN_OR_RETURN(const Pin pin, lock_->Pinned());
    return pin.root_seq;
  };
  readers.log_unread = [this] { return lock_->AwaitLogUnread(); };
  checkpointer_ = std::make_unique<Checkpointer>(store_, CheckpointFiles{slots_.get(), extents_.get(), cache_.get()}, options, std::move(readers));
  checkpointer_->Opened(roots_, catalog_extents_, store_->generations.current()->base);
  store_->checkpointer = checkpointer_.get();
}

ImagesToLoad StoreFiles::VectorsToLoad() const { return {extents_.get(), roots_.vectors, nullptr, {}, {}}; }

Status StoreFiles::Close() {
  checkpointer_->Stop();
  if (!options_.checkpoint_on_close || !store_->log->status().ok()) {
    Root root = slots_->root();
    const Lsn end = store_->log->next_lsn() - 1;
    RETURN_IF_ERROR(store_->log->Close());
    root.clean_end_lsn = end;
    return slots_->Write(root);
  }
  RETURN_IF_ERROR(checkpointer_->RunClosing());
  store_->log.reset();
  RETURN_IF_ERROR(wal::RemoveLog(files_, log_dir_));
  lock_->RemoveIfUnused();
  return Status::Ok();
}

}  // namespace fornix::storage
