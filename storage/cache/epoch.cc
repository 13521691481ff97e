// The slots. A slot lies alone on its cache line, so that guards of different threads don't meet.
#include "storage/cache/epoch.h"

#include <atomic>

#include "storage/cache/frame_cache.h"

namespace fornix::storage {
namespace {

struct alignas(64) Slot {
  std::atomic<uint64_t> epoch{0};        // 0: no guard open
  std::atomic<bool> taken{true};
  Slot* next = nullptr;
};

std::atomic<uint64_t> now{1};
std::atomic<Slot*> slots{nullptr};       // a list that only grows: a slot outlives its thread and serves the next one

struct ThreadState {
  Slot* slot = nullptr;
  uint32_t depth = 0;
};
constinit thread_local ThreadState thread_state;

Slot* TakeSlot() {
  for (Slot* slot = slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    bool taken = false;
    if (!slot->taken.load(std::memory_order_relaxed) && slot->taken.compare_exchange_strong(taken, true, std::memory_order_acq_rel)) return slot;
  }
  auto* slot = new Slot;
  slot->next = slots.load(std::memory_order_relaxed);
  while (!slots.compare_exchange_weak(slot->next, slot, std::memory_order_acq_rel, std::memory_order_relaxed)) {}
  return slot;
}

// Gives the slot back when its thread ends; made by the thread's first guard alone, so that later ones touch no more than the state.
struct SlotOwner {
  SlotOwner() { thread_state.slot = TakeSlot(); }
  ~SlotOwner() {
    thread_state.slot->taken.store(false, std::memory_order_release);
    thread_state.slot = nullptr;
  }
};

void AttachThread() {
  thread_local SlotOwner owner;
  if (thread_state.slot == nullptr) thread_state.slot = TakeSlot();   // a guard in a destructor that runs after the owner's
}

}  // namespace

EpochGuard::EpochGuard() {
  ThreadState& state = thread_state;
  if (state.slot == nullptr) AttachThread();
  if (state.depth++ == 0) state.slot->epoch.store(now.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
}

EpochGuard::~EpochGuard() {
  ThreadState& state = thread_state;
  if (--state.depth == 0) state.slot->epoch.store(0, std::memory_order_release);
}

bool EpochGuard::Renew() {
  ThreadState& state = thread_state;
  if (state.depth != 1) return false;
  state.slot->epoch.store(now.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
  return true;
}

namespace epoch {

uint64_t Stamp() { return now.fetch_add(1, std::memory_order_seq_cst); }

uint64_t OldestGuard() {
  uint64_t oldest = ~uint64_t{0};
  for (Slot* slot = slots.load(std::memory_order_seq_cst); slot != nullptr; slot = slot->next) {
    const uint64_t at = slot->epoch.load(std::memory_order_seq_cst);
    if (at != 0 && at < oldest) oldest = at;
  }
  return oldest;
}

bool Guarded() { return thread_state.depth > 0; }

}  // namespace epoch
}  // namespace fornix::storage
