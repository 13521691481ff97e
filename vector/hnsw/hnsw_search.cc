// Searching: algorithms 2 (one layer) and 5 (k nearest) of the paper named in hnsw.h, with a beam that counts
// only slots that may be answers, and the scans that complete it.
//
// The cost of a search is memory: a list costs one cache miss and a code or vector several, so a whole list is read
// at once, the slots not seen before are gathered, and their rows are fetched ahead of the arithmetic.
#include <algorithm>

#include "base/check.h"
#include "vector/hnsw/beam.h"
#include "vector/hnsw/hnsw.h"
#include "vector/validate.h"

namespace fornix::vector {
namespace {

constexpr uint64_t kHopsPerInterrupt = 64;  // some 50 us of work
constexpr uint32_t kScanBatch = 64;         // slots scanned between two looks at the interrupt
// A walk that has computed this share of all distances and still lacks slots that count gives way to a scan. A
// scan asks for each slot whether it counts (some 10 ns, an estimate) and reads those that do in order; a distance of
// the walk is a random read (300 ns and more). So by then both have cost about the same, and the worst case is twice
// the better of the two.
constexpr uint64_t kWalkShare = 16;
constexpr uint64_t kWalkDistancesMin = 1000;

bool Passes(const SearchRequest& request, uint32_t slot) {
  return (!request.visible || request.visible(slot)) && (!request.filter.passes || request.filter.passes(slot));
}

}  // namespace

// Reads the list of `slot` and computes the distances of those not seen before: scratch->fresh and
// ->distances. True if the slot has a chain of equal vectors.
bool Hnsw::ExpandLinks(const VectorStore& store, const PreparedQuery& query, uint32_t slot, uint32_t layer,
                       SearchScratch* scratch, SearchStats* stats) const {
  const LinkTable& table = TableOf(layer);
  scratch->links.resize(table.degree_max());
  bool marked = false;
  const uint32_t count = table.Read(RowOf(slot, layer), scratch->links.data(), &marked);
  for (uint32_t i = 0; i < count; ++i) scratch->visited.Prefetch(scratch->links[i]);
  scratch->fresh.clear();
  for (uint32_t i = 0; i < count; ++i) {
    if (scratch->visited.Insert(scratch->links[i])) scratch->fresh.push_back(scratch->links[i]);
  }
  scratch->distances.resize(scratch->fresh.size());
  store.Distances(query, scratch->fresh, scratch->distances.data());
  stats->distances += scratch->fresh.size();
  ++stats->hops;
  return marked;
}

// Greedy steps on the layers (from, to], each from where the last one ended.
void Hnsw::Descend(const VectorStore& store, const PreparedQuery& query, uint32_t from, uint32_t to, Hit* nearest,
                   SearchScratch* scratch, SearchStats* stats) const {
  for (uint32_t layer = from; layer > to; --layer) {
    scratch->visited.Begin(store.size());
    scratch->visited.Insert(nearest->slot);
    for (bool moved = true; moved;) {
      moved = false;
      ExpandLinks(store, query, nearest->slot, layer, scratch, stats);
      for (size_t i = 0; i < scratch->fresh.size(); ++i) {
        const Hit hit{scratch->distances[i], scratch->fresh[i]};
        if (hit < *nearest) {
          *nearest = hit;
          moved = true;
        }
      }
    }
  }
}

// Puts the slots whose vectors equal that of `first` into the beam. A chain is in the order of linking,
// mostly of slots, so the first that is too late in the order of ties ends it.
void Hnsw::AddEquals(Hit first, const Beam& beam, SearchScratch* scratch) const {
  uint32_t next = NextEqual(first.slot).load(std::memory_order_acquire);
  while (next != 0) {
    const Hit hit{first.distance, next - 1};
    if (scratch->pool.TooFar(hit)) return;
    if (beam.Counts(hit.slot)) scratch->pool.Insert(hit, /*counts=*/true, /*expanded=*/true);
    next = NextEqual(hit.slot).load(std::memory_order_acquire);
  }
}

// Algorithm 2. scratch->results has the entry points; scratch->pool gets the beam. *gave_up: see
// Beam::distances_max.
Status Hnsw::SearchLayer(const VectorStore& store, const PreparedQuery& query, uint32_t layer, const Beam& beam,
                         SearchScratch* scratch, SearchStats* stats, bool* gave_up) const {
  CandidatePool& pool = scratch->pool;
  pool.Begin(beam.width);
  scratch->visited.Begin(store.size());
  for (const Hit& hit : scratch->results) {
    if (scratch->visited.Insert(hit.slot)) pool.Insert(hit, beam.Counts(hit.slot));
  }
  uint64_t hop = 1;
  for (const Hit* next = pool.Expand(); next != nullptr; next = pool.Expand(), ++hop) {
    const Hit nearest = *next;
    if (const Hit* after = pool.Peek()) TableOf(layer).Prefetch(RowOf(after->slot, layer));
    // Every slot that ends up in the beam was expanded, so no chain is missed.
    const bool marked = beam.two_hops ? ExpandTwoHops(query, nearest.slot, beam, scratch, stats)
                                      : ExpandLinks(store, query, nearest.slot, layer, scratch, stats);
    if (marked && beam.equals) AddEquals(nearest, beam, scratch);
    for (size_t i = 0; i < scratch->fresh.size(); ++i) {
      const Hit hit{scratch->distances[i], scratch->fresh[i]};
      if (!pool.TooFar(hit)) pool.Insert(hit, beam.two_hops || beam.Counts(hit.slot));
    }
    if (!pool.full() && stats->distances > beam.distances_max) {
      *gave_up = true;
      return Status::Ok();
    }
    if (hop % kHopsPerInterrupt == 0 && beam.interrupt) RETURN_IF_ERROR(beam.interrupt());
  }
  return Status::Ok();
}

// For linking, by the finest codes: scratch->results gets the beam, sorted.
void Hnsw::SearchBeam(const PreparedQuery& query, uint32_t layer, size_t width, SearchScratch* scratch,
                      SearchStats* stats) const {
  Beam beam;
  beam.width = width;
  bool gave_up = false;
  const Status status = SearchLayer(fine(), query, layer, beam, scratch, stats, &gave_up);
  CHECK(status.ok() && !gave_up);  // only an interrupt and a limit can say otherwise
  scratch->pool.CopyCounted(width, &scratch->results);
}

void Hnsw::AddToPool(std::span<const uint32_t> slots, SearchScratch* scratch, SearchStats* stats) const {
  scratch->distances.resize(slots.size());
  codes_.Distances(scratch->query, slots, scratch->distances.data());
  stats->distances += slots.size();
  for (size_t i = 0; i < slots.size(); ++i) {
    scratch->pool.Insert({scratch->distances[i], slots[i]}, /*counts=*/true, /*expanded=*/true);
  }
}

// Adds those of [first, last) that count to the pool.
Status Hnsw::Scan(const SearchRequest& request, uint32_t first, uint32_t last, SearchScratch* scratch, SearchStats* stats) const {
  for (uint64_t start = first; start < last; start += kScanBatch) {
    const uint32_t end = static_cast<uint32_t>(std::min<uint64_t>(last, start + kScanBatch));
    scratch->fresh.clear();
    for (uint32_t slot = static_cast<uint32_t>(start); slot < end; ++slot) {
      if (Passes(request, slot)) scratch->fresh.push_back(slot);
    }
    AddToPool(scratch->fresh, scratch, stats);
    if (request.interrupt && (start - first) % (16 * kScanBatch) == 0) RETURN_IF_ERROR(request.interrupt());
  }
  return Status::Ok();
}

// The same for those of a list that are below `last`.
Status Hnsw::ScanSlots(const SearchRequest& request, std::span<const uint32_t> slots, uint32_t last, SearchScratch* scratch,
                       SearchStats* stats) const {
  slots = slots.first(static_cast<size_t>(std::lower_bound(slots.begin(), slots.end(), last) - slots.begin()));
  for (size_t start = 0; start < slots.size(); start += kScanBatch) {
    scratch->fresh.clear();
    for (uint32_t slot : slots.subspan(start, std::min<size_t>(kScanBatch, slots.size() - start))) {
      if (!request.visible || request.visible(slot)) scratch->fresh.push_back(slot);
    }
    AddToPool(scratch->fresh, scratch, stats);
    if (request.interrupt && start % (16 * kScanBatch) == 0) RETURN_IF_ERROR(request.interrupt());
  }
  return Status::Ok();
}

Status Hnsw::WalkGraph(const SearchRequest& request, Entry entry, uint32_t linked, size_t width, SearchScratch* scratch,
                       SearchStats* stats, bool* gave_up) const {
  Hit nearest{0, entry.slot};
  codes_.Distances(scratch->query, {&nearest.slot, 1}, &nearest.distance);
  ++stats->distances;
  Descend(codes_, scratch->query, entry.level, 0, &nearest, scratch, stats);
  scratch->results.assign(1, nearest);
  if (stats->strategy == SearchStrategy::kTwoHops) {
    scratch->distances.resize(scratch->seeds.size());
    codes_.Distances(scratch->query, scratch->seeds, scratch->distances.data());
    stats->distances += scratch->seeds.size();
    for (size_t i = 0; i < scratch->seeds.size(); ++i) scratch->results.push_back({scratch->distances[i], scratch->seeds[i]});
  }
  Beam beam;
  beam.width = width;
  beam.count_below = linked;
  beam.visible = request.visible;
  beam.passes = request.filter.passes;
  beam.interrupt = request.interrupt;
  beam.equals = true;
  beam.two_hops = stats->strategy == SearchStrategy::kTwoHops;
  beam.distances_max = kWalkDistancesMin + linked / kWalkShare;
  return SearchLayer(codes_, scratch->query, 0, beam, scratch, stats, gave_up);
}

Result<std::span<const Hit>> Hnsw::Search(const SearchRequest& request, SearchScratch* scratch, SearchStats* stats) const {
  RETURN_IF_ERROR(ValidateVector(request.query, options_.dimensions, options_.metric));
  SearchStats own;
  if (stats == nullptr) stats = &own;
  *stats = {};
  scratch->results.clear();
  if (request.k == 0) return std::span<const Hit>();
  PrepareQueries(request, scratch);

  // The watermark before the entry point: below it everything is linked, whatever comes later.
  const uint32_t linked = linked_watermark();
  const uint32_t stored = codes_.size();
  size_t width = WidthOf(request);
  scratch->pool.Begin(width);
  Entry entry;
  if (linked > 0 && LoadEntry(&entry)) {
    stats->strategy = ChooseStrategy(request, linked, width, scratch, stats);
    bool scan = stats->strategy == SearchStrategy::kScan;
    if (!scan) {
      size_t walk_width = width;
      if (stats->strategy == SearchStrategy::kWalkAll) walk_width = WalkAllWidth(width, request.k, stats->passing, linked);
      RETURN_IF_ERROR(WalkGraph(request, entry, linked, walk_width, scratch, stats, &scan));
      scan = scan || scratch->pool.counted() < request.k;
    }
    if (scan) {
      stats->scanned = true;
      scratch->pool.Begin(width);
      if (!request.filter.slots.empty()) {
        RETURN_IF_ERROR(ScanSlots(request, request.filter.slots, linked, scratch, stats));
      } else {
        RETURN_IF_ERROR(Scan(request, 0, linked, scratch, stats));
      }
    }
  }
  RETURN_IF_ERROR(Scan(request, linked, stored, scratch, stats));
  RETURN_IF_ERROR(Rank(request, scratch, stats));
  return std::span<const Hit>(scratch->results);
}

Result<std::span<const Hit>> Hnsw::FlatScan(const SearchRequest& request, uint32_t first, uint32_t last,
                                            SearchScratch* scratch, SearchStats* stats) const {
  RETURN_IF_ERROR(ValidateVector(request.query, options_.dimensions, options_.metric));
  SearchStats own;
  if (stats == nullptr) stats = &own;
  *stats = {};
  stats->strategy = SearchStrategy::kScan;
  scratch->results.clear();
  if (request.k == 0) return std::span<const Hit>();
  PrepareQueries(request, scratch);
  scratch->pool.Begin(WidthOf(request));
  RETURN_IF_ERROR(Scan(request, first, std::min(last, codes_.size()), scratch, stats));
  RETURN_IF_ERROR(Rank(request, scratch, stats));
  return std::span<const Hit>(scratch->results);
}

}  // namespace fornix::vector
