// The walk over the whole graph that `fornix check` reports.
#include <algorithm>

#include "vector/hnsw/hnsw.h"

namespace fornix::vector {
namespace {

constexpr size_t kUnreachableListed = 16;  // enough to look at; the count is in the report

uint32_t CountBad(std::span<const uint32_t> links, uint32_t owner, uint32_t slots) {
  std::vector<uint32_t> sorted(links.begin(), links.end());
  std::sort(sorted.begin(), sorted.end());
  uint32_t bad = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    bad += sorted[i] == owner || sorted[i] >= slots || (i > 0 && sorted[i] == sorted[i - 1]);
  }
  return bad;
}

}  // namespace

GraphReport Hnsw::CheckGraph() const {
  GraphReport report;
  report.linked = linked_watermark();
  report.slots = codes_.size();
  Entry entry{};
  const bool any = LoadEntry(&entry);  // none if nothing was linked, or all of it freed
  if (any) report.level_max = entry.level;

  const std::vector<bool> seen = any ? WalkFrom(entry) : std::vector<bool>(report.slots, false);
  std::vector<uint32_t> links(std::max(base_.degree_max(), upper_.degree_max()));
  bool marked = false;
  for (uint32_t slot = 0; slot < report.linked; ++slot) {
    const uint32_t state = StateOf(slot);
    report.retired += state != kLive;
    report.reachable += state == kLive && seen[slot];
    if (state == kLive && !seen[slot] && report.unreachable.size() < kUnreachableListed) report.unreachable.push_back(slot);
    for (uint32_t layer = 0; layer <= LevelOf(slot); ++layer) {
      const uint32_t count = TableOf(layer).Read(RowOf(slot, layer), links.data(), &marked);
      report.bad_links += CountBad({links.data(), count}, slot, report.slots);
      for (uint32_t i = 0; i < count; ++i) report.links_to_free += links[i] < report.slots && StateOf(links[i]) == kFreed;
      if (layer > 0) continue;
      report.links += count;
      report.degree_max = std::max(report.degree_max, count);
    }
  }
  return report;
}

// By slot: whether base lists and chains lead to it from the entry point.
std::vector<bool> Hnsw::WalkFrom(Entry entry) const {
  const uint32_t slots = codes_.size();
  std::vector<bool> seen(slots, false);
  std::vector<uint32_t> links(base_.degree_max());
  std::vector<uint32_t> queue = {entry.slot};
  seen[entry.slot] = true;
  while (!queue.empty()) {
    const uint32_t slot = queue.back();
    queue.pop_back();
    for (uint32_t next = NextEqual(slot).load(); next != 0; next = NextEqual(next - 1).load()) {
      if (next - 1 < slots) seen[next - 1] = true;
    }
    bool marked = false;
    const uint32_t count = base_.Read(slot, links.data(), &marked);
    for (uint32_t i = 0; i < count; ++i) {
      if (links[i] >= slots || seen[links[i]]) continue;
      seen[links[i]] = true;
      queue.push_back(links[i]);
    }
  }
  return seen;
}

}  // namespace fornix::vector
