// Arithmetic: chains of one precedence level, left to right. Integers and floats have kernels; the rest, and every
// integer overflow or division by zero (for their errors), goes through the boxed operators of engine/function.
#include "engine/exec/builder.h"
#include "engine/exec/expression.h"
#include "engine/exec/growth.h"

namespace fornix::engine {

using planner::BoundOp;

namespace {

Result<Value> Apply(BoundOp op, const Value& a, const Value& b) {
  switch (op) {
    case BoundOp::kAdd: return Add(a, b);
    case BoundOp::kSub: return Subtract(a, b);
    case BoundOp::kMul: return Multiply(a, b);
    case BoundOp::kDiv: return Divide(a, b);
    case BoundOp::kMod: return Modulo(a, b);
    case BoundOp::kPow: return Power(a, b);
    case BoundOp::kConcat: return Concatenate(a, b);
    default: return Status(Code::kInternal, "a comparison stands where arithmetic was expected");
  }
}

// False when a row overflows or divides by zero: then the boxed operators find the error.
bool IntegerKernel(BoundOp op, const Operand& a, const Operand& b, size_t count, Column* out) {
  bool bad = false;
  for (size_t i = 0; i < count; i++) {
    const int64_t x = a.column->int_at(a.At(i)), y = b.column->int_at(b.At(i));
    int64_t r = 0;
    switch (op) {
      case BoundOp::kAdd: bad |= __builtin_add_overflow(x, y, &r); break;
      case BoundOp::kSub: bad |= __builtin_sub_overflow(x, y, &r); break;
      default: bad |= __builtin_mul_overflow(x, y, &r); break;
    }
    out->SetInt(i, r);
  }
  return !bad;
}

void FloatKernel(BoundOp op, const Operand& a, const Operand& b, size_t count, Column* out) {
  const bool int_a = a.column->kind() == ColumnKind::kInt, int_b = b.column->kind() == ColumnKind::kInt;
  for (size_t i = 0; i < count; i++) {
    const double x = int_a ? static_cast<double>(a.column->int_at(a.At(i))) : a.column->float_at(a.At(i));
    const double y = int_b ? static_cast<double>(b.column->int_at(b.At(i))) : b.column->float_at(b.At(i));
    double r = 0;
    switch (op) {
      case BoundOp::kAdd: r = x + y; break;
      case BoundOp::kSub: r = x - y; break;
      case BoundOp::kMul: r = x * y; break;
      default: r = x / y; break;
    }
    out->SetFloat(i, r);
  }
}

Status Calculate(ExecutionContext& context, BoundOp op, const Operand& a, const Operand& b, size_t count, Column* out) {
  const ColumnKind ka = a.column->kind(), kb = b.column->kind();
  const bool numbers = (ka == ColumnKind::kInt || ka == ColumnKind::kFloat) && (kb == ColumnKind::kInt || kb == ColumnKind::kFloat);
  if (numbers && a.column->no_nulls() && b.column->no_nulls()) {
    const bool integers = ka == ColumnKind::kInt && kb == ColumnKind::kInt;
    const bool ring = op == BoundOp::kAdd || op == BoundOp::kSub || op == BoundOp::kMul;
    if (integers && ring) {
      out->Start(ColumnKind::kInt, count);
      if (IntegerKernel(op, a, b, count, out)) return Status::Ok();
    } else if (!integers && (ring || op == BoundOp::kDiv)) {
      out->Start(ColumnKind::kFloat, count);
      FloatKernel(op, a, b, count, out);
      return Status::Ok();
    }
  }
  out->Clear();
  ScratchCharge charge(context, "an expression");
  for (size_t i = 0; i < count; i++) {
    const Value x = a.ValueAt(i), y = b.ValueAt(i);
    if (op == BoundOp::kAdd || op == BoundOp::kConcat) {
      const size_t bytes = JoinedBytes(x, y);
      CountText(bytes);
      RETURN_IF_ERROR(charge.Add(bytes));   // before it is made
    }
    ASSIGN_OR_RETURN(const Value v, Apply(op, x, y));
    out->Append(v);
  }
  return Status::Ok();
}

class ArithmeticEvaluator : public Evaluator {
 public:
  ArithmeticEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr), context_(builder.context()) {
    for (const auto& arg : expr.args) args_.push_back(builder.Compile(*arg));
  }
  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    Operand left, right;
    RETURN_IF_ERROR(args_[0]->Evaluate(in, rows, &left));
    for (size_t k = 0; k < expr_.ops.size(); k++) {
      RETURN_IF_ERROR(args_[k + 1]->Evaluate(in, rows, &right));
      if (left.constant && right.constant) {
        RETURN_IF_ERROR(Calculate(context_, expr_.ops[k], left, right, 1, &next_));
      } else {
        RETURN_IF_ERROR(Calculate(context_, expr_.ops[k], left, right, rows.count, &next_));
      }
      std::swap(result_, next_);
      left = {&result_, left.constant && right.constant};
    }
    *out = left;
    return Status::Ok();
  }

 private:
  ExecutionContext& context_;
  std::vector<EvaluatorPtr> args_;
  Column next_;
};

}  // namespace

EvaluatorPtr CompileArithmetic(Builder& builder, const BoundExpr& expr) {
  return std::make_unique<ArithmeticEvaluator>(builder, expr);
}

}  // namespace fornix::engine
