// vector.similarity.*() and gds.similarity.cosine() over a batch: the lists are read where the column holds them, the constant one
// once, and the scores lie in a column of floats.
#include "engine/exec/builder.h"
#include "engine/exec/expression.h"
#include "engine/function/similarity.h"

namespace fornix::engine {
namespace {

class SimilarityEvaluator : public Evaluator {
 public:
  SimilarityEvaluator(Builder& builder, const BoundExpr& expr, SimilarityKind kind)
      : Evaluator(expr), similarity_(kind), a_(builder.Compile(*expr.args[0])), b_(builder.Compile(*expr.args[1])) {}

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    Operand a, b;
    RETURN_IF_ERROR(a_->Evaluate(in, rows, &a));
    RETURN_IF_ERROR(b_->Evaluate(in, rows, &b));
    const bool constant = a.constant && b.constant && rows.count > 0;
    const size_t count = constant ? 1 : rows.count;
    result_.Start(ColumnKind::kFloat, count);
    Value boxed_a, boxed_b;
    for (size_t i = 0; i < count; i++) {
      Result<Value> score = similarity_.Between(At(a, i, &boxed_a), At(b, i, &boxed_b));
      if (!score.ok()) return Told(score.status());
      if (score->is_null()) {
        result_.SetNull(i);
      } else {
        result_.SetFloat(i, score->AsFloat());
      }
    }
    *out = {&result_, constant};
    return Status::Ok();
  }

 private:
  static const Value& At(const Operand& operand, size_t row, Value* boxed) {
    const Column& column = *operand.column;
    const size_t at = operand.At(row);
    if (column.kind() == ColumnKind::kBoxed) return column.boxed_at(at);
    *boxed = column.ValueAt(at);
    return *boxed;
  }

  // A value of a wrong type is answered with what the function takes.
  Status Told(const Status& status) const {
    if (status.code() != Code::kTypeError && status.detail() != "InvalidArgumentType") return status;
    return Status(status.code(), status.message() + "; " + expr_.function->signature).Detail(status.detail()).At(status.position());
  }

  Similarity similarity_;
  EvaluatorPtr a_, b_;
};

}  // namespace

EvaluatorPtr CompileSimilarity(Builder& builder, const BoundExpr& expr) {
  if (expr.function == nullptr || expr.args.size() != 2 || expr.args[0] == nullptr || expr.args[1] == nullptr) return nullptr;
  const std::optional<SimilarityKind> kind = SimilarityOf(expr.function->name);
  return kind ? std::make_unique<SimilarityEvaluator>(builder, expr, *kind) : nullptr;
}

}  // namespace fornix::engine
