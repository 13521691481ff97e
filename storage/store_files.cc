#include "storage/store_files.h"

#include "base/errors.h"
#include "storage/compact.h"
#include "storage/recover.h"

namespace fornix::storage {

StoreFiles::StoreFiles(FileSystem& files, std::string path, const StoreOptions& options, StoreState* store)
    : files_(files), path_(std::move(path)), log_dir_(path_ + "-log"), options_(options), store_(store) {}

Result<std::unique_ptr<StoreFiles>> StoreFiles::Open(FileSystem& files, const std::string& path, const StoreOptions& options,
                                                     StoreState* store) {
  std::unique_ptr<StoreFiles> opened(new StoreFiles(files, path, options, store));
  ASSIGN_OR_RETURN(const FileKind kind, files.Kind(path));
  if (kind == FileKind::kNone && options.read_only) {
    return IoError(path + ": there is no such database, and opening for reading doesn't make one");
  }
  if (kind != FileKind::kNone && kind != FileKind::kFile) {
    return IoError(path + ": is " + (kind == FileKind::kDirectory ? "a directory" : "no regular file") + ", expected a database");
  }
  ASSIGN_OR_RETURN(opened->lock_, WriterLock::Take(files, path));
  RETURN_IF_ERROR(kind == FileKind::kNone ? opened->CreateNew() : opened->OpenExisting());
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
  opened_log_bytes_ = store_->log->log_bytes();
  return Status::Ok();
}

Status StoreFiles::OpenExisting() {
  ASSIGN_OR_RETURN(slots_, RootSlots::Open(files_, path_, options_.read_only));
  Root root = slots_->root();
  Recovery recovery(store_);
  wal::ReadOptions read;
  read.floor = root.log;
  read.known_end_lsn = root.clean_end_lsn;
  ASSIGN_OR_RETURN(wal::LogEnd end, wal::ReadLog(files_, log_dir_, root.uuid, read, recovery));
  compact_bytes_ = recovery.compact_bytes();
  tail_bytes_ = recovery.tail_bytes();
  opened_at_lsn_ = end.next_lsn;
  if (options_.read_only) return Status::Ok();
  ASSIGN_OR_RETURN(store_->log, wal::LogWriter::Continue(files_, log_dir_, root.uuid, std::move(end), LogOptions()));
  opened_log_bytes_ = store_->log->log_bytes();
  if (root.clean_end_lsn != 0) {               // from now on the end is found by reading
    root.clean_end_lsn = 0;
    RETURN_IF_ERROR(slots_->Write(root));
  }
  // A compaction that a crash cut short left a generation that no root names.
  return store_->log->RemoveOthers();
}

// Rewriting costs as much as the state is large; it pays when the records since the last rewrite are as many bytes. So the
// log is at most about twice the state, and closing after a small change of a large database is quick.
bool StoreFiles::WorthCompacting() const {
  if (!options_.compact_on_close || store_->sequencer.last() == 0) return false;
  const uint64_t grown = store_->log->log_bytes() - std::min(store_->log->log_bytes(), opened_log_bytes_);
  const bool written = store_->log->next_lsn() != opened_at_lsn_ || tail_bytes_ > 0;
  return written && tail_bytes_ + grown >= compact_bytes_;
}

Status StoreFiles::Compact(Root* root) {
  wal::LogPosition start = root->log;
  ++start.generation;
  start.segment = 1;
  start.lsn = store_->log->next_lsn();
  ASSIGN_OR_RETURN(std::unique_ptr<wal::LogWriter> fresh, wal::LogWriter::Create(files_, log_dir_, root->uuid, start, LogOptions()));
  RETURN_IF_ERROR(WriteCompactRecords(store_, [&](std::vector<std::byte> record) -> Status {
    auto entry = std::make_unique<wal::LogEntry>();
    entry->body = std::move(record);
    ASSIGN_OR_RETURN(const Lsn lsn, fresh->Append(std::move(entry)));
    return fresh->WaitDurable(lsn);
  }));
  RETURN_IF_ERROR(store_->log->Close());
  store_->log = std::move(fresh);
  root->log = start;
  return Status::Ok();
}

Status StoreFiles::Close() {
  if (store_->log == nullptr) return Status::Ok();   // opened for reading
  Root root = slots_->root();
  const bool compacted = store_->log->status().ok() && WorthCompacting();
  if (compacted) RETURN_IF_ERROR(Compact(&root));
  root.clean_end_lsn = store_->log->next_lsn() - 1;
  root.next_timestamp = store_->sequencer.last() + 1;
  const IdAllocator::Snapshot ids = store_->ids.Save();
  root.next_node_id = ids.node_chunks * kChunkElements;
  root.next_rel_id = ids.relationship_chunks * kChunkElements;
  if (!compacted) {
    RETURN_IF_ERROR(store_->log->Close());
    return slots_->Write(root);
  }
  RETURN_IF_ERROR(slots_->Write(root));
  RETURN_IF_ERROR(store_->log->RemoveOthers());
  return store_->log->Close();
}

}  // namespace fornix::storage
