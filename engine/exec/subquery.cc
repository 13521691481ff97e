// Subquery: CALL { ... } for each row, and any inner plan that writes.
//
// A subquery that only reads streams like Apply. One that writes takes in all outer rows, runs for one after the other to its
// end, then emits. IN TRANSACTIONS commits after every so many outer rows, in transactions of the subquery's own; what
// ON ERROR says decides what becomes of the rows of a batch that failed. Inside an explicit transaction it is a plain subquery: nothing
// may be committed before that transaction is, and an error can't be undone by itself.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/limits.h"
#include "engine/exec/apply.h"
#include "engine/exec/operators.h"
#include "engine/exec/write_operator.h"
#include "engine/session/transaction_registry.h"

namespace fornix::engine {
namespace {

constexpr double kRetrySecondsMax = 1e9;                  // 30 years: more can't be told from always
constexpr uint64_t kRetryWaitNanosMax = 1'000'000'000;    // between two tries: a busy database isn't helped by more, a person waits for less
constexpr uint64_t kNapNanos = 10'000'000;                // between two looks at a cancel

// Runs `inner` to its end for one outer row and puts the result beside that row.
class EagerRunner {
 public:
  EagerRunner(ExecutionContext& context, const std::vector<Slot>& live, bool optional, bool unit)
      : context_(context), live_(live), optional_(optional), unit_(unit) {}

  template <typename EmitRows>
  Status RunRow(Operator& inner, ArgumentSource* source, const Batch& rows, uint32_t row, EmitRows emit) {
    Prepare(context_, &found_);
    *source = {&rows, row, 1};
    RETURN_IF_ERROR(inner.Open());
    bool any = false;
    while (true) {
      RETURN_IF_ERROR(inner.Next(&found_));
      if (found_.empty()) break;
      if (unit_) continue;
      any = true;
      for (Slot slot : live_) {
        if (!found_.column(slot).filled() && rows.column(slot).filled()) found_.column(slot).AppendRepeated(rows.column(slot), row, found_.rows());
      }
      RETURN_IF_ERROR(emit(found_));
    }
    if (unit_ || (!any && optional_)) return EmitAlone(rows, row, emit);
    return Status::Ok();
  }

  // The outer row with nulls for what the subquery would have given.
  template <typename EmitRows>
  Status EmitAlone(const Batch& rows, uint32_t row, EmitRows emit) {
    found_.Clear();
    for (Slot slot : live_) {
      if (rows.column(slot).filled()) {
        found_.column(slot).AppendFrom(rows.column(slot), row);
      } else {
        found_.column(slot).AppendNull();
      }
    }
    found_.set_rows(1);
    return emit(found_);
  }

 private:
  ExecutionContext& context_;
  const std::vector<Slot>& live_;
  const bool optional_, unit_;
  Batch found_;
};

class EagerApplyOperator : public WriteOperator {
 public:
  EagerApplyOperator(Builder& builder, const PhysicalOperator& plan, bool optional)
      : WriteOperator(builder, plan),
        inner_(builder.BuildInner(*plan.children[1], &source_)),
        runner_(context_, live_, optional, plan.kind == planner::OpKind::kSubquery && plan.unit_subquery) {}

 protected:
  Status Write(Batch* rows) override {
    for (uint32_t row = 0; row < rows->rows(); row++) {
      RETURN_IF_ERROR(runner_.RunRow(*inner_, &source_, *rows, row, [this](Batch& found) { return Emit(found); }));
    }
    return Status::Ok();
  }

 private:
  ArgumentSource source_;
  OperatorPtr inner_;
  EagerRunner runner_;
};

class InTransactionsOperator : public WriteOperator {
 public:
  InTransactionsOperator(Builder& builder, const PhysicalOperator& plan)
      : WriteOperator(builder, plan),
        inner_context_(builder.context(), &builder.context().transaction()),
        rows_expr_(plan.exprs.empty() ? nullptr : builder.CompileOptional(plan.exprs[0])),
        retry_expr_(plan.exprs.size() < 2 ? nullptr : builder.CompileOptional(plan.exprs[1])),
        inner_(builder.BuildInnerIn(inner_context_, *plan.children[1], &source_)),
        runner_(context_, live_, plan.optional_subquery, plan.unit_subquery) {
  }
  ~InTransactionsOperator() override { inner_.reset(); }

