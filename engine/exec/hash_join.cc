// HashJoin: rows of both children that agree in the key slots; null agrees with nothing. The second child is taken in whole; the
// result follows the order of the first.
#include "engine/exec/group_table.h"
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

constexpr uint32_t kNoRow = ~0u;

class HashJoinOperator : public Operator {
 public:
  HashJoinOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        probe_(builder.Build(*plan.children[0])),
        build_(builder.Build(*plan.children[1])),
        sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    ReleaseAll();
    sizer_.Reset();
    built_ = false;
    Prepare(context_, &rows_);
    Prepare(context_, &in_);
    row_ = 0;
    match_ = kNoRow;
    RETURN_IF_ERROR(probe_->Open());
    return build_->Open();
  }

  Status DoNext(Batch* out) override {
    if (!built_) RETURN_IF_ERROR(BuildTable(out));
    out->Clear();
    if (rows_.empty()) return Status::Ok();
    const size_t want = sizer_.Next();
    left_rows_.clear();
    right_rows_.clear();
    while (left_rows_.size() < want) {
      if (match_ != kNoRow) {
        left_rows_.push_back(static_cast<uint32_t>(row_));
        right_rows_.push_back(match_);
        match_ = next_same_[match_];
        if (match_ == kNoRow) row_++;
        continue;
      }
      if (row_ >= in_.rows()) {
        if (!left_rows_.empty()) break;
        RETURN_IF_ERROR(probe_->Next(&in_));
        row_ = 0;
        if (in_.empty()) return Status::Ok();
        keys_.clear();
        for (Slot slot : plan_.slots) keys_.push_back(&in_.column(slot));
      }
      const size_t group = AnyNull(keys_, row_) ? table_.size() : table_.Find(keys_, row_);
      if (group == table_.size()) {
        row_++;
      } else {
        match_ = first_[group];
      }
    }
    for (Slot slot : live_) {
      Column& to = out->column(slot);
      if (in_.column(slot).filled()) {
        to.AppendRows(in_.column(slot), left_rows_);
      } else if (rows_.column(slot).filled()) {
        to.AppendRows(rows_.column(slot), right_rows_);
      }
    }
    out->set_rows(left_rows_.size());
    return Status::Ok();
  }

 private:
  static bool AnyNull(const std::vector<const Column*>& keys, size_t row) {
    for (const Column* key : keys) {
      if (key->IsNull(row)) return true;
    }
    return false;
  }

  Status BuildTable(Batch* in) {
    built_ = true;
    table_.Start(plan_.slots.size());
    first_.clear();
    last_.clear();
    next_same_.clear();
    while (true) {
      RETURN_IF_ERROR(build_->Next(in));
      if (in->empty()) break;
      rows_.AppendRows(*in, build_->live(), 0, in->rows());
      RETURN_IF_ERROR(Charge(in->MemoryBytes()));
    }
    keys_.clear();
    for (Slot slot : plan_.slots) keys_.push_back(&rows_.column(slot));
    next_same_.assign(rows_.rows(), kNoRow);
    for (uint32_t row = 0; row < rows_.rows(); row++) {
      if (AnyNull(keys_, row)) continue;
      bool added = false;
      const size_t group = table_.FindOrAdd(keys_, row, &added);
      if (added) {
        first_.push_back(row);
        last_.push_back(row);
      } else {
        next_same_[last_[group]] = row;
        last_[group] = row;
      }
    }
    return Status::Ok();
  }

  OperatorPtr probe_, build_;
  BatchSizer sizer_;
  Batch rows_, in_;
  GroupTable table_;
  std::vector<uint32_t> first_, last_, next_same_;
  std::vector<uint32_t> left_rows_, right_rows_;
  std::vector<const Column*> keys_;
  size_t row_ = 0;
  uint32_t match_ = kNoRow;
  bool built_ = false;
};

}  // namespace

OperatorPtr MakeHashJoin(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<HashJoinOperator>(builder, plan); }

}  // namespace fornix::engine
