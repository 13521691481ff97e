// What the operators without a child share: they run once for each argument row and repeat its live columns beside what
// they find.
#pragma once

#include "engine/exec/builder.h"

namespace fornix::engine {

class LeafOperator : public Operator {
 public:
  LeafOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan), source_(builder.argument()), sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    row_ = 0;
    sizer_.Reset();
    return Status::Ok();
  }
  bool at_end() const { return row_ >= source_->count; }
  void NextRow() { row_++; }
  const Batch& argument_batch() const { return *source_->batch; }
  uint32_t argument_row() const { return static_cast<uint32_t>(source_->first + row_); }

  // Repeats the argument row `count` times in every live column that isn't filled yet, and sets the batch's size.
  void FillFromArgument(Batch* out, size_t count) const {
    for (Slot slot : live_) {
      Column& to = out->column(slot);
      const Column& from = argument_batch().column(slot);
      if (!to.filled() && from.filled()) to.AppendRepeated(from, argument_row(), count);
    }
    out->set_rows(count);
  }

  ArgumentSource* source_;
  size_t row_ = 0;
  BatchSizer sizer_;
};

// What copies of these rows take in columns that grow by doubling: an entry counts twice, because while a column moves to its new
// place the old one is still there.
inline size_t HeldBytes(const Batch& rows, std::span<const Slot> slots) {
  size_t bytes = 0;
  for (Slot slot : slots) {
    const Column& c = rows.column(slot);
    if (c.kind() != ColumnKind::kBoxed) {
      bytes += rows.rows() * 2 * sizeof(uint64_t);
    } else {
      bytes += rows.rows() * sizeof(Value);
      for (size_t i = 0; i < rows.rows(); i++) bytes += c.boxed_at(i).MemoryBytes();
    }
  }
  return bytes;
}

// Makes `batch` one of the run's width, empty.
inline void Prepare(ExecutionContext& context, Batch* batch) {
  if (batch->slots() != context.slot_count()) {
    *batch = Batch(context.slot_count());
  } else {
    batch->Clear();
  }
}

}  // namespace fornix::engine
