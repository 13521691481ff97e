// Comparisons: = <> < <= > >=, chained ones as the AND of neighbours with each argument evaluated once.
#include <cmath>

#include "base/value_compare.h"
#include "engine/exec/builder.h"
#include "engine/exec/expression.h"

namespace fornix::engine {

using planner::BoundOp;

namespace {

template <typename T>
bool Compare(BoundOp op, T a, T b) {
  switch (op) {
    case BoundOp::kEq: return a == b;
    case BoundOp::kNe: return a != b;
    case BoundOp::kLt: return a < b;
    case BoundOp::kLe: return a <= b;
    case BoundOp::kGt: return a > b;
    default: return a >= b;
  }
}

Truth CompareBoxed(BoundOp op, const Value& a, const Value& b) {
  if (a.type() == Type::kInteger && b.type() == Type::kInteger) return TruthOf(Compare(op, a.AsInteger(), b.AsInteger()));
  if (a.type() == Type::kFloat && b.type() == Type::kFloat) return TruthOf(Compare(op, a.AsFloat(), b.AsFloat()));
  switch (op) {
    case BoundOp::kEq: return Equals(a, b);
    case BoundOp::kNe: {
      const Truth t = Equals(a, b);
      return t == Truth::kUnknown ? t : TruthOf(t == Truth::kFalse);
    }
    case BoundOp::kLt: return LessThan(a, b);
    case BoundOp::kLe: return LessOrEqual(a, b);
    case BoundOp::kGt: return LessThan(b, a);
    default: return LessOrEqual(b, a);
  }
}

// Loops over two word arrays; a step of 0 holds a constant. `op` is fixed for the loop, so its switch is hoisted.
template <typename T, typename Read>
void CompareWords(BoundOp op, const Operand& a, const Operand& b, size_t count, Read read, uint64_t* out) {
  const uint64_t* x = a.column->words();
  const uint64_t* y = b.column->words();
  const size_t step_x = a.constant ? 0 : 1, step_y = b.constant ? 0 : 1;
  auto run = [&](auto compare) {
    for (size_t i = 0; i < count; i++) out[i] = compare(read(x[i * step_x]), read(y[i * step_y]));
  };
  switch (op) {
    case BoundOp::kEq: return run([](T p, T q) { return p == q; });
    case BoundOp::kNe: return run([](T p, T q) { return p != q; });
    case BoundOp::kLt: return run([](T p, T q) { return p < q; });
    case BoundOp::kLe: return run([](T p, T q) { return p <= q; });
    case BoundOp::kGt: return run([](T p, T q) { return p > q; });
    default: return run([](T p, T q) { return p >= q; });
  }
}

void CopyNulls(const Operand& a, size_t count, Column* out) {
  const uint8_t* nulls = a.column->nulls();
  if (nulls == nullptr) return;
  for (size_t i = 0; i < count; i++) {
    if (nulls[a.At(i)] != 0) out->SetNull(i);
  }
}

void CompareColumns(BoundOp op, const Operand& a, const Operand& b, size_t count, Column* out) {
  const ColumnKind ka = a.column->kind(), kb = b.column->kind();
  if (ka <= ColumnKind::kNull || kb <= ColumnKind::kNull) {
    out->Start(ColumnKind::kNull, count);
    return;
  }
  out->Start(ColumnKind::kBool, count);
  const bool equality = op == BoundOp::kEq || op == BoundOp::kNe;
  const bool ids = ka == ColumnKind::kNode || ka == ColumnKind::kRelationship || ka == ColumnKind::kBool;
  if (ka == kb && (ka == ColumnKind::kInt || (ids && equality))) {
    CompareWords<int64_t>(op, a, b, count, [](uint64_t w) { return static_cast<int64_t>(w); }, out->mutable_words());
  } else if (ka == kb && ka == ColumnKind::kFloat) {
    CompareWords<double>(op, a, b, count, [](uint64_t w) { return std::bit_cast<double>(w); }, out->mutable_words());
  } else {
    const bool boxed_a = ka == ColumnKind::kBoxed, boxed_b = kb == ColumnKind::kBoxed;
    Value one_a, one_b;
    if (a.constant && !boxed_a) one_a = a.ValueAt(0);
    if (b.constant && !boxed_b) one_b = b.ValueAt(0);
    for (size_t i = 0; i < count; i++) {
      Value va, vb;
      const Value* pa = boxed_a ? &a.column->boxed_at(a.At(i)) : a.constant ? &one_a : &(va = a.column->ValueAt(i));
      const Value* pb = boxed_b ? &b.column->boxed_at(b.At(i)) : b.constant ? &one_b : &(vb = b.column->ValueAt(i));
      const Truth t = pa->is_null() || pb->is_null() ? Truth::kUnknown : CompareBoxed(op, *pa, *pb);
      if (t == Truth::kUnknown) {
        out->SetNull(i);
      } else {
        out->SetBool(i, t == Truth::kTrue);
      }
    }
    return;
  }
  CopyNulls(a, count, out);
  CopyNulls(b, count, out);
}

class ComparisonEvaluator : public Evaluator {
 public:
  ComparisonEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr) {
    for (const auto& arg : expr.args) args_.push_back(builder.Compile(*arg));
  }

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    Operand left, right;
    RETURN_IF_ERROR(args_[0]->Evaluate(in, rows, &left));
    for (size_t k = 0; k < expr_.ops.size(); k++) {
      RETURN_IF_ERROR(args_[k + 1]->Evaluate(in, rows, &right));
      if (k == 0) {
        CompareColumns(expr_.ops[k], left, right, rows.count, &result_);
      } else {
        CompareColumns(expr_.ops[k], left, right, rows.count, &pair_);
        And(rows.count);
      }
      left = right;
    }
    *out = Own();
    return Status::Ok();
  }

 private:
  // result_ = result_ AND pair_.
  void And(size_t count) {
    Column both;
    both.Start(ColumnKind::kBool, count);
    for (size_t i = 0; i < count; i++) {
      const bool false_a = !result_.IsNull(i) && !result_.bool_at(i), false_b = !pair_.IsNull(i) && !pair_.bool_at(i);
      if (false_a || false_b) {
        both.SetBool(i, false);
      } else if (result_.IsNull(i) || pair_.IsNull(i)) {
        both.SetNull(i);
      } else {
        both.SetBool(i, true);
      }
    }
    std::swap(result_, both);
  }

  std::vector<EvaluatorPtr> args_;
  Column pair_;
};

}  // namespace

EvaluatorPtr CompileComparison(Builder& builder, const BoundExpr& expr) {
  return std::make_unique<ComparisonEvaluator>(builder, expr);
}

}  // namespace fornix::engine
