// ReadOnlyFiles: the files of a database that was opened for reading, which another process may be writing meanwhile.
//
// Each transaction begins with Refresh: the newest root's base, and the log behind it replayed into a private delta, up to the
// last durable commit (storage/process/reader.h). Snapshots that are older keep the base and the delta they began with; their
// roots stay registered, so the writer overwrites nothing that they can reach.
// Each root that is read gets a cache of its own: the cache finds frames by page, and pages may have been written anew.
// Threads: any; one mutex, held while a transaction begins.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "storage/base/paged_base.h"
#include "storage/cache/frame_cache.h"
#include "storage/process/reader.h"
#include "storage/recover.h"

namespace fornix::storage {

class ReadOnlyFiles final : private ReaderTarget {
 public:
  static Result<std::unique_ptr<ReadOnlyFiles>> Open(FileSystem& files, const std::string& path, StoreState* store);
  ~ReadOnlyFiles() override {                  // both read through what stands here
    store_->load.Stop();
    store_->fill.Stop();
  }

  // Brings the store up to date, then calls `begin`, which takes the snapshot, before anybody else can refresh.
  Status Begin(const std::function<void()>& begin);
  // While it is held the store is not brought up to date: for what is read outside of a transaction.
  std::unique_lock<std::mutex> Hold() { return std::unique_lock(mutex_); }
  // A transaction has ended: where it was the last one, nothing is pinned any more.
  void Ended();

 private:
  // What a base was read through, as long as somebody may read it.
  struct Source {
    uint64_t root_seq = 0;
    std::unique_ptr<FrameCache> cache;
    std::unique_ptr<ExtentFile> extents;
    std::weak_ptr<const Base> base;
  };
  ReadOnlyFiles(FileSystem& files, std::string path, StoreState* store);
  Status Reset(const Root& root) override;
  Status Apply(Lsn lsn, std::span<const std::byte> body) override { return recovery_.Apply(lsn, body); }
  ImagesToLoad VectorsToLoad(const BaseRoots& roots, const Source& source, const std::shared_ptr<const Base>& base);
  bool Reading() const { return open_ > 0 || store_->load.running(); }
  uint64_t OldestRootSeq();

  FileSystem& files_;
  const std::string path_;
  StoreState* const store_;
  std::mutex mutex_;
  std::unique_ptr<Reader> reader_;
  Recovery recovery_;
  std::vector<Source> sources_;                // the newest last
  uint64_t open_ = 0;                          // transactions
};

}  // namespace fornix::storage
