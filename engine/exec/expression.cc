#include "engine/exec/expression.h"

#include "base/value_format.h"
#include "engine/exec/builder.h"

namespace fornix::engine {

using planner::BoundKind;

Status Evaluator::Evaluate(const Batch& in, Selection rows, Operand* out) {
  CountWork(rows.count);
  Status status = DoEvaluate(in, rows, out);
  if (!status.ok() && status.position().line == 0 && expr_.position.line != 0) return std::move(status).At(expr_.position);
  return status;
}

Status Evaluator::EvaluateInto(const Batch& in, Selection rows, Column* out) {
  Operand operand;
  RETURN_IF_ERROR(Evaluate(in, rows, &operand));
  if (operand.constant) {
    out->Clear();
    out->AppendRepeated(*operand.column, 0, rows.count);
  } else if (operand.column == &result_) {
    std::swap(*out, result_);
  } else if (operand.column != out) {
    *out = *operand.column;
    out->Truncate(rows.count);
  }
  return Status::Ok();
}

Result<Value> Evaluator::EvaluateRow(const Batch& in, uint32_t row) {
  Operand operand;
  RETURN_IF_ERROR(Evaluate(in, {&row, 1}, &operand));
  return operand.ValueAt(0);
}

namespace {

class ConstantEvaluator : public Evaluator {
 public:
  ConstantEvaluator(const BoundExpr& expr, const Value& value) : Evaluator(expr) { result_.Append(value); }
  Status DoEvaluate(const Batch&, Selection, Operand* out) override {
    // A swap in EvaluateInto can't happen: constants are copied.
    *out = {&result_, true};
    return Status::Ok();
  }
};

class SlotEvaluator : public Evaluator {
 public:
  SlotEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr), context_(builder.context()) {}
  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    const Column& column = in.column(expr_.slot);
    if (!column.filled() && rows.count > 0) [[unlikely]] {
      const auto& names = context_.plan().slot_names;
      return {Code::kInternal, "the plan reads slot " + std::to_string(expr_.slot) + " (" +
                                   (expr_.slot < names.size() ? names[expr_.slot] : expr_.text) + ") where nothing fills it"};
    }
    if (rows.rows == nullptr) {
      *out = {&column, false};
      return Status::Ok();
    }
    result_.Gather(column, {rows.rows, rows.count});
    *out = Own();
    return Status::Ok();
  }

 private:
  ExecutionContext& context_;
};

}  // namespace

EvaluatorPtr CompileExpression(Builder& builder, const BoundExpr& expr) {
  switch (expr.kind) {
    case BoundKind::kLiteral: return std::make_unique<ConstantEvaluator>(expr, expr.value);
    case BoundKind::kParameter: return std::make_unique<ConstantEvaluator>(expr, builder.context().parameter(expr.parameter));
    case BoundKind::kSlot: return std::make_unique<SlotEvaluator>(builder, expr);
    case BoundKind::kProperty: return CompileProperty(builder, expr);
    case BoundKind::kAnd:
    case BoundKind::kOr:
    case BoundKind::kXor:
    case BoundKind::kNot:
    case BoundKind::kIsNull:
    case BoundKind::kIsNotNull: return CompileLogic(builder, expr);
    case BoundKind::kComparison: return CompileComparison(builder, expr);
    case BoundKind::kArithmetic: return CompileArithmetic(builder, expr);
    case BoundKind::kHasLabels: return CompileLabels(builder, expr);
    case BoundKind::kCase: return CompileCase(builder, expr);
    case BoundKind::kListComprehension:
    case BoundKind::kQuantifier:
    case BoundKind::kReduce: return CompileListExpression(builder, expr);
    case BoundKind::kPath: return CompilePath(builder, expr);
    case BoundKind::kExistsPlan:
    case BoundKind::kCountPlan:
    case BoundKind::kCollectPlan: return CompileSubplan(builder, expr);
    case BoundKind::kFunction: {
      EvaluatorPtr similarity = CompileSimilarity(builder, expr);
      return similarity != nullptr ? std::move(similarity) : CompileBoxed(builder, expr);
    }
    default: return CompileBoxed(builder, expr);
  }
}

Status ReadTruth(const Operand& operand, size_t count, const BoundExpr& expr, std::vector<uint8_t>* truth) {
  truth->resize(count);
  const Column& c = *operand.column;
  if (c.kind() == ColumnKind::kBool) {
    if (operand.constant) {
      std::fill(truth->begin(), truth->end(), c.IsNull(0) ? 2 : c.bool_at(0));
      return Status::Ok();
    }
    const uint64_t* words = c.words();
    for (size_t i = 0; i < count; i++) (*truth)[i] = static_cast<uint8_t>(words[i]);
    if (const uint8_t* nulls = c.nulls()) {
      for (size_t i = 0; i < count; i++) {
        if (nulls[i] != 0) (*truth)[i] = 2;
      }
    }
    return Status::Ok();
  }
  for (size_t i = 0; i < count; i++) {
    const size_t at = operand.At(i);
    if (c.IsNull(at)) {
      (*truth)[i] = 2;
      continue;
    }
    const Value v = c.ValueAt(at);
    if (v.type() != Type::kBoolean) {
      return Status(Code::kTypeError, "Type mismatch: expected a boolean but was " + std::string(TypeName(v.type())) + " " + Shown(v))
          .Detail("InvalidArgumentType")
          .At(expr.position);
    }
    (*truth)[i] = v.AsBoolean();
  }
  return Status::Ok();
}

Status SelectTrue(Evaluator& predicate, const Batch& in, Selection rows, std::vector<uint32_t>* keep) {
  Operand operand;
  RETURN_IF_ERROR(predicate.Evaluate(in, rows, &operand));
  const Column& c = *operand.column;
  if (c.kind() == ColumnKind::kBool && !operand.constant && c.no_nulls()) {
    const uint64_t* words = c.words();
    const size_t old = keep->size();
    keep->resize(old + rows.count);
    uint32_t* to = keep->data() + old;
    size_t n = 0;
    for (size_t i = 0; i < rows.count; i++) {
      to[n] = rows[i];
      n += words[i] != 0;
    }
    keep->resize(old + n);
    return Status::Ok();
  }
  std::vector<uint8_t> truth;
  RETURN_IF_ERROR(ReadTruth(operand, rows.count, predicate.expr(), &truth));
  for (size_t i = 0; i < rows.count; i++) {
    if (truth[i] == 1) keep->push_back(rows[i]);
  }
  return Status::Ok();
}

namespace {
bool CollectLabelSlots(const planner::LabelPredicate& labels, std::vector<Slot>* slots) {
  bool known = labels.dynamic == nullptr || CollectSlots(*labels.dynamic, slots);
  for (const auto& child : labels.children) known &= CollectLabelSlots(child, slots);
  return known;
}
}  // namespace

bool CollectSlots(const BoundExpr& expr, std::vector<Slot>* slots) {
  bool known = true;
  slots->insert(slots->end(), expr.outer_slots.begin(), expr.outer_slots.end());
  if (expr.kind == BoundKind::kSlot) slots->push_back(expr.slot);
  slots->insert(slots->end(), expr.path_slots.begin(), expr.path_slots.end());
  for (const auto& arg : expr.args) {
    if (arg != nullptr) known &= CollectSlots(*arg, slots);
  }
  return CollectLabelSlots(expr.labels, slots) && known;
}

std::string Shown(const Value& value) { return ToShortText(value); }

}  // namespace fornix::engine
