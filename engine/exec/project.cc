// Project: adds computed columns and drops those that nobody reads any more.
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class ProjectOperator : public Operator {
 public:
  ProjectOperator(Builder& builder, const PhysicalOperator& plan) : Operator(builder, plan), child_(builder.Build(*plan.children[0])) {
    for (const auto& p : plan.projections) {
      evaluators_.push_back(builder.Compile(*p.expr));
      columns_.emplace_back();
      const planner::BoundKind kind = p.expr->kind;
      computes_.push_back(kind != planner::BoundKind::kSlot && kind != planner::BoundKind::kLiteral && kind != planner::BoundKind::kParameter);
    }
  }

 protected:
  Status DoOpen() override {
    ReleaseAll();
    return child_->Open();
  }
  Status DoNext(Batch* out) override {
    ReleaseAll();                               // the batch before this one has been dealt with
    RETURN_IF_ERROR(child_->Next(out));
    if (out->empty()) return Status::Ok();
    // All are computed from the row as it came before any takes its place.
    for (size_t i = 0; i < evaluators_.size(); i++) {
      RETURN_IF_ERROR(evaluators_[i]->EvaluateInto(*out, AllRows(*out), &columns_[i]));
      if (computes_[i]) RETURN_IF_ERROR(ChargeLarge(columns_[i]));
    }
    for (size_t i = 0; i < evaluators_.size(); i++) std::swap(out->column(plan_.projections[i].slot), columns_[i]);
    out->Retain(live_);
    return Status::Ok();
  }

 private:
  OperatorPtr child_;
  std::vector<EvaluatorPtr> evaluators_;
  std::vector<Column> columns_;
  std::vector<bool> computes_;                  // makes values of its own
};

}  // namespace

OperatorPtr MakeProject(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<ProjectOperator>(builder, plan); }

}  // namespace fornix::engine
