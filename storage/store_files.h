// StoreFiles: the files of one open database: X.fornix (root slots and extents), X.fornix-log/ (the log), X.fornix-lock.
//
// Open:   lock; no data file: a new log, then the root that names it. Else the newest root; its catalog and the base behind it
//         (nothing else is read); then the log from the root's floor on is replayed into the delta. After a clean close there is
//         no log: a new one is made, and a root that names it.
// Close:  a last checkpoint, whose root says that there is no log; then log and lock are removed, and the one file is the database.
//         If that checkpoint fails the log stays, and nothing is lost.
// Destroyed without Close: as after a crash, only that queued commits are written.
// Threads: Open and Close by one.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "storage/checkpoint/checkpointer.h"
#include "storage/process/lock_file.h"
#include "storage/store.h"
#include "storage/store_state.h"

namespace fornix::storage {

class Recovery;

class StoreFiles {
 public:
  // Fills `store`, which is empty, and gives it its log.
  static Result<std::unique_ptr<StoreFiles>> Open(FileSystem& files, const std::string& path, const StoreOptions& options,
                                                  StoreState* store);
  ~StoreFiles();
  Status Close();
  Checkpointer& checkpointer() { return *checkpointer_; }
  // What was opened has images of vector indexes; the loading ends before this does.
  ImagesToLoad VectorsToLoad() const;

 private:
  StoreFiles(FileSystem& files, std::string path, const StoreOptions& options, StoreState* store);
  Status CreateNew();
  Status OpenExisting();
  Status OpenBaseOf(const Root& root, Recovery* recovery);
  Status ReadLogTail(Root* root, Recovery* recovery);
  Status StartLog(Root* root);                 // after a clean close
  void StartCheckpoints();
  wal::WriterOptions LogOptions() const;

  FileSystem& files_;
  const std::string path_, log_dir_;
  const StoreOptions options_;
  StoreState* const store_;
  std::unique_ptr<WriterLock> lock_;
  std::unique_ptr<RootSlots> slots_;
  std::unique_ptr<FrameCache> cache_;          // the store's layers use both, and go before
  std::unique_ptr<ExtentFile> extents_;
  BaseRoots roots_;
  std::vector<ExtentRef> catalog_extents_;
  std::unique_ptr<Checkpointer> checkpointer_;
};

}  // namespace fornix::storage
