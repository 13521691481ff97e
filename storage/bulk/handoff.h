// Handoff: a few pieces of work that go round between one thread that fills them and one that uses them up.
//
// The pieces are reused, so that their memory is got once. The consumer's first error stops both; the producer sees it at its
// next call. Threads: the producer's calls by one, the consumer is the thread made here.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "fornix/status.h"

namespace fornix::storage {

template <typename T, size_t kPieces = 3>
class Handoff {
 public:
  explicit Handoff(std::function<Status(const T&)> use) : use_(std::move(use)) {
    for (T& piece : pieces_) empty_.push_back(&piece);
    thread_ = std::thread([this] { Consume(); });
  }
  ~Handoff() { (void)End(); }

  // An empty piece to fill (with what it held before still in it).
  Result<T*> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !empty_.empty() || failed_; });
    if (failed_) return status_;
    T* piece = empty_.front();
    empty_.pop_front();
    return piece;
  }
  void Give(T* piece) {
    std::lock_guard lock(mutex_);
    full_.push_back(piece);
    changed_.notify_all();
  }
  // Waits until everything was used; the consumer's status.
  Status End() {
    {
      std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return status_;
  }

 private:
  void Consume() {
    while (true) {
      T* piece;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !full_.empty() || ended_; });
        if (full_.empty()) return;
        piece = full_.front();
        full_.pop_front();
      }
      Status status;
      try {
        status = use_(*piece);
      } catch (...) {
        thrown_ = std::current_exception();    // no memory, say: it goes on in the producer's thread
        status = Status(Code::kResourceExhausted, "the writing thread has ended");
      }
      std::lock_guard lock(mutex_);
      empty_.push_back(piece);
      if (!status.ok()) {
        status_ = status;
        failed_ = true;
        full_.clear();
        ended_ = true;
      }
      changed_.notify_all();
      if (failed_) return;
    }
  }

  const std::function<Status(const T&)> use_;
  std::array<T, kPieces> pieces_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T*> empty_, full_;
  bool ended_ = false, failed_ = false;
  Status status_;
  std::exception_ptr thrown_;
  std::thread thread_;
};

}  // namespace fornix::storage
