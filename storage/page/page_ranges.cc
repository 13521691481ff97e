// The set of page ranges: two ordered trees that always hold the same ranges.
#include "storage/page/page_ranges.h"

#include <iterator>

#include "base/check.h"

namespace fornix::storage {

void PageRanges::Put(PageRange range) {
  by_first_.emplace(range.first, range.pages);
  by_length_.emplace(range.pages, range.first);
  pages_ += range.pages;
}

void PageRanges::Take(std::map<uint32_t, uint32_t>::iterator at) {
  by_length_.erase({at->second, at->first});
  pages_ -= at->second;
  by_first_.erase(at);
}

bool PageRanges::Overlaps(PageRange range) const {
  auto next = by_first_.lower_bound(range.first);
  if (next != by_first_.end() && next->first < range.end()) return true;
  if (next == by_first_.begin()) return false;
  --next;
  return uint64_t{next->first} + next->second > range.first;
}

bool PageRanges::Contains(PageRange range) const {
  auto at = by_first_.upper_bound(range.first);
  if (at == by_first_.begin()) return false;
  --at;
  return range.end() <= uint64_t{at->first} + at->second;
}

void PageRanges::Add(PageRange range) {
  if (range.pages == 0) return;
  CHECK(!Overlaps(range));
  auto next = by_first_.lower_bound(range.first);
  if (next != by_first_.end() && next->first == range.end()) {
    range.pages += next->second;
    const auto joined = next++;
    Take(joined);
  }
  if (next != by_first_.begin()) {
    const auto before = std::prev(next);
    if (uint64_t{before->first} + before->second == range.first) {
      range = {before->first, before->second + range.pages};
      Take(before);
    }
  }
  Put(range);
}

void PageRanges::Remove(PageRange range) {
  if (range.pages == 0) return;
  auto at = by_first_.upper_bound(range.first);
  CHECK(at != by_first_.begin());
  --at;
  const PageRange whole{at->first, at->second};
  CHECK(range.end() <= whole.end());
  Take(at);
  if (whole.first < range.first) Put({whole.first, range.first - whole.first});
  if (range.end() < whole.end()) Put({static_cast<uint32_t>(range.end()), static_cast<uint32_t>(whole.end() - range.end())});
}

void PageRanges::Add(const PageRanges& other) {
  for (const auto& [first, pages] : other.by_first_) Add({first, pages});
}

void PageRanges::Clear() {
  by_first_.clear();
  by_length_.clear();
  pages_ = 0;
}

std::optional<PageRange> PageRanges::Shortest(uint32_t pages) const {
  const auto at = by_length_.lower_bound({pages, 0});
  if (at == by_length_.end()) return std::nullopt;
  return PageRange{at->second, at->first};
}

std::optional<PageRange> PageRanges::Before(uint64_t end) const {
  if (by_first_.empty()) return std::nullopt;
  const auto last = std::prev(by_first_.end());
  if (uint64_t{last->first} + last->second != end) return std::nullopt;
  return PageRange{last->first, last->second};
}

}  // namespace fornix::storage
