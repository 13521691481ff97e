// StoreFiles: the files of one open database: X.fornix (root slots), X.fornix-log/ (the log), X.fornix-lock.
//
// Open:   lock; no data file: a new log, then the root that names it. Else the newest root, replay, go on behind the end.
// Close:  everything durable; where it pays, the state is rewritten as a new generation of the log; then a root that says
//         where the log begins and ends. The root is the switch: before it is durable the old log counts, after it the new.
// Destroyed without Close: as after a crash, only that queued commits are written.
// Threads: Open and Close by one.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "storage/page/root_slots.h"
#include "storage/process/lock_file.h"
#include "storage/store.h"
#include "storage/store_state.h"

namespace fornix::storage {

class StoreFiles {
 public:
  // Fills `store`, which is empty, and gives it its log.
  static Result<std::unique_ptr<StoreFiles>> Open(FileSystem& files, const std::string& path, const StoreOptions& options,
                                                  StoreState* store);
  Status Close();

 private:
  StoreFiles(FileSystem& files, std::string path, const StoreOptions& options, StoreState* store);
  Status CreateNew();
  Status OpenExisting();
  wal::WriterOptions LogOptions() const;
  bool WorthCompacting() const;
  Status Compact(Root* root);

  FileSystem& files_;
  const std::string path_, log_dir_;
  const StoreOptions options_;
  StoreState* const store_;
  std::unique_ptr<WriterLock> lock_;
  std::unique_ptr<RootSlots> slots_;
  uint64_t compact_bytes_ = 0;                 // of the log's records when it was opened: the compacted part,
  uint64_t tail_bytes_ = 0;                    // and what came after
  Lsn opened_at_lsn_ = 1;
  uint64_t opened_log_bytes_ = 0;
};

}  // namespace fornix::storage
