// Argument: the outer rows of an inner plan; at the top, the one empty row.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class ArgumentOperator : public LeafOperator {
 public:
  using LeafOperator::LeafOperator;

 protected:
  Status DoNext(Batch* out) override {
    out->Clear();
    if (at_end()) return Status::Ok();
    const size_t count = std::min(source_->count - row_, sizer_.Next());
    for (Slot slot : live_) {
      const Column& from = argument_batch().column(slot);
      if (from.filled()) out->column(slot).AppendRange(from, argument_row(), count);
    }
    out->set_rows(count);
    row_ += count;
    return Status::Ok();
  }
};

}  // namespace

OperatorPtr MakeArgument(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<ArgumentOperator>(builder, plan);
}

}  // namespace fornix::engine
