// Unwind: a row for each entry of a list; null gives none, anything else that is no list gives one row. The numbers of range()
// are counted out one by one, so that a long one costs no memory.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/pass_rows.h"

namespace fornix::engine {
namespace {

class UnwindOperator : public Operator {
 public:
  UnwindOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        list_(builder.Compile(*plan.exprs[0])),
        sizer_(builder.context().fixed_batch_rows()) {
    const planner::BoundExpr& list = *plan.exprs[0];
    if (list.kind != planner::BoundKind::kFunction || list.function == nullptr || list.function->name != "range" || list.args.size() < 2) return;
    for (const auto& bound : list.args) bounds_.push_back(builder.Compile(*bound));
    bound_columns_.resize(bounds_.size());
  }

 protected:
  Status DoOpen() override {
    ReleaseAll();
    sizer_.Reset();
    count_left_ = 0;
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
        RETURN_IF_ERROR(EvaluateLists());
      }
      Column& to = out->column(plan_.slot);
      if (!bounds_.empty()) {
        RETURN_IF_ERROR(Count(want, &to));
        continue;
      }
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
    PassRows(live_, in_, out_rows_, out);
    return Status::Ok();
  }

 private:
  Status EvaluateLists() {
    ReleaseAll();
    for (size_t i = 0; i < bounds_.size(); i++) RETURN_IF_ERROR(bounds_[i]->EvaluateInto(in_, AllRows(in_), &bound_columns_[i]));
    if (!bounds_.empty()) return Status::Ok();
    RETURN_IF_ERROR(list_->EvaluateInto(in_, AllRows(in_), &lists_));
    // Lists that only pass through are held by whoever made them, parameters by the caller.
    const planner::BoundKind kind = list_->expr().kind;
    const bool made_here = kind != planner::BoundKind::kSlot && kind != planner::BoundKind::kLiteral && kind != planner::BoundKind::kParameter;
    return made_here ? ChargeLarge(lists_) : Status::Ok();
  }

  // Some numbers of the row's range(), or the row is over.
  Status Count(size_t want, Column* to) {
    if (count_left_ == 0) {
      int64_t bounds[3] = {0, 0, 1};
      bool counts = true;
      for (size_t i = 0; i < bounds_.size(); i++) {
        const Value v = bound_columns_[i].ValueAt(row_);
        counts = counts && v.type() == Type::kInteger;
        if (counts) bounds[i] = v.AsInteger();
      }
      if (!counts || bounds[2] == 0) {
        // A null, or an error that the function tells.
        ASSIGN_OR_RETURN(const Value list, list_->EvaluateRow(in_, static_cast<uint32_t>(row_)));
        row_++;
        return list.is_null() ? Status::Ok() : Status(Code::kInternal, "range() gave a list for bounds that are no integers");
      }
      const __int128 items = (static_cast<__int128>(bounds[1]) - bounds[0]) / bounds[2] + 1;
      const bool none = bounds[2] > 0 ? bounds[0] > bounds[1] : bounds[0] < bounds[1];
      if (none) {
        row_++;
        return Status::Ok();
      }
      count_left_ = static_cast<uint64_t>(std::min<__int128>(items, UINT64_MAX));
      next_ = static_cast<uint64_t>(bounds[0]);
      step_ = static_cast<uint64_t>(bounds[2]);
    }
    for (; count_left_ > 0 && out_rows_.size() < want; count_left_--, next_ += step_) {   // wraps one step past the end, unsigned on purpose
      to->AppendInt(static_cast<int64_t>(next_));
      out_rows_.push_back(static_cast<uint32_t>(row_));
    }
    if (count_left_ == 0) row_++;
    return Status::Ok();
  }

  OperatorPtr child_;
  EvaluatorPtr list_;
  BatchSizer sizer_;
  Batch in_;
  Column lists_;
  size_t row_ = 0, entry_ = 0;
  std::vector<EvaluatorPtr> bounds_;            // of range(); empty for any other list
  std::vector<Column> bound_columns_;
  uint64_t count_left_ = 0, next_ = 0, step_ = 0;
  std::vector<uint32_t> out_rows_;
};

}  // namespace

OperatorPtr MakeUnwind(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<UnwindOperator>(builder, plan); }

}  // namespace fornix::engine
