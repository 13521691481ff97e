// VectorIndex::Search: a statement's question about elements becomes the graph's about slots.
//
//   snapshot, hidden   a slot counts if the snapshot sees it and its element isn't hidden
//   ids                each element's slot at the snapshot, as a list and as a bitmap
//   filter             asked about elements that count, once each: the answers are kept by slot
#include <algorithm>
#include <cmath>

#include "storage/index/vector_index.h"

namespace fornix::storage {
namespace {

// So many are asked the filter one by one before a search among them; of more, the search asks about those that it meets.
constexpr size_t kIdsFilteredFirst = 1024;
// Of a list of at most so many a scan by bits ranks a quarter by finer codes: where what passes lies far from the query, all of it is about
// as far, and a bit a dimension tells little of it apart. More of them are walked to.
constexpr size_t kRankedScanMax = 5120;
// Among equal distances the graph prefers the older slot, we want the smaller id; so a few more are asked for.
constexpr size_t kMore = 4;

// What was found out about slots, emptied by a new epoch. 2 bytes a slot.
class SlotMemo {
 public:
  void Begin(size_t slots) {
    if (tags_.size() < slots) tags_.resize(slots + slots / 4, 0);
    epoch_ = static_cast<uint16_t>(epoch_ + 2);
    if (epoch_ == 0) {
      std::fill(tags_.begin(), tags_.end(), uint16_t{0});
      epoch_ = 2;
    }
  }
  template <typename Ask>
  bool Get(uint32_t slot, Ask&& ask) {
    if (slot >= tags_.size()) tags_.resize(size_t{slot} + 1 + slot / 4, 0);   // stored since Begin
    if (tags_[slot] >> 1 != epoch_ >> 1) {
      const bool yes = ask();                  // may search by itself, with another memo
      tags_[slot] = static_cast<uint16_t>(epoch_ | yes);
    }
    return (tags_[slot] & 1) != 0;
  }

 private:
  std::vector<uint16_t> tags_;
  uint16_t epoch_ = 0;                         // even
};

struct Scratch {
  vector::SearchScratch graph;
  SlotMemo memo;
  std::vector<uint32_t> slots;                 // of query.ids
  std::vector<uint64_t> bits;                  // of `slots`; all zero between searches
  std::vector<std::pair<uint64_t, uint32_t>> places;
  std::vector<uint64_t> ids;
};

// A thread's: a search then allocates nothing once the scratch has grown. A filter may search too, so there may be several.
class ScratchLease {
 public:
  ScratchLease() {
    if (Free().empty()) {
      scratch_ = std::make_unique<Scratch>();
    } else {
      scratch_ = std::move(Free().back());
      Free().pop_back();
    }
  }
  ~ScratchLease() {
    for (uint32_t slot : scratch_->slots) {
      if (slot / 64 < scratch_->bits.size()) scratch_->bits[slot / 64] = 0;
    }
    scratch_->slots.clear();
    try {
      Free().push_back(std::move(scratch_));
    } catch (const std::bad_alloc&) {
      scratch_.reset();
    }
  }
  ScratchLease(const ScratchLease&) = delete;
  ScratchLease& operator=(const ScratchLease&) = delete;
  Scratch* operator->() { return scratch_.get(); }

