// SearchScratch: what one search (or one linking) needs for a while, kept between calls so that none
// allocates once it has grown. Belongs to one thread at a time; may serve any number of indexes in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vector/hnsw/candidate_pool.h"
#include "vector/quantize/quantizer.h"

namespace fornix::vector {

// A set of slots that is emptied by a new epoch, not by clearing: 2 bytes a slot, touched only where a search
// goes.
class VisitedSet {
 public:
  void Begin(size_t slots) {
    if (tags_.size() < slots) tags_.resize(slots + slots / 4, 0);
    if (++epoch_ == 0) {
      std::fill(tags_.begin(), tags_.end(), uint16_t{0});
      epoch_ = 1;
    }
  }
  // True if `slot` wasn't in. Slots stored since Begin may come too.
  bool Insert(uint32_t slot) {
    if (slot >= tags_.size()) [[unlikely]]
      tags_.resize(size_t{slot} + 1 + slot / 4, 0);
    if (tags_[slot] == epoch_) return false;
    tags_[slot] = epoch_;
    return true;
  }
  void Prefetch(uint32_t slot) const {
    if (slot < tags_.size()) __builtin_prefetch(&tags_[slot]);
  }

 private:
  std::vector<uint16_t> tags_;
  uint16_t epoch_ = 0;
};

struct SearchScratch {
  VisitedSet visited;
  CandidatePool pool;             // the beam
  std::vector<Hit> results;       // of a layer or a search, sorted
  std::vector<Hit> candidates;    // for choosing neighbours, and for reranking
  std::vector<uint32_t> links;    // one list, as read
  std::vector<uint32_t> far_links;  // a failing neighbour's, as read
  std::vector<uint32_t> fresh;    // those of them not seen before
  std::vector<uint32_t> failing;  // those that a filter doesn't let through
  std::vector<uint32_t> seeds;
  std::vector<float> distances;   // of `fresh`
  std::vector<float> errors;      // of candidates
  Projected projected;
  PreparedQuery query;
  PreparedQuery fine_query;
  PreparedQuery row;              // a stored one as a query
  std::vector<Hit> chosen;        // by the neighbour heuristic
  std::vector<uint32_t> chosen_slots;
  std::vector<std::vector<Hit>> lists;  // a new slot's own lists by layer
};

}  // namespace fornix::vector
