// The cache's slow half: loading, the ring, eviction, and the frames that wait for guards to end.
//
//   table and ring ----Evict, Drop, replaced----> retired (stamp) ----no guard as old as the stamp----> freed
// One mutex for the ring, the retired list and every change of the table; neither reading a file nor decoding nor freeing is done
// under it. A frame's bytes are charged from Insert until it is freed.
#include "storage/cache/frame_cache.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "base/check.h"
#include "base/errors.h"
#include "storage/cache/epoch.h"
#include "storage/page/extent_header.h"

namespace fornix::storage {
namespace {

constexpr size_t kRootEntries = size_t{1} << 19;      // x 8,192 pages = all 32-bit page numbers
constexpr uint64_t kReclaimMore = 64;                 // a reclaim frees a 64th of the budget more than asked, so that it is rarely asked

}  // namespace

class FrameCache::Impl {
 public:
  explicit Impl(MemoryBudget* budget)
      : budget_(budget), table_(static_cast<std::atomic<Leaf*>*>(std::calloc(kRootEntries, sizeof(std::atomic<Leaf*>)))) {
    // Zeros are null pointers here, and calloc gives pages that take no memory until they are touched.
    if (table_ == nullptr) throw std::bad_alloc();
    budget_->set_reclaim([this](uint64_t bytes) { return Reclaim(bytes); });
  }
  ~Impl() {
    budget_->set_reclaim(nullptr);
    ring_.clear_and_dispose([](Frame* frame) { delete frame; });
    retired_.clear_and_dispose([](Frame* frame) { delete frame; });
    for (const auto& [number, leaf] : leaves_) delete leaf;
    budget_->Release(MemoryUse::kCache, live_ + waiting_ + leaves_.size() * sizeof(Leaf));
    std::free(table_);
  }

  std::atomic<Leaf*>* table() const { return table_; }
  const Frame* Insert(uint32_t page, uint64_t seq, std::unique_ptr<Frame> frame);
  void Drop(uint32_t page);
  void EvictTo(uint64_t bytes);
  uint64_t Reclaim(uint64_t bytes);
  uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return live_ + waiting_;
  }
  Counters counters() const { return {loads_.load(std::memory_order_relaxed), evictions_.load(std::memory_order_relaxed)}; }
  void CountLoad() { loads_.fetch_add(1, std::memory_order_relaxed); }

 private:
  using Frames = boost::intrusive::list<Frame>;   // by the hook in each: moving a frame from list to list allocates nothing

  std::atomic<Frame*>& Place(uint32_t page);
  void TakeOut(Frame& frame, Frames* out);
  void EvictUnlocked(uint64_t most, bool waiting_too, Frames* out);
  void Retire(Frames* out);
  uint64_t FreeRetired();

  MemoryBudget* const budget_;
  std::atomic<Leaf*>* const table_;
  std::atomic<uint64_t> loads_{0}, evictions_{0};

  mutable std::mutex mutex_;
  std::vector<std::pair<uint32_t, Leaf*>> leaves_;
  Frames ring_;                     // its front is where the hand stands
  Frames retired_;                  // ascending stamps
  uint64_t live_ = 0;               // bytes in the table
  uint64_t waiting_ = 0;            // bytes in retired_, and of what is being freed
};

// REQUIRES: the mutex, here and in all others that are told nothing else.
std::atomic<Frame*>& FrameCache::Impl::Place(uint32_t page) {
  std::atomic<Leaf*>& entry = table_[page / kLeafPages];
  Leaf* leaf = entry.load(std::memory_order_relaxed);
  if (leaf == nullptr) {
    leaves_.reserve(leaves_.size() + 1);
    leaf = new Leaf;
    leaves_.emplace_back(page / kLeafPages, leaf);
    budget_->Add(MemoryUse::kCache, sizeof(Leaf));
    entry.store(leaf, std::memory_order_release);
  }
  return leaf->frames[page % kLeafPages];
}

void FrameCache::Impl::TakeOut(Frame& frame, Frames* out) {
  Leaf* leaf = table_[frame.page / kLeafPages].load(std::memory_order_relaxed);
  leaf->frames[frame.page % kLeafPages].store(nullptr, std::memory_order_seq_cst);
  out->splice(out->end(), ring_, ring_.iterator_to(frame));
  live_ -= frame.bytes;
  waiting_ += frame.bytes;
}

