// Foreach: runs its writes once for each entry of a list, one after the other; the rows pass through unchanged.
#include "engine/exec/operators.h"
#include "engine/exec/write_operator.h"

namespace fornix::engine {
namespace {

class ForeachOperator : public WriteOperator {
 public:
  ForeachOperator(Builder& builder, const PhysicalOperator& plan)
      : WriteOperator(builder, plan), list_(builder.Compile(*plan.exprs[0])), inner_(builder.BuildInner(*plan.children[1], &source_)) {}

 protected:
  Status Write(Batch* rows) override {
    Prepare(context_, &one_);
    Prepare(context_, &ignored_);
    for (uint32_t row = 0; row < rows->rows(); row++) {
      ASSIGN_OR_RETURN(const Value list, list_->EvaluateRow(*rows, row));
      if (list.is_null()) continue;
      if (list.type() != Type::kList) {
        return Status(Code::kTypeError, "Type mismatch: FOREACH goes over a list, but this was " + std::string(TypeName(list.type())) + " " + Shown(list))
            .Detail("InvalidArgumentType")
            .At(list_->expr().position);
      }
      one_.Clear();
      for (Slot slot = 0; slot < rows->slots(); slot++) {
        if (slot != plan_.slot && rows->column(slot).filled()) one_.column(slot).AppendFrom(rows->column(slot), row);
      }
      one_.set_rows(1);
      for (const Value& item : list.AsList()) {
        one_.column(plan_.slot).Clear();
        one_.column(plan_.slot).Append(item);
        source_ = {&one_, 0, 1};
        RETURN_IF_ERROR(inner_->Open());
        do {
          RETURN_IF_ERROR(inner_->Next(&ignored_));
        } while (!ignored_.empty());
      }
    }
    return Emit(*rows);
  }

 private:
  EvaluatorPtr list_;
  ArgumentSource source_;
  OperatorPtr inner_;
  Batch one_, ignored_;
};

}  // namespace

OperatorPtr MakeForeach(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<ForeachOperator>(builder, plan); }

}  // namespace fornix::engine
