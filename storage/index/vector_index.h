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
// Threads: Fix, Store, Stamp, End under the sequencer's mutex; all else from any.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>

#include "base/memory_budget.h"
#include "storage/graph/directory.h"
#include "storage/graph/graph_view.h"
#include "vector/hnsw/hnsw.h"

namespace fornix::storage {

vector::Metric VectorMetric(Metric metric);

class VectorIndex {
 public:
  explicit VectorIndex(const VectorIndexOptions& options) : options_(options), dimensions_(options.dimensions) {}

  ~VectorIndex();
  // Whom the memory of rows and links is charged to, those that are there included. Under the sequencer's mutex.
  void SetBudget(MemoryBudget* budget);

  // 0 until the first vector fixes it, if the definition doesn't say.
  uint32_t dimensions() const { return dimensions_.load(std::memory_order_acquire); }
  // ArgumentError unless the vector fits; `dimensions` 0: any number of them.
  Status Validate(std::span<const float> v, uint32_t dimensions) const;

  // Adds a row that nobody sees yet. REQUIRES: Validate. May allocate.
  uint32_t Store(uint64_t id, std::span<const float> v);
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
};

}  // namespace fornix::storage
