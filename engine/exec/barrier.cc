// Barrier: takes in all rows before it gives the first, so that what reads before it never meets what writes after it.
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class BarrierOperator : public Operator {
 public:
  BarrierOperator(Builder& builder, const PhysicalOperator& plan) : Operator(builder, plan), child_(builder.Build(*plan.children[0])) {}

 protected:
  Status DoOpen() override {
    ReleaseAll();
    rows_.Clear();
    done_ = false;
    return child_->Open();
  }
  Status DoNext(Batch* out) override {
    while (!done_) {
      RETURN_IF_ERROR(child_->Next(out));
      if (out->empty()) {
        done_ = true;
        break;
      }
      RETURN_IF_ERROR(Charge(out->MemoryBytes()));
      rows_.Add(*out, live_, context_.fixed_batch_rows() > 0 ? context_.fixed_batch_rows() : kBatchRowsMax);
    }
    if (!rows_.Take(out)) {
      out->Clear();
      ReleaseAll();
    }
    return Status::Ok();
  }

 private:
  OperatorPtr child_;
  RowBuffer rows_;
  bool done_ = false;
};

}  // namespace

OperatorPtr MakeBarrier(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<BarrierOperator>(builder, plan); }

}  // namespace fornix::engine