// The hand goes round until at most `most` bytes are left. What waits for guards to end counts too if so wished, yet a quarter of
// the room is never taken for it: it goes by itself, and emptying the cache meanwhile would only mean reading again.
void FrameCache::Impl::EvictUnlocked(uint64_t most, bool waiting_too, Frames* out) {
  const uint64_t waiting = waiting_too ? waiting_ : 0;
  const uint64_t target = std::max(most > waiting ? most - waiting : 0, waiting_too ? most / 4 : 0);
  for (size_t steps = 2 * ring_.size(); steps > 0 && live_ > target; --steps) {
    Frame& frame = ring_.front();
    if (frame.referenced.load(std::memory_order_relaxed)) {
      frame.referenced.store(false, std::memory_order_relaxed);
      ring_.splice(ring_.end(), ring_, ring_.begin());
    } else {
      TakeOut(frame, out);
      evictions_.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

// All in `out` have left the table, so one stamp serves them all.
void FrameCache::Impl::Retire(Frames* out) {
  if (out->empty()) return;
  const uint64_t stamp = epoch::Stamp();
  for (Frame& frame : *out) frame.stamp = stamp;
  retired_.splice(retired_.end(), *out);
}

// Without the mutex, here alone: destructors of many frames take their time. Returns the bytes that are free now.
uint64_t FrameCache::Impl::FreeRetired() {
  Frames free;
  uint64_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    if (retired_.empty()) return 0;
    const uint64_t oldest = epoch::OldestGuard();
    while (!retired_.empty() && retired_.front().stamp < oldest) {
      bytes += retired_.front().bytes;
      free.splice(free.end(), retired_, retired_.begin());
    }
  }
  if (bytes == 0) return 0;
  free.clear_and_dispose([](Frame* frame) { delete frame; });
  budget_->Release(MemoryUse::kCache, bytes);
  // Only now: to another thread's Reclaim these are bytes that will go, or it would refuse for those that are being freed here.
  const std::lock_guard lock(mutex_);
  waiting_ -= bytes;
  return bytes;
}

const Frame* FrameCache::Impl::Insert(uint32_t page, uint64_t seq, std::unique_ptr<Frame> frame) {
  CHECK(epoch::Guarded());
  frame->page = page;
  frame->seq = seq;
  frame->bytes = std::max(frame->bytes, sizeof(Frame));
  const Frame* result = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::atomic<Frame*>& place = Place(page);
    Frame* here = place.load(std::memory_order_relaxed);
    if (here != nullptr && here->seq == seq) return here;            // another thread was faster; ours goes
    Frames out;
    if (here != nullptr) TakeOut(*here, &out);
    budget_->Add(MemoryUse::kCache, frame->bytes);
    live_ += frame->bytes;
    result = frame.release();
    ring_.push_back(const_cast<Frame&>(*result));
    place.store(const_cast<Frame*>(result), std::memory_order_seq_cst);
    // It may be the new frame itself that has to go, if it is larger than the room: the caller's guard keeps it.
    const uint64_t room = budget_->cache_room(), table = leaves_.size() * sizeof(Leaf);
    EvictUnlocked(room > table ? room - table : 0, /*waiting_too=*/true, &out);
    Retire(&out);
  }
  FreeRetired();
  return result;
}

void FrameCache::Impl::Drop(uint32_t page) {
  {
    const std::lock_guard lock(mutex_);
    Leaf* leaf = table_[page / kLeafPages].load(std::memory_order_relaxed);
    Frame* frame = leaf == nullptr ? nullptr : leaf->frames[page % kLeafPages].load(std::memory_order_relaxed);
    if (frame != nullptr) {
      Frames out;
      TakeOut(*frame, &out);
      Retire(&out);
    }
  }
  FreeRetired();
}

void FrameCache::Impl::EvictTo(uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    Frames out;
    EvictUnlocked(bytes, /*waiting_too=*/false, &out);
    Retire(&out);
  }
  FreeRetired();
}

uint64_t FrameCache::Impl::Reclaim(uint64_t bytes) {
  const uint64_t freed = FreeRetired();
  if (freed >= bytes) return 0;
  const uint64_t wanted = bytes - freed;
  Frames out;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_ < wanted) {
      const uint64_t more = wanted - waiting_ + budget_->limit() / kReclaimMore;
      EvictUnlocked(live_ > more ? live_ - more : 0, /*waiting_too=*/false, &out);
      Retire(&out);
    }
  }
  FreeRetired();
  const std::lock_guard lock(mutex_);
  return std::min(waiting_, wanted);
}

FrameCache::FrameCache(MemoryBudget* budget) : impl_(std::make_unique<Impl>(budget)) { table_ = impl_->table(); }
FrameCache::~FrameCache() = default;

const Frame* FrameCache::Load(const ExtentFile& file, const ExtentRef& ref, ExtentKind kind, uint64_t owner, Decode decode,
                              const void* context) {
  impl_->CountLoad();
  Result<std::unique_ptr<Frame>> frame = decode(ValueOrThrow(file.Read(ref, kind, owner)), ref, context);
  if (!frame.ok()) {
    // Decoders know neither file nor place.
    throw ReadFailure(frame.status().code() == Code::kCorruption ? ExtentDamage(file.path(), ref, frame.status().message()) : frame.status());
  }
  (*frame)->kind = kind;
  (*frame)->owner = owner;
  // The file itself says that these pages are of this kind and owner since this seq, so a faster thread's frame is one of them too.
  return Insert(ref.page, ref.seq, std::move(frame).value());
}

const Frame* FrameCache::Insert(uint32_t page, uint64_t seq, std::unique_ptr<Frame> frame) {
  return impl_->Insert(page, seq, std::move(frame));
}
void FrameCache::Drop(uint32_t page) { impl_->Drop(page); }
void FrameCache::EvictTo(uint64_t bytes) { impl_->EvictTo(bytes); }
uint64_t FrameCache::bytes() const { return impl_->bytes(); }
FrameCache::Counters FrameCache::counters() const { return impl_->counters(); }

}  // namespace fornix::storage
