// Builder: makes the operators and evaluators of one run from the immutable plan.
//
// It carries what a constructor needs from its surroundings: the argument rows of the plan that is being built, the
// hidden slots that enclosing batched applies need carried through, and the first error.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "engine/exec/expression.h"
#include "engine/exec/operator.h"

namespace fornix::engine {

class Builder {
 public:
  explicit Builder(ExecutionContext& context) : context_(&context) {}

  ExecutionContext& context() { return *context_; }
  OperatorPtr Build(const PhysicalOperator& plan);
  EvaluatorPtr Compile(const BoundExpr& expr) { return CompileExpression(*this, expr); }
  // Null for null.
  EvaluatorPtr CompileOptional(const planner::BoundExprPtr& expr) { return expr ? Compile(*expr) : nullptr; }

  // Builds an inner plan whose kArgument rows come from `source`. With a hidden slot, every operator inside carries it.
  OperatorPtr BuildInner(const PhysicalOperator& plan, ArgumentSource* source, Slot hidden = kNoSlot);
  // The same for a plan that runs in another context (a transaction of its own).
  OperatorPtr BuildInnerIn(ExecutionContext& context, const PhysicalOperator& plan, ArgumentSource* source);

  ArgumentSource* argument() { return argument_; }
  const std::vector<Slot>& hidden_slots() const { return hidden_; }

  void Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const Status& status() const { return status_; }

 private:
  ExecutionContext* context_;
  ArgumentSource* argument_ = nullptr;
  std::vector<Slot> hidden_;
  Status status_;
};

// True when every operator below gives its rows in the order of the argument rows, row by row: then many argument rows
// may run through it at once, told apart by a hidden row number.
bool IsRowWise(const PhysicalOperator& plan);
// True when anything below writes (procedures that write included).
bool Writes(const PhysicalOperator& plan);

}  // namespace fornix::engine
