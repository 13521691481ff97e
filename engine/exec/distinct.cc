// Distinct: the first row of each combination of values, as they come.
#include "engine/exec/group_table.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class DistinctOperator : public Operator {
 public:
  DistinctOperator(Builder& builder, const PhysicalOperator& plan) : Operator(builder, plan), child_(builder.Build(*plan.children[0])) {}

 protected:
  Status DoOpen() override {
    ReleaseAll();
    seen_.Start(plan_.slots.size());
    return child_->Open();
  }
  Status DoNext(Batch* out) override {
    while (true) {
      RETURN_IF_ERROR(child_->Next(out));
      if (out->empty()) return Status::Ok();
      keys_.clear();
      for (Slot slot : plan_.slots) keys_.push_back(&out->column(slot));
      keep_.clear();
      size_t bytes = 0;
      for (size_t row = 0; row < out->rows(); row++) {
        bool added = false;
        const size_t group = seen_.FindOrAdd(keys_, row, &added);
        if (!added) continue;
        bytes += seen_.KeyBytes(group);
        keep_.push_back(static_cast<uint32_t>(row));
      }
      RETURN_IF_ERROR(Charge(bytes));
      if (keep_.empty()) continue;
      out->Keep(keep_);
      return Status::Ok();
    }
  }

 private:
  OperatorPtr child_;
  GroupTable seen_;
  std::vector<const Column*> keys_;
  std::vector<uint32_t> keep_;
};

}  // namespace

OperatorPtr MakeDistinct(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<DistinctOperator>(builder, plan); }

}  // namespace fornix::engine
