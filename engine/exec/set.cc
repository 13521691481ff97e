// Set: SET and REMOVE items for each row, left to right.
#include "engine/exec/operators.h"
#include "engine/exec/write.h"
#include "engine/exec/write_operator.h"

namespace fornix::engine {
namespace {

class SetOperator : public WriteOperator {
 public:
  SetOperator(Builder& builder, const PhysicalOperator& plan) : WriteOperator(builder, plan), runner_(builder, plan.sets) {}

 protected:
  Status Write(Batch* rows) override {
    for (uint32_t row = 0; row < rows->rows(); row++) RETURN_IF_ERROR(runner_.RunRow(*rows, row));
    return Emit(*rows);
  }

 private:
  SetRunner runner_;
};

}  // namespace

OperatorPtr MakeSet(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<SetOperator>(builder, plan); }

}  // namespace fornix::engine
