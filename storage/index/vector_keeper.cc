#include "storage/index/vector_keeper.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/interrupt.h"
#include "storage/index/vector_rebuild.h"
#include "storage/store_state.h"

namespace fornix::storage {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);           // gathers what commits end meanwhile
constexpr auto kPauseForSnapshots = std::chrono::milliseconds(500);
constexpr int kNiceness = 10;

}  // namespace

Status VectorKeeper::Stopped() { return stop_ ? Status(Code::kCancelled, "the database is being closed") : Status::Ok(); }

void VectorKeeper::Look(const std::shared_ptr<VectorIndex>& index) {
  if (!index->HasEnded() && !index->WantsRepair()) return;
  if (!background_) {
    vector::SearchScratch scratch;
    Keep(index, &scratch);
    return;
  }
  std::lock_guard lock(mutex_);
  if (stop_ || std::find(queue_.begin(), queue_.end(), index) != queue_.end()) return;
  queue_.push_back(index);
  std::erase(waiting_, index);
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
}

void VectorKeeper::Run() {
  // The thread's own, where the system has that; elsewhere it is as any other.
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness));
  vector::SearchScratch scratch;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (queue_.empty()) {
      if (waiting_.empty()) {
        changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      } else if (!changed_.wait_for(lock, kPauseForSnapshots, [this] { return stop_ || !queue_.empty(); })) {
        queue_.swap(waiting_);
      }
      continue;
    }
    std::vector<std::shared_ptr<VectorIndex>> work;
    work.swap(queue_);
    working_ = true;
    lock.unlock();
    std::vector<std::shared_ptr<VectorIndex>> waits;
    for (const std::shared_ptr<VectorIndex>& index : work) {
      if (Keep(index, &scratch)) waits.push_back(index);
    }
    work.clear();
    lock.lock();
    working_ = false;
    for (std::shared_ptr<VectorIndex>& index : waits) {
      if (std::find(queue_.begin(), queue_.end(), index) == queue_.end()) waiting_.push_back(std::move(index));
    }
    changed_.notify_all();
    changed_.wait_for(lock, kPause, [this] { return stop_.load(); });
  }
}

bool VectorKeeper::Keep(const std::shared_ptr<VectorIndex>& index, vector::SearchScratch* scratch) {
  if (index->loading() || index->given_up() || index->stopped()) return false;
  bool waits = false;
  try {
    {
      std::lock_guard lock(store_->sequencer.mutex());
      waits = index->RetireEnded(store_->sequencer.floor());
    }
    // One that ends early, for an image, is gone on with at the next look.
    if (index->WantsRepair()) waits = !index->Repair(scratch, [this] { return Stopped(); }).ok() || waits;
    if (index->WantsRebuild()) Rebuild(index);
  } catch (const std::bad_alloc&) {
    waits = true;                              // later
  }
  return waits && !stop_;
}

void VectorKeeper::Rebuild(const std::shared_ptr<VectorIndex>& index) {
  std::optional<IndexId> id;
  {
    std::lock_guard lock(store_->sequencer.mutex());
    for (const VectorBinding& binding : store_->schemas.newest()->vectors) {
      if (binding.index == index && index->successor() == nullptr) id = binding.definition->id;
    }
  }
  if (!id || store_->read_only) return;        // it was dropped, or is being replaced anyway
  if (!RebuildVectorIndex(store_, *id, [this] { return Stopped(); }).ok()) index->RebuildFailed();
}

void VectorKeeper::Await() {
  std::unique_lock lock(mutex_);
  const auto pause = std::chrono::milliseconds(kInterruptWaitMillis);
  while (!changed_.wait_for(lock, pause, [this] { return stop_ || (queue_.empty() && !working_); })) LookForInterrupt();
}

void VectorKeeper::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace fornix::storage
