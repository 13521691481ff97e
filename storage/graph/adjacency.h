// The committed relationships of one node: for each (type, direction) an append-only list of {neighbour, relationship,
// begin, end}, contiguous, in commit order.
//
//   NodeDelta.adjacency -> AdjacencyTable {key, list}* -> AdjacencyList -> AdjacencyBlock {size, entries*}
//                                                              `--------> a second block: tombstones
//
// A delta generation can't mark what lies in a layer under it, so relationships of those that end here are entries of a
// second block, with `begin` = the commit that ended them. It serves counting alone: which relationship ended is said by
// its RelDelta. Nearly all lists have no such block, and then reading the layers below costs nothing more.
//
// A reader loads a block once and reads its `size` entries; an entry is live for S if begin <= S < end. A full block is
// replaced by one of twice the room that leaves out what ended before the floor (versions.h); readers that hold the old
// one miss only what no snapshot of theirs can see, and it is freed when all of them are gone (txn/retire.h).
// Threads: one writer, readers without locks. Nothing here knows of transactions' own writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "storage/graph/graph_view.h"

namespace fornix::storage {

class RetireList;

struct AdjacencyEntry {
  uint64_t neighbour = 0;
  uint64_t relationship = 0;
  Timestamp begin = kNever;
  std::atomic<Timestamp> end{kNever};
  bool LiveAt(Timestamp s) const { return begin <= s && s < end.load(std::memory_order_relaxed); }
};

struct AdjacencyBlock {
  explicit AdjacencyBlock(uint32_t room) : capacity(room), entries(new AdjacencyEntry[room]) {}
  const uint32_t capacity;
  std::atomic<uint32_t> size{0};
  std::atomic<bool> sorted{true};              // by relationship id: true unless writers' ids interleaved
  // For degrees without a walk, see CountAt. `changed` is the newest stamp in the block and is stored before what it
  // announces, so who reads a count that includes a change finds its stamp as well.
  std::atomic<Timestamp> changed{0};
  std::atomic<uint32_t> ended{0};              // entries with an end
  std::atomic<uint32_t> loops{0};              // entries without an end whose two ends are one node
  std::unique_ptr<AdjacencyEntry[]> entries;
  struct Counts {
    uint64_t degree = 0, loops = 0;
  };
  Counts CountAt(Timestamp s, uint64_t owner) const;
  int64_t memory_bytes() const { return static_cast<int64_t>(sizeof(AdjacencyBlock) + capacity * sizeof(AdjacencyEntry)); }
  std::span<const AdjacencyEntry> view() const { return {entries.get(), size.load(std::memory_order_acquire)}; }
};

class AdjacencyList {
 public:
  AdjacencyList() = default;
  AdjacencyList(const AdjacencyList&) = delete;
  AdjacencyList& operator=(const AdjacencyList&) = delete;
  ~AdjacencyList();

  const AdjacencyBlock* block() const { return block_.load(std::memory_order_acquire); }
  const AdjacencyBlock* ended_below() const { return ended_below_.load(std::memory_order_acquire); }   // null: none

  // Writer. Reserve makes room for n more and n_below more tombstones, so that what follows doesn't allocate; it returns by how
  // many bytes the list grew.
  int64_t Reserve(NodeId owner, uint32_t n, uint32_t n_below, Timestamp floor, RetireList* retired);
  void Append(NodeId owner, NodeId neighbour, RelId relationship, Timestamp ts);
  void End(NodeId owner, RelId relationship, Timestamp ts);
  void EndBelow(NodeId owner, NodeId neighbour, RelId relationship, Timestamp ts);

 private:
  std::atomic<AdjacencyBlock*> block_{nullptr};
  std::atomic<AdjacencyBlock*> ended_below_{nullptr};
};

// Lists by type and direction; a handful, searched in line. Replaced as a whole when a new pair comes.
struct AdjacencyTable {
  struct Item {
    uint32_t type;
    bool incoming;
    AdjacencyList* list;
  };
  std::vector<Item> items;                     // sorted by (type, incoming)
  const AdjacencyList* Find(TypeId type, bool incoming) const {
    for (const Item& item : items) {
      if (item.type == type.value && item.incoming == incoming) return item.list;
    }
    return nullptr;
  }
};

}  // namespace fornix::storage
