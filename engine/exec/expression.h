// Evaluators: a BoundExpr compiled for one run, evaluated over whole batches.
//
// An evaluator gives one entry for each selected row of a batch, in a column of its own or, for a plain slot, in the column of the batch
// itself. The kinds of the columns at hand choose the kernel once a batch; no virtual call is made for a single row.
// What has no kernel runs on boxed values through the operators of engine/function. AND, OR and CASE evaluate a
// further argument only for the rows that are still undecided, so an error there can't come from a decided row.
// Wide chains are flat loops; recursion follows the nesting of the text, which the parser bounds.
// Threads: an evaluator holds scratch space and belongs to one run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/exec/batch.h"
#include "engine/exec/context.h"
#include "planner/bind/expr.h"

namespace fornix::engine {

using planner::BoundExpr;
using planner::Slot;

// Which rows of a batch: the first `count`, or the listed ones.
struct Selection {
  const uint32_t* rows = nullptr;
  size_t count = 0;
  uint32_t operator[](size_t i) const { return rows != nullptr ? rows[i] : static_cast<uint32_t>(i); }
};
inline Selection AllRows(const Batch& batch) { return {nullptr, batch.rows()}; }

// The entries of a result: one a selected row, or a single one that stands for all.
struct Operand {
  const Column* column = nullptr;
  bool constant = false;
  size_t At(size_t i) const { return constant ? 0 : i; }
  Value ValueAt(size_t i) const { return column->ValueAt(At(i)); }
};

class Evaluator {
 public:
  explicit Evaluator(const BoundExpr& expr) : expr_(expr) {}
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // *out is valid until the next call or until the batch changes.
  Status Evaluate(const Batch& in, Selection rows, Operand* out);
  // The same as a column of one's own.
  Status EvaluateInto(const Batch& in, Selection rows, Column* out);
  // For a single row.
  Result<Value> EvaluateRow(const Batch& in, uint32_t row);
  const BoundExpr& expr() const { return expr_; }

 protected:
  virtual Status DoEvaluate(const Batch& in, Selection rows, Operand* out) = 0;
  Operand Own() const { return {&result_, false}; }

  const BoundExpr& expr_;
  Column result_;
};
using EvaluatorPtr = std::unique_ptr<Evaluator>;

class Builder;
// Never null; what can't be compiled is noted in the builder (Builder::Fail).
EvaluatorPtr CompileExpression(Builder& builder, const BoundExpr& expr);

// Appends to *keep the selected rows for which the predicate is true; TypeError if it gives something that's no boolean.
Status SelectTrue(Evaluator& predicate, const Batch& in, Selection rows, std::vector<uint32_t>* keep);

// The truth of each entry as 0, 1 or 2 (unknown). TypeError (detail InvalidArgumentType) for what is no boolean.
Status ReadTruth(const Operand& operand, size_t count, const BoundExpr& expr, std::vector<uint8_t>* truth);

// Slots that an expression reads from the row it is evaluated on. False if that can't be told, because a plan inside reads them.
bool CollectSlots(const BoundExpr& expr, std::vector<Slot>* slots);

// A value as a message shows it, shortened.
std::string Shown(const Value& value);

// The families of expressions, one file each.
EvaluatorPtr CompileLogic(Builder& builder, const BoundExpr& expr);        // AND OR XOR NOT, IS NULL
EvaluatorPtr CompileComparison(Builder& builder, const BoundExpr& expr);
EvaluatorPtr CompileArithmetic(Builder& builder, const BoundExpr& expr);
EvaluatorPtr CompileProperty(Builder& builder, const BoundExpr& expr);
EvaluatorPtr CompileLabels(Builder& builder, const BoundExpr& expr);
EvaluatorPtr CompileBoxed(Builder& builder, const BoundExpr& expr);        // functions, lists, maps, string operators, ...
EvaluatorPtr CompileSimilarity(Builder& builder, const BoundExpr& expr);   // null for any other function
EvaluatorPtr CompileCase(Builder& builder, const BoundExpr& expr);
EvaluatorPtr CompileListExpression(Builder& builder, const BoundExpr& expr);  // comprehension, quantifier, reduce
EvaluatorPtr CompilePath(Builder& builder, const BoundExpr& expr);
EvaluatorPtr CompileSubplan(Builder& builder, const BoundExpr& expr);      // EXISTS, COUNT, COLLECT

}  // namespace fornix::engine
