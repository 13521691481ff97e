#include "storage/graph/adjacency.h"

#include <algorithm>

#include "base/check.h"
#include "storage/txn/retire.h"

namespace fornix::storage {

AdjacencyList::~AdjacencyList() { delete block_.load(std::memory_order_relaxed); }

void AdjacencyList::Reserve(uint32_t n, Timestamp floor, RetireList* retired) {
  AdjacencyBlock* old = block_.load(std::memory_order_relaxed);
  const uint32_t used = old == nullptr ? 0 : old->size.load(std::memory_order_relaxed);
  if (old != nullptr && old->capacity - used >= n) return;

  uint32_t live = 0;
  for (uint32_t i = 0; i < used; ++i) live += old->entries[i].end.load(std::memory_order_relaxed) > floor;
  const uint32_t wanted = live + n;
  auto grown = std::make_unique<AdjacencyBlock>(std::max({wanted, live * 2, uint32_t{2}}));
  uint32_t size = 0;
  bool sorted = true;
  for (uint32_t i = 0; i < used; ++i) {
    const AdjacencyEntry& from = old->entries[i];
    const Timestamp end = from.end.load(std::memory_order_relaxed);
    if (end <= floor) continue;
    AdjacencyEntry& to = grown->entries[size];
    to.neighbour = from.neighbour;
    to.relationship = from.relationship;
    to.begin = from.begin;
    to.end.store(end, std::memory_order_relaxed);
    sorted = sorted && (size == 0 || grown->entries[size - 1].relationship < to.relationship);
    ++size;
  }
  grown->size.store(size, std::memory_order_relaxed);
  grown->sorted.store(sorted, std::memory_order_relaxed);
  if (old != nullptr) retired->ReserveOne();
  block_.store(grown.release(), std::memory_order_release);
  if (old != nullptr) retired->Add(old);
}

void AdjacencyList::Append(NodeId neighbour, RelId relationship, Timestamp ts) {
  AdjacencyBlock* block = block_.load(std::memory_order_relaxed);
  const uint32_t size = block->size.load(std::memory_order_relaxed);
  CHECK(size < block->capacity);
  if (size > 0 && block->entries[size - 1].relationship > relationship.value) {
    block->sorted.store(false, std::memory_order_relaxed);   // published with the size below
  }
  AdjacencyEntry& entry = block->entries[size];
  entry.neighbour = neighbour.value;
  entry.relationship = relationship.value;
  entry.begin = ts;
  block->size.store(size + 1, std::memory_order_release);
}

void AdjacencyList::End(RelId relationship, Timestamp ts) {
  AdjacencyBlock* block = block_.load(std::memory_order_relaxed);
  CHECK(block != nullptr);
  AdjacencyEntry* begin = block->entries.get();
  AdjacencyEntry* end = begin + block->size.load(std::memory_order_relaxed);
  AdjacencyEntry* found = end;
  if (block->sorted.load(std::memory_order_relaxed)) {
    found = std::lower_bound(begin, end, relationship.value,
                             [](const AdjacencyEntry& e, uint64_t rel) { return e.relationship < rel; });
  } else {
    while (found != begin && (--found)->relationship != relationship.value) {}
  }
  CHECK(found != end && found->relationship == relationship.value);
  found->end.store(ts, std::memory_order_release);
}

}  // namespace fornix::storage
