// Skip and Limit. The count is evaluated once, before the first row; a wrong one is an error of the run, since one that
// can be seen in the text was refused when it was bound. After the last row LIMIT pulls no more from below.
#include "engine/exec/count_expression.h"
#include "engine/exec/operators.h"

namespace fornix::engine {

Result<int64_t> EvaluateCount(ExecutionContext& context, Evaluator& count, const char* clause) {
  ASSIGN_OR_RETURN(const Value v, count.EvaluateRow(context.unit_row(), 0));
  if (v.type() != Type::kInteger) {
    return Status(Code::kSyntaxError, std::string(clause) + " needs a non-negative integer, but was " + std::string(TypeName(v.type())) + " " + Shown(v))
        .Detail("InvalidArgumentType")
        .At(count.expr().position);
  }
  if (v.AsInteger() < 0) {
    return Status(Code::kSyntaxError, std::string(clause) + " needs a non-negative integer, but was " + Shown(v))
        .Detail("NegativeIntegerArgument")
        .At(count.expr().position);
  }
  return v.AsInteger();
}

namespace {

class SkipOperator : public Operator {
 public:
  SkipOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan), child_(builder.Build(*plan.children[0])), count_(builder.Compile(*plan.exprs[0])) {}

 protected:
  Status DoOpen() override {
    started_ = false;
    return child_->Open();
  }
  Status DoNext(Batch* out) override {
    if (!started_) {
      ASSIGN_OR_RETURN(left_, EvaluateCount(context_, *count_, "SKIP"));
      started_ = true;
    }
    while (true) {
      RETURN_IF_ERROR(child_->Next(out));
      if (out->empty() || left_ == 0) return Status::Ok();
      if (static_cast<uint64_t>(left_) >= out->rows()) {
        left_ -= static_cast<int64_t>(out->rows());
        continue;
      }
      keep_.clear();
      for (size_t i = static_cast<size_t>(left_); i < out->rows(); i++) keep_.push_back(static_cast<uint32_t>(i));
      left_ = 0;
      out->Keep(keep_);
      return Status::Ok();
    }
  }

 private:
  OperatorPtr child_;
  EvaluatorPtr count_;
  bool started_ = false;
  int64_t left_ = 0;
  std::vector<uint32_t> keep_;
};

class LimitOperator : public Operator {
 public:
  LimitOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan), child_(builder.Build(*plan.children[0])), count_(builder.Compile(*plan.exprs[0])), writes_(Writes(plan)) {}

 protected:
  Status DoOpen() override {
    started_ = false;
    return child_->Open();
  }
  Status DoNext(Batch* out) override {
    out->Clear();
    if (!started_) {
      ASSIGN_OR_RETURN(left_, EvaluateCount(context_, *count_, "LIMIT"));
      started_ = true;
      if (left_ == 0 && writes_) {   // LIMIT 0 hides rows; it doesn't unmake writes
        do {
          RETURN_IF_ERROR(child_->Next(out));
        } while (!out->empty());
      }
    }
    if (left_ == 0) return Status::Ok();
    RETURN_IF_ERROR(child_->Next(out));
    out->Truncate(static_cast<size_t>(std::min<uint64_t>(static_cast<uint64_t>(left_), out->rows())));
    left_ -= static_cast<int64_t>(out->rows());
    return Status::Ok();
  }

 private:
  OperatorPtr child_;
  EvaluatorPtr count_;
  const bool writes_;
  bool started_ = false;
  int64_t left_ = 0;
};

}  // namespace

OperatorPtr MakeSkipLimit(Builder& builder, const PhysicalOperator& plan) {
  if (plan.kind == planner::OpKind::kSkip) return std::make_unique<SkipOperator>(builder, plan);
  return std::make_unique<LimitOperator>(builder, plan);
}

}  // namespace fornix::engine
