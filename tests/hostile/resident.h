// How much this process holds, read from the system.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "tests/memory/resident.h"

namespace fornix::test {

inline constexpr uint64_t kMiB = 1 << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;         // freed memory stays in quarantine, and everything takes several times as long
#else
inline constexpr bool kSanitized = false;
#endif

inline uint64_t ResidentBytes() { return memory::ResidentBytes(getpid()); }

// The most that the process holds while it lives, looked at from a thread of its own.
class ResidentWatch {
 public:
  ResidentWatch() : start_(ResidentBytes()), thread_([this] {
      while (!stop_.load()) {
        const uint64_t now = ResidentBytes();
        if (now > most_) most_ = now;
        usleep(500);
      }
    }) {}
  ~ResidentWatch() { Stop(); }
  uint64_t Growth() {
    Stop();
    return most_ > start_ ? most_ - start_ : 0;
  }

 private:
  void Stop() {
    if (stop_.exchange(true)) return;
    thread_.join();
  }
  const uint64_t start_;
  uint64_t most_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace fornix::test
