// FrameCache: decoded extents in memory, found by their first page.
//
// Every extent that was read is decoded once into a Frame, which never changes. The page table is an array of atomic pointers by
// page number (two levels, made where needed), so a hit is two loads and two branches, without a lock. Frames are shared
// by all versions of the base, because an extent never changes while anything can reach it. A frame carries the seq of its extent:
// when the pages are written anew, by us or by another process, the old frame isn't found any more and gives way.
// Readers hold an EpochGuard, not pins: a frame got under a guard stays valid until that guard ends. Eviction takes a
// frame out of the table (CLOCK, a ring on Boost.Intrusive) and frees it when every guard that was open then has ended.
// A guard is for one call, or one batch; nothing keeps a frame's address across it, and a guard may be nested.
// Room: MemoryBudget::cache_room(); frames are charged with their decoded bytes.
// Threads: any. Damage and failed reads throw ReadFailure.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/memory_budget.h"
#include "base/read_failure.h"
#include "storage/page/extent_file.h"

namespace fornix::storage {

struct Frame : boost::intrusive::list_base_hook<> {
  virtual ~Frame() = default;
  size_t bytes = 0;                            // decoded, all that it owns; set by the decoder
  uint64_t seq = 0;                            // the cache's, as all below
  uint64_t owner = 0;                          // with the kind: what Get casts to is what was decoded, whatever a reference says
  ExtentKind kind{};
  uint64_t stamp = 0;
  uint32_t page = 0;
  mutable std::atomic<bool> referenced{true};  // CLOCK's mark
};

class EpochGuard {
 public:
  EpochGuard();                                // about 10 ns; nested ones cost a counter
  ~EpochGuard();
  EpochGuard(const EpochGuard&) = delete;
  EpochGuard& operator=(const EpochGuard&) = delete;
  // As if it ended and another began: what was read under it may go. For calls that read much. A nested one holds on: false.
  bool Renew();
};

class FrameCache {
 public:
  explicit FrameCache(MemoryBudget* budget);
  ~FrameCache();                               // no guard is open any more

  // `context` is handed to the decoder. REQUIRES: an EpochGuard of this thread.
  using Decode = Result<std::unique_ptr<Frame>> (*)(ExtentBytes bytes, const ExtentRef& ref, const void* context);
  template <typename F>
  const F& Get(const ExtentFile& file, const ExtentRef& ref, ExtentKind kind, uint64_t owner, Decode decode,
               const void* context = nullptr) {
    const Frame* frame = Find(ref.page, ref.seq);
    if (frame == nullptr || frame->owner != owner || frame->kind != kind) [[unlikely]] {
      frame = Load(file, ref, kind, owner, decode, context);
    }
    return *static_cast<const F*>(frame);
  }
  // A frame made by the caller, for an extent that isn't read as one (a page of kFloats).
  // `seq` is that of the extent which the page belongs to.
  const Frame* Find(uint32_t page, uint64_t seq) const {                            // null: not here
    const Leaf* leaf = table_[page / kLeafPages].load(std::memory_order_acquire);
    if (leaf == nullptr) return nullptr;
    // Sequentially consistent for the proof in storage/cache/epoch.h; a plain load on x86.
    const Frame* frame = leaf->frames[page % kLeafPages].load(std::memory_order_seq_cst);
    if (frame == nullptr || frame->seq != seq) return nullptr;
    // Written only when it changes: a hot frame's line stays shared by all cores.
    if (!frame->referenced.load(std::memory_order_relaxed)) frame->referenced.store(true, std::memory_order_relaxed);
    return frame;
  }
  const Frame* Insert(uint32_t page, uint64_t seq, std::unique_ptr<Frame> frame);   // the one that is here if another was faster

  void Drop(uint32_t page);                    // not needed for correctness: frees memory early
  void EvictTo(uint64_t bytes);                // until the frames in the table hold at most so much
  uint64_t bytes() const;                      // of those, and of those taken out that a guard may still hold
  struct Counters {
    uint64_t loads = 0, evictions = 0;         // hits aren't counted: they write nothing that threads share
  };
  Counters counters() const;

 private:
  const Frame* Load(const ExtentFile& file, const ExtentRef& ref, ExtentKind kind, uint64_t owner, Decode decode, const void* context);
  // 32 MiB of file in 64 KiB of table.
  static constexpr uint32_t kLeafPages = 8192;
  struct Leaf {
    std::atomic<Frame*> frames[kLeafPages]{};
  };
  class Impl;
  std::atomic<Leaf*>* table_;                  // the Impl's
  std::unique_ptr<Impl> impl_;
};

}  // namespace fornix::storage
