// Lock-free directories over ids: who holds an id finds its element in a few loads; a place never written costs nothing.
//
//   ChunkDirectory<T>   chunk number (28 bits) -> T: three levels of 1024 x 512 x 512 atomic pointers
//   ElementMap<T>       id (40 bits) -> T: chunk directory, then 64 x 64 slots, so that scattered writes cost groups of 512 B
//   TokenArray<T>       token number (16 bits) -> T: two levels of 256
//
// Invariant: a pointer is published once (release) and never changes or goes away before the directory does.
// Threads: one writer (the sequencer), any number of readers without locks.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>

#include "base/check.h"
#include "base/limits.h"

namespace fornix::storage {

inline constexpr uint64_t kChunkElements = 4096;
inline constexpr uint64_t kIdsMax = uint64_t{1} << 40;
inline constexpr uint64_t ChunkOf(uint64_t id) { return id / kChunkElements; }
inline constexpr uint64_t SlotOf(uint64_t id) { return id % kChunkElements; }

template <typename T, size_t N>
struct PointerTable {
  std::array<std::atomic<T*>, N> at{};
  T* Get(size_t i) const { return at[i].load(std::memory_order_acquire); }
  // The writer's: makes what is missing.
  T* Ensure(size_t i, std::deque<T>* pool) {
    T* found = at[i].load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = &pool->emplace_back();
      at[i].store(found, std::memory_order_release);
    }
    return found;
  }
};

template <typename T>
class ChunkDirectory {
 public:
  T* Find(uint64_t chunk) const {
    if (chunk >= kIdsMax / kChunkElements) return nullptr;
    const Middle* middle = root_.Get(chunk >> 18);
    if (middle == nullptr) return nullptr;
    const Leaf* leaf = middle->Get((chunk >> 9) & 511);
    return leaf == nullptr ? nullptr : leaf->Get(chunk & 511);
  }
  T* Ensure(uint64_t chunk) {
    CHECK(chunk < kIdsMax / kChunkElements);
    return root_.Ensure(chunk >> 18, &middles_)->Ensure((chunk >> 9) & 511, &leaves_)->Ensure(chunk & 511, &pool_);
  }
  // The first chunk that is there at or after *chunk; null at the end.
  T* Next(uint64_t* chunk) const {
    for (uint64_t c = *chunk; c < kIdsMax / kChunkElements;) {
      const Middle* middle = root_.Get(c >> 18);
      if (middle == nullptr) { c = ((c >> 18) + 1) << 18; continue; }
      const Leaf* leaf = middle->Get((c >> 9) & 511);
      if (leaf == nullptr) { c = ((c >> 9) + 1) << 9; continue; }
      if (T* found = leaf->Get(c & 511); found != nullptr) { *chunk = c; return found; }
      ++c;
    }
    return nullptr;
  }
  size_t memory_bytes() const {                // behind its own size; what the elements hold isn't in it
    return middles_.size() * sizeof(Middle) + leaves_.size() * sizeof(Leaf) + pool_.size() * sizeof(T);
  }

 private:
  using Leaf = PointerTable<T, 512>;
  using Middle = PointerTable<Leaf, 512>;
  PointerTable<Middle, 1024> root_;
  std::deque<Middle> middles_;
  std::deque<Leaf> leaves_;
  std::deque<T> pool_;
};

template <typename T>
class ElementMap {
 public:
  T* Find(uint64_t id) const {
    const Chunk* chunk = chunks_.Find(ChunkOf(id));
    if (chunk == nullptr) return nullptr;
    const Group* group = chunk->Get(SlotOf(id) >> 6);
    return group == nullptr ? nullptr : group->Get(id & 63);
  }
  T* Ensure(uint64_t id) {
    return chunks_.Ensure(ChunkOf(id))->Ensure(SlotOf(id) >> 6, &groups_)->Ensure(id & 63, &pool_);
  }
  // Calls visit(id, element) with ascending ids from `from` on until it returns false.
  template <typename Visit>
  void VisitFrom(uint64_t from, Visit&& visit) const {
    uint64_t number = ChunkOf(from);
    size_t group_at = SlotOf(from) >> 6, at = from & 63;
    for (const Chunk* chunk; (chunk = chunks_.Next(&number)) != nullptr; ++number) {
      if (number != ChunkOf(from)) group_at = at = 0;
      for (; group_at < 64; ++group_at, at = 0) {
        const Group* group = chunk->Get(group_at);
        if (group == nullptr) continue;
        for (; at < 64; ++at) {
          T* element = group->Get(at);
          if (element != nullptr && !visit(number * kChunkElements + group_at * 64 + at, element)) return;
        }
      }
      group_at = at = 0;
    }
  }
  // Every element, in no order that matters: the destructor's and the audit's.
  std::deque<T>& all() { return pool_; }
  size_t memory_bytes() const { return chunks_.memory_bytes() + groups_.size() * sizeof(Group) + pool_.size() * sizeof(T); }

 private:
  using Group = PointerTable<T, 64>;
  using Chunk = PointerTable<Group, 64>;
  ChunkDirectory<Chunk> chunks_;
  std::deque<Group> groups_;
  std::deque<T> pool_;
};

template <typename T>
class TokenArray {
 public:
  T* Find(uint32_t token) const {
    if (token >= kTokensMax) return nullptr;
    const PointerTable<T, 256>* page = root_.Get(token >> 8);
    return page == nullptr ? nullptr : page->Get(token & 255);
  }
  T* Ensure(uint32_t token) {
    CHECK(token < kTokensMax);
    return root_.Ensure(token >> 8, &pages_)->Ensure(token & 255, &pool_);
  }
  size_t memory_bytes() const { return pages_.size() * sizeof(PointerTable<T, 256>) + pool_.size() * sizeof(T); }

 private:
  PointerTable<PointerTable<T, 256>, 256> root_;
  std::deque<PointerTable<T, 256>> pages_;
  std::deque<T> pool_;
};

// 4,096 bits of one chunk.
struct ChunkBitmap {
  std::array<std::atomic<uint64_t>, 64> words{};
  void Set(uint64_t slot) { words[slot >> 6].fetch_or(uint64_t{1} << (slot & 63), std::memory_order_release); }
};
// Visits the set bits of a directory of bitmaps as ids, ascending from `from`, until visit returns false.
template <typename Visit>
void VisitBits(const ChunkDirectory<ChunkBitmap>& bitmaps, uint64_t from, Visit&& visit) {
  uint64_t number = ChunkOf(from);
  for (const ChunkBitmap* bitmap; (bitmap = bitmaps.Next(&number)) != nullptr; ++number) {
    const uint64_t first = number == ChunkOf(from) ? SlotOf(from) : 0;
    for (uint64_t word = first >> 6; word < 64; ++word) {
      uint64_t bits = bitmap->words[word].load(std::memory_order_acquire);
      if (word == first >> 6) bits &= ~uint64_t{0} << (first & 63);
      for (; bits != 0; bits &= bits - 1) {
        const uint64_t slot = word * 64 + static_cast<uint64_t>(std::countr_zero(bits));
        if (!visit(number * kChunkElements + slot)) return;
      }
    }
  }
}

}  // namespace fornix::storage
