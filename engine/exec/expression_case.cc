// CASE: each WHEN is evaluated for the rows that no earlier one took, each THEN for the rows that its WHEN took.
#include "base/value_compare.h"
#include "engine/exec/builder.h"
#include "engine/exec/expression.h"

namespace fornix::engine {

namespace {

class CaseEvaluator : public Evaluator {
 public:
  CaseEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr) {
    for (const auto& arg : expr.args) args_.push_back(builder.Compile(*arg));
  }

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    std::vector<Value> results(rows.count);
    std::vector<uint32_t> open(rows.count);           // places in `rows` that no branch took yet
    for (size_t i = 0; i < rows.count; i++) open[i] = static_cast<uint32_t>(i);
    const size_t first = expr_.has_operand ? 1 : 0;
    const size_t end = args_.size() - (expr_.has_else ? 1 : 0);
    std::vector<Value> subject;
    if (expr_.has_operand) {
      Operand operand;
      RETURN_IF_ERROR(args_[0]->Evaluate(in, rows, &operand));
      for (size_t i = 0; i < rows.count; i++) subject.push_back(operand.ValueAt(i));
    }
    std::vector<uint32_t> taken, rest, batch_rows;
    for (size_t a = first; a + 1 < end && !open.empty(); a += 2) {
      ToBatchRows(rows, open, &batch_rows);
      Operand when;
      RETURN_IF_ERROR(args_[a]->Evaluate(in, {batch_rows.data(), batch_rows.size()}, &when));
      taken.clear();
      rest.clear();
      if (expr_.has_operand) {
        for (size_t k = 0; k < open.size(); k++) {
          (Equals(subject[open[k]], when.ValueAt(k)) == Truth::kTrue ? taken : rest).push_back(open[k]);
        }
      } else {
        RETURN_IF_ERROR(ReadTruth(when, open.size(), args_[a]->expr(), &truth_));
        for (size_t k = 0; k < open.size(); k++) (truth_[k] == 1 ? taken : rest).push_back(open[k]);
      }
      RETURN_IF_ERROR(Fill(in, rows, taken, *args_[a + 1], &results));
      open.swap(rest);
    }
    if (expr_.has_else) RETURN_IF_ERROR(Fill(in, rows, open, *args_.back(), &results));
    result_.Clear();
    for (const Value& v : results) result_.Append(v);
    *out = Own();
    return Status::Ok();
  }

 private:
  static void ToBatchRows(Selection rows, const std::vector<uint32_t>& places, std::vector<uint32_t>* batch_rows) {
    batch_rows->clear();
    for (uint32_t place : places) batch_rows->push_back(rows[place]);
  }
  static Status Fill(const Batch& in, Selection rows, const std::vector<uint32_t>& places, Evaluator& value, std::vector<Value>* results) {
    if (places.empty()) return Status::Ok();
    std::vector<uint32_t> batch_rows;
    ToBatchRows(rows, places, &batch_rows);
    Operand operand;
    RETURN_IF_ERROR(value.Evaluate(in, {batch_rows.data(), batch_rows.size()}, &operand));
    for (size_t k = 0; k < places.size(); k++) (*results)[places[k]] = operand.ValueAt(k);
    return Status::Ok();
  }

  std::vector<EvaluatorPtr> args_;
  std::vector<uint8_t> truth_;
};

}  // namespace

EvaluatorPtr CompileCase(Builder& builder, const BoundExpr& expr) { return std::make_unique<CaseEvaluator>(builder, expr); }

}  // namespace fornix::engine
