#include "storage/checkpoint/checkpointer.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "storage/cache/epoch.h"
#include "storage/checkpoint/merge.h"
#include "storage/txn/log_record.h"
#include "storage/txn/old_snapshots.h"

namespace fornix::storage {
namespace {

// A generation was some hundred thousand small pieces: the C library keeps them, in holes that no frame of the cache fits. Of a large
// budget the walk over all of them would hold others up for longer than the pages are worth.
void GiveBack(uint64_t budget_bytes) {
  constexpr uint64_t kBudgetMax = uint64_t{1} << 30;
#ifdef __GLIBC__
  if (budget_bytes <= kBudgetMax) malloc_trim(0);
#endif
}

}  // namespace

Checkpointer::Checkpointer(StoreState* store, const CheckpointFiles& files, const CheckpointOptions& options, RegisteredReaders readers)
    : store_(store), files_(files), options_(options), readers_(std::move(readers)) {
  files_.extents->set_pace([this](size_t bytes) { Pace(bytes); });
}

void Checkpointer::Opened(const BaseRoots& roots, std::vector<ExtentRef> catalog_extents, const std::shared_ptr<const Base>& base) {
  roots_ = roots;
  catalog_extents_ = std::move(catalog_extents);
  bases_.emplace_back(files_.slots->root().seq, base);
  covered_lsn_ = files_.slots->root().log.lsn;
}

Result<CheckpointReport> Checkpointer::Run() {
  std::lock_guard lock(run_mutex_);
  const uint64_t start = MonotonicNanos(), before = bytes_written_;
  RETURN_IF_ERROR(RunGivenUp());
  RETURN_IF_ERROR(RunLocked(false));
  return CheckpointReport{bytes_written_ - before, MonotonicNanos() - start};
}
Status Checkpointer::RunClosing() {
  Stop();
  std::lock_guard lock(run_mutex_);
  RETURN_IF_ERROR(RunGivenUp());
  return RunLocked(true);
}

// A checkpoint that gave up left its generation, and the next one writes that and no more. What was committed since is another one's: without
// it a closing would say that all is in the base, and remove the log.
Status Checkpointer::RunGivenUp() { return store_->generations.HasFrozen() ? RunLocked(false) : Status::Ok(); }

// Snapshots of ours that still read an older base need its pages as much as other processes' do.
Result<uint64_t> Checkpointer::OldestRootSeq() {
  ASSIGN_OR_RETURN(uint64_t oldest, readers_.oldest_root_seq());
  std::erase_if(bases_, [](const auto& b) { return b.second.expired(); });
  for (const auto& [seq, base] : bases_) oldest = std::min(oldest, seq);
  return oldest;
}

Status Checkpointer::AwaitVectors(bool closing) try {
  std::shared_ptr<const SchemaState> schema;
  {
    std::lock_guard lock(store_->sequencer.mutex());
    schema = store_->schemas.newest();
  }
  VectorImages::AwaitLoads(*schema, &store_->sequencer.mutex(), closing);
  return Status::Ok();
} catch (const Interruption& interruption) {   // of the statement that wanted the checkpoint
  return interruption.status();
}

Status Checkpointer::RunLocked(bool closing) {
  RETURN_IF_ERROR(store_->log->status());
  RETURN_IF_ERROR(dead_);
  store_->generations.Release();
  if (!closing && store_->log->next_lsn() == covered_lsn_ && !VectorsBehind()) return Status::Ok();
  RETURN_IF_ERROR(AwaitVectors(closing));
  ASSIGN_OR_RETURN(Frozen frozen, store_->generations.Freeze(store_->log.get(), [this] {
    schema_ = store_->schemas.newest();
    ids_ = store_->ids.Save();
    vectors_.Capture(*schema_, store_->sequencer.last());
    log_appended_ = store_->log_appended.load(std::memory_order_relaxed);
  }));
  // Never the seq of an attempt that was abandoned: what it wrote may be in the cache.
  const uint64_t seq = seq_ = std::max(files_.slots->root().seq, seq_) + 1;
  {
    std::lock_guard lock(store_->sequencer.mutex());
    newest_schema_ = store_->schemas.newest();
    schema_lsn_ = store_->log->next_lsn();
    schema_ts_ = store_->sequencer.last();
  }
  BaseRoots roots = roots_;
  std::vector<ExtentRef> catalog = catalog_extents_;
  Root root = files_.slots->root();
  Status status;
  try {
    const Result<uint64_t> oldest = OldestRootSeq();
    status = oldest.status();
    if (status.ok()) status = files_.extents->BeginWriting(seq, *oldest);
    if (status.ok()) status = Write(frozen, closing, &root, &roots, &catalog);
  } catch (const ReadFailure& failure) {
    status = failure.status();
  } catch (const Interruption& interruption) {   // of the statement that wanted it
    status = interruption.status();
  } catch (const std::bad_alloc&) {
    status = Status(Code::kResourceExhausted, "no memory for a checkpoint");
  }
  const Uninterrupted decided;
  if (!status.ok()) {
    files_.extents->Abandon();
    vectors_.Abandoned();
    store_->generations.GiveUp();
    return status;
  }
  root.seq = seq;
  bytes_written_ += 2 * kRootSlotBytes;
  status = files_.slots->Write(root);
  if (!status.ok()) {
    // Which root the disk has shows at the next opening; until then nothing may be overwritten.
    dead_ = Status(status.code(), status.message() + "; until it is opened again the database takes no more commits");
    store_->generations.GiveUp();
    std::lock_guard lock(store_->sequencer.mutex());
    store_->sequencer.Fail(dead_);
    return dead_;
  }
  files_.extents->Committed();
  vectors_.Committed();
  roots_ = roots;
  catalog_extents_ = std::move(catalog);
  built_.clear();
  for (const RangeBinding& binding : schema_->ranges) {
    if (!binding.definition->online && !IsDropped(binding.definition->id)) built_.insert(binding.definition->id);
  }
  covered_lsn_ = frozen.next_lsn;
  covered_bytes_ = log_appended_;
  std::shared_ptr<const Base> base = OpenBase({files_.extents, files_.cache, &store_->label_sets}, roots);
  bases_.emplace_back(seq, base);
  store_->generations.Publish(std::move(base));
  {                                            // else this checkpoint itself would hold the generation until the next one
    std::lock_guard lock(store_->sequencer.mutex());
    frozen.layers.reset();
  }
  store_->generations.Release();
  GiveBack(store_->budget->limit());
  count_.fetch_add(1, std::memory_order_relaxed);
  if (closing) return Status::Ok();
  ASSIGN_OR_RETURN(const bool unread, readers_.log_unread());
  return unread ? store_->log->RemoveBelow(root.log) : Status::Ok();
}

std::vector<std::byte> Checkpointer::CatalogRecord(Timestamp ts) const {
  const LoggedTokens none;
  RecordWriter record(store_->tokens, none);
  // A vector index whose first vector fixed its dimensions keeps them, also while it is filled after opening.
  SchemaVersion version = *schema_->version;
  for (IndexDefinition& definition : version.indexes) {
    if (const VectorBinding* binding = schema_->FindVector(definition.id)) definition.vector.dimensions = binding->index->dimensions();
  }
  // The log behind says once more that these went.
  std::erase_if(version.indexes, [&](const IndexDefinition& d) { return newest_schema_->version->FindIndex(d.id) == nullptr; });
  std::erase_if(version.constraints, [&](const ConstraintDefinition& c) {
    const auto& left = newest_schema_->version->constraints;
    return std::none_of(left.begin(), left.end(), [&](const ConstraintDefinition& other) { return other.id == c.id; });
  });
  record.Schema(version);
  record.Ids(ids_);
  record.UseAllNames();
  return record.Finish(ts);
}

// The log's completions, which move what is visible, may run a moment after the record is durable.
void Checkpointer::AwaitVisible(Timestamp ts) const {
  while (store_->sequencer.visible() < ts && store_->log->status().ok()) std::this_thread::yield();
}

Status Checkpointer::Write(const Frozen& frozen, bool closing, Root* root, BaseRoots* roots, std::vector<ExtentRef>* catalog) {
  const Delta& delta = *frozen.layers->frozen;
  const Base& base = *frozen.layers->base;
  BaseWriter writer({files_.extents, files_.cache, &store_->label_sets}, files_.extents, roots_);
  std::vector<NodeChunkEdit> adjacency;
  RETURN_IF_ERROR(MergeRelationships(delta, base, &writer, &adjacency));
  RETURN_IF_ERROR(MergeNodes(delta, base, &adjacency, &writer));
  ASSIGN_OR_RETURN(*roots, writer.Finish(frozen.timestamp));
  roots->trees = roots_.trees;
  RETURN_IF_ERROR(WriteTrees(frozen, roots));
  roots->vectors = roots_.vectors;
  RETURN_IF_ERROR(vectors_.Write(files_.extents, *newest_schema_, closing, &roots->vectors));
  root->vector_images = !roots->vectors.empty();

  for (const ExtentRef& old : *catalog) files_.extents->Free(old);
  ASSIGN_OR_RETURN(root->catalog, WriteCatalog(files_.extents, {CatalogRecord(frozen.timestamp), *roots}));

  // What the base holds must not be more than what is durable.
  // And whoever reads the new base must see that an index is gone whose tree it doesn't have.
  const bool same_schema = newest_schema_ == schema_;
  const Lsn known = same_schema ? frozen.next_lsn : std::max(frozen.next_lsn, schema_lsn_);
  if (known > 1) RETURN_IF_ERROR(store_->log->WaitDurable(known - 1));
  AwaitVisible(same_schema ? frozen.timestamp : std::max(frozen.timestamp, schema_ts_));
  RETURN_IF_ERROR(store_->log->status());
  root->log = store_->log->FloorFor(frozen.next_lsn);
  ASSIGN_OR_RETURN(root->free_map, files_.extents->FinishWriting());
  root->file_pages = files_.extents->file_pages();
  root->checkpoint_ts = frozen.timestamp;
  root->next_timestamp = frozen.timestamp + 1;
  root->next_node_id = ids_.node_chunks * kChunkElements;
  root->next_rel_id = ids_.relationship_chunks * kChunkElements;
  root->clean_end_lsn = 0;
  if (closing) {
    CHECK(frozen.next_lsn == store_->log->next_lsn());   // the log goes
    RETURN_IF_ERROR(store_->log->Close());
    root->closed = true;
    root->clean_end_lsn = frozen.next_lsn - 1;
  }
  // Read back before the root counts: the links of the chain, to be freed by the next checkpoint.
  return ReadCatalog(*files_.extents, root->catalog, catalog).status();
}

Status Checkpointer::WriteTrees(const Frozen& frozen, BaseRoots* roots) {
  const SchemaState& schema = *schema_;
  for (auto it = roots->trees.begin(); it != roots->trees.end();) {
    const IndexId id(it->first);
    if (schema.FindRange(id) != nullptr && !IsDropped(id)) {
      ++it;
      continue;
    }
    RETURN_IF_ERROR(IndexTree::FreeAll(files_.extents, files_.cache, id, it->second));
    it = roots->trees.erase(it);
  }
  for (const RangeBinding& binding : schema.ranges) {
    const IndexId id = binding.definition->id;
    if (IsDropped(id)) continue;
    if (!binding.definition->online && !built_.contains(id)) {
      // One that another process left unfinished is built anew: nobody knows what it found.
      if (const auto left = roots->trees.find(id.value); left != roots->trees.end()) {
        RETURN_IF_ERROR(IndexTree::FreeAll(files_.extents, files_.cache, id, left->second));
      }
      RETURN_IF_ERROR(BuildTree(frozen, binding, &roots->trees[id.value]));
      continue;
    }
    const std::vector<TreeChange> changes = NetChanges(*frozen.layers->frozen, id);
    if (changes.empty()) continue;
    TreeRoot& root = roots->trees[id.value];
    ASSIGN_OR_RETURN(root, IndexTree::Update(files_.extents, files_.cache, id, root, changes));
  }
  return Status::Ok();
}

// The tree of an index that was made over data: from a scan of the frozen state, so what the generation's list says of it is in.
Status Checkpointer::BuildTree(const Frozen& frozen, const RangeBinding& binding, TreeRoot* root) {
  const WriteSet none;
  const Overlay seen(*frozen.layers, frozen.timestamp, &none);
  IndexBuild build(seen, *binding.definition, store_->budget, store_->budget->limit() / 8);
  ASSIGN_OR_RETURN(*root, IndexTree::Build(files_.extents, binding.definition->id, [&] { return build.Next(); }));
  std::lock_guard lock(mutex_);
  if (build.too_long()) too_long_[binding.definition->id] = *build.too_long();
  if (binding.unique != nullptr && build.duplicate()) duplicates_[binding.definition->id] = *build.duplicate();
  return Status::Ok();
}

std::optional<IndexBuild::TooLong> Checkpointer::TooLongIn(IndexId index) const {
  std::lock_guard lock(mutex_);
  const auto it = too_long_.find(index);
  return it == too_long_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<IndexBuild::Duplicate> Checkpointer::DuplicateOf(IndexId index) const {
  std::lock_guard lock(mutex_);
  const auto it = duplicates_.find(index);
  return it == duplicates_.end() ? std::nullopt : std::optional(it->second);
}

// While commits come, a write of much data before a sync would hold up theirs: 25 MB a second leaves the disk to them.
void Checkpointer::Pace(size_t bytes) {
  bytes_written_ += bytes;
  unpaced_bytes_ += bytes;
  // Under a guard nothing that any thread evicts is freed: a wait there would let the cache outgrow the budget.
  if (unpaced_bytes_ == 0 || epoch::Guarded()) return;
  const uint64_t owed = std::exchange(unpaced_bytes_, 0);
  if (!options_.background) return;
  {
    std::lock_guard lock(mutex_);
    if (closing_) return;
  }
  static thread_local Lsn seen = 0;
  const Lsn now = store_->log->next_lsn();
  if (now != std::exchange(seen, now)) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(owed * 1'000'000'000ull / kCheckpointPacedBytesPerSecond));
  }
}

bool Checkpointer::Due() const {
  const uint64_t logged = store_->log_appended.load(std::memory_order_relaxed) - covered_bytes_.load(std::memory_order_relaxed);
  if (logged >= options_.log_bytes) return true;
  // A snapshot that holds an old generation keeps the memory up; checkpoints must not follow each other for that.
  const uint64_t delta_max = options_.delta_bytes != 0 ? options_.delta_bytes : store_->budget->limit() / 4;
  return logged >= kCheckpointLogBytesMin && store_->budget->used(MemoryUse::kDelta) >= delta_max;
}

void Checkpointer::MadeProgress() {
  if (!Due()) return;
  if (!options_.background) {
    const Status status = Run().status();
    std::lock_guard lock(mutex_);
    last_status_ = status;
    return;
  }
  Want();
}

bool Checkpointer::VectorsBehind() const {
  std::lock_guard lock(store_->sequencer.mutex());
  return VectorImages::Behind(*store_->schemas.newest());
}

void Checkpointer::MadeVectors() {
  if (options_.background && VectorsBehind()) Want();
}

void Checkpointer::Want() {
  std::lock_guard lock(mutex_);
  if (stop_ || wanted_) return;
  wanted_ = true;
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  changed_.notify_one();
}

void Checkpointer::Loop() {
  // Commits and queries go first: the checkpoint has all the time that the log's room gives it.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return wanted_ || stop_; });
    if (stop_) return;
    running_ = true;
    wanted_ = false;
    lock.unlock();
    const Status status = Run().status();
    lock.lock();
    running_ = false;
    last_status_ = status;
    ended_.notify_all();
    // After a failure (a full disk) wait a while: the next commits would only ask again at once.
    if (!status.ok()) changed_.wait_for(lock, std::chrono::seconds(1), [&] { return stop_; });
  }
}

void Checkpointer::MakeRoom(const TransactionImpl* committing) {
  const MemoryBudget& budget = *store_->budget;
  const auto room = [&] { return budget.used(MemoryUse::kDelta) < budget.limit() / 2; };
  if (!options_.background || room()) return;
  MadeProgress();
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kMakeRoomWaitMillis);
  {
    std::unique_lock lock(mutex_);
    const auto pause = std::chrono::milliseconds(kInterruptWaitMillis);
    while (!ended_.wait_for(lock, pause, [&] { return !(running_ || wanted_) || room(); }) && std::chrono::steady_clock::now() < until) {
      LookForInterrupt();
    }
  }
  // What is left is pinned by snapshots. While there is some room yet, young ones are left alone and the commit goes on; then it waits
  // until they are old, or end by themselves. Afterwards the budget refuses by name.
  const uint64_t age_min_ns = options_.snapshot_age_millis * 1'000'000;
  for (;;) {
    store_->generations.Release();
    if (room()) return;
    const OldSnapshots found = EndOldest(store_, age_min_ns, committing);
    if (found == OldSnapshots::kEnded) continue;
    const bool narrow = budget.used(MemoryUse::kDelta) >= budget.limit() / 4 * 3;
    if (found == OldSnapshots::kNone || !narrow || std::chrono::steady_clock::now() >= until) return;
    LookForInterrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Checkpointer::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    closing_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

Status Checkpointer::last_status() const {
  std::lock_guard lock(mutex_);
  return last_status_;
}

}  // namespace fornix::storage
