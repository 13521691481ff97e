// PageRanges: a set of pages as ranges that neither overlap nor touch, found by their first page and by their length.
//
// What the space of the data file is kept in: what is free, what waits to become free, what a checkpoint took. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace fornix::storage {

struct PageRange {
  uint32_t first = 0;
  uint32_t pages = 0;
  uint64_t end() const { return uint64_t{first} + pages; }
  friend bool operator==(const PageRange&, const PageRange&) = default;
};

class PageRanges {
 public:
  bool empty() const { return by_first_.empty(); }
  size_t ranges() const { return by_first_.size(); }
  uint64_t pages() const { return pages_; }
  const std::map<uint32_t, uint32_t>& by_first() const { return by_first_; }   // first page -> pages

  bool Overlaps(PageRange range) const;
  bool Contains(PageRange range) const;        // all of it
  void Add(PageRange range);                            // REQUIRES: doesn't overlap
  void Remove(PageRange range);                         // REQUIRES: lies within one range of the set
  void Add(const PageRanges& other);
  void Clear();
  // The shortest range of at least `pages`; of equal ones the first.
  std::optional<PageRange> Shortest(uint32_t pages) const;
  // The range that ends right before `end`.
  std::optional<PageRange> Before(uint64_t end) const;

 private:
  void Put(PageRange range);
  void Take(std::map<uint32_t, uint32_t>::iterator at);

  std::map<uint32_t, uint32_t> by_first_;
  std::set<std::pair<uint32_t, uint32_t>> by_length_;   // (pages, first)
  uint64_t pages_ = 0;
};

}  // namespace fornix::storage
