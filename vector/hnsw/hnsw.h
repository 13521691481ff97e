// Hnsw: approximate nearest neighbours over slots, by a hierarchical navigable small world graph.
//   Yu. Malkov, D. Yashunin: Efficient and robust approximate nearest neighbor search using Hierarchical
//   Navigable Small World graphs. IEEE TPAMI 42(4), 2020 (arXiv 1603.09320, 2018); "algorithm N" below is
//   theirs.
//
// A slot is one version of one vector. Slots are dense, in append order, written once and never removed;
// which of them a search may return is the caller's business (`visible`). A vector is first stored, which
// makes it findable by an exact scan, and linked into the graph later by whoever calls LinkNext: a background
// thread, or a writer.
//
//   slot:      0 ........................ linked_watermark ............. size
//   found by:  the graph                  exact scan (the flat tail)
//
// Search covers both, so a stored vector is found at once. The graph is never versioned, locked or rebuilt.
//
// Promises, each with a test:
//  1. min(k, number of visible slots) hits, sorted by (distance, slot), each slot once. Invisible slots are
//     walked through but take no place in the beam; when the visible ones are so few that the walk would cost
//     more than looking at all, or the walk ends with too few, the search scans instead and is exact.
//  2. With one linker at a time the graph, and so every answer, depends on vectors, options and machine type
//     only.
//  3. Equal vectors are one place of the graph: the first to be linked stands in the lists, the others hang
//     on it in a chain. A placeholder that was embedded 50,000 times neither fills its neighbours' lists nor
//     slows a search.
//  4. A slot's own lists are published before any list points to it, for all its layers.
//
// Threads: Store by several (it has a mutex); LinkNext by several at once; Search, FlatScan and the getters
// by any number, at any time, without waiting for anybody. No mutex here is taken while another is held; the
// rows a linker owns (link_table.h) are taken one at a time, under entry_mutex_ or none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "fornix/status.h"
#include "vector/function_ref.h"
#include "vector/hnsw/chunked_rows.h"
#include "vector/hnsw/link_table.h"
#include "vector/hnsw/search_scratch.h"
#include "vector/hnsw/vector_store.h"
#include "vector/metric.h"

namespace fornix::vector {

struct HnswOptions {
  uint32_t dimensions = 0;
  Metric metric = Metric::kCosine;
  uint32_t m = 16;                 // links a new slot gets on a layer; lists hold up to m, on the base layer 2m
  uint32_t ef_construction = 100;  // beam width while linking
  uint32_t ef_search = 80;         // beam width of a search that doesn't say; see tests/unit/vector for the recall
  uint64_t seed = 0x5bd1e9955bd1e995;
  const DistanceKernels* kernels = nullptr;  // null = the best of this machine
};

struct SearchStats {
  uint64_t distances = 0;  // computed, in the graph and by scans
  uint64_t hops = 0;       // lists read
  bool scanned = false;    // promise 1 was kept by an exact scan of the linked slots
};

struct SearchRequest {
  std::span<const float> query;
  uint32_t k = 10;
  uint32_t ef = 0;                      // 0 = the index's ef_search; at least k is used
  FunctionRef<bool(uint32_t)> visible;  // none = all
  FunctionRef<Status()> interrupt;      // asked every so often; a status that isn't ok ends the search with it
};

// What a walk over the whole base layer finds; for the integrity check.
struct GraphReport {
  uint32_t slots = 0;
  uint32_t linked = 0;  // the watermark
  // Slots below the watermark that are found from the entry point over base layer lists and chains.
  uint32_t reachable = 0;
  uint32_t level_max = 0;
  uint64_t links = 0;                 // base layer
  uint32_t degree_max = 0;            // base layer
  uint32_t bad_links = 0;             // to itself, twice to the same slot, or to a slot that doesn't exist; any layer
  std::vector<uint32_t> unreachable;  // the first few
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

  // Over all stored slots; see promise 1.
  Result<std::vector<Hit>> Search(const SearchRequest& request, SearchScratch* scratch,
                                  SearchStats* stats = nullptr) const;
  // Exact, over the slots [first, last) that are stored. `ef` is not used.
  Result<std::vector<Hit>> FlatScan(const SearchRequest& request, uint32_t first, uint32_t last,
                                    SearchScratch* scratch, SearchStats* stats = nullptr) const;

  const HnswOptions& options() const { return options_; }
  uint32_t size() const { return vectors_.size(); }
  // All slots below are linked.
  uint32_t linked_watermark() const { return linked_watermark_.load(std::memory_order_acquire); }
  size_t memory_bytes() const;
  // Not in step with concurrent linkers: what it counts is exact when none is at work.
  GraphReport CheckGraph() const;

 private:
  struct SlotMeta {
    uint32_t upper_row;   // its list of layer 1 in upper_, the next layers follow; set by Store
    uint32_t in_degree;   // base lists that hold it; atomic; inexact while linkers race
    uint32_t linked;      // under link_mutex_
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

  // hnsw_link.cc
  void LinkSlot(uint32_t slot, SearchScratch* scratch);
  void LinkLayer(const PreparedQuery& query, uint32_t layer, uint32_t slot, SearchScratch* scratch,
                 SearchStats* stats) const;
  void SelectNeighbours(std::span<const Hit> sorted, size_t count_max, size_t fill,
                        SearchScratch* scratch) const;
  size_t FillOf(uint32_t layer) const { return layer == 0 ? options_.m / 2 : 0; }
  bool JoinEqual(const PreparedQuery& query, uint32_t slot, SearchScratch* scratch);
  void AddBackLink(uint32_t layer, uint32_t owner, Hit added, SearchScratch* scratch);
  void KeepLastLinks(std::span<const Hit> sorted, uint32_t added, size_t count_max,
                     std::vector<Hit>* chosen) const;
  void PublishList(uint32_t layer, uint32_t slot, std::span<const Hit> list, SearchScratch* scratch);

  // hnsw_search.cc
  struct Beam;
  void Descend(const PreparedQuery& query, uint32_t from, uint32_t to, Hit* nearest, SearchScratch* scratch,
               SearchStats* stats) const;
  Status SearchLayer(const PreparedQuery& query, uint32_t layer, const Beam& beam, SearchScratch* scratch,
                     SearchStats* stats, bool* gave_up) const;
  void SearchBeam(const PreparedQuery& query, uint32_t layer, size_t width, SearchScratch* scratch,
                  SearchStats* stats) const;
  Status Scan(const PreparedQuery& query, const SearchRequest& request, uint32_t first, uint32_t last,
              SearchScratch* scratch, SearchStats* stats, std::vector<Hit>* heap) const;
  bool ExpandLinks(const PreparedQuery& query, uint32_t slot, uint32_t layer, SearchScratch* scratch,
                   SearchStats* stats) const;
  void AddEquals(Hit first, const Beam& beam, SearchScratch* scratch) const;

  const HnswOptions options_;
  VectorStore vectors_;
  LinkTable base_;
  LinkTable upper_;
  ChunkedRows<SlotMeta> meta_;
  std::atomic<uint64_t> entry_;  // level and slot in one word

  std::mutex store_mutex_;
  uint32_t upper_rows_ = 0;  // under store_mutex_

  std::mutex entry_mutex_;  // held while a slot above the top level is linked

  std::mutex link_mutex_;
  uint32_t next_to_link_ = 0;         // under link_mutex_
  std::vector<uint32_t> given_back_;  // under link_mutex_: taken, but linking ran out of memory
  std::atomic<uint32_t> linked_watermark_{0};
};

}  // namespace fornix::vector
