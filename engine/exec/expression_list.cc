// List comprehensions, quantifiers and reduce.
//
// The entries of all rows' lists are laid out as the rows of an inner batch (a piece of at most 1,024 at a time, with a
// check for cancel at each), with the variable as a column and the outer slots that the inner expressions read repeated
// beside it. So the inner expressions run on whole batches too. reduce steps through all rows' lists side by side.
#include <optional>

#include "engine/exec/builder.h"
#include "engine/exec/expression.h"

namespace fornix::engine {

using planner::BoundKind;
using planner::BoundQuantifier;

namespace {

Status NotAList(const Value& v, const BoundExpr& expr) {
  return Status(Code::kTypeError, "Type mismatch: expected a list but was " + std::string(TypeName(v.type())) + " " + Shown(v))
      .Detail("InvalidArgumentType")
      .At(expr.position);
}

// The inner batch and the outer slots that it repeats.
class InnerRows {
 public:
  InnerRows(Builder& builder, std::initializer_list<const BoundExpr*> inner) : context_(builder.context()) {
    for (const BoundExpr* expr : inner) {
      if (expr != nullptr) all_ &= CollectSlots(*expr, &slots_);
    }
  }
  Batch& Prepare() {
    if (batch_.slots() != context_.slot_count()) batch_ = Batch(context_.slot_count());
    batch_.Clear();
    return batch_;
  }
  // Repeats the outer row of each inner row.
  void Gather(const Batch& in, const std::vector<uint32_t>& parents, Slot variable, Slot accumulator = planner::kNoSlot) {
    auto copy = [&](Slot slot) {
      if (slot == variable || slot == accumulator || batch_.column(slot).filled() || !in.column(slot).filled()) return;
      batch_.column(slot).Gather(in.column(slot), parents);
    };
    if (all_) {
      for (Slot slot : slots_) copy(slot);
    } else {
      for (Slot slot = 0; slot < in.slots(); slot++) copy(slot);
    }
    batch_.set_rows(parents.size());
  }
  Batch& batch() { return batch_; }

 private:
  ExecutionContext& context_;
  std::vector<Slot> slots_;
  bool all_ = true;
  Batch batch_;
};

// True where an inner expression makes a list for each entry: then fewer entries at a time, or their lists pile up.
bool MakesLists(const BoundExpr* expr) {
  if (expr == nullptr) return false;
  if (expr->kind == BoundKind::kListComprehension || expr->kind == BoundKind::kReduce || expr->kind == BoundKind::kCollectPlan) return true;
  if (expr->kind == BoundKind::kFunction && expr->type.Has(Type::kList)) return true;
  for (const auto& arg : expr->args) {
    if (MakesLists(arg.get())) return true;
  }
  return false;
}

class ComprehensionEvaluator : public Evaluator {
 public:
  ComprehensionEvaluator(Builder& builder, const BoundExpr& expr)
      : Evaluator(expr),
        context_(builder.context()),
        list_(builder.Compile(*expr.args[0])),
        list_is_made_(MakesLists(expr.args[0].get())),
        where_(expr.args.size() > 1 ? builder.CompileOptional(expr.args[1]) : nullptr),
        projection_(expr.args.size() > 2 ? builder.CompileOptional(expr.args[2]) : nullptr),
        inner_(builder, {expr.args.size() > 1 ? expr.args[1].get() : nullptr, expr.args.size() > 2 ? expr.args[2].get() : nullptr}) {
    for (size_t a = 1; a < expr.args.size(); a++) {
      if (MakesLists(expr.args[a].get())) entries_max_ = 16;
    }
  }

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    ScratchCharge charge(context_, "a list");
    charge_ = &charge;
    result_.Clear();                                  // the lists of the batch before go first
    Operand lists;
    RETURN_IF_ERROR(list_->Evaluate(in, rows, &lists));
    std::vector<Value> held(rows.count);              // the lists stay alive while their entries are evaluated
    results_.assign(rows.count, {});
    counts_.assign(rows.count, {});
    parents_.clear();
    owners_.clear();
    inner_.Prepare();
    for (size_t i = 0; i < rows.count; i++) {
      held[i] = lists.ValueAt(i);
      if (held[i].is_null()) continue;
      if (held[i].type() != Type::kList) return NotAList(held[i], list_->expr());
      if (list_is_made_ && (i == 0 || !lists.constant)) RETURN_IF_ERROR(charge.Add(held[i]));
      if (where_ == nullptr && expr_.kind != BoundKind::kQuantifier) results_[i].reserve(held[i].AsList().size());
      for (const Value& item : held[i].AsList()) {
        inner_.batch().column(expr_.slot).Append(item);
        parents_.push_back(rows[i]);
        owners_.push_back(static_cast<uint32_t>(i));
        if (parents_.size() >= entries_max_) RETURN_IF_ERROR(Flush(in));
      }
    }
    RETURN_IF_ERROR(Flush(in));
    for (size_t i = 0; i < rows.count; i++) {
      if (held[i].is_null()) {
        result_.AppendNull();
      } else if (expr_.kind == BoundKind::kQuantifier) {
        result_.Append(Quantified(counts_[i]));
      } else {
        result_.Append(Value(std::move(results_[i])));
      }
    }
    *out = Own();
    return Status::Ok();
  }

 private:
  struct Counts {
    uint64_t yes = 0, no = 0, unknown = 0;
  };