 protected:
  Status DoOpen() override {
    batch_rows_ = 1000;   // Cypher's default
    stopped_ = false;
    pending_.clear();
    if (rows_expr_ != nullptr) {
      ASSIGN_OR_RETURN(const Value n, rows_expr_->EvaluateRow(context_.unit_row(), 0));
      if (n.type() != Type::kInteger || n.AsInteger() <= 0) {
        return Status(Code::kSyntaxError, "IN TRANSACTIONS OF n ROWS needs a positive integer, but was " + Shown(n))
            .Detail("InvalidArgumentType")
            .At(rows_expr_->expr().position);
      }
      batch_rows_ = static_cast<uint64_t>(n.AsInteger());
    }
    if (retry_expr_ != nullptr) {
      ASSIGN_OR_RETURN(const Value n, retry_expr_->EvaluateRow(context_.unit_row(), 0));
      const double seconds = n.type() == Type::kInteger ? static_cast<double>(n.AsInteger()) : n.type() == Type::kFloat ? n.AsFloat() : -1;
      if (!(seconds > 0)) {
        return Status(Code::kArgumentError, "ON ERROR RETRY FOR n SECONDS needs a positive number, but was " + Shown(n))
            .Detail("InvalidArgumentValue")
            .At(retry_expr_->expr().position);
      }
      retry_ns_ = static_cast<uint64_t>(std::min(seconds, kRetrySecondsMax) * 1e9);
    }
    return WriteOperator::DoOpen();
  }

  Status Write(Batch* rows) override {
    if (plain_) return WritePlainly(*rows);
    if (plan_.stream_input) RETURN_IF_ERROR(Charge(rows->MemoryBytes()));
    held_.push_back(std::move(*rows));
    const size_t last = held_.size() - 1;
    for (uint32_t row = 0; row < held_[last].rows(); row++) {
      pending_.push_back({last, row});
      if (pending_.size() >= batch_rows_) RETURN_IF_ERROR(RunBatch());
    }
    return Status::Ok();
  }

  Status FinishWrites() override {
    Status status = RunBatch();
    held_.clear();
    return status;
  }

 private:
  struct Place {
    size_t batch;
    uint32_t row;
  };

  Status WritePlainly(const Batch& rows) {
    report_ = Report{true, false, {}, {}};
    for (uint32_t row = 0; row < rows.rows(); row++) {
      RETURN_IF_ERROR(runner_.RunRow(*inner_, &source_, rows, row, [this](Batch& found) { return EmitReported(found); }));
    }
    return Status::Ok();
  }

  // What REPORT STATUS tells of the transaction of a row.
  struct Report {
    bool started = false, committed = false;
    std::string transaction, error;
  };

  Status EmitReported(Batch& rows) {
    if (plan_.slot == kNoSlot) return Emit(rows);
    Column& status = rows.column(plan_.slot);
    status.Clear();
    const auto text = [](const std::string& s) { return s.empty() ? Value() : Value(s); };
    const Value report(Map{{"started", Value(report_.started)}, {"committed", Value(report_.committed)},
                           {"transactionId", text(report_.transaction)}, {"errorMessage", text(report_.error)}});
    for (size_t i = 0; i < rows.rows(); i++) status.Append(report);
    return Emit(rows);
  }

