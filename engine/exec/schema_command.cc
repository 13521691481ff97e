// SchemaCommand: runs one schema command in the transaction. What it means is in schema_definition.h.
#include "engine/exec/operators.h"
#include "engine/exec/schema_definition.h"

namespace fornix::engine {
namespace {

class SchemaCommandOperator : public Operator {
 public:
  SchemaCommandOperator(Builder& builder, const PhysicalOperator& plan) : Operator(builder, plan) {
    for (const auto& e : plan.schema_exprs) exprs_.push_back(builder.CompileOptional(e));
  }

 protected:
  Status DoOpen() override {
    done_ = false;
    return Status::Ok();
  }
  Status DoNext(Batch* out) override {
    out->Clear();
    if (done_) return Status::Ok();
    done_ = true;
    SchemaInputs inputs;
    if (exprs_.size() > 0 && exprs_[0] != nullptr) {
      ASSIGN_OR_RETURN(inputs.name, exprs_[0]->EvaluateRow(context_.unit_row(), 0));
    }
    if (exprs_.size() > 1 && exprs_[1] != nullptr) {
      ASSIGN_OR_RETURN(inputs.options, exprs_[1]->EvaluateRow(context_.unit_row(), 0));
    }
    return RunSchemaCommand(context_, *plan_.schema, inputs);
  }

 private:
  std::vector<EvaluatorPtr> exprs_;
  bool done_ = false;
};

}  // namespace

OperatorPtr MakeSchemaCommand(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<SchemaCommandOperator>(builder, plan); }

}  // namespace fornix::engine
