// Apply and Optional: for each row of the first child the rows of the second, which starts from that row.
//
// When the inner plan works row by row (IsRowWise) a whole batch of outer rows goes through it at once, told apart by a
// hidden row number; else it is opened again for each row. Optional gives a row without any matches once, with nulls. Outer columns come
// from the outer batch, so the inner plan need not carry them. An inner plan that writes runs through RunEagerly (subquery.cc).
#include "engine/exec/apply.h"

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

constexpr uint32_t kNoRow = ~0u;

class ApplyOperator : public Operator {
 public:
  ApplyOperator(Builder& builder, const PhysicalOperator& plan, bool optional, bool may_batch)
      : Operator(builder, plan), outer_(builder.Build(*plan.children[0])), optional_(optional) {
    if (may_batch && IsRowWise(*plan.children[1])) hidden_ = context_.AddHiddenSlot();
    inner_ = builder.BuildInner(*plan.children[1], &source_, hidden_);
  }

 protected:
  Status DoOpen() override {
    Prepare(context_, &in_);
    row_ = 0;
    source_ = {};
    inner_open_ = false;
    return outer_->Open();
  }

  Status DoNext(Batch* out) override {
    while (true) {
      if (!inner_open_) {
        ASSIGN_OR_RETURN(const bool more, NextOuter());
        if (!more) {
          out->Clear();
          return Status::Ok();
        }
        RETURN_IF_ERROR(inner_->Open());
        inner_open_ = true;
        pending_ = static_cast<uint32_t>(source_.first);
      }
      RETURN_IF_ERROR(inner_->Next(out));
      if (out->empty()) {
        inner_open_ = false;
        if (!optional_) continue;
        outer_rows_.clear();
        inner_rows_.clear();
        AddMissing(static_cast<uint32_t>(source_.first + source_.count));
        if (outer_rows_.empty()) continue;
        Merge(out);
        return Status::Ok();
      }
      if (hidden_ == kNoSlot) {
        pending_ = static_cast<uint32_t>(source_.first + 1);
        for (Slot slot : live_) {
          Column& to = out->column(slot);
          if (!to.filled() && in_.column(slot).filled()) to.AppendRepeated(in_.column(slot), source_.first, out->rows());
        }
        return Status::Ok();
      }
      Place(out);
      return Status::Ok();
    }
  }

 private:
  Result<bool> NextOuter() {
    if (hidden_ == kNoSlot && source_.count > 0 && row_ + 1 < in_.rows()) {
      row_++;
      source_ = {&in_, row_, 1};
      return true;
    }
    RETURN_IF_ERROR(outer_->Next(&in_));
    row_ = 0;
    if (in_.empty()) return false;
    if (hidden_ != kNoSlot) {
      Column& numbers = in_.column(hidden_);
      numbers.Start(ColumnKind::kInt, in_.rows());
      for (size_t i = 0; i < in_.rows(); i++) numbers.SetInt(i, static_cast<int64_t>(i));
    }
    source_ = {&in_, 0, hidden_ == kNoSlot ? 1 : in_.rows()};
    return true;
  }

  // Outer rows before `end` that got no inner row.
  void AddMissing(uint32_t end) {
    for (; pending_ < end; pending_++) {
      outer_rows_.push_back(pending_);
      inner_rows_.push_back(kNoRow);
    }
  }

  void Place(Batch* out) {
    outer_rows_.clear();
    inner_rows_.clear();
    const Column& numbers = out->column(hidden_);
    for (uint32_t i = 0; i < out->rows(); i++) {
      const uint32_t row = static_cast<uint32_t>(numbers.int_at(i));
      if (optional_) AddMissing(row);
      outer_rows_.push_back(row);
      inner_rows_.push_back(i);
      pending_ = row + 1;
    }
    if (outer_rows_.size() != out->rows()) return Merge(out);
    out->column(hidden_).Clear();
    for (Slot slot : live_) {
      Column& to = out->column(slot);
      if (!to.filled() && in_.column(slot).filled()) to.AppendRows(in_.column(slot), outer_rows_);
    }
  }

  // *out = the pairs of outer_rows_ and inner_rows_ (of *out).
  void Merge(Batch* out) {
    Prepare(context_, &merged_);
    for (Slot slot : live_) {
      Column& to = merged_.column(slot);
      if (in_.column(slot).filled()) {
        to.AppendRows(in_.column(slot), outer_rows_);
        continue;
      }
      const Column& from = out->column(slot);
      for (uint32_t row : inner_rows_) {
        if (row == kNoRow || !from.filled()) {
          to.AppendNull();
        } else {
          to.AppendFrom(from, row);
        }
      }
    }
    merged_.set_rows(outer_rows_.size());
    std::swap(*out, merged_);
  }

  OperatorPtr outer_, inner_;
  const bool optional_;
  Slot hidden_ = kNoSlot;
  ArgumentSource source_;
  Batch in_, merged_;
  size_t row_ = 0;
  bool inner_open_ = false;
  uint32_t pending_ = 0;                       // the first outer row that has had no inner row yet
  std::vector<uint32_t> outer_rows_, inner_rows_;
};

}  // namespace

OperatorPtr MakeStreamingApply(Builder& builder, const PhysicalOperator& plan, bool optional, bool may_batch) {
  return std::make_unique<ApplyOperator>(builder, plan, optional, may_batch);
}

OperatorPtr MakeApply(Builder& builder, const PhysicalOperator& plan) {
  if (Writes(*plan.children[1])) return MakeEagerApply(builder, plan, false);
  return MakeStreamingApply(builder, plan, false, true);
}

OperatorPtr MakeOptional(Builder& builder, const PhysicalOperator& plan) {
  if (Writes(*plan.children[1])) return MakeEagerApply(builder, plan, true);
  return MakeStreamingApply(builder, plan, true, true);
}

}  // namespace fornix::engine
