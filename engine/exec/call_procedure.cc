// CallProcedure: calls a procedure once for each row and puts each row it gives beside that row. A void procedure lets the
// row pass through. One that writes takes in all its input first, like every writing operator.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/pass_rows.h"
#include "engine/exec/write_operator.h"
#include "engine/procedure/coerce.h"
#include "engine/procedure/procedure.h"

namespace fornix::engine {
namespace {

class ProcedureCaller {
 public:
  ProcedureCaller(Builder& builder, const PhysicalOperator& plan) : context_(builder.context()), plan_(plan) {
    for (const auto& e : plan.exprs) arguments_.push_back(builder.Compile(*e));
    if (plan.procedure == nullptr || plan.procedure->implementation == nullptr) {
      builder.Fail({Code::kProcedureNotFound, "a procedure without an implementation can't be called"});
    } else {
      procedure_ = static_cast<const Procedure*>(plan.procedure->implementation);
    }
  }

  Result<std::unique_ptr<ProcedureStream>> Call(const Batch& rows, uint32_t row) {
    const auto& inputs = plan_.procedure->inputs;
    std::vector<Value> values(inputs.size());
    for (size_t i = 0; i < arguments_.size() && i < values.size(); i++) {
      ASSIGN_OR_RETURN(Value v, arguments_[i]->EvaluateRow(rows, row));
      Result<Value> coerced = CoerceArgument(*plan_.procedure, i, std::move(v));
      if (!coerced.ok()) return Status(coerced.status()).At(arguments_[i]->expr().position);
      values[i] = std::move(coerced).value();
    }
    Result<std::unique_ptr<ProcedureStream>> stream = procedure_->Call(context_, values);
    if (!stream.ok() && !arguments_.empty()) return Status(stream.status()).At(arguments_[0]->expr().position);
    return stream;
  }
  bool is_void() const { return plan_.procedure->outputs.empty(); }

  // Appends one procedure row to the columns of the output slots.
  void Append(const List& row, Batch* out) const {
    for (const auto& [field, slot] : plan_.outputs) out->column(slot).Append(field < row.size() ? row[field] : Value());
  }

 private:
  ExecutionContext& context_;
  const PhysicalOperator& plan_;
  std::vector<EvaluatorPtr> arguments_;
  const Procedure* procedure_ = nullptr;
};

class CallProcedureOperator : public Operator {
 public:
  CallProcedureOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(plan.children.empty() ? nullptr : builder.Build(*plan.children[0])),
        argument_(builder.argument()),
        caller_(builder, plan),
        sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    sizer_.Reset();
    Prepare(context_, &in_);
    row_ = 0;
    argument_row_ = 0;
    stream_.reset();
    return child_ != nullptr ? child_->Open() : Status::Ok();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = sizer_.Next();
    out_rows_.clear();
    while (out_rows_.size() < want) {
      if (stream_ == nullptr) {
        if (row_ >= in_.rows()) {
          if (!out_rows_.empty()) break;
          RETURN_IF_ERROR(NextInput());
          row_ = 0;
          if (in_.empty()) return Status::Ok();
        }
        ASSIGN_OR_RETURN(stream_, caller_.Call(in_, static_cast<uint32_t>(row_)));
        if (caller_.is_void()) {
          stream_.reset();
          out_rows_.push_back(static_cast<uint32_t>(row_++));
          continue;
        }
        if (stream_ == nullptr) {
          row_++;
          continue;
        }
      }
      rows_.clear();
      RETURN_IF_ERROR(stream_->Next(want - out_rows_.size(), &rows_));
      if (rows_.empty()) {
        stream_.reset();
        row_++;
        continue;
      }
      for (const List& row : rows_) {
        caller_.Append(row, out);
        out_rows_.push_back(static_cast<uint32_t>(row_));
      }
    }
    PassRows(live_, in_, out_rows_, out);
    return Status::Ok();
  }

 private:
  // The child's next batch or, for a call that stands first, the argument rows.
  Status NextInput() {
    if (child_ != nullptr) return child_->Next(&in_);
    in_.Clear();
    if (argument_row_ >= argument_->count) return Status::Ok();
    for (Slot slot = 0; slot < argument_->batch->slots(); slot++) {
      const Column& from = argument_->batch->column(slot);
      if (from.filled()) in_.column(slot).AppendFrom(from, argument_->first + argument_row_);
    }
    in_.set_rows(1);
    argument_row_++;
    return Status::Ok();
  }

  OperatorPtr child_;
  ArgumentSource* argument_;
  ProcedureCaller caller_;
  BatchSizer sizer_;
  Batch in_;
  size_t row_ = 0, argument_row_ = 0;
  std::unique_ptr<ProcedureStream> stream_;
  std::vector<List> rows_;
  std::vector<uint32_t> out_rows_;
};

class WritingProcedureOperator : public WriteOperator {
 public:
  WritingProcedureOperator(Builder& builder, const PhysicalOperator& plan) : WriteOperator(builder, plan), caller_(builder, plan) {}

 protected:
  Status Write(Batch* rows) override {
    if (caller_.is_void()) {
      for (uint32_t row = 0; row < rows->rows(); row++) RETURN_IF_ERROR(caller_.Call(*rows, row).status());
      return Emit(*rows);
    }
    Prepare(context_, &out_);
    for (uint32_t row = 0; row < rows->rows(); row++) {
      ASSIGN_OR_RETURN(std::unique_ptr<ProcedureStream> stream, caller_.Call(*rows, row));
      std::vector<List> given;
      while (stream != nullptr) {
        given.clear();
        RETURN_IF_ERROR(stream->Next(kBatchRowsMax, &given));
        if (given.empty()) break;
        out_.Clear();
        for (const List& one : given) caller_.Append(one, &out_);
        for (Slot slot : live_) {
          if (!out_.column(slot).filled() && rows->column(slot).filled()) out_.column(slot).AppendRepeated(rows->column(slot), row, given.size());
        }
        out_.set_rows(given.size());
        RETURN_IF_ERROR(Emit(out_));
      }
    }
    return Status::Ok();
  }

 private:
  ProcedureCaller caller_;
  Batch out_;
};

}  // namespace

OperatorPtr MakeCallProcedure(Builder& builder, const PhysicalOperator& plan) {
  if (plan.procedure != nullptr && plan.procedure->writes && !plan.children.empty()) {
    return std::make_unique<WritingProcedureOperator>(builder, plan);
  }
  return std::make_unique<CallProcedureOperator>(builder, plan);
}

}  // namespace fornix::engine
