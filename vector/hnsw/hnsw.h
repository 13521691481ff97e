// Hnsw: approximate nearest neighbours over slots, by a hierarchical navigable small world graph.
//   Yu. Malkov, D. Yashunin: Efficient and robust approximate nearest neighbor search using Hierarchical
//   Navigable Small World graphs. IEEE TPAMI 42(4), 2020 (arXiv 1603.09320, 2018); "algorithm N" below is
//   theirs.
//
// A slot is one version of one vector. Slots are dense, in append order; which of them a search may return is
// the caller's business (`visible`, `filter`). A vector is first stored, which makes it findable by a scan, and linked
// into the graph later by whoever calls LinkNext: a background thread, or a writer.
//
//   slot:      0 ........................ linked_watermark ............. size
//   found by:  the graph                  scan (the flat tail)
//
// Search covers both, so a stored vector is found at once. The graph is never versioned, locked or rebuilt.
//
// A search finds its way by codes (HnswOptions::quantization), then ranks what it found: by finer codes if the
// quantization has them, then by the originals if the request can read them. Both stop where the errors that the codes
// state say that nothing can change any more. Links are chosen by the finest codes there are.
//
// Promises, each with a test:
//  1. min(k, number of slots that count) hits, sorted by (distance, slot), each slot once. Slots that don't count are
//     walked through but take no place in the beam; when those that do are so few that the walk would cost
//     more than looking at all, or the walk ends with too few, the search scans instead.
//  2. With one linker at a time the graph, and so every answer, depends on vectors, options and machine type
//     only.
//  3. Equal vectors are one place of the graph: the first to be linked stands in the lists, the others hang
//     on it in a chain. A placeholder that was embedded 50,000 times neither fills its neighbours' lists nor
//     slows a search.
//  4. A slot's own lists are published before any list points to it, for all its layers.
//  5. After Repair no list holds a slot that was retired before it, and every other linked slot is reachable.
//
// Threads: Store by several (it has a mutex); LinkNext by several at once; Retire by any; Repair and Reuse by one at a
// time; Search, FlatScan and the getters by any number, at any time, without waiting for anybody. The rows a linker
// owns (link_table.h) are taken one at a time, under entry_mutex_ or none; repair_mutex_ comes before all others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "fornix/status.h"
#include "vector/function_ref.h"
#include "vector/hnsw/chunked_rows.h"
#include "vector/hnsw/link_table.h"
#include "vector/hnsw/search_request.h"
#include "vector/hnsw/search_scratch.h"
#include "vector/hnsw/vector_store.h"
#include "vector/metric.h"
#include "vector/quantization.h"

namespace fornix::vector {

struct HnswOptions {
  uint32_t dimensions = 0;
  Metric metric = Metric::kCosine;
  uint32_t m = 16;                 // links a new slot gets on a layer; lists hold up to m, on the base layer 2m
  uint32_t ef_construction = 100;  // beam width while linking
  uint32_t ef_search = 80;         // beam width of a search that doesn't say; see tests/unit/vector for the recall
  uint64_t seed = 0x5bd1e9955bd1e995;        // of levels and rotation
  const DistanceKernels* kernels = nullptr;  // null = the best of this machine
  const CodeKernels* code_kernels = nullptr;
  Quantization quantization = Quantization::kNone;
  std::vector<float> centre;  // of the codes (MeanOf in quantize/projection.h), or empty; kNone has none
};

// What a walk over the whole base layer finds; for the integrity check.
struct GraphReport {
  uint32_t slots = 0;
  uint32_t linked = 0;   // the watermark
  uint32_t retired = 0;  // below the watermark; not counted as unreachable
  // Slots below the watermark, not retired, that are found from the entry point over base layer lists and chains.
  uint32_t reachable = 0;
  uint32_t level_max = 0;
  uint64_t links = 0;                 // base layer
  uint32_t degree_max = 0;            // base layer
  uint32_t bad_links = 0;             // to itself, twice to the same slot, or to a slot that doesn't exist; any layer
  uint32_t links_to_free = 0;         // to slots that Repair has freed; any layer
  std::vector<uint32_t> unreachable;  // the first few
};

struct RepairReport {
  uint32_t freed = 0;     // slots that no list holds any more, see Reuse
  uint32_t mended = 0;    // lists that were chosen anew
  uint32_t relinked = 0;  // slots that had become unreachable and were linked again
};

class Hnsw {
 public:
  static Result<std::unique_ptr<Hnsw>> Create(const HnswOptions& options);
  ~Hnsw();
  Hnsw(const Hnsw&) = delete;
  Hnsw& operator=(const Hnsw&) = delete;

