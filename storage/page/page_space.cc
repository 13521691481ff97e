// Where new extents go, and when old ones may be written over.
#include "storage/page/page_space.h"

#include <algorithm>

#include "base/check.h"
#include "base/errors.h"

namespace fornix::storage {
namespace {

constexpr uint32_t kRunPages = 64;                          // 256 KiB: what one write call takes
constexpr uint64_t kFilePagesMax = uint64_t{1} << 32;       // 16 TiB: references have 32 bits for a page

}  // namespace

size_t PageSpace::ranges() const {
  size_t n = free_.ranges();
  for (const auto& [seq, ranges] : pending_) n += ranges.ranges();
  return n;
}

bool PageSpace::Holds(PageRange range) const {
  if (free_.Overlaps(range)) return true;
  return std::any_of(pending_.begin(), pending_.end(), [&](const auto& entry) { return entry.second.Overlaps(range); });
}

bool PageSpace::PutFree(PageRange range) {
  if (range.pages == 0 || range.first < kFirstExtentPage || range.end() > file_pages_ || Holds(range)) return false;
  free_.Add(range);
  return true;
}

bool PageSpace::PutPending(uint64_t seq, PageRange range) {
  if (range.pages == 0 || range.first < kFirstExtentPage || range.end() > file_pages_ || Holds(range)) return false;
  pending_[seq].Add(range);
  return true;
}

void PageSpace::Begin(uint64_t seq, uint64_t oldest_root_seq) {
  CHECK(taken_.empty() && open_.empty() && own_freed_.empty());
  seq_ = seq;
  file_pages_before_ = file_pages_;
  // Root S was the first one without what S freed: where nobody reads an older root than S, nobody can reach it.
  while (!pending_.empty() && pending_.begin()->first <= oldest_root_seq) {
    free_.Add(pending_.begin()->second);
    pending_.erase(pending_.begin());
  }
}

PageRange PageSpace::Take(PageRange from, uint32_t pages) {
  const PageRange range{from.first, pages};
  taken_.Add(range);
  return range;
}

// Extents of one checkpoint shall lie side by side, so that they are written in long runs: small ones come out of one open
// range. When it is used up the next is a range long enough for a run, then any hole that fits, and only then the file grows.
Result<PageRange> PageSpace::Allocate(uint32_t pages) {
  if (const auto open = open_.Shortest(pages)) {
    open_.Remove({open->first, pages});
    return Take(*open, pages);
  }
  std::optional<PageRange> hole = free_.Shortest(std::max(pages, kRunPages));
  if (!hole) hole = free_.Shortest(pages);
  if (hole) {
    free_.Add(open_);
    open_.Clear();
    // What was open may join the hole, which then is longer than we know; that is no harm.
    free_.Remove(*hole);
    const PageRange range = Take(*hole, pages);
    open_.Add({hole->first + pages, hole->pages - pages});
    return range;
  }
  // At the end: what is free or open there is the beginning of the new range.
  free_.Add(open_);
  open_.Clear();
  PageRange range{static_cast<uint32_t>(file_pages_), pages};
  if (const auto last = free_.Before(file_pages_)) {
    range.first = last->first;
    free_.Remove(*last);
  }
  if (range.end() > kFilePagesMax) return Status(Code::kLimitExceeded, "the data file would pass 16 TiB");
  file_pages_ = range.end();
  return Take(range, pages);
}

Status PageSpace::Free(PageRange range, bool own) {
  const auto freed = pending_.find(seq_);
  const bool twice = free_.Overlaps(range) || own_freed_.Overlaps(range) || (freed != pending_.end() && freed->second.Overlaps(range)) ||
                     Holds(range);
  const bool unknown = own && !taken_.Contains(range);   // says that it is of this checkpoint, which didn't write it
  if (twice || unknown || range.end() > file_pages_ || range.first < kFirstExtentPage) {
    return Corruption("the " + std::to_string(range.pages) + " pages at page " + std::to_string(range.first) +
                      " are given back, but they are not in use: two things refer to them");
  }
  if (own) own_freed_.Add(range);
  else pending_[seq_].Add(range);
  return Status::Ok();
}

void PageSpace::ReleaseOwn() {
  free_.Add(own_freed_);
  for (const auto& [first, pages] : own_freed_.by_first()) taken_.Remove({first, pages});
  own_freed_.Clear();
  free_.Add(open_);
  open_.Clear();
}

void PageSpace::CutTail() {
  while (const auto last = free_.Before(file_pages_)) {
    free_.Remove(*last);
    file_pages_ = last->first;
  }
}

void PageSpace::Commit() {
  CHECK(own_freed_.empty() && open_.empty());
  taken_.Clear();
}

void PageSpace::Abandon() {
  free_.Add(open_);
  free_.Add(taken_);           // what it freed of its own lies in there
  // ReleaseOwn may have run: then those pages are free already, and in no other list.
  open_.Clear();
  taken_.Clear();
  own_freed_.Clear();
  pending_.erase(seq_);
  // The file is as long as the last root says. A tail that was cut comes back as free pages.
  if (file_pages_ < file_pages_before_) {
    free_.Add({static_cast<uint32_t>(file_pages_), static_cast<uint32_t>(file_pages_before_ - file_pages_)});
  } else if (file_pages_ > file_pages_before_) {
    const auto last = free_.Before(file_pages_);
    CHECK(last && last->first <= file_pages_before_);
    free_.Remove({static_cast<uint32_t>(file_pages_before_), static_cast<uint32_t>(file_pages_ - file_pages_before_)});
  }
  file_pages_ = file_pages_before_;
}

}  // namespace fornix::storage
