// VectorIndex: nearest neighbours among the versions of one vector property, inside transactions.
//
// Each version of each element's vector has a slot (index/vector_slots.h) and a row of codes in an Hnsw (vector/hnsw). A
// commit stores its rows before its log append, when nothing can see them, and stamps them after; a changed or deleted vector
// gets an end. A search asks the graph and the rows not yet linked, and counts only slots that its snapshot sees and whose
// element its own transaction didn't touch; own vectors are compared apart, exactly (index/own_vectors.h). Where codes are less
// than the vectors, the last candidates are compared by these, which are the elements' properties at the snapshot.
//
// Slots are dense, in the order of Store, and never given to another vector:
//   stored --Stamp--> visible --End--> ended --RetireEnded: no snapshot sees it any more--> retired --Repair--> freed
//      \--Abandon: its commit failed-------------------------------------------------------/
// Linking and repair are done later (vector_linker.h, vector_keeper.h); they change speed, never an answer's completeness: what
// isn't linked is scanned. An index that is mostly freed slots, or whose codes are to be others, is filled anew beside the
// old one, its `successor`, and the number of the index changes over to that object (vector_rebuild.h): who keeps something for
// an index keeps it by the object, not by the number.
// Where an opening has no image of it, the vectors of the base are not here yet: until they are, a snapshot below usable_from() is answered by an exact
// scan of the elements, which is complete.
// An index that the data file has an image of begins in the state `loading` (vector_index_load.cc): its rows are read in the background
// (index/vector_load.h), and what commits bring meanwhile waits in a list.
// Threads: Begin, Store, ReserveEnd, Stamp, End, RetireEnded, HasLive, SetBudget, and successors under the sequencer's mutex; all else
// from any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/memory_budget.h"
#include "storage/graph/graph_view.h"
#include "storage/index/vector_slots.h"
#include "vector/hnsw/hnsw.h"

namespace fornix::storage {

class VectorImage;

vector::Metric VectorMetric(Metric metric);

// A mutex whose holder can see that somebody waits for it.
class AskedMutex {
 public:
  void lock() {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    mutex_.lock();
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  void unlock() { mutex_.unlock(); }
  bool asked() const { return waiting_.load(std::memory_order_relaxed) != 0; }

 private:
  std::mutex mutex_;
  std::atomic<int> waiting_{0};
};

class VectorIndex {
 public:
  static constexpr uint32_t kNoSlot = VectorSlots::kNone;

  explicit VectorIndex(const VectorIndexOptions& options);
  ~VectorIndex();
  // Whom its memory is charged to, what is there included.
  void SetBudget(MemoryBudget* budget);

  // 0 until the first vector fixes it, if the definition doesn't say.
  uint32_t dimensions() const { return dimensions_.load(std::memory_order_acquire); }
  // ArgumentError unless the vector fits; `dimensions` 0: any number of them.
  Status Validate(std::span<const float> v, uint32_t dimensions) const;
  const VectorIndexOptions& options() const { return options_; }
  // Whether an index of that definition is this one, or one with other codes or links.
  bool Fits(const VectorIndexOptions& options) const;

  // Makes the graph, around the centre of the vectors to come (vector::MeanOf, or empty); else the first Store does, without one.
  // Nothing if it is there.
  void Begin(uint32_t dimensions, std::vector<float> centre = {});
  // Adds a row that nobody sees yet. REQUIRES: Validate. May allocate.
  uint32_t Store(uint64_t id, std::span<const float> v);
  // Before an End, where allocating is allowed.
  void ReserveEnd();
  // The row is the element's vector from `ts` on. Never allocates.
  void Stamp(uint32_t slot, Timestamp ts);
  // The element has no vector from `ts` on; nothing if it had none. Never throws.
  void End(uint64_t id, Timestamp ts);
  // A row that won't be stamped, stored when the index wasn't loading. Any thread.
  void Abandon(uint32_t slot);
  // Whether a vector of the element's newest state is stored.
  bool HasLive(uint64_t id) const { return slots_.LiveSlot(id) != kNoSlot; }
  // ResourceExhausted if the budget has no room for so many rows; else they are held until ReleaseRoom. Any thread, without the mutex.
  Status HoldRoom(uint64_t rows, uint32_t dimensions, uint64_t* held) const;
  void ReleaseRoom(uint64_t held) const;

