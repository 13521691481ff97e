#include "engine/exec/memory_tracker.h"

#include <string>

namespace fornix::engine {
namespace {

constexpr size_t kStep = size_t{64} << 10;   // of the budget at a time: a batch of a few columns; 1,000 sessions waste 64 MB at most

size_t RoundUp(size_t bytes) { return (bytes + kStep - 1) / kStep * kStep; }

}  // namespace

MemoryTracker::~MemoryTracker() {
  if (budget_ != nullptr && reserved_ > 0) budget_->Release(MemoryUse::kQueries, reserved_);
}

Status MemoryTracker::Charge(size_t bytes, std::string_view what) {
  if (budget_ != nullptr) RETURN_IF_ERROR(budget_->CountForTest(what));
  if (limit_ != 0 && used() + bytes > limit_) return OverLimit(used() + bytes, what);
  RETURN_IF_ERROR(Reserve(used_ + bytes, what));
  used_ += bytes;
  NotePeak();
  return Status::Ok();
}

bool MemoryTracker::Hold(size_t bytes, std::string_view what) {
  if (budget_ != nullptr && !budget_->CountForTest(what).ok()) return false;
  if (limit_ != 0 && used() + bytes > limit_ - limit_ / 4) return false;
  if (!Reserve(used_ + bytes, what).ok()) return false;
  used_ += bytes;
  NotePeak();
  return true;
}

void MemoryTracker::Force(size_t bytes) {
  used_ += bytes;
  if (budget_ != nullptr && used_ > reserved_) {
    const size_t more = RoundUp(used_) - reserved_;
    budget_->Add(MemoryUse::kQueries, more);
    reserved_ += more;
  }
  NotePeak();
}

void MemoryTracker::Release(size_t bytes) {
  used_ -= std::min(bytes, used_);
  // One step is kept, or a loop that charges and releases a little would go to the budget each time.
  if (budget_ != nullptr && reserved_ - RoundUp(used_) > kStep) {
    const size_t less = reserved_ - RoundUp(used_) - kStep;
    budget_->Release(MemoryUse::kQueries, less);
    reserved_ -= less;
  }
}

Status MemoryTracker::SetTransactionBytes(size_t bytes, std::string_view what) {
  transaction_ = bytes;
  NotePeak();
  if (limit_ != 0 && used() > limit_) return OverLimit(used(), what);
  return Status::Ok();
}

Status MemoryTracker::Reserve(size_t used, std::string_view what) {
  if (budget_ == nullptr || used <= reserved_) return Status::Ok();
  const size_t more = RoundUp(used) - reserved_;
  if (const Status refused = budget_->TryCharge(MemoryUse::kQueries, more, what); !refused.ok()) {
    return {refused.code(), refused.message() +
                                "; take fewer rows, end other statements and transactions, or open the database with a larger memory_bytes_max"};
  }
  reserved_ += more;
  return Status::Ok();
}

Status MemoryTracker::OverLimit(size_t wanted, std::string_view what) const {
  return {Code::kResourceExhausted, std::string(what) + " needs more memory than the statement may use: " + std::to_string(wanted) +
                                        " bytes, the limit is " + std::to_string(limit_) +
                                        "; take fewer rows or raise the memory limit (statement_memory_bytes_max)"};
}

}  // namespace fornix::engine
