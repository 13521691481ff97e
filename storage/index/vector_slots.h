// VectorSlots: whose vector a slot of a VectorIndex is, and when; and of an element, its slots.
//
//   slot     {element, begin, end, the element's slot before}   in parts, 25 bytes: begin <= S < end is seen at S
//   element  its newest slot                                    4 bytes; elements of one label lie together
//
// A slot that never began is nobody's. An element's slots hang in a chain, newest first, so an older snapshot finds its own.
// Begin publishes in the order previous, begin, newest: who comes upon a slot that hasn't begun for it goes on down the chain.
// Threads: Add, Begin, End, HasLive under the sequencer's mutex; all else from any, for slots that a graph's size() has shown.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "base/ids.h"
#include "storage/graph/directory.h"

namespace fornix::storage {

class VectorSlots {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Makes the places of a slot and of its element. Nobody finds it by the element yet.
  void Add(uint32_t slot, uint64_t id) {
    elements_.Ensure(ChunkOf(id));
    Chunk* chunk = slots_.Ensure(slot / kChunkElements);
    chunk->id_low[slot % kChunkElements] = static_cast<uint32_t>(id);
    chunk->id_high[slot % kChunkElements] = static_cast<uint8_t>(id >> 32);
  }
  // The slot is the element's from `ts` on. Never allocates.
  void Begin(uint32_t slot, Timestamp ts) {
    Chunk* chunk = slots_.Find(slot / kChunkElements);
    std::atomic<uint32_t>& newest = *Newest(Id(slot));
    chunk->previous[slot % kChunkElements].store(newest.load(std::memory_order_relaxed), std::memory_order_relaxed);
    chunk->begin[slot % kChunkElements].store(ts, std::memory_order_release);
    newest.store(slot + 1, std::memory_order_release);
  }
  // The element has no slot from `ts` on. The one it had; kNone: it had none. Never allocates.
  uint32_t End(uint64_t id, Timestamp ts) {
    const uint32_t slot = LiveSlot(id);
    if (slot != kNone) slots_.Find(slot / kChunkElements)->end[slot % kChunkElements].store(ts, std::memory_order_release);
    return slot;
  }
  uint32_t LiveSlot(uint64_t id) const {
    const std::atomic<uint32_t>* newest = Newest(id);
    const uint32_t slot = newest == nullptr ? kNone : newest->load(std::memory_order_acquire) - 1;
    return slot != kNone && EndOf(slot) == kNever ? slot : kNone;
  }

  uint64_t Id(uint32_t slot) const {
    const Chunk* chunk = slots_.Find(slot / kChunkElements);
    return uint64_t{chunk->id_high[slot % kChunkElements]} << 32 | chunk->id_low[slot % kChunkElements];
  }
  Timestamp BeginOf(uint32_t slot) const {
    return slots_.Find(slot / kChunkElements)->begin[slot % kChunkElements].load(std::memory_order_acquire);
  }
  Timestamp EndOf(uint32_t slot) const {
    return slots_.Find(slot / kChunkElements)->end[slot % kChunkElements].load(std::memory_order_acquire);
  }
  bool VisibleAt(uint32_t slot, Timestamp snapshot) const {
    const Chunk* chunk = slots_.Find(slot / kChunkElements);
    return chunk->begin[slot % kChunkElements].load(std::memory_order_acquire) <= snapshot &&
           snapshot < chunk->end[slot % kChunkElements].load(std::memory_order_acquire);
  }
  // The element's slot that a snapshot sees; kNone: none.
  uint32_t SlotAt(uint64_t id, Timestamp snapshot) const {
    const std::atomic<uint32_t>* newest = Newest(id);
    if (newest == nullptr) return kNone;
    for (uint32_t next = newest->load(std::memory_order_acquire); next != 0;) {
      const uint32_t slot = next - 1;
      const Chunk* chunk = slots_.Find(slot / kChunkElements);
      if (chunk->begin[slot % kChunkElements].load(std::memory_order_acquire) <= snapshot) return snapshot < EndOf(slot) ? slot : kNone;
      next = chunk->previous[slot % kChunkElements].load(std::memory_order_relaxed);
    }
    return kNone;
  }
  size_t memory_bytes() const { return sizeof(*this) + slots_.memory_bytes() + elements_.memory_bytes(); }

 private:
  struct Chunk {
    std::array<std::atomic<Timestamp>, kChunkElements> begin, end;
    std::array<uint32_t, kChunkElements> id_low;
    std::array<uint8_t, kChunkElements> id_high;
    std::array<std::atomic<uint32_t>, kChunkElements> previous;   // 1 + the slot; 0: none
    Chunk() {
      for (auto& b : begin) b.store(kNever, std::memory_order_relaxed);
      for (auto& e : end) e.store(kNever, std::memory_order_relaxed);
    }
  };
  struct Elements {
    std::array<std::atomic<uint32_t>, kChunkElements> newest{};   // 1 + the slot; 0: none
  };
  std::atomic<uint32_t>* Newest(uint64_t id) const {
    Elements* elements = elements_.Find(ChunkOf(id));
    return elements == nullptr ? nullptr : &elements->newest[SlotOf(id)];
  }

  ChunkDirectory<Chunk> slots_;
  ChunkDirectory<Elements> elements_;
};

}  // namespace fornix::storage