  struct Hit {
    uint64_t id;
    float distance;
  };
  // Reads the vectors of the elements, which ascend, as the search's snapshot has them; see vector::ReadOriginals.
  using Originals = vector::FunctionRef<Status(std::span<const uint64_t> ids, vector::TakeOriginal take)>;
  struct Query {
    std::span<const float> vector;
    size_t k = 0;
    size_t ef = 0;                                        // 0 = the default
    Timestamp snapshot = 0;
    vector::FunctionRef<bool(uint64_t id)> hidden;        // elements that the index must not speak of; none: no
    vector::FunctionRef<bool(uint64_t id)> filter;        // none: all; asked once an element
    std::optional<std::span<const uint64_t>> ids;         // ascending; none: all
    Originals originals;                                  // none: distances are those of the codes
    vector::FunctionRef<Status()> interrupt;
  };
  // The k nearest that may be answers, sorted by (distance, element). Throws what the reader of originals throws.
  Status Search(const Query& query, std::vector<Hit>* out, VectorSearchStats* stats) const;

  // Snapshots from here on find everything in the index. kNever: it is being filled.
  Timestamp usable_from() const { return usable_from_.load(std::memory_order_acquire); }
  void SetUsableFrom(Timestamp ts) { usable_from_.store(ts, std::memory_order_release); }
  // Being filled: how many vectors there will be, about.
  void SetExpected(uint64_t vectors) { expected_.store(vectors, std::memory_order_relaxed); }
  // How much of it is stored and linked, from 0 to 100.
  double PercentLinked() const;
  // Why filling it was given up; ok if it wasn't. It is answered by scans then.
  Status failure() const;
  void SetFailure(Status status);

  // Links one row; false if all are, or no more shall be.
  bool LinkOne(vector::SearchScratch* scratch);
  // It was dropped, or another took its place: snapshots may search it still, but nobody works on it any more. Any thread.
  void StopWork() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  uint64_t unlinked() const;
  uint32_t size() const { return graph() == nullptr ? 0 : graph()->size(); }

  // Retires slots that ended at or before `floor`: no snapshot sees them. True if others have ended that one may still see.
  bool RetireEnded(Timestamp floor);
  bool HasEnded() const { return ended_count_.load(std::memory_order_relaxed) != 0; }
  // A tenth of the graph is retired slots.
  bool WantsRepair() const;
  // More than half of all slots are freed. After a rebuild that failed, not before it has grown to twice its size.
  bool WantsRebuild() const;
  void RebuildFailed() { rebuild_from_.store(2 * uint64_t{size()}, std::memory_order_relaxed); }
  // Takes the retired slots out of the graph. Ends early, to be called again, where `interrupt` says so or an image is to be copied.
  Status Repair(vector::SearchScratch* scratch, vector::FunctionRef<Status()> interrupt);
  // The index that is filled to take this one's place: commits bring their vectors to both.
  const std::shared_ptr<VectorIndex>& successor() const { return successor_; }
  void SetSuccessor(std::shared_ptr<VectorIndex> successor) { successor_ = std::move(successor); }

  // What this object did itself, and wasn't loaded: rows encoded, and linked.
  uint64_t encoded_here() const { return encoded_here_.load(std::memory_order_relaxed); }
  uint64_t linked_here() const { return linked_here_.load(std::memory_order_relaxed); }

  // --- Loading (vector_index_load.cc) ---
  // Opening, before the first commit: the rows will come from the data file.
  void BeginLoading();
  bool loading() const { return load_state_.load(std::memory_order_acquire) == LoadState::kLoading; }
  // Not loaded, for whatever reason: the index takes nothing, and what the file has of it is old.
  bool given_up() const { return load_state_.load(std::memory_order_acquire) == LoadState::kGivenUp; }
  // Under the sequencer's mutex: whether something has come since BeginLoading.
  bool any_pending() const { return any_pending_; }
  // The loader's, one after the other. Adopt: the rows as they were at commit `ts`; `live`: which of them count. `complete`: every vector of
  // then is among them; else snapshots scan until the index is filled.
  void Adopt(std::unique_ptr<vector::Hnsw> graph, std::span<const uint64_t> ids, const std::vector<bool>& live, Timestamp ts);
  void FinishLoading(std::mutex* sequencer, Timestamp ts, bool complete, std::unique_ptr<VectorImage> image);
  // Not loaded: searches fail with `status`, or scan where it is Ok (it was stopped). Takes the sequencer's mutex.
  void GiveUpLoading(std::mutex* sequencer, const Status& status);
  // Waits until the rows are in; the status of a loading that failed.
  Status AwaitLoaded(const CancelCheck& cancel) const;

