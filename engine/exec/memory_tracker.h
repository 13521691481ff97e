// MemoryTracker: what one statement holds, against its own limit and the database's budget.
//
// Charges are of bytes about to be held. A refused charge has charged nothing, and the refusal names who asked, the limit
// and what can be done. The database's budget is charged in steps of 64 KiB, so that statements side by side don't fight for its
// counters. The transaction's write set counts into the statement's limit; the store charges it to the budget itself.
//
// Hold is for what can go to disk instead: it leaves a quarter of the statement's limit to what can't, and a refusal is no
// error but the word to spill. Force is for the small buffers that spilling itself needs.
// Threads: one run, one thread; the budget is shared by all.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/limits.h"
#include "base/memory_budget.h"
#include "fornix/status.h"

namespace fornix::engine {

class MemoryTracker {
 public:
  // limit 0: none of its own. budget null: none (tests of operators alone).
  explicit MemoryTracker(size_t limit, MemoryBudget* budget = nullptr) : limit_(limit), budget_(budget) {}
  ~MemoryTracker();
  MemoryTracker(const MemoryTracker&) = delete;
  MemoryTracker& operator=(const MemoryTracker&) = delete;

  Status Charge(size_t bytes, std::string_view what);   // ResourceExhausted
  bool Hold(size_t bytes, std::string_view what);
  void Force(size_t bytes);
  void Release(size_t bytes);
  // The write set's size now; counted beside the charges. It is there already, so the size counts even when it is refused.
  Status SetTransactionBytes(size_t bytes, std::string_view what);

  size_t limit() const { return limit_; }
  // What an operator that spills may hold in any case: 1 MiB, less where the limit is small.
  size_t spill_floor() const { return limit_ == 0 ? kSpillFloorBytes : std::min(kSpillFloorBytes, limit_ / 16); }
  size_t used() const { return used_ + transaction_; }
  size_t peak() const { return peak_; }

 private:
  Status Reserve(size_t used, std::string_view what);   // of the budget
  void NotePeak() { peak_ = std::max(peak_, used()); }
  Status OverLimit(size_t wanted, std::string_view what) const;

  const size_t limit_;
  MemoryBudget* const budget_;
  size_t used_ = 0, transaction_ = 0, peak_ = 0;
  size_t reserved_ = 0;                                 // of the budget: used_, rounded up to a step
};

}  // namespace fornix::engine