 private:
  static std::vector<std::unique_ptr<Scratch>>& Free() {
    static thread_local std::vector<std::unique_ptr<Scratch>> free;
    return free;
  }
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace

Status VectorIndex::Search(const Query& query, std::vector<Hit>* out, VectorSearchStats* stats) const {
  out->clear();
  const vector::Hnsw* index = graph();
  if (index == nullptr || query.k == 0) return Status::Ok();
  ScratchLease scratch;
  const uint32_t stored = index->size();
  scratch->memo.Begin(stored);
  const auto counts = [&](uint32_t slot) {
    const bool yes = slots_.VisibleAt(slot, query.snapshot) && (!query.hidden || !query.hidden(slots_.Id(slot)));
    stats->candidates_rejected += !yes;
    return yes;
  };
  bool ask_filter = static_cast<bool>(query.filter);
  if (query.ids) {
    const bool filter_first = ask_filter && query.ids->size() <= kIdsFilteredFirst;
    ask_filter = ask_filter && !filter_first;
    for (const uint64_t id : *query.ids) {
      const uint32_t slot = slots_.SlotAt(id, query.snapshot);
      if (slot >= stored || (query.hidden && query.hidden(id))) continue;
      if (filter_first && !query.filter(id)) continue;
      scratch->slots.push_back(slot);
    }
    std::sort(scratch->slots.begin(), scratch->slots.end());
    stats->passing = scratch->slots.size();
    stats->strategy = vector::SearchStrategyName(vector::SearchStrategy::kScan);
    stats->exact = scratch->slots.empty();
    if (scratch->slots.empty()) return Status::Ok();
    scratch->bits.resize(std::max<size_t>(scratch->bits.size(), scratch->slots.back() / 64 + 1));
    for (uint32_t slot : scratch->slots) scratch->bits[slot / 64] |= uint64_t{1} << (slot % 64);
  }
  const auto passes = [&](uint32_t slot) {
    if (query.ids && (slot / 64 >= scratch->bits.size() || (scratch->bits[slot / 64] >> (slot % 64) & 1) == 0)) return false;
    if (!ask_filter) return true;
    return scratch->memo.Get(slot, [&] {
      if (!query.ids && !counts(slot)) return false;
      const bool yes = query.filter(slots_.Id(slot));
      stats->candidates_rejected += !yes;
      return yes;
    });
  };
  // Sorted by element, as their pages are.
  const auto originals = [&](std::span<const uint32_t> slots, vector::TakeOriginal take) -> Status {
    scratch->places.clear();
    scratch->ids.clear();
    for (uint32_t i = 0; i < slots.size(); ++i) scratch->places.emplace_back(slots_.Id(slots[i]), i);
    std::sort(scratch->places.begin(), scratch->places.end());
    for (const auto& [id, place] : scratch->places) scratch->ids.push_back(id);
    return query.originals(scratch->ids, [&](size_t at, std::span<const float> v) { take(scratch->places[at].second, v); });
  };

  vector::SearchRequest request;
  request.query = query.vector;
  request.ef = static_cast<uint32_t>(std::min<size_t>(query.ef, ~uint32_t{0}));
  if (query.ids || query.filter) {
    request.filter.passes = passes;
  } else {
    request.visible = counts;
  }
  if (query.ids && !ask_filter) {
    request.filter.slots = scratch->slots;
    request.filter.count = scratch->slots.size();
    const bool by_bits = options_.quantization == vector::Quantization::kRabitq4 || options_.quantization == vector::Quantization::kRabitq8;
    if (by_bits && scratch->slots.size() <= kRankedScanMax) {
      request.strategy = vector::SearchStrategy::kScan;
      request.ef = std::max(request.ef, static_cast<uint32_t>(std::max<size_t>(80, scratch->slots.size() / 4)));
    }
  }
  if (query.originals) request.originals = originals;
  request.interrupt = query.interrupt;
  stats->unlinked = unlinked();
  // More of them as long as the tie at the k-th place may go on behind the last.
  for (size_t wanted = query.k + kMore;; wanted *= 2) {
    request.k = static_cast<uint32_t>(std::min<size_t>(wanted, index->size()));
    vector::SearchStats one;
    ASSIGN_OR_RETURN(const std::span<const vector::Hit> hits, index->Search(request, &scratch->graph, &one));
    stats->distance_computations += one.distances;
    stats->passing = std::max<uint64_t>(stats->passing, one.passing);
    stats->reranked += one.fine + one.originals;
    stats->strategy = vector::SearchStrategyName(one.strategy);
    // By codes, all are compared only where all that pass are ranked.
    stats->exact = one.scanned && (options_.quantization == vector::Quantization::kNone || hits.size() < request.k);
    const bool tie_may_go_on = hits.size() >= wanted && hits.size() > query.k && hits[query.k - 1].distance == hits.back().distance;
    if (tie_may_go_on) continue;
    for (const vector::Hit& hit : hits) out->push_back({slots_.Id(hit.slot), hit.distance});
    break;
  }
  std::sort(out->begin(), out->end(), [](const Hit& a, const Hit& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
  });
  if (out->size() > query.k) out->resize(query.k);
  return Status::Ok();
}

}  // namespace fornix::storage