  // --- For the image in the data file, and for checks ---
  vector::Hnsw* graph_for_image() const { return graph(); }
  struct Row {
    uint64_t id;
    Timestamp begin, end;
  };
  // Rows below size(), by the sequencer's mutex, have their element.
  Row RowAt(uint32_t slot) const { return {slots_.Id(slot), slots_.BeginOf(slot), slots_.EndOf(slot)}; }
  // A checkpoint is writing the state of commit `ts`: slots that end later aren't retired. kNever: none is. Under the sequencer's mutex, or
  // where it doesn't matter when.
  void KeepEndedAfter(Timestamp ts) { ended_kept_after_.store(ts, std::memory_order_release); }
  Timestamp ended_kept_after() const { return ended_kept_after_.load(std::memory_order_acquire); }
  // Held while one index is copied, and while one Repair runs, which ends where somebody asks for it.
  AskedMutex& image_mutex() { return image_mutex_; }
  // Counted up when a Repair begins: links must be copied again.
  uint64_t repairs() const { return repairs_.load(std::memory_order_acquire); }
  // What the durable image has, for whoever asks whether it is worth another one.
  void SetImaged(bool complete, uint32_t linked) {
    imaged_complete_.store(complete, std::memory_order_relaxed);
    imaged_linked_.store(linked, std::memory_order_relaxed);
  }
  // It lacks so much that an opening would have to work for it: vectors, or many links.
  bool ImageBehind() const;
  // What the data file has; the checkpoint's. Null: nothing.
  VectorImage* image() const { return image_.get(); }
  void SetImage(std::unique_ptr<VectorImage> image);

  vector::Hnsw* graph() const { return graph_.load(std::memory_order_acquire); }
  const VectorSlots& slots() const { return slots_; }
  size_t memory_bytes() const;

 private:
  enum class LoadState : uint8_t { kNone, kLoading, kGivenUp };
  // What came while loading: a vector, or its end where there is none.
  struct Pending {
    uint64_t id = 0;
    Timestamp ts = kNever;
    std::vector<float> v;
  };
  uint32_t StoreRow(uint64_t id, std::span<const float> v);
  void StampRow(uint32_t slot, Timestamp ts) { slots_.Begin(slot, ts); }
  void EndRow(uint64_t id, Timestamp ts);
  uint32_t StorePending(uint64_t id, std::span<const float> v);
  void StampPending(uint32_t at, Timestamp ts);
  void EndPending(uint64_t id, Timestamp ts);
  void ApplyPending(std::span<const Pending> list);
  void EndLoading(LoadState state, const Status& status);
  void RetireSlot(uint32_t slot);
  void Charge();
  void Recount();

  const VectorIndexOptions options_;
  std::atomic<uint32_t> dimensions_;
  std::unique_ptr<vector::Hnsw> owned_graph_;
  std::atomic<vector::Hnsw*> graph_{nullptr};  // made with the first vector
  VectorSlots slots_;
  std::atomic<Timestamp> usable_from_{0};
  std::atomic<uint64_t> expected_{0};
  mutable std::mutex failure_mutex_;
  Status failure_;                             // under failure_mutex_
  MemoryBudget* budget_ = nullptr;             // may be null
  uint64_t charged_ = 0;

  std::atomic<uint64_t> encoded_here_{0}, linked_here_{0};
  std::vector<uint32_t> ended_;                // slots in the order of their ends; those before ended_first_ are retired
  size_t ended_first_ = 0;
  std::atomic<uint64_t> ended_count_{0};
  std::atomic<uint64_t> retired_{0};           // since the last Repair
  std::atomic<uint64_t> freed_{0};
  std::atomic<uint64_t> rebuild_from_;         // slots
  std::atomic<bool> stopped_{false};
  std::shared_ptr<VectorIndex> successor_;     // may be null

  AskedMutex image_mutex_;                     // before the graph's own
  std::atomic<uint64_t> repairs_{0};
  std::atomic<Timestamp> ended_kept_after_{kNever};
  std::unique_ptr<VectorImage> image_;
  std::atomic<bool> imaged_complete_{false};
  std::atomic<uint32_t> imaged_linked_{0};
  std::atomic<LoadState> load_state_{LoadState::kNone};
  std::vector<Pending> pending_;                       // [0, pending_end_) is used: End must not allocate
  size_t pending_end_ = 0, pending_reserved_ = 0;
  bool any_pending_ = false;
  mutable std::mutex load_mutex_;                      // of load_status_, and to wait
  mutable std::condition_variable loaded_;
  Status load_status_;
};

}  // namespace fornix::storage
