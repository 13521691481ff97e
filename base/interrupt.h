// How a statement is ended from outside while it is inside one long step.
//
// Operators look at cancel and deadline between batches (ExecutionContext::CheckInterrupt). But one value may be as long as
// the statement's memory, and a comparison, a hash or a function goes through it where no status can be returned. So loops over the
// entries of a list or map, or the bytes of a text, count what they do with CountWork; at every kWorkStep units cancel and deadline are
// looked at, and what is found is thrown: Interruption, which ends the statement as ReadFailure does (docs/decisions/008).
// Nothing is counted, nor thrown, on a thread that has no WorkScope, or inside an Uninterrupted: what must not stop half way stands there.
// Threads: a scope belongs to the thread that made it.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

#include "fornix/status.h"

namespace fornix {

class Interruption : public std::exception {
 public:
  explicit Interruption(Status status) : status_(std::move(status)) {}
  const Status& status() const { return status_; }
  const char* what() const noexcept override { return status_.message().c_str(); }

 private:
  Status status_;
};

struct WorkMeter {
  std::function<Status()> check;               // cancel, deadline; from the thread itself
  size_t left = 0;                             // units until the next look
  void Look();                                 // throws Interruption
};

inline constexpr size_t kWorkStep = size_t{1} << 16;   // units: entries of 5 to 20 ns, so a look a millisecond and less
inline constexpr size_t kTextBytesAUnit = 16;          // of text that is copied or searched

inline thread_local constinit WorkMeter* work_meter = nullptr;

inline void CountWork(size_t units) {
  WorkMeter* meter = work_meter;
  if (meter == nullptr) return;
  if (units < meter->left) [[likely]] {
    meter->left -= units;
  } else {
    meter->Look();
  }
}

// For those who wait: between two looks at what they wait for.
inline void LookForInterrupt() {
  if (work_meter != nullptr) work_meter->Look();
}
inline constexpr int kInterruptWaitMillis = 10;

// In a loop over n entries, at its head.
inline void CountEntry(size_t i, size_t n) {
  if (i % 1024 == 0) CountWork(n - i < 1024 ? n - i : 1024);
}
inline void CountText(size_t bytes) {
  if (bytes >= 4096) CountWork(bytes / kTextBytesAUnit);
}

// While it lives, the thread's work is that of one statement.
class WorkScope {
 public:
  explicit WorkScope(std::function<Status()> check) : meter_{std::move(check), kWorkStep}, outer_(work_meter) { work_meter = &meter_; }
  ~WorkScope() { work_meter = outer_; }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  WorkMeter meter_;
  WorkMeter* const outer_;
};

class Uninterrupted {
 public:
  Uninterrupted() : outer_(work_meter) { work_meter = nullptr; }
  ~Uninterrupted() { work_meter = outer_; }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  WorkMeter* const outer_;
};

}  // namespace fornix
