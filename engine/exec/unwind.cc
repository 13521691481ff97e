// Unwind: a row for each entry of a list; null gives none, anything else that is no list gives one row.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class UnwindOperator : public Operator {
 public:
  UnwindOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        list_(builder.Compile(*plan.exprs[0])),
        sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    sizer_.Reset();
    Prepare(context_, &in_);
    row_ = 0;
    entry_ = 0;
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = sizer_.Next();
    out_rows_.clear();
    while (out_rows_.size() < want) {
      if (row_ >= in_.rows()) {
        if (!out_rows_.empty()) break;
        RETURN_IF_ERROR(child_->Next(&in_));
        row_ = 0;
        entry_ = 0;
        if (in_.empty()) return Status::Ok();
        RETURN_IF_ERROR(list_->EvaluateInto(in_, AllRows(in_), &lists_));
      }
      Column& to = out->column(plan_.slot);
      if (lists_.IsNull(row_)) {
        row_++;
        continue;
      }
      const bool list = lists_.kind() == ColumnKind::kBoxed && lists_.boxed_at(row_).type() == Type::kList;
      if (!list) {
        to.AppendFrom(lists_, row_);
        out_rows_.push_back(static_cast<uint32_t>(row_++));
        continue;
      }
      const List& items = lists_.boxed_at(row_).AsList();
      while (entry_ < items.size() && out_rows_.size() < want) {
        to.Append(items[entry_++]);
        out_rows_.push_back(static_cast<uint32_t>(row_));
      }
      if (entry_ >= items.size()) {
        row_++;
        entry_ = 0;
      }
    }
    for (Slot slot : live_) {
      Column& to = out->column(slot);
      if (!to.filled() && in_.column(slot).filled()) to.AppendRows(in_.column(slot), out_rows_);
    }
    out->set_rows(out_rows_.size());
    return Status::Ok();
  }

 private:
  OperatorPtr child_;
  EvaluatorPtr list_;
  BatchSizer sizer_;
  Batch in_;
  Column lists_;
  size_t row_ = 0, entry_ = 0;
  std::vector<uint32_t> out_rows_;
};

}  // namespace

OperatorPtr MakeUnwind(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<UnwindOperator>(builder, plan); }

}  // namespace fornix::engine
