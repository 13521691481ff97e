#include "engine/api/reaper.h"

namespace fornix::engine {
namespace {

constexpr size_t kSmallBytes = size_t{1} << 20;   // freed in a millisecond: not worth a thread

}  // namespace

void Reaper::Take(std::unique_ptr<Execution> run) {
  if (run != nullptr && run->memory_bytes_peak() > kSmallBytes) Add({nullptr, std::move(run)});
}

void Reaper::Take(std::unique_ptr<storage::Transaction> transaction) {
  if (transaction != nullptr && transaction->memory_bytes() > kSmallBytes) Add({std::move(transaction), nullptr});
}

void Reaper::Add(Dead dead) {
  std::lock_guard lock(mutex_);
  if (stop_) return;
  queue_.push_back(std::move(dead));
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
}

void Reaper::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    {
      Dead dead = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
    }
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void Reaper::Await() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

void Reaper::Close() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace fornix::engine
