// Ranking what a walk or a scan found: by finer codes, then by the originals, each only as far as the stated errors of
// the codes before leave it open who is among the k nearest. The bounds are RaBitQ's (quantize/quantizer.h).
#include <algorithm>

#include "vector/hnsw/hnsw.h"

namespace fornix::vector {
namespace {

constexpr size_t kFineBatch = 8;  // candidates compared by finer codes between two looks at the bound
// How many candidates are at least looked at for k answers, whatever the beam: what the codes say of near and nearest may be wrong. One bit a
// number is wrong about much, eight about a neighbour or two.
size_t RankedMin(Quantization quantization, size_t k) {
  switch (quantization) {
    case Quantization::kNone: return k;
    case Quantization::kHalf: return k + 1;
    case Quantization::kByte: return k + k / 2 + 1;
    case Quantization::kRabitq4:
    case Quantization::kRabitq8: break;
  }
  return 4 * k;
}

void KeepNearest(std::vector<Hit>* heap, size_t count, Hit hit) {
  if (heap->size() == count) {
    if (!(hit < heap->front())) return;
    std::pop_heap(heap->begin(), heap->end());
    heap->back() = hit;
  } else {
    heap->push_back(hit);
  }
  std::push_heap(heap->begin(), heap->end());
}

}  // namespace

void Hnsw::PrepareQueries(const SearchRequest& request, SearchScratch* scratch) const {
  codes_.quantizer().projection().Apply(request.query, &scratch->projected);
  codes_.quantizer().Prepare(scratch->projected, &scratch->query);
  // Both kinds of codes are of one projection.
  if (fine_ != nullptr) fine_->quantizer().Prepare(scratch->projected, &scratch->fine_query);
}

size_t Hnsw::WidthOf(const SearchRequest& request) const {
  const size_t ef = request.ef == 0 ? options_.ef_search : request.ef;
  return std::max(RankedMin(options_.quantization, request.k), ef);
}

// scratch->pool becomes scratch->results, the k nearest.
Status Hnsw::Rank(const SearchRequest& request, SearchScratch* scratch, SearchStats* stats) const {
  const bool whole = options_.quantization == Quantization::kNone;
  scratch->pool.CopyCounted(whole || (fine_ == nullptr && !request.originals) ? request.k : ~size_t{0}, &scratch->candidates);
  if (fine_ != nullptr) RankByFineCodes(request, scratch, stats);
  if (!whole && request.originals) RETURN_IF_ERROR(RankByOriginals(request, scratch, stats));
  std::vector<Hit>& candidates = scratch->candidates;
  if (candidates.size() > request.k) candidates.resize(request.k);
  scratch->results.swap(candidates);
  return Status::Ok();
}

// Nearest by the coarse codes first. A candidate whose coarse distance, less its error, is beyond the k-th best fine
// one so far can't be among the k nearest; those that can become scratch->candidates again, sorted by fine distance.
void Hnsw::RankByFineCodes(const SearchRequest& request, SearchScratch* scratch, SearchStats* stats) const {
  std::vector<Hit>& best = scratch->chosen;  // a heap of the k nearest
  std::vector<Hit>& candidates = scratch->candidates;
  best.clear();
  size_t kept = 0;
  for (size_t done = 0; done < candidates.size(); done += kFineBatch) {
    scratch->fresh.clear();
    for (size_t i = done; i < std::min(done + kFineBatch, candidates.size()); ++i) {
      const Hit& hit = candidates[i];
      const bool open = best.size() < request.k ||
                        hit.distance - request.deviations * codes_.ErrorOf(scratch->query, hit.slot) <= best.front().distance;
      if (open) scratch->fresh.push_back(hit.slot);
    }
    scratch->distances.resize(scratch->fresh.size());
    fine_->Distances(scratch->fine_query, scratch->fresh, scratch->distances.data());
    stats->fine += scratch->fresh.size();
    for (size_t i = 0; i < scratch->fresh.size(); ++i) {
      const Hit hit{scratch->distances[i], scratch->fresh[i]};
      candidates[kept++] = hit;  // no further than what was read
      KeepNearest(&best, request.k, hit);
    }
  }
  candidates.resize(kept);
  std::sort(candidates.begin(), candidates.end());
}

// Reads in one batch all that may be among the k nearest: those whose distance less its error isn't beyond the k-th
// least of distances plus errors.
Status Hnsw::RankByOriginals(const SearchRequest& request, SearchScratch* scratch, SearchStats* stats) const {
  std::vector<Hit>& candidates = scratch->candidates;
  const PreparedQuery& query = fine_ != nullptr ? scratch->fine_query : scratch->query;
  std::vector<float>& errors = scratch->errors;
  std::vector<float>& upper = scratch->distances;
  errors.resize(candidates.size());
  upper.resize(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    errors[i] = request.deviations * fine().ErrorOf(query, candidates[i].slot);
    upper[i] = candidates[i].distance + errors[i];
  }
  if (candidates.size() > request.k) {
    std::nth_element(upper.begin(), upper.begin() + (request.k - 1), upper.end());
    const float limit = upper[request.k - 1];
    size_t kept = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].distance - errors[i] <= limit) candidates[kept++] = candidates[i];
    }
    candidates.resize(kept);
  }
  std::sort(candidates.begin(), candidates.end(), [](const Hit& a, const Hit& b) { return a.slot < b.slot; });
  scratch->fresh.clear();
  for (const Hit& hit : candidates) scratch->fresh.push_back(hit.slot);

  // The query last in the buffers: `projected` is used for the rows too.
  originals_->projection().Apply(request.query, &scratch->projected);
  originals_->Prepare(scratch->projected, &scratch->row);
  const auto take = [&](size_t place, std::span<const float> v) {
    if (place >= candidates.size() || v.size() != options_.dimensions) return;
    originals_->projection().Apply(v, &scratch->projected);
    const auto* code = reinterpret_cast<const uint8_t*>(scratch->projected.values.data());
    originals_->Distances(scratch->row, &code, 1, &candidates[place].distance);
    ++stats->originals;
  };
  RETURN_IF_ERROR(request.originals(scratch->fresh, take));
  std::sort(candidates.begin(), candidates.end());
  return Status::Ok();
}

}  // namespace fornix::vector
