// Adjacency pieces: the relationships of one type and direction at neighbouring slots of a node chunk; and the leaves and fences of
// the lists that are too long for a piece.
//
// A list is ordered by (neighbour, relationship), neighbours and relationships in arrays of their own. Offsets are dense where
// at least an eighth of the slots have a list, else a bitmap says which have one. Decoded, the ids are plain numbers: finding a
// list is one load, walking it is another one each. Layout: docs/format.md, "Base", "Adjacency".
// Invariant after Decode: every list is strictly ascending and every id has 40 bits. Threads: any.
#pragma once

#include "storage/base/bits.h"
#include "storage/base/column.h"

namespace fornix::storage {

inline constexpr uint64_t kElementIdMax = (uint64_t{1} << 40) - 1;
inline constexpr uint32_t kListEntriesMax = 2048;       // a longer list leaves the piece: a change then rewrites a leaf, not all of it
inline constexpr uint32_t kHubEntriesMin = 1024;        // and comes back when it is shorter; half, so that it doesn't swing
inline constexpr uint32_t kPieceEntriesMax = 8192;      // a piece with more is split by slots: about 50 KiB, what one change rewrites
inline constexpr uint32_t kLeafEntriesMax = 6144;       // twice 40 bits each are 60 KiB
inline constexpr uint32_t kLeafEntriesFill = 4608;      // three quarters, so that a leaf takes some more before it splits

// Ids as differences to the least, in 32 bits where they fit.
class IdArray {
 public:
  static Result<IdArray> Decode(ByteReader* in, size_t n);   // of packed numbers; each < 2^40
  uint64_t operator[](size_t i) const { return wide_.empty() ? base_ + narrow_[i] : wide_[i]; }
  size_t MemoryBytes() const { return narrow_.capacity() * sizeof(uint32_t) + wide_.capacity() * sizeof(uint64_t); }
  // The first place in the ascending [begin, end) whose id isn't less.
  uint32_t LowerBound(uint32_t begin, uint32_t end, uint64_t id) const;
  // The first place whose id is greater than `id`, which none before `begin` is; steps that double, for runs are short.
  uint32_t EndOfRun(uint32_t begin, uint32_t end, uint64_t id) const {
    for (uint32_t step = 1; begin < end && (*this)[begin] == id; step *= 2) {
      const uint32_t next = end - begin > step ? begin + step : end;
      if (next == end || (*this)[next] != id) return LowerBound(begin, next, id + 1);
      begin = next;
    }
    return begin;
  }

 private:
  uint64_t base_ = 0;
  std::vector<uint32_t> narrow_;
  std::vector<uint64_t> wide_;
};

struct HubEntry {
  uint32_t slot = 0;
  uint64_t degree = 0;
  ExtentRef root;
};

class AdjacencyPiece {
 public:
  static Result<AdjacencyPiece> Decode(ByteReader* in, uint64_t file_pages);

  unsigned first() const { return first_; }
  unsigned end() const { return first_ + slots_; }
  uint32_t entries() const { return entries_; }
  // [begin, end) in ids: empty also where the slot has a hub.
  std::pair<uint32_t, uint32_t> List(unsigned slot) const {
    size_t i = slot - first_;
    if (i >= slots_) return {0, 0};
    if (sparse_) {
      if (!lists_.Test(i)) return {0, 0};
      i = lists_.Rank(i);
    }
    return {offsets_[i], offsets_[i + 1]};
  }
  const HubEntry* Hub(unsigned slot) const;            // null: none
  const std::vector<HubEntry>& hubs() const { return hubs_; }
  const IdArray& neighbours() const { return neighbours_; }
  const IdArray& relationships() const { return relationships_; }
  size_t MemoryBytes() const;                          // owned beside the object itself

 private:
  uint32_t first_ = 0, slots_ = 0, entries_ = 0;
  bool sparse_ = false;
  RankedBits lists_;
  std::vector<uint32_t> offsets_;
  IdArray neighbours_, relationships_;
  std::vector<HubEntry> hubs_;
};

struct Entry {
  uint64_t neighbour = 0, relationship = 0;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};
// entries: the lists of slots first, first + 1, ... one after the other; ends[i] = where that of first + i ends, counted from the
// span's start.
void EncodeAdjacency(unsigned first, std::span<const Entry> entries, std::span<const uint32_t> ends, std::span<const HubEntry> hubs,
                     ByteWriter* out);

// A hub's leaf: count, neighbours, relationships.
struct HubLeaf {
  uint32_t count = 0;
  IdArray neighbours, relationships;
  static Result<HubLeaf> Decode(ByteReader* in);
  Entry At(uint32_t i) const { return {neighbours[i], relationships[i]}; }
};
void EncodeHubLeaf(std::span<const Entry> entries, ByteWriter* out);

// A hub's root: its leaves in order.
struct HubFence {
  Entry first;                                         // of the leaf
  uint64_t before = 0;                                 // entries in the leaves before it; not stored
  uint32_t count = 0;
  ExtentRef leaf;
};
struct HubRoot {
  uint32_t slot = 0;
  uint64_t degree = 0;                                 // the sum of the counts; not stored
  std::vector<HubFence> fences;
  std::vector<uint64_t> neighbours;                    // first.neighbour of each fence, close together for the search; not stored
  static Result<HubRoot> Decode(ByteReader* in, uint64_t file_pages);
};
void EncodeHubRoot(const HubRoot& root, ByteWriter* out);

}  // namespace fornix::storage
