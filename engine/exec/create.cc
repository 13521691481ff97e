// Create: makes the elements of its patterns for each row, row by row, nodes before the relationships between them.
#include <deque>

#include "engine/exec/operators.h"
#include "engine/exec/write.h"
#include "engine/exec/write_operator.h"

namespace fornix::engine {
namespace {

class CreateOperator : public WriteOperator {
 public:
  CreateOperator(Builder& builder, const PhysicalOperator& plan) : WriteOperator(builder, plan), runner_(builder, plan.creates, false) {}

 protected:
  Status DoOpen() override {
    prepared_.clear();
    return WriteOperator::DoOpen();
  }
  Status PrepareBatch(const Batch& rows) override {
    prepared_.emplace_back();
    RETURN_IF_ERROR(runner_.Prepare(rows, &prepared_.back()));
    if (plan_.stream_input) return Status::Ok();
    size_t bytes = 0;
    for (const auto& element : prepared_.back().values) {
      for (const Column& column : element) bytes += column.MemoryBytes();
    }
    return Charge(bytes);
  }
  Status Write(Batch* rows) override {
    for (uint32_t row = 0; row < rows->rows(); row++) RETURN_IF_ERROR(runner_.CreateRow(rows, row, prepared_.front()));
    prepared_.pop_front();
    return Emit(*rows);
  }

 private:
  CreateRunner runner_;
  std::deque<CreateRunner::Prepared> prepared_;   // of the batches that wait
};

}  // namespace

OperatorPtr MakeCreate(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<CreateOperator>(builder, plan); }

}  // namespace fornix::engine