  // Stores the vector of `slot`, which must be size(). ArgumentError if ValidateVector refuses it.
  Status Store(uint32_t slot, std::span<const float> v);
  // Links one stored slot, the lowest that no one has taken; false if there is none.
  bool LinkNext(SearchScratch* scratch);
  // Store, and LinkNext until none is left: for one writer without a background thread.
  Status Add(uint32_t slot, std::span<const float> v, SearchScratch* scratch);

  // Over all stored slots; see promise 1. The hits live in `scratch` until it is used again.
  Result<std::span<const Hit>> Search(const SearchRequest& request, SearchScratch* scratch,
                                      SearchStats* stats = nullptr) const;
  // By a scan of the slots [first, last) that are stored; of whole vectors it is exact. `ef` is the number of
  // candidates that are ranked.
  Result<std::span<const Hit>> FlatScan(const SearchRequest& request, uint32_t first, uint32_t last,
                                        SearchScratch* scratch, SearchStats* stats = nullptr) const;

  // hnsw_repair.cc. The slot will never be visible again. It stays in the graph as a way to others until Repair; no
  // new list gets it. Never allocates.
  void Retire(uint32_t slot);
  // Takes retired slots out of the graph and mends the lists that held them, in slices between which linkers go on; a
  // status of `interrupt` ends it with what is done, which a later call goes on from.
  Result<RepairReport> Repair(SearchScratch* scratch, FunctionRef<Status()> interrupt = {});
  // Whether Repair has freed the slot.
  bool Free(uint32_t slot) const;
  // A freed slot gets another vector and is linked. REQUIRES: Free(slot); no search runs that began before the Repair
  // which freed it returned; the slot isn't visible before this returns.
  Status Reuse(uint32_t slot, std::span<const float> v, SearchScratch* scratch);

  const HnswOptions& options() const { return options_; }
  uint32_t size() const { return codes_.size(); }
  // All slots below are linked.
  uint32_t linked_watermark() const { return linked_watermark_.load(std::memory_order_acquire); }
  size_t memory_bytes() const;
  // Of it, what searches touch all over: all but the finer codes.
  size_t hot_bytes() const;
  // Not in step with concurrent linkers: what it counts is exact when none is at work.
  GraphReport CheckGraph() const;

  // hnsw_image.cc: the index as rows of bytes, so that it can be kept in pages and loaded without building.
  enum class Array : uint8_t { kCodes, kFineCodes, kBaseLinks, kUpperLinks, kSlots };
  // What stands beside the rows.
  struct ImageHead {
    uint32_t slots = 0;
    uint32_t linked = 0;
    uint32_t upper_rows = 0;
    uint32_t entry_slot = ~uint32_t{0};  // none
    uint32_t entry_level = 0;
  };
  size_t row_bytes(Array array) const;  // 0: the index has no such array
  // Saving while others link: head = BeginImage(); copy the rows that changed of kBaseLinks, kUpperLinks and kSlots;
  // EndImage(&head); copy codes up to head.slots, and kSlots and links of the slots that came in between. Slots from
  // head.linked on will be linked again. Repair and Reuse must not run meanwhile.
  ImageHead BeginImage() const;
  void EndImage(ImageHead* head) const;
  void CopyRows(Array array, size_t first, size_t count, uint8_t* out) const;
  // Rows [group * kDirtyRows, + kDirtyRows) of kBaseLinks or kUpperLinks have changed since the last call.
  bool TakeDirty(Array array, size_t group) { return array == Array::kBaseLinks ? base_.TakeDirty(group) : upper_.TakeDirty(group); }
  // Into a new index with the same options: BeginLoad(head); all rows of each array in order; FinishLoad(). Corruption
  // that says what and where if a row is none, a link goes nowhere, or a chain is a ring; the index is of no use then.
  Status BeginLoad(const ImageHead& head);
  Status LoadRows(Array array, size_t first, std::span<const uint8_t> bytes);
  Status FinishLoad();

