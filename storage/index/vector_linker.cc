#include "storage/index/vector_linker.h"

#include <algorithm>
#include <chrono>

#include "base/interrupt.h"

namespace fornix::storage {

void VectorLinker::Brought(const std::shared_ptr<VectorIndex>& index, uint64_t added) {
  if (!background_) {
    vector::SearchScratch scratch;
    while (index->LinkOne(&scratch)) {
    }
    return;
  }
  {
    std::lock_guard lock(mutex_);
    if (stop_) return;
    if (std::find(queue_.begin(), queue_.end(), index) == queue_.end()) queue_.push_back(index);
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
    changed_.notify_all();
  }
  if (index->unlinked() <= kVectorsUnlinkedMax) return;
  static thread_local vector::SearchScratch scratch;
  for (uint64_t i = 0; i < added && index->unlinked() > kVectorsUnlinkedMax; ++i) {
    if (!index->LinkOne(&scratch)) return;
  }
}

void VectorLinker::Run() {
  vector::SearchScratch scratch;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    const std::shared_ptr<VectorIndex> index = queue_.back();
    queue_.pop_back();
    working_ = true;
    lock.unlock();
    bool left = true;
    for (int i = 0; i < 64 && left; ++i) left = index->LinkOne(&scratch);   // then a look at stop_, and at other indexes
    lock.lock();
    working_ = false;
    // Rows that somebody else is linking now are not ours to take, but Await waits for them too.
    if ((left || index->unlinked() > 0) && std::find(queue_.begin(), queue_.end(), index) == queue_.end()) {
      queue_.insert(queue_.begin(), index);
      if (!left) {                             // nothing to do but to wait for the others
        lock.unlock();
        std::this_thread::yield();
        lock.lock();
      }
    }
    changed_.notify_all();
  }
}

void VectorLinker::Await() {
  std::unique_lock lock(mutex_);
  const auto pause = std::chrono::milliseconds(kInterruptWaitMillis);
  while (!changed_.wait_for(lock, pause, [this] { return stop_ || (queue_.empty() && !working_); })) LookForInterrupt();
}

void VectorLinker::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace fornix::storage
