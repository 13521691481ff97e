// Searching: algorithms 2 (one layer) and 5 (k nearest) of the paper named in hnsw.h, with a beam that counts
// visible slots only, and the exact scans that complete it.
//
// The cost of a search is memory: a list costs one cache miss and a vector several, so a whole list is read
// at once, the slots not seen before are gathered, and their rows are fetched four ahead of the arithmetic.
#include <algorithm>
#include <functional>

#include "base/check.h"
#include "vector/hnsw/hnsw.h"
#include "vector/validate.h"

namespace fornix::vector {
namespace {

constexpr uint64_t kHopsPerInterrupt = 64;  // some 50 us of work
constexpr uint32_t kScanBatch = 64;         // slots scanned between two looks at the interrupt
// A walk that has computed this share of all distances and still lacks visible slots gives way to a scan. A
// scan asks `visible` for each slot (some 10 ns, an estimate) and reads the visible ones in order; a distance of the walk is
// a random read (300 ns and more). So by then both have cost about the same, and the worst case is twice the
// better of the two.
constexpr uint64_t kWalkShare = 16;
constexpr uint64_t kWalkDistancesMin = 1000;

void PushHeap(std::vector<Hit>* heap, Hit hit) {
  heap->push_back(hit);
  std::push_heap(heap->begin(), heap->end());
}

void PopHeap(std::vector<Hit>* heap) {
  std::pop_heap(heap->begin(), heap->end());
  heap->pop_back();
}

// Keeps the `count` smallest.
void PushBounded(std::vector<Hit>* heap, size_t count, Hit hit) {
  if (heap->size() < count) return PushHeap(heap, hit);
  if (hit < heap->front()) {
    PopHeap(heap);
    PushHeap(heap, hit);
  }
}

}  // namespace

struct Hnsw::Beam {
  size_t width;
  uint32_t count_below;  // from here on slots are walked through only: the scan of the tail finds them
  FunctionRef<bool(uint32_t)> visible;
  FunctionRef<Status()> interrupt;
  bool equals;             // also the chains of equal vectors
  uint64_t distances_max;  // the walk gives up there if the beam isn't full; see kWalkShare

