// MemoryBudget: how much memory one database may hold, and who holds it. One account for the cache, the delta, the write
// sets, the indexes and the queries; resident memory is this plus code, stacks and the allocator's slack.
//
// Charges are of bytes that are really allocated, made where they are allocated, in steps of some KiB at least, so that
// the counters aren't a hot spot. The cache takes what the others leave and gives way to them: TryCharge calls
// `reclaim` before it refuses. Add never refuses: for what has been decided already (the delta of a commit).
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "fornix/status.h"

namespace fornix {

enum class MemoryUse : uint8_t { kCache, kDelta, kWriteSets, kIndexes, kQueries, kCheckpoint };
inline constexpr size_t kMemoryUses = 6;

class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t limit_bytes) : limit_(limit_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  uint64_t limit() const { return limit_; }
  uint64_t used(MemoryUse use) const { return used_[Place(use)].load(std::memory_order_relaxed); }
  uint64_t total() const { return total_.load(std::memory_order_relaxed); }
  // What the cache may hold: what the others leave, but never less than a sixteenth of the budget.
  uint64_t cache_room() const {
    const uint64_t all = total(), cache = used(MemoryUse::kCache), others = all > cache ? all - cache : 0;
    const uint64_t least = limit_ / 16;
    return others + least > limit_ ? least : limit_ - others;
  }

  void Add(MemoryUse use, uint64_t bytes) {
    used_[Place(use)].fetch_add(bytes, std::memory_order_relaxed);
    total_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void Release(MemoryUse use, uint64_t bytes) {
    used_[Place(use)].fetch_sub(bytes, std::memory_order_relaxed);
    total_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  // ResourceExhausted, naming `what` and the budget, if the total would pass the limit even after reclaiming.
  // Nothing is charged then.
  Status TryCharge(MemoryUse use, uint64_t bytes, std::string_view what);
  // Asked to free at least so many bytes (the cache evicts). Returns how many of them are still counted, and will go as soon
  // as the calls that are underway end: TryCharge passes the limit by that much, or a call could wait for itself.
  // Set before other threads come.
  void set_reclaim(std::function<uint64_t(uint64_t bytes)> reclaim) { reclaim_ = std::move(reclaim); }

  // For tests of what happens when memory runs out: the nth charge from now (0: the next) that may be refused is, once or from then
  // on. Everybody who charges in steps counts each wish with CountForTest; TryCharge does so itself.
  void RefuseForTest(int64_t nth, bool for_ever) {
    for_ever_.store(for_ever, std::memory_order_relaxed);
    countdown_.store(nth, std::memory_order_relaxed);
  }
  void StopRefusing() { countdown_.store(-1, std::memory_order_relaxed); }
  Status CountForTest(std::string_view what) {
    if (countdown_.load(std::memory_order_relaxed) < 0) return Status::Ok();
    return CountSlow(what);
  }

 private:
  Status CountSlow(std::string_view what);
  static size_t Place(MemoryUse use) { return static_cast<size_t>(use); }
  const uint64_t limit_;
  std::array<std::atomic<uint64_t>, kMemoryUses> used_{};
  std::atomic<uint64_t> total_{0};
  std::function<uint64_t(uint64_t)> reclaim_;
  std::atomic<int64_t> countdown_{-1};   // RefuseForTest; negative: off
  std::atomic<bool> for_ever_{false};
};

// Half of the machine's memory (or of the cgroup's limit), or FORNIX_MEMORY_BYTES from the environment where it is set.
uint64_t DefaultMemoryBudget();

}  // namespace fornix
