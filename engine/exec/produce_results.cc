// ProduceResults and EmptyResult: the roots. The first hands its rows to the Execution, which materialises them; the second runs
// everything and gives nothing.
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class PassThroughOperator : public Operator {
 public:
  PassThroughOperator(Builder& builder, const PhysicalOperator& plan) : Operator(builder, plan), child_(builder.Build(*plan.children[0])) {}

 protected:
  Status DoOpen() override { return child_->Open(); }
  Status DoNext(Batch* out) override {
    do {
      RETURN_IF_ERROR(child_->Next(out));
    } while (plan_.kind == planner::OpKind::kEmptyResult && !out->empty());
    return Status::Ok();
  }

 private:
  OperatorPtr child_;
};

}  // namespace

OperatorPtr MakePassThrough(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<PassThroughOperator>(builder, plan); }

}  // namespace fornix::engine