  bool Counts(uint32_t slot) const { return slot < count_below && (!visible || visible(slot)); }
};

// Reads the list of `slot` and computes the distances of those not seen before: scratch->fresh and
// ->distances. True if the slot has a chain of equal vectors.
bool Hnsw::ExpandLinks(const PreparedQuery& query, uint32_t slot, uint32_t layer, SearchScratch* scratch,
                       SearchStats* stats) const {
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
  vectors_.Distances(query, scratch->fresh, scratch->distances.data());
  stats->distances += scratch->fresh.size();
  ++stats->hops;
  return marked;
}

// Greedy steps on the layers (from, to], each from where the last one ended.
void Hnsw::Descend(const PreparedQuery& query, uint32_t from, uint32_t to, Hit* nearest, SearchScratch* scratch,
                   SearchStats* stats) const {
  for (uint32_t layer = from; layer > to; --layer) {
    scratch->visited.Begin(vectors_.size());
    scratch->visited.Insert(nearest->slot);
    for (bool moved = true; moved;) {
      moved = false;
      ExpandLinks(query, nearest->slot, layer, scratch, stats);
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
    if (scratch->results.size() == beam.width && !(hit < scratch->results.front())) return;
    if (beam.Counts(hit.slot)) PushBounded(&scratch->results, beam.width, hit);
    next = NextEqual(hit.slot).load(std::memory_order_acquire);
  }
}

// Algorithm 2. scratch->results has the entry points and gets the beam, sorted. *gave_up: see
// Beam::distances_max.
Status Hnsw::SearchLayer(const PreparedQuery& query, uint32_t layer, const Beam& beam, SearchScratch* scratch,
                         SearchStats* stats, bool* gave_up) const {
  std::vector<Hit>& frontier = scratch->frontier;
  std::vector<Hit>& results = scratch->results;
  scratch->visited.Begin(vectors_.size());
  frontier.assign(results.begin(), results.end());
  for (const Hit& hit : frontier) scratch->visited.Insert(hit.slot);
  std::make_heap(frontier.begin(), frontier.end(), std::greater<>());
  std::erase_if(results, [&](const Hit& hit) { return !beam.Counts(hit.slot); });
  std::make_heap(results.begin(), results.end());
  while (results.size() > beam.width) PopHeap(&results);

  for (uint64_t hop = 1; !frontier.empty(); ++hop) {
    const Hit nearest = frontier.front();
    if (results.size() == beam.width && results.front() < nearest) break;
    std::pop_heap(frontier.begin(), frontier.end(), std::greater<>());
    frontier.pop_back();
    if (!frontier.empty()) TableOf(layer).Prefetch(RowOf(frontier.front().slot, layer));
    // Every slot that ends up in the beam was expanded, so no chain is missed.
    if (ExpandLinks(query, nearest.slot, layer, scratch, stats) && beam.equals)
      AddEquals(nearest, beam, scratch);
    for (size_t i = 0; i < scratch->fresh.size(); ++i) {
      const Hit hit{scratch->distances[i], scratch->fresh[i]};
      if (results.size() == beam.width && !(hit < results.front())) continue;
      frontier.push_back(hit);
      std::push_heap(frontier.begin(), frontier.end(), std::greater<>());
      if (beam.Counts(hit.slot)) PushBounded(&results, beam.width, hit);
    }
    if (results.size() < beam.width && stats->distances > beam.distances_max) {
      *gave_up = true;
      return Status::Ok();
    }
    if (hop % kHopsPerInterrupt == 0 && beam.interrupt) RETURN_IF_ERROR(beam.interrupt());
  }
  std::sort_heap(results.begin(), results.end());
  return Status::Ok();
}

void Hnsw::SearchBeam(const PreparedQuery& query, uint32_t layer, size_t width, SearchScratch* scratch,
                      SearchStats* stats) const {
  const Beam beam{width, ~uint32_t{0}, {}, {}, /*equals=*/false, ~uint64_t{0}};
  bool gave_up = false;
  const Status status = SearchLayer(query, layer, beam, scratch, stats, &gave_up);
  CHECK(status.ok() && !gave_up);  // only an interrupt and a limit can say otherwise
}

// Adds the visible slots of [first, last) to the heap of the k nearest.
Status Hnsw::Scan(const PreparedQuery& query, const SearchRequest& request, uint32_t first, uint32_t last,
                  SearchScratch* scratch, SearchStats* stats, std::vector<Hit>* heap) const {
  for (uint64_t start = first; start < last; start += kScanBatch) {
    const uint32_t end = static_cast<uint32_t>(std::min<uint64_t>(last, start + kScanBatch));
    scratch->fresh.clear();
    for (uint32_t slot = static_cast<uint32_t>(start); slot < end; ++slot) {
      if (!request.visible || request.visible(slot)) scratch->fresh.push_back(slot);
    }
    scratch->distances.resize(scratch->fresh.size());
    vectors_.Distances(query, scratch->fresh, scratch->distances.data());
    stats->distances += scratch->fresh.size();
    for (size_t i = 0; i < scratch->fresh.size(); ++i) {
      PushBounded(heap, request.k, {scratch->distances[i], scratch->fresh[i]});
    }
    if (request.interrupt && (start - first) % (16 * kScanBatch) == 0) RETURN_IF_ERROR(request.interrupt());
  }
  return Status::Ok();
}

Result<std::vector<Hit>> Hnsw::Search(const SearchRequest& request, SearchScratch* scratch,
                                      SearchStats* stats) const {
  RETURN_IF_ERROR(ValidateVector(request.query, options_.dimensions, options_.metric));
  SearchStats own;
  if (stats == nullptr) stats = &own;
  *stats = {};
  if (request.k == 0) return std::vector<Hit>();
  PreparedQuery& query = scratch->query;
  vectors_.Prepare(request.query, &query);

  // The watermark before the entry point: below it everything is linked, whatever comes later.
  const uint32_t linked = linked_watermark();
  const uint32_t stored = vectors_.size();
  std::vector<Hit>& results = scratch->results;
  results.clear();
  Entry entry;
  if (linked > 0 && LoadEntry(&entry)) {
    Hit nearest{0, entry.slot};
    vectors_.Distances(query, {&nearest.slot, 1}, &nearest.distance);
    ++stats->distances;
    Descend(query, entry.level, 0, &nearest, scratch, stats);
    results.assign(1, nearest);
    const size_t width = std::max<size_t>(request.k, request.ef == 0 ? options_.ef_search : request.ef);
    const Beam beam{width, linked,
                    request.visible, request.interrupt,
                    /*equals=*/true, kWalkDistancesMin + linked / kWalkShare};
    bool gave_up = false;
    RETURN_IF_ERROR(SearchLayer(query, 0, beam, scratch, stats, &gave_up));
    if (gave_up || results.size() < request.k) {
      stats->scanned = true;
      results.clear();
      RETURN_IF_ERROR(Scan(query, request, 0, linked, scratch, stats, &results));
      std::sort_heap(results.begin(), results.end());
    }
    if (results.size() > request.k) results.resize(request.k);
    std::make_heap(results.begin(), results.end());
  }
  RETURN_IF_ERROR(Scan(query, request, linked, stored, scratch, stats, &results));
  std::sort_heap(results.begin(), results.end());
  return std::vector<Hit>(results.begin(), results.end());
}

Result<std::vector<Hit>> Hnsw::FlatScan(const SearchRequest& request, uint32_t first, uint32_t last,
                                        SearchScratch* scratch, SearchStats* stats) const {
  RETURN_IF_ERROR(ValidateVector(request.query, options_.dimensions, options_.metric));
  SearchStats own;
  if (stats == nullptr) stats = &own;
  *stats = {};
  if (request.k == 0) return std::vector<Hit>();
  PreparedQuery& query = scratch->query;
  vectors_.Prepare(request.query, &query);
  scratch->results.clear();
  RETURN_IF_ERROR(
      Scan(query, request, first, std::min(last, vectors_.size()), scratch, stats, &scratch->results));
  std::sort_heap(scratch->results.begin(), scratch->results.end());
  return std::vector<Hit>(scratch->results.begin(), scratch->results.end());
}

}  // namespace fornix::vector
