#include "engine/exec/operator.h"

#include <algorithm>

#include "engine/exec/builder.h"
#include "planner/planner.h"

namespace fornix::engine {

Operator::Operator(Builder& builder, const PhysicalOperator& plan)
    : context_(builder.context()), plan_(plan), live_(plan.live) {
  live_.insert(live_.end(), builder.hidden_slots().begin(), builder.hidden_slots().end());
}

Status Operator::Next(Batch* out) {
  RETURN_IF_ERROR(context_.CheckInterrupt());
  if (!context_.profiling()) return DoNext(out);
  // Own time and hits: what passes during the call without what the calls below account for.
  const uint64_t outer_children_time = context_.child_time_ns;
  const uint64_t outer_hits = context_.db_hits;
  context_.child_time_ns = 0;
  context_.db_hits = 0;
  const uint64_t start = MonotonicNanos();
  Status status = DoNext(out);
  const uint64_t total = MonotonicNanos() - start;
  planner::OperatorProfile& profile = context_.profile(plan_.id);
  profile.time_ns += total - std::min(total, context_.child_time_ns);
  profile.db_hits += context_.db_hits;
  profile.rows += status.ok() ? out->rows() : 0;
  if (charged_ > profile.memory_bytes) profile.memory_bytes = charged_;
  profile.spilled_bytes = spilled_.bytes;
  profile.spilled_runs = spilled_.runs;
  context_.child_time_ns = outer_children_time + total;
  context_.db_hits = outer_hits;
  return status;
}

Status Operator::Charge(size_t bytes) {
  RETURN_IF_ERROR(context_.memory().Charge(bytes, name()));
  charged_ += bytes;
  return Status::Ok();
}

Result<Operator::Room> Operator::Hold(size_t bytes) {
  MemoryTracker& memory = context_.memory();
  if (!context_.can_spill()) {
    RETURN_IF_ERROR(Charge(bytes));
    return Room::kHeld;
  }
  if (!memory.Hold(bytes, name())) {
    if (charged_ + bytes > memory.spill_floor()) return Room::kSpill;
    memory.Force(bytes);
  }
  charged_ += bytes;
  return Room::kHeld;
}

Status Operator::ChargeLarge(const Column& column) {
  if (column.kind() != ColumnKind::kBoxed) return Status::Ok();
  size_t bytes = 0;
  for (size_t i = 0; i < column.size(); i++) {
    const Type type = column.boxed_at(i).type();
    if (type == Type::kString || type == Type::kList || type == Type::kMap || type == Type::kPath) bytes += column.boxed_at(i).MemoryBytes();
  }
  constexpr size_t kNoiseBytes = size_t{1} << 20;   // a batch of texts
  return bytes < kNoiseBytes ? Status::Ok() : Charge(bytes);
}

void Operator::Release(size_t bytes) {
  context_.memory().Release(bytes);
  charged_ -= std::min(bytes, charged_);
}

void Operator::ReleaseAll() {
  context_.memory().Release(charged_);
  charged_ = 0;
}

Status Operator::ChargeTransaction() {
  return context_.memory().SetTransactionBytes(context_.transaction().memory_bytes(), name());
}

std::string_view Operator::name() const { return planner::OperatorName(plan_); }

void RowBuffer::Add(const Batch& batch, const std::vector<Slot>& slots, size_t batch_rows_max) {
  rows_ += batch.rows();
  size_t first = 0;
  while (first < batch.rows()) {
    if (batches_.empty() || batches_.back().rows() >= batch_rows_max) batches_.emplace_back(batch.slots());
    Batch& last = batches_.back();
    const size_t count = std::min(batch.rows() - first, batch_rows_max - last.rows());
    last.AppendRows(batch, slots, first, count);
    first += count;
  }
}

bool RowBuffer::Take(Batch* out) {
  if (next_ >= batches_.size()) return false;
  *out = std::move(batches_[next_]);
  next_++;
  return true;
}

}  // namespace fornix::engine