 private:
  enum SlotState : uint32_t { kLive = 0, kRetired = 1, kSwept = 2, kFreed = 3 };
  struct SlotMeta {
    uint32_t upper_row;   // its list of layer 1 in upper_, the next layers follow; set by Store
    uint32_t in_degree;   // base lists that hold it; atomic; inexact while linkers race
    uint32_t linked;      // bit 0, under link_mutex_; SlotState above, atomic
    uint32_t next_equal;  // 1 + the next slot of a chain of equals, 0 = the last; atomic
    uint32_t last_equal;  // 1 + the last slot of the chain begun here; the base row's owner's
  };
  struct Entry {
    uint32_t slot;
    uint32_t level;
  };
  class LinkClaim;

  explicit Hnsw(const HnswOptions& options);

  uint32_t LevelOf(uint32_t slot) const;
  bool LoadEntry(Entry* entry) const;
  void StoreEntry(Entry entry);

  // The finest codes: links are chosen by them.
  const VectorStore& fine() const { return fine_ != nullptr ? *fine_ : codes_; }
  LinkTable& TableOf(uint32_t layer) { return layer == 0 ? base_ : upper_; }
  const LinkTable& TableOf(uint32_t layer) const { return layer == 0 ? base_ : upper_; }
  size_t RowOf(uint32_t slot, uint32_t layer) const {
    return layer == 0 ? slot : size_t{meta_.Row(slot)->upper_row} + layer - 1;
  }
  std::atomic_ref<uint32_t> NextEqual(uint32_t slot) const {
    return std::atomic_ref(meta_.Row(slot)->next_equal);
  }
  std::atomic_ref<uint32_t> InDegree(uint32_t slot) const {
    return std::atomic_ref(meta_.Row(slot)->in_degree);
  }
  std::atomic_ref<uint32_t> Flags(uint32_t slot) const { return std::atomic_ref(meta_.Row(slot)->linked); }
  uint32_t StateOf(uint32_t slot) const { return Flags(slot).load(std::memory_order_acquire) >> 1; }
  void SetState(uint32_t slot, uint32_t from, uint32_t to);

  // hnsw_link.cc
  void LinkSlot(uint32_t slot, SearchScratch* scratch, bool again = false);
  void LinkLayer(const PreparedQuery& query, uint32_t layer, uint32_t slot, SearchScratch* scratch,
                 SearchStats* stats) const;
  void SelectNeighbours(std::span<const Hit> sorted, size_t count_max, size_t fill,
                        SearchScratch* scratch) const;
  size_t FillOf(uint32_t layer) const { return layer == 0 ? options_.m / 2 : 0; }
  bool JoinEqual(const PreparedQuery& query, uint32_t slot, SearchScratch* scratch);
  void AddBackLink(uint32_t layer, uint32_t owner, Hit added, bool keep, SearchScratch* scratch);
  void KeepLastLinks(std::span<const Hit> sorted, uint32_t added, bool keep, size_t count_max,
                     std::vector<Hit>* chosen) const;
  void PublishList(uint32_t layer, uint32_t slot, std::span<const Hit> list, SearchScratch* scratch);
  void ReplaceList(LinkTable::Owner* row, uint32_t layer, std::span<const uint32_t> old, SearchScratch* scratch);