  Status RunBatch() {
    if (pending_.empty()) return Status::Ok();
    std::vector<Batch> found;
    report_ = {};
    Status status = stopped_ ? Status(Code::kUsage, "stopped") : RunAndRetry(&found);
    if (!status.ok()) {
      // Cancel and deadline end the whole statement, whatever ON ERROR says.
      const bool interrupted = status.code() == Code::kCancelled || status.code() == Code::kDeadlineExceeded;
      if (!stopped_ && (plan_.on_error == 0 || interrupted)) return status;
      stopped_ = stopped_ || plan_.on_error == 2;
      for (const Place& p : pending_) {
        RETURN_IF_ERROR(runner_.EmitAlone(held_[p.batch], p.row, [this](Batch& rows) { return EmitReported(rows); }));
      }
    } else {
      for (Batch& rows : found) RETURN_IF_ERROR(EmitReported(rows));
    }
    pending_.clear();
    return Status::Ok();
  }

  // What another transaction was faster with may succeed later: again, after a wait that doubles each time, with jitter.
  Status RunAndRetry(std::vector<Batch>* found) {
    const uint64_t start = MonotonicNanos();
    uint64_t wait = kRetryWaitMicros * 1000;
    found_bytes_ = 0;
    while (true) {
      Status status = RunInTransaction(found);
      if (!status.retryable() || MonotonicNanos() - start >= retry_ns_) return status;
      found->clear();
      Release(std::exchange(found_bytes_, 0));
      for (uint64_t left = wait / 2 + MonotonicNanos() % wait; left > 0;) {
        RETURN_IF_ERROR(context_.CheckInterrupt());
        const uint64_t nap = std::min(left, kNapNanos);
        std::this_thread::sleep_for(std::chrono::nanoseconds(nap));
        left -= nap;
      }
      wait = std::min(wait * 2, kRetryWaitNanosMax);
    }
  }

  Status RunInTransaction(std::vector<Batch>* found) {
    ASSIGN_OR_RETURN(std::unique_ptr<storage::Transaction> transaction, context_.store()->Begin(false));
    inner_context_.set_transaction(transaction.get());
    OpenTransaction open;
    open.OpenInside(context_.options().open);
    report_ = {};
    report_.started = true;
    report_.transaction = open.id();
    Status status;
    for (const Place& p : pending_) {
      status = runner_.RunRow(*inner_, &source_, held_[p.batch], p.row, [&](Batch& rows) {
        RETURN_IF_ERROR(Charge(rows.MemoryBytes()));
        found_bytes_ += rows.MemoryBytes();
        found->emplace_back(rows.slots());
        found->back().AppendRows(rows, live_, 0, rows.rows());
        return Status::Ok();
      });
      if (!status.ok()) break;
    }
    if (status.ok()) {
      const storage::WriteCounters counters = transaction->counters();
      const Result<storage::CommitResult> committed = transaction->Commit();
      status = committed.status();
      if (status.ok()) AddCounters(counters, &context_.inner_counters());
      report_.committed = status.ok();
    } else {
      transaction->Rollback();
    }
    inner_context_.set_transaction(&context_.transaction());
    if (!status.ok()) report_.error = status.message();
    return status;
  }

  ArgumentSource source_;
  ExecutionContext inner_context_;
  EvaluatorPtr rows_expr_, retry_expr_;
  OperatorPtr inner_;
  EagerRunner runner_;
  const bool plain_ = !context_.options().auto_commit || context_.store() == nullptr;
  uint64_t batch_rows_ = 1000;
  uint64_t retry_ns_ = 0;
  bool stopped_ = false;
  Report report_;
  std::vector<Batch> held_;
  std::vector<Place> pending_;
  size_t found_bytes_ = 0;                                // charged for the rows of the batch at hand
};

}  // namespace

OperatorPtr MakeEagerApply(Builder& builder, const PhysicalOperator& plan, bool optional) {
  return std::make_unique<EagerApplyOperator>(builder, plan, optional);
}

OperatorPtr MakeSubquery(Builder& builder, const PhysicalOperator& plan) {
  if (plan.in_transactions) return std::make_unique<InTransactionsOperator>(builder, plan);
  if (plan.unit_subquery || Writes(*plan.children[1])) return MakeEagerApply(builder, plan, plan.optional_subquery);
  return MakeStreamingApply(builder, plan, plan.optional_subquery, true);
}

}  // namespace fornix::engine
