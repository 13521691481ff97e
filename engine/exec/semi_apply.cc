// SemiApply and AntiApply: the rows of the first child for which the second has a row, or has none.
//
// A row-wise inner plan runs for a whole batch of outer rows. A row that is decided but goes on giving matches (a hub) is
// left behind: the inner plan is opened again from the row after it.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class SemiApplyOperator : public Operator {
 public:
  SemiApplyOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan), outer_(builder.Build(*plan.children[0])), keep_if_(plan.kind == planner::OpKind::kSemiApply) {
    if (IsRowWise(*plan.children[1])) hidden_ = context_.AddHiddenSlot();
    inner_ = builder.BuildInner(*plan.children[1], &source_, hidden_);
  }

 protected:
  Status DoOpen() override {
    Prepare(context_, &found_);
    return outer_->Open();
  }

  Status DoNext(Batch* out) override {
    while (true) {
      RETURN_IF_ERROR(outer_->Next(out));
      if (out->empty()) return Status::Ok();
      matched_.assign(out->rows(), 0);
      RETURN_IF_ERROR(hidden_ == kNoSlot ? RunEach(*out) : RunTogether(out));
      keep_.clear();
      for (uint32_t i = 0; i < matched_.size(); i++) {
        if ((matched_[i] != 0) == keep_if_) keep_.push_back(i);
      }
      if (keep_.empty()) continue;
      out->Keep(keep_);
      return Status::Ok();
    }
  }

 private:
  Status RunEach(const Batch& outer) {
    for (size_t row = 0; row < outer.rows(); row++) {
      source_ = {&outer, row, 1};
      RETURN_IF_ERROR(inner_->Open());
      RETURN_IF_ERROR(inner_->Next(&found_));
      matched_[row] = !found_.empty();
    }
    return Status::Ok();
  }

  Status RunTogether(Batch* outer) {
    Column& numbers = outer->column(hidden_);
    numbers.Start(ColumnKind::kInt, outer->rows());
    for (size_t i = 0; i < outer->rows(); i++) numbers.SetInt(i, static_cast<int64_t>(i));
    size_t first = 0;
    while (first < outer->rows()) {
      source_ = {outer, first, outer->rows() - first};
      RETURN_IF_ERROR(inner_->Open());
      size_t restart = outer->rows();
      while (true) {
        RETURN_IF_ERROR(inner_->Next(&found_));
        if (found_.empty()) break;
        const Column& rows = found_.column(hidden_);
        for (size_t i = 0; i < found_.rows(); i++) matched_[static_cast<size_t>(rows.int_at(i))] = 1;
        const size_t first_seen = static_cast<size_t>(rows.int_at(0));
        const size_t last_seen = static_cast<size_t>(rows.int_at(found_.rows() - 1));
        // A whole batch of matches for one row, or the last row decided: nothing more to learn here.
        if (last_seen + 1 == outer->rows() || (first_seen == last_seen && found_.rows() >= 64)) {
          restart = last_seen + 1;
          break;
        }
      }
      first = restart;
    }
    numbers.Clear();
    return Status::Ok();
  }

  OperatorPtr outer_, inner_;
  const bool keep_if_;
  Slot hidden_ = kNoSlot;
  ArgumentSource source_;
  Batch found_;
  std::vector<uint8_t> matched_;
  std::vector<uint32_t> keep_;
};

}  // namespace

OperatorPtr MakeSemiApply(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<SemiApplyOperator>(builder, plan); }

}  // namespace fornix::engine