  // hnsw_search.cc
  struct Beam;
  void Descend(const VectorStore& store, const PreparedQuery& query, uint32_t from, uint32_t to, Hit* nearest,
               SearchScratch* scratch, SearchStats* stats) const;
  Status SearchLayer(const VectorStore& store, const PreparedQuery& query, uint32_t layer, const Beam& beam,
                     SearchScratch* scratch, SearchStats* stats, bool* gave_up) const;
  void SearchBeam(const PreparedQuery& query, uint32_t layer, size_t width, SearchScratch* scratch,
                  SearchStats* stats) const;
  Status WalkGraph(const SearchRequest& request, Entry entry, uint32_t linked, size_t width, SearchScratch* scratch,
                   SearchStats* stats, bool* gave_up) const;
  Status Scan(const SearchRequest& request, uint32_t first, uint32_t last, SearchScratch* scratch, SearchStats* stats) const;
  Status ScanSlots(const SearchRequest& request, std::span<const uint32_t> slots, uint32_t last, SearchScratch* scratch,
                   SearchStats* stats) const;
  void AddToPool(std::span<const uint32_t> slots, SearchScratch* scratch, SearchStats* stats) const;
  bool ExpandLinks(const VectorStore& store, const PreparedQuery& query, uint32_t slot, uint32_t layer,
                   SearchScratch* scratch, SearchStats* stats) const;
  void AddEquals(Hit first, const Beam& beam, SearchScratch* scratch) const;

  // hnsw_filter.cc
  SearchStrategy ChooseStrategy(const SearchRequest& request, uint32_t linked, size_t width, SearchScratch* scratch,
                                SearchStats* stats) const;
  bool ExpandTwoHops(const PreparedQuery& query, uint32_t slot, const Beam& beam, SearchScratch* scratch,
                     SearchStats* stats) const;

  // hnsw_rank.cc
  Status Rank(const SearchRequest& request, SearchScratch* scratch, SearchStats* stats) const;
  void RankByFineCodes(const SearchRequest& request, SearchScratch* scratch, SearchStats* stats) const;
  Status RankByOriginals(const SearchRequest& request, SearchScratch* scratch, SearchStats* stats) const;
  void PrepareQueries(const SearchRequest& request, SearchScratch* scratch) const;
  size_t WidthOf(const SearchRequest& request) const;

  // hnsw_repair.cc
  template <typename Slice>
  Status InSlices(FunctionRef<Status()> interrupt, const Slice& slice);
  void SweepChain(uint32_t head, RepairReport* report);
  void ReleaseSlot(uint32_t slot);
  bool MendList(uint32_t layer, uint32_t owner, SearchScratch* scratch);
  void ReplaceEntry();
  void RelinkUnreachable(SearchScratch* scratch, RepairReport* report);
  std::vector<bool> WalkFrom(Entry entry) const;

  // hnsw_image.cc
  struct Loading {
    ImageHead head;
    size_t rows[5] = {};  // loaded, by array
  };
  Status LoadChains(const ImageHead& head, std::vector<bool>* in_chain);

  const HnswOptions options_;
  VectorStore codes_;
  const std::unique_ptr<VectorStore> fine_;           // may be null
  const std::unique_ptr<const Quantizer> originals_;  // compares whole vectors
  LinkTable base_;
  LinkTable upper_;
  ChunkedRows<SlotMeta> meta_;
  std::atomic<uint64_t> entry_;  // level and slot in one word

  std::shared_mutex repair_mutex_;  // linkers shared, a slice of repair alone

  std::mutex store_mutex_;
  uint32_t upper_rows_ = 0;  // under store_mutex_
  Projected projected_;      // under store_mutex_

  std::mutex entry_mutex_;  // held while a slot above the top level is linked

  mutable std::mutex link_mutex_;
  uint32_t next_to_link_ = 0;         // under link_mutex_
  std::vector<uint32_t> given_back_;  // under link_mutex_: taken, but linking ran out of memory
  std::atomic<uint32_t> linked_watermark_{0};

  std::unique_ptr<Loading> loading_;  // between BeginLoad and FinishLoad
};

}  // namespace fornix::vector
