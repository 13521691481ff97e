// CandidatePool: the beam of a search. Candidates sorted by (distance, slot), with a mark for those whose lists
// were read and one for those that count: what may be an answer. The rest is walked through only. The pool ends at
// its width-th candidate that counts; until there are so many it keeps all.
//
// An array that is kept sorted beats two heaps at the usual widths: an insertion is one search and one move of a few
// hundred bytes, both without a branch to guess wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fornix::vector {

// A slot and its distance, ordered by distance and then by slot: ties have one answer.
struct Hit {
  float distance = 0;
  uint32_t slot = 0;
  friend bool operator<(const Hit& a, const Hit& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.slot < b.slot;
  }
  friend bool operator>(const Hit& a, const Hit& b) { return b < a; }
  friend bool operator==(const Hit&, const Hit&) = default;
};

class CandidatePool {
 public:
  // `width` is at least 1.
  void Begin(size_t width) {
    entries_.clear();
    width_ = width;
    counted_ = next_ = 0;
  }

  bool full() const { return counted_ == width_; }
  size_t counted() const { return counted_; }
  // Whether Insert would drop it at once.
  bool TooFar(Hit hit) const { return full() && !(hit < entries_.back().hit); }

  void Insert(Hit hit, bool counts, bool expanded = false) {
    if (TooFar(hit)) return;
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), hit, [](const Entry& e, const Hit& h) { return e.hit < h; });
    const auto index = static_cast<size_t>(at - entries_.begin());
    entries_.insert(at, Entry{hit, counts, expanded});
    if (!expanded && index < next_) next_ = index;
    if (!counts) return;
    if (++counted_ > width_) {
      // The last one counts, or the pool would have ended before it.
      entries_.pop_back();
      --counted_;
      while (!entries_.back().counts) entries_.pop_back();
    }
  }

  // The nearest that wasn't expanded, which is so from now on; null if none is left.
  const Hit* Expand() {
    while (next_ < entries_.size() && entries_[next_].expanded) ++next_;
    if (next_ >= entries_.size()) return nullptr;
    entries_[next_].expanded = true;
    return &entries_[next_].hit;
  }
  // The one that Expand would give next if nothing came between; null if none.
  const Hit* Peek() const {
    for (size_t i = next_; i < entries_.size(); ++i) {
      if (!entries_[i].expanded) return &entries_[i].hit;
    }
    return nullptr;
  }

  // Those that count, sorted, at most `max`.
  void CopyCounted(size_t max, std::vector<Hit>* out) const {
    out->clear();
    for (const Entry& entry : entries_) {
      if (out->size() == max) return;
      if (entry.counts) out->push_back(entry.hit);
    }
  }

 private:
  struct Entry {
    Hit hit;
    bool counts;
    bool expanded;
  };
  std::vector<Entry> entries_;
  size_t width_ = 1;
  size_t counted_ = 0;
  size_t next_ = 0;  // none before it is unexpanded
};

}  // namespace fornix::vector
