// AND, OR, XOR, NOT with three truth values, and the tests for null.
#include "engine/exec/builder.h"
#include "engine/exec/expression.h"

namespace fornix::engine {

using planner::BoundKind;

namespace {

void WriteTruth(const std::vector<uint8_t>& truth, Column* out) {
  out->Start(ColumnKind::kBool, truth.size());
  uint64_t* words = out->mutable_words();
  bool any_unknown = false;
  for (size_t i = 0; i < truth.size(); i++) {
    words[i] = truth[i] == 1;
    any_unknown |= truth[i] == 2;
  }
  if (!any_unknown) return;
  for (size_t i = 0; i < truth.size(); i++) {
    if (truth[i] == 2) out->SetNull(i);
  }
}

// AND and OR in one: `decided_` is the value that ends the evaluation of a row (false for AND, true for OR).
class JunctionEvaluator : public Evaluator {
 public:
  JunctionEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr), decided_(expr.kind == BoundKind::kOr) {
    for (const auto& arg : expr.args) args_.push_back(builder.Compile(*arg));
  }

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    truth_.assign(rows.count, decided_ ? 0 : 1);
    Operand operand;
    for (size_t a = 0; a < args_.size(); a++) {
      if (a == 0) {
        RETURN_IF_ERROR(args_[a]->Evaluate(in, rows, &operand));
        RETURN_IF_ERROR(ReadTruth(operand, rows.count, args_[a]->expr(), &truth_));
        continue;
      }
      open_.clear();
      open_rows_.clear();
      for (size_t i = 0; i < rows.count; i++) {
        if (truth_[i] == decided_) continue;
        open_.push_back(static_cast<uint32_t>(i));
        open_rows_.push_back(rows[i]);
      }
      if (open_.empty()) break;
      // With every row still open the caller's selection serves, which spares a gather for each slot.
      const Selection selection = open_.size() == rows.count ? rows : Selection{open_rows_.data(), open_rows_.size()};
      RETURN_IF_ERROR(args_[a]->Evaluate(in, selection, &operand));
      RETURN_IF_ERROR(ReadTruth(operand, open_.size(), args_[a]->expr(), &more_));
      for (size_t k = 0; k < open_.size(); k++) {
        uint8_t& t = truth_[open_[k]];
        if (more_[k] == decided_) {
          t = decided_;
        } else if (more_[k] == 2) {
          t = 2;
        }
      }
    }
    WriteTruth(truth_, &result_);
    *out = Own();
    return Status::Ok();
  }

 private:
  const uint8_t decided_;
  std::vector<EvaluatorPtr> args_;
  std::vector<uint8_t> truth_, more_;
  std::vector<uint32_t> open_, open_rows_;
};

class XorEvaluator : public Evaluator {
 public:
  XorEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr) {
    for (const auto& arg : expr.args) args_.push_back(builder.Compile(*arg));
  }
  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    truth_.assign(rows.count, 0);
    Operand operand;
    for (auto& arg : args_) {
      RETURN_IF_ERROR(arg->Evaluate(in, rows, &operand));
      RETURN_IF_ERROR(ReadTruth(operand, rows.count, arg->expr(), &more_));
      for (size_t i = 0; i < rows.count; i++) {
        truth_[i] = truth_[i] == 2 || more_[i] == 2 ? 2 : truth_[i] ^ more_[i];
      }
    }
    WriteTruth(truth_, &result_);
    *out = Own();
    return Status::Ok();
  }

 private:
  std::vector<EvaluatorPtr> args_;
  std::vector<uint8_t> truth_, more_;
};

class NotEvaluator : public Evaluator {
 public:
  NotEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr), arg_(builder.Compile(*expr.args[0])) {}
  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    Operand operand;
    RETURN_IF_ERROR(arg_->Evaluate(in, rows, &operand));
    RETURN_IF_ERROR(ReadTruth(operand, rows.count, arg_->expr(), &truth_));
    for (uint8_t& t : truth_) t = t == 2 ? 2 : t ^ 1;
    WriteTruth(truth_, &result_);
    *out = Own();
    return Status::Ok();
  }

 private:
  EvaluatorPtr arg_;
  std::vector<uint8_t> truth_;
};

class IsNullEvaluator : public Evaluator {
 public:
  IsNullEvaluator(Builder& builder, const BoundExpr& expr)
      : Evaluator(expr), arg_(builder.Compile(*expr.args[0])), null_is_(expr.kind == BoundKind::kIsNull) {}
  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    Operand operand;
    RETURN_IF_ERROR(arg_->Evaluate(in, rows, &operand));
    result_.Start(ColumnKind::kBool, rows.count);
    for (size_t i = 0; i < rows.count; i++) result_.SetBool(i, operand.column->IsNull(operand.At(i)) == null_is_);
    *out = Own();
    return Status::Ok();
  }

 private:
  EvaluatorPtr arg_;
  const bool null_is_;
};

}  // namespace

EvaluatorPtr CompileLogic(Builder& builder, const BoundExpr& expr) {
  switch (expr.kind) {
    case BoundKind::kXor: return std::make_unique<XorEvaluator>(builder, expr);
    case BoundKind::kNot: return std::make_unique<NotEvaluator>(builder, expr);
    case BoundKind::kIsNull:
    case BoundKind::kIsNotNull: return std::make_unique<IsNullEvaluator>(builder, expr);
    default: return std::make_unique<JunctionEvaluator>(builder, expr);
  }
}

}  // namespace fornix::engine
