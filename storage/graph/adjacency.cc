#include "storage/graph/adjacency.h"

#include <algorithm>

#include "base/check.h"
#include "storage/txn/retire.h"

namespace fornix::storage {

AdjacencyList::~AdjacencyList() {
  delete block_.load(std::memory_order_relaxed);
  delete ended_below_.load(std::memory_order_relaxed);
}

AdjacencyBlock::Counts AdjacencyBlock::CountAt(Timestamp s, uint64_t owner) const {
  Counts counts;
  const uint32_t all = size.load(std::memory_order_acquire);
  const uint32_t gone = ended.load(std::memory_order_acquire), loops_now = loops.load(std::memory_order_acquire);
  if (changed.load(std::memory_order_relaxed) <= s) return {all - gone, loops_now};
  for (const AdjacencyEntry& entry : view()) {
    if (!entry.LiveAt(s)) continue;
    ++counts.degree;
    counts.loops += entry.neighbour == owner;
  }
  return counts;
}

namespace {

int64_t ReserveIn(std::atomic<AdjacencyBlock*>* block, NodeId owner, uint32_t n, Timestamp floor, RetireList* retired) {
  AdjacencyBlock* old = block->load(std::memory_order_relaxed);
  const uint32_t used = old == nullptr ? 0 : old->size.load(std::memory_order_relaxed);
  if (old != nullptr && old->capacity - used >= n) return 0;

  uint32_t live = 0;
  for (uint32_t i = 0; i < used; ++i) live += old->entries[i].end.load(std::memory_order_relaxed) > floor;
  const uint32_t wanted = live + n;
  auto grown = std::make_unique<AdjacencyBlock>(std::max({wanted, live * 2, uint32_t{2}}));
  uint32_t size = 0, ended = 0, loops = 0;
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
    ended += end != kNever;
    loops += end == kNever && to.neighbour == owner.value;
    sorted = sorted && (size == 0 || grown->entries[size - 1].relationship < to.relationship);
    ++size;
  }
  grown->size.store(size, std::memory_order_relaxed);
  grown->sorted.store(sorted, std::memory_order_relaxed);
  grown->ended.store(ended, std::memory_order_relaxed);
  grown->loops.store(loops, std::memory_order_relaxed);
  if (old != nullptr) grown->changed.store(old->changed.load(std::memory_order_relaxed), std::memory_order_relaxed);
  if (old != nullptr) retired->ReserveOne();
  const int64_t more = grown->memory_bytes() - (old == nullptr ? 0 : old->memory_bytes());
  block->store(grown.release(), std::memory_order_release);
  if (old != nullptr) retired->Add(old);
  return more;
}

void AppendTo(AdjacencyBlock* block, NodeId owner, NodeId neighbour, RelId relationship, Timestamp ts) {
  const uint32_t size = block->size.load(std::memory_order_relaxed);
  CHECK(size < block->capacity);
  if (size > 0 && block->entries[size - 1].relationship > relationship.value) {
    block->sorted.store(false, std::memory_order_relaxed);   // published with the size below
  }
  AdjacencyEntry& entry = block->entries[size];
  entry.neighbour = neighbour.value;
  entry.relationship = relationship.value;
  entry.begin = ts;
  block->changed.store(ts, std::memory_order_relaxed);
  if (owner == neighbour) block->loops.fetch_add(1, std::memory_order_release);
  block->size.store(size + 1, std::memory_order_release);
}

}  // namespace

int64_t AdjacencyList::Reserve(NodeId owner, uint32_t n, uint32_t n_below, Timestamp floor, RetireList* retired) {
  int64_t more = 0;
  if (n > 0) more += ReserveIn(&block_, owner, n, floor, retired);
  if (n_below > 0) more += ReserveIn(&ended_below_, owner, n_below, floor, retired);
  return more;
}

void AdjacencyList::Append(NodeId owner, NodeId neighbour, RelId relationship, Timestamp ts) {
  AppendTo(block_.load(std::memory_order_relaxed), owner, neighbour, relationship, ts);
}
void AdjacencyList::EndBelow(NodeId owner, NodeId neighbour, RelId relationship, Timestamp ts) {
  AppendTo(ended_below_.load(std::memory_order_relaxed), owner, neighbour, relationship, ts);
}

void AdjacencyList::End(NodeId owner, RelId relationship, Timestamp ts) {
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
  block->changed.store(ts, std::memory_order_relaxed);
  found->end.store(ts, std::memory_order_release);
  if (found->neighbour == owner.value) block->loops.fetch_sub(1, std::memory_order_release);
  block->ended.fetch_add(1, std::memory_order_release);
}

}  // namespace fornix::storage