  Status Flush(const Batch& in) {
    if (parents_.empty()) return Status::Ok();
    RETURN_IF_ERROR(context_.CheckInterrupt());
    inner_.Gather(in, parents_, expr_.slot);
    Batch& batch = inner_.batch();
    if (expr_.kind == BoundKind::kQuantifier) {
      Operand truth;
      RETURN_IF_ERROR(where_->Evaluate(batch, AllRows(batch), &truth));
      RETURN_IF_ERROR(ReadTruth(truth, batch.rows(), where_->expr(), &truth_));
      for (size_t k = 0; k < owners_.size(); k++) {
        Counts& c = counts_[owners_[k]];
        (truth_[k] == 1 ? c.yes : truth_[k] == 0 ? c.no : c.unknown)++;
      }
    } else {
      Selection selection = AllRows(batch);
      if (where_ != nullptr) {
        keep_.clear();
        RETURN_IF_ERROR(SelectTrue(*where_, batch, selection, &keep_));
        selection = {keep_.data(), keep_.size()};
      }
      if (selection.count == 0) {
        // Nothing is left to project; a constant projection that errs must not be looked at.
      } else if (projection_ != nullptr) {
        Operand values;
        RETURN_IF_ERROR(projection_->Evaluate(batch, selection, &values));
        for (size_t k = 0; k < selection.count; k++) {
          Value v = values.ValueAt(k);
          RETURN_IF_ERROR(charge_->Add(v));
          results_[owners_[selection[k]]].push_back(std::move(v));
        }
      } else {
        const Column& items = batch.column(expr_.slot);
        for (size_t k = 0; k < selection.count; k++) results_[owners_[selection[k]]].push_back(items.ValueAt(selection[k]));
      }
    }
    if (expr_.kind == BoundKind::kListComprehension) RETURN_IF_ERROR(charge_->Add(parents_.size() * sizeof(Value)));
    parents_.clear();
    owners_.clear();
    inner_.Prepare();
    return Status::Ok();
  }

  Value Quantified(const Counts& c) const {
    switch (expr_.quantifier) {
      case BoundQuantifier::kAll: return c.no > 0 ? Value(false) : c.unknown > 0 ? Value() : Value(true);
      case BoundQuantifier::kAny: return c.yes > 0 ? Value(true) : c.unknown > 0 ? Value() : Value(false);
      case BoundQuantifier::kNone: return c.yes > 0 ? Value(false) : c.unknown > 0 ? Value() : Value(true);
      case BoundQuantifier::kSingle: return c.yes > 1 ? Value(false) : c.unknown > 0 ? Value() : Value(c.yes == 1);
    }
    return {};
  }

  ExecutionContext& context_;
  EvaluatorPtr list_;
  const bool list_is_made_;                     // by the expression, for nobody else
  EvaluatorPtr where_, projection_;
  InnerRows inner_;
  size_t entries_max_ = kBatchRowsMax;
  ScratchCharge* charge_ = nullptr;             // of the evaluation that runs
  std::vector<List> results_;
  std::vector<Counts> counts_;
  std::vector<uint32_t> parents_, owners_, keep_;
  std::vector<uint8_t> truth_;
};

class ReduceEvaluator : public Evaluator {
 public:
  ReduceEvaluator(Builder& builder, const BoundExpr& expr)
      : Evaluator(expr),
        context_(builder.context()),
        start_(builder.Compile(*expr.args[0])),
        list_(builder.Compile(*expr.args[1])),
        step_(builder.Compile(*expr.args[2])),
        inner_(builder, {expr.args[2].get()}) {}

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    Operand operand;
    RETURN_IF_ERROR(list_->Evaluate(in, rows, &operand));
    std::vector<Value> lists(rows.count), totals(rows.count);
    for (size_t i = 0; i < rows.count; i++) {
      lists[i] = operand.ValueAt(i);
      if (!lists[i].is_null() && lists[i].type() != Type::kList) return NotAList(lists[i], list_->expr());
    }
    RETURN_IF_ERROR(start_->Evaluate(in, rows, &operand));
    for (size_t i = 0; i < rows.count; i++) totals[i] = operand.ValueAt(i);
    std::vector<uint32_t> parents, owners;
    std::optional<ScratchCharge> held[2];          // of the totals as they are now and, until a step is through, as they were
    for (size_t entry = 0;; entry++) {
      CountWork(8 * rows.count);
      Batch& batch = inner_.Prepare();
      parents.clear();
      owners.clear();
      for (size_t i = 0; i < rows.count; i++) {
        if (lists[i].is_null() || entry >= lists[i].AsList().size()) continue;
        batch.column(expr_.slot).Append(lists[i].AsList()[entry]);
        batch.column(expr_.slot2).Append(totals[i]);
        parents.push_back(rows[i]);
        owners.push_back(static_cast<uint32_t>(i));
      }
      if (owners.empty()) break;
      inner_.Gather(in, parents, expr_.slot, expr_.slot2);
      RETURN_IF_ERROR(step_->Evaluate(batch, AllRows(batch), &operand));
      std::optional<ScratchCharge>& charge = held[entry % 2];
      charge.emplace(context_, "reduce()");
      for (size_t k = 0; k < owners.size(); k++) {
        totals[owners[k]] = operand.ValueAt(k);
        RETURN_IF_ERROR(charge->Add(totals[owners[k]]));
      }
      held[(entry + 1) % 2].reset();
    }
    result_.Clear();
    for (size_t i = 0; i < rows.count; i++) result_.Append(lists[i].is_null() ? Value() : totals[i]);
    *out = Own();
    return Status::Ok();
  }

 private:
  ExecutionContext& context_;
  EvaluatorPtr start_, list_, step_;
  InnerRows inner_;
};

}  // namespace

EvaluatorPtr CompileListExpression(Builder& builder, const BoundExpr& expr) {
  if (expr.kind == BoundKind::kReduce) return std::make_unique<ReduceEvaluator>(builder, expr);
  return std::make_unique<ComprehensionEvaluator>(builder, expr);
}

}  // namespace fornix::engine
