#include "storage/index/vector_linker.h"

#include <algorithm>
#include <chrono>

#include "base/interrupt.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kHelpersFrom = 4096;        // rows left: a second of one thread
constexpr int kLinksAStep = 64;                // then a look at stop_, and at other indexes

size_t ThreadsMax() {
  const size_t processors = std::max(1u, std::thread::hardware_concurrency());
  return processors > 2 ? processors - 1 : processors;
}

}  // namespace

void VectorLinker::Brought(const std::shared_ptr<VectorIndex>& index, uint64_t added) {
  if (!background_) {
    vector::SearchScratch scratch;
    while (index->LinkOne(&scratch)) {
    }
    return;
  }
  const uint64_t unlinked = index->unlinked();
  {
    std::lock_guard lock(mutex_);
    if (stop_) return;
    if (std::find(queue_.begin(), queue_.end(), index) == queue_.end()) queue_.push_back(index);
    const size_t wanted = unlinked > kHelpersFrom ? ThreadsMax() : 1;
    while (threads_.size() < wanted) {
      const bool helper = !threads_.empty();
      threads_.emplace_back([this, helper] { Run(helper); });
    }
    changed_.notify_all();
  }
  if (unlinked <= kVectorsUnlinkedMax) return;
  static thread_local vector::SearchScratch scratch;
  for (uint64_t i = 0; i < added && index->unlinked() > kVectorsUnlinkedMax; ++i) {
    if (!index->LinkOne(&scratch)) return;
  }
}

std::shared_ptr<VectorIndex> VectorLinker::Next(bool helper) {
  for (size_t i = 0; i < queue_.size(); ++i) {
    const std::shared_ptr<VectorIndex>& index = queue_[++next_ % queue_.size()];
    if (!helper || index->unlinked() > kHelpersFrom) return index;
  }
  return nullptr;
}

void VectorLinker::Run(bool helper) {
  vector::SearchScratch scratch;
  std::unique_lock lock(mutex_);
  for (;;) {
    std::shared_ptr<VectorIndex> index;
    changed_.wait(lock, [&] { return stop_ || (index = Next(helper)) != nullptr; });
    if (stop_) return;
    ++working_;
    lock.unlock();
    bool left = true;
    try {
      for (int i = 0; i < kLinksAStep && left; ++i) left = index->LinkOne(&scratch);
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kInterruptWaitMillis));   // what wasn't linked is scanned meanwhile
    }
    if (!left && index->unlinked() > 0 && !index->stopped()) std::this_thread::yield();   // rows that somebody else is linking; Await waits for them too
    lock.lock();
    --working_;
    if (!left && (index->unlinked() == 0 || index->stopped())) std::erase(queue_, index);
    changed_.notify_all();
    if (!queue_.empty() || working_ > 0 || !idle_ || stop_) continue;
    lock.unlock();
    idle_();
    lock.lock();
  }
}

void VectorLinker::Await() {
  std::unique_lock lock(mutex_);
  const auto pause = std::chrono::milliseconds(kInterruptWaitMillis);
  while (!changed_.wait_for(lock, pause, [this] { return stop_ || (queue_.empty() && working_ == 0); })) LookForInterrupt();
}

void VectorLinker::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace fornix::storage
