// Merge: for one row after the other, looks for the pattern (children[1], from that row) and creates it where it isn't.
//
// Each row sees what the rows before it created. What was looked for and not found is told to the transaction
// (RecordMergeMiss), so that the commit can look again for what others made meanwhile.
#include "engine/exec/operators.h"
#include "engine/exec/write.h"
#include "engine/exec/write_operator.h"

namespace fornix::engine {
namespace {

void FindUndirected(const PhysicalOperator& plan, CreateRunner* runner) {
  if (plan.relationship != kNoSlot && plan.direction == planner::Direction::kBoth) runner->MarkEitherDirection(plan.relationship);
  for (const auto& child : plan.children) FindUndirected(*child, runner);
}

class MergeOperator : public WriteOperator {
 public:
  MergeOperator(Builder& builder, const PhysicalOperator& plan)
      : WriteOperator(builder, plan),
        match_(builder.BuildInner(*plan.children[1], &source_)),
        create_(builder, plan.creates, true),
        on_match_(builder, plan.sets),
        on_create_(builder, plan.on_create_sets) {
    FindUndirected(*plan.children[1], &create_);
  }

 protected:
  Status Write(Batch* rows) override {
    Prepare(context_, &found_);
    for (uint32_t row = 0; row < rows->rows(); row++) {
      source_ = {rows, row, 1};
      RETURN_IF_ERROR(match_->Open());
      bool any = false;
      matches_.clear();
      while (true) {
        RETURN_IF_ERROR(match_->Next(&found_));
        if (found_.empty()) break;
        any = true;
        FillOuter(*rows, row, found_.rows(), &found_);
        if (on_match_.empty()) {
          RETURN_IF_ERROR(Emit(found_));
          continue;
        }
        // ON MATCH may change what the match still has to read, so all matches of the row are taken in first.
        RETURN_IF_ERROR(Charge(found_.MemoryBytes()));
        matches_.push_back(std::move(found_));
        found_ = Batch(context_.slot_count());
      }
      for (Batch& batch : matches_) {
        for (uint32_t i = 0; i < batch.rows(); i++) RETURN_IF_ERROR(on_match_.RunRow(batch, i));
        RETURN_IF_ERROR(Emit(batch));
      }
      if (!any) RETURN_IF_ERROR(CreateFor(*rows, row));
    }
    return Status::Ok();
  }

 private:
  static void FillOuter(const Batch& rows, uint32_t row, size_t count, Batch* to) {
    for (Slot slot = 0; slot < rows.slots(); slot++) {
      if (rows.column(slot).filled() && !to->column(slot).filled()) to->column(slot).AppendRepeated(rows.column(slot), row, count);
    }
  }

  Status CreateFor(const Batch& rows, uint32_t row) {
    Prepare(context_, &made_);
    FillOuter(rows, row, 1, &made_);
    made_.set_rows(1);
    CreateRunner::Prepared prepared;
    RETURN_IF_ERROR(create_.Prepare(made_, &prepared));
    RETURN_IF_ERROR(create_.CreateRow(&made_, 0, prepared));
    RETURN_IF_ERROR(on_create_.RunRow(made_, 0));
    return Emit(made_);
  }

  ArgumentSource source_;
  OperatorPtr match_;
  CreateRunner create_;
  SetRunner on_match_, on_create_;
  Batch found_, made_;
  std::vector<Batch> matches_;
};

}  // namespace

OperatorPtr MakeMerge(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<MergeOperator>(builder, plan); }

}  // namespace fornix::engine
