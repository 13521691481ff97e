// VectorIndex: nearest neighbours among the versions of one vector property, inside transactions.
//
// Each version of each element's vector has a slot {element, begin, end} and a row in an Hnsw (vector/hnsw). A commit
// stores its rows before its log append with begin = never, so nothing can see them, and stamps them after; a changed or
// deleted vector gets an end. A search asks the graph and the rows not yet linked, and counts only slots with begin <= S <
// end whose element its own transaction didn't touch; own vectors are compared apart (index/own_keys.h).
// Linking is done later, by the linker thread or by committers (index/vector_linker.h); it changes speed, never answers'
// completeness: what isn't linked is scanned.
// Slots are not reused: an ended version stays until the database is opened again.
// After opening, the vectors of the base are not here yet: until vector_fill.h has brought them, a snapshot below usable_from()
// is answered by an exact scan of the elements, which is complete.
// An index that the data file has an image of begins in the state `loading` (vector_index_load.cc): its rows are read in the background
// (index/vector_load.h), and what commits bring meanwhile waits in a list.
// Threads: Fix, Store, ReserveEnd, Stamp, End under the sequencer's mutex; all else from any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/memory_budget.h"
#include "storage/graph/directory.h"
#include "storage/graph/graph_view.h"
#include "vector/hnsw/hnsw.h"

namespace fornix::storage {

class VectorImage;

vector::Metric VectorMetric(Metric metric);

class VectorIndex {
 public:
  explicit VectorIndex(const VectorIndexOptions& options);
  ~VectorIndex();
  // Whom the memory of rows and links is charged to, those that are there included. Under the sequencer's mutex.
  void SetBudget(MemoryBudget* budget);

  // 0 until the first vector fixes it, if the definition doesn't say.
  uint32_t dimensions() const { return dimensions_.load(std::memory_order_acquire); }
  // ArgumentError unless the vector fits; `dimensions` 0: any number of them.
  Status Validate(std::span<const float> v, uint32_t dimensions) const;

  // Adds a row that nobody sees yet. REQUIRES: Validate. May allocate.
  uint32_t Store(uint64_t id, std::span<const float> v);
  // Before an End, where allocating is allowed.
  void ReserveEnd();
  // The row is the element's vector from `ts` on. Never allocates.
  void Stamp(uint32_t slot, Timestamp ts);
  // The element has no vector from `ts` on; nothing if it had none. Never allocates.
  void End(uint64_t id, Timestamp ts);

  // The k nearest at `snapshot` that `accept` lets through, sorted by (distance, element); ef 0 = the default.
  struct Hit {
    uint64_t id;
    float distance;
  };
  Status Search(std::span<const float> query, size_t k, size_t ef, Timestamp snapshot,
                const std::function<bool(uint64_t id)>& accept, const CancelCheck& cancel, std::vector<Hit>* out,
                VectorSearchStats* stats) const;

  // Snapshots from here on find everything in the index. kNever: it is being filled.
  Timestamp usable_from() const { return usable_from_.load(std::memory_order_acquire); }
  void SetUsableFrom(Timestamp ts) { usable_from_.store(ts, std::memory_order_release); }
  // Under the sequencer's mutex: whether a vector of the element's newest state is stored.
  bool HasLive(uint64_t id) const;

  // Links one row; false if all are.
  bool LinkOne(vector::SearchScratch* scratch);
  uint64_t unlinked() const;
  const VectorIndexOptions& options() const { return options_; }

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

  // --- For the image in the data file ---
  // Rows stored; those below, by the sequencer's mutex, have their element.
  uint32_t size() const { return graph() == nullptr ? 0 : graph()->size(); }
  vector::Hnsw* graph_for_image() const { return graph(); }
  struct Row {
    uint64_t id;
    Timestamp begin, end;
  };
  Row RowAt(uint32_t slot) const;
  // A checkpoint is writing the state of commit `ts`: slots that end later aren't retired. kNever: none is. Under the sequencer's mutex, or
  // where it doesn't matter when.
  void KeepEndedAfter(Timestamp ts) { ended_kept_after_.store(ts, std::memory_order_release); }
  Timestamp ended_kept_after() const { return ended_kept_after_.load(std::memory_order_acquire); }
  // Held while one index is copied, and while one Repair runs.
  std::mutex& image_mutex() { return image_mutex_; }
  // Counted up when a Repair begins: links must be copied again.
  uint64_t repairs() const { return repairs_.load(std::memory_order_acquire); }
  // What the data file has; the checkpoint's. Null: nothing.
  VectorImage* image() const { return image_.get(); }
  void SetImage(std::unique_ptr<VectorImage> image);

 private:
  struct Slot {
    uint64_t id = 0;
    std::atomic<Timestamp> begin{kNever}, end{kNever};
  };
  struct SlotChunk {
    std::array<Slot, kChunkElements> slots;
  };
  Slot& At(uint32_t slot) const { return slots_.Find(slot / kChunkElements)->slots[slot % kChunkElements]; }
  vector::Hnsw* graph() const { return graph_.load(std::memory_order_acquire); }
  enum class LoadState : uint8_t { kNone, kLoading, kGivenUp };
  // What came while loading: a vector, or its end where there is none.
  struct Pending {
    uint64_t id = 0;
    Timestamp ts = kNever;
    std::vector<float> v;
  };
  uint32_t StoreRow(uint64_t id, std::span<const float> v);
  void StampRow(uint32_t slot, Timestamp ts);
  void EndRow(uint64_t id, Timestamp ts);
  uint32_t StorePending(uint64_t id, std::span<const float> v);
  void StampPending(uint32_t at, Timestamp ts);
  void EndPending(uint64_t id, Timestamp ts);
  void ApplyPending(std::span<const Pending> list);
  void EndLoading(LoadState state, const Status& status);
  void Fix(uint32_t dimensions);
  void Charge(uint64_t rows);

  const VectorIndexOptions options_;
  std::atomic<uint32_t> dimensions_;
  std::unique_ptr<vector::Hnsw> owned_graph_;
  std::atomic<vector::Hnsw*> graph_{nullptr};  // made with the first vector
  ChunkDirectory<SlotChunk> slots_;
  std::atomic<Timestamp> usable_from_{0};
  MemoryBudget* budget_ = nullptr;             // may be null
  uint64_t charged_ = 0;
  std::unordered_map<uint64_t, uint32_t> live_slot_;   // of each element; kNoSlot: none now

  std::atomic<uint64_t> encoded_here_{0}, linked_here_{0};
  std::mutex image_mutex_;
  std::atomic<uint64_t> repairs_{0};
  std::atomic<Timestamp> ended_kept_after_{kNever};
  std::unique_ptr<VectorImage> image_;
  std::atomic<LoadState> load_state_{LoadState::kNone};
  std::vector<Pending> pending_;                       // [0, pending_end_) is used: End must not allocate
  size_t pending_end_ = 0, pending_reserved_ = 0;
  bool any_pending_ = false;
  mutable std::mutex load_mutex_;                      // of load_status_, and to wait
  mutable std::condition_variable loaded_;
  Status load_status_;
};

}  // namespace fornix::storage
