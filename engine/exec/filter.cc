// Filter: keeps the rows for which the predicate is true.
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class FilterOperator : public Operator {
 public:
  FilterOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan), child_(builder.Build(*plan.children[0])), predicate_(builder.Compile(*plan.predicate)) {}

 protected:
  Status DoOpen() override { return child_->Open(); }
  Status DoNext(Batch* out) override {
    while (true) {
      RETURN_IF_ERROR(child_->Next(out));
      if (out->empty()) return Status::Ok();
      keep_.clear();
      RETURN_IF_ERROR(SelectTrue(*predicate_, *out, AllRows(*out), &keep_));
      if (keep_.empty()) continue;
      out->Keep(keep_);
      return Status::Ok();
    }
  }

 private:
  OperatorPtr child_;
  EvaluatorPtr predicate_;
  std::vector<uint32_t> keep_;
};

}  // namespace

OperatorPtr MakeFilter(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<FilterOperator>(builder, plan); }

}  // namespace fornix::engine
