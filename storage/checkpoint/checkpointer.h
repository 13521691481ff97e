// Checkpointer: moves the delta into the base, so that the log stays short, the delta small, and opening quick.
//
//   freeze    the active delta becomes the frozen one, all commits up to C; constant time, under the sequencer's mutex
//   write     merged chunks, index pages and catalog into free pages, paced while commits are running; then one sync
//   switch    the commits up to C are durable (the log says so); the root that names the new base, synced in both slots
//   publish   new snapshots get the new base; the frozen delta goes when the last snapshot that needs it ends; log segments
//             that neither the root nor a registered reader needs are removed
// Until the root is durable the old root and the whole log are the state; after it the new root and the log from C on. A
// checkpoint that fails before (no space, say) is abandoned: its pages are free again, commits go on, the frozen delta stays where
// it is and is what the next attempt merges. A failed sync or root write ends all commits until the database is reopened.
// Writers and readers never wait, but for memory: see MakeRoom.
// Triggers: log bytes or delta memory since the last one, vector indexes that are far ahead of their images, closing, and whoever asks. In the background unless the options say
// that there are no threads; then the commit that passed the trigger does it.
// Threads: Run, MadeProgress and MakeRoom from any; Stop once.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "storage/checkpoint/catalog.h"
#include "storage/checkpoint/vector_images.h"
#include "storage/index/index_build.h"
#include "storage/limits.h"
#include "storage/page/root_slots.h"
#include "storage/store.h"
#include "storage/store_state.h"
#include "storage/txn/generations.h"

namespace fornix::storage {

struct CheckpointFiles {
  RootSlots* slots = nullptr;
  ExtentFile* extents = nullptr;
  FrameCache* cache = nullptr;
};
struct CheckpointOptions {
  uint64_t log_bytes = kCheckpointLogBytes;
  uint64_t delta_bytes = 0;                    // 0: a quarter of the budget
  bool background = true;
  uint64_t snapshot_age_millis = kSnapshotAgePressedMillis;
};
// What others, in other processes, still read: asked before space is reused and before log segments go.
struct RegisteredReaders {
  std::function<Result<uint64_t>()> oldest_root_seq;
  std::function<Result<bool>()> log_unread;    // false: somebody is reading the log just now, so it can't be cut
};

class Checkpointer {
 public:
  Checkpointer(StoreState* store, const CheckpointFiles& files, const CheckpointOptions& options, RegisteredReaders readers);
  ~Checkpointer() { Stop(); }

  // The base that was opened; before any other call.
  void Opened(const BaseRoots& roots, std::vector<ExtentRef> catalog_extents, const std::shared_ptr<const Base>& base);

  // A checkpoint of everything committed when it is called. Nothing to do: nothing is written.
  Result<CheckpointReport> Run();
  // The last one: no commit is running or will come. The root it writes says that there is no log.
  Status RunClosing();
  // After each commit, outside the mutex: starts a checkpoint where a trigger was passed.
  void MadeProgress();
  // After vectors were filled or linked, where nobody commits: the same, where it would spare the next opening much work.
  void MadeVectors();
  // Before a commit: waits while the deltas hold more than half of the budget and a checkpoint is on its way, and ends old snapshots where
  // that isn't enough (txn/old_snapshots.h).
  void MakeRoom(const TransactionImpl* committing);
  void Stop();
  // A key that the tree of an index made over data couldn't take.
  std::optional<IndexBuild::TooLong> TooLongIn(IndexId index) const;
  // The first two elements with one key that the building of a unique index's tree found.
  std::optional<IndexBuild::Duplicate> DuplicateOf(IndexId index) const;

  uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  Status last_status() const;
  const BaseRoots& roots() const { return roots_; }   // under no running checkpoint

 private:
  Status RunGivenUp();
  Status AwaitVectors(bool closing);
  Status RunLocked(bool closing);
  Status Write(const Frozen& frozen, bool closing, Root* root, BaseRoots* roots, std::vector<ExtentRef>* catalog);
  Status WriteTrees(const Frozen& frozen, BaseRoots* roots);
  Status BuildTree(const Frozen& frozen, const RangeBinding& binding, TreeRoot* root);
  bool IsDropped(IndexId index) const { return newest_schema_->FindRange(index) == nullptr; }
  std::vector<std::byte> CatalogRecord(Timestamp ts) const;
  void AwaitVisible(Timestamp ts) const;
  void Pace(size_t bytes);
  Result<uint64_t> OldestRootSeq();
  bool Due() const;
  bool VectorsBehind() const;
  void Want();
  void Loop();

  StoreState* const store_;
  const CheckpointFiles files_;
  const CheckpointOptions options_;
  const RegisteredReaders readers_;
  std::mutex run_mutex_;                       // one checkpoint at a time; before the sequencer's
  BaseRoots roots_;
  std::vector<ExtentRef> catalog_extents_;
  // As they were when the generation was frozen.
  std::shared_ptr<const SchemaState> schema_;
  // Of now: what was dropped since isn't built any more. A checkpoint that failed is tried again, and a tree that can't be built must not
  // make all of them fail.
  std::shared_ptr<const SchemaState> newest_schema_;
  Lsn schema_lsn_ = 0;                         // every change that newest_schema_ has is below, and not after schema_ts_
  Timestamp schema_ts_ = 0;
  std::set<IndexId> built_;                    // not online, but their trees are in the base and were made by this process
  IdAllocator::Snapshot ids_;
  VectorImages vectors_;
  uint64_t log_appended_ = 0;
  std::vector<std::pair<uint64_t, std::weak_ptr<const Base>>> bases_;   // with the seq of their roots
  std::atomic<uint64_t> covered_bytes_{0};     // of store_->log_appended
  Status dead_;                                // after a failed root write
  uint64_t seq_ = 0;                           // of the last attempt
  uint64_t unpaced_bytes_ = 0;                 // written under an EpochGuard, which must not wait
  uint64_t bytes_written_ = 0;                 // to the data file, by all checkpoints
  Lsn covered_lsn_ = 0;                        // the base holds every record below
  std::atomic<uint64_t> count_{0};

  mutable std::mutex mutex_;                   // of the thread and its wishes
  std::condition_variable changed_, ended_;
  std::map<IndexId, IndexBuild::TooLong> too_long_;
  std::map<IndexId, IndexBuild::Duplicate> duplicates_;
  Status last_status_;
  bool wanted_ = false, running_ = false, stop_ = false, closing_ = false;
  std::thread thread_;
};

}  // namespace fornix::storage
