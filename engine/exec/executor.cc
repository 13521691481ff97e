#include "engine/exec/executor.h"

#include <optional>

#include "engine/exec/builder.h"
#include "engine/exec/materialize.h"
#include "engine/exec/spill/run.h"
#include "engine/procedure/procedure_catalog.h"

namespace fornix::engine {
namespace {

using planner::OpKind;

constexpr size_t kRowsBytesMax = size_t{4} << 20;   // large rows are given out a few at a time

class ExecutionImpl : public Execution {
 public:
  ExecutionImpl(std::shared_ptr<const planner::PhysicalPlan> plan, ExecutionOptions options)
      : plan_(std::move(plan)), options_(std::move(options)), context_(*plan_, options_) {
    if (plan_->root->kind == OpKind::kProduceResults) {
      for (const auto& [name, slot] : plan_->root->columns) {
        columns_.push_back(name);
        slots_.push_back(slot);
      }
    }
    start_counters_ = options_.transaction->counters();
  }

  Status Build() {
    RETURN_IF_ERROR(context_.ResolveParameters());
    Builder builder(context_);
    root_ = builder.BuildInner(*plan_->root, &source_);
    RETURN_IF_ERROR(builder.status());
    batch_ = Batch(context_.slot_count());
    source_ = {&context_.unit_row(), 0, 1};
    return Status::Ok();
  }

  const std::vector<std::string>& columns() const override { return columns_; }

  Result<size_t> Next(size_t max_rows, std::vector<std::vector<Value>>* rows) override {
    if (!error_.ok()) return error_;
    const WorkScope scope([this] { return context_.CheckInterrupt(); });
    if (drained_) return NextKept(max_rows, rows);
    size_t given = 0;
    ScratchCharge charge(context_, "the rows of a result");   // until they are the caller's
    const size_t enough = context_.memory().used() + kRowsBytesMax;
    while (given < max_rows && (given == 0 || context_.memory().used() < enough)) {
      ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more) break;
      for (; next_row_ < batch_.rows() && given < max_rows; next_row_++, given++) {
        if (given > 0 && context_.memory().used() >= enough) break;
        rows->emplace_back();
        if (Status status = ReadRow(next_row_, &rows->back(), &charge); !status.ok()) return Fail(std::move(status));
      }
    }
    return given;
  }

  bool done() const override { return done_ || !error_.ok(); }

  Status Drain() override {
    if (!error_.ok()) return error_;
    if (drained_ || done_) return Status::Ok();
    const WorkScope scope([this] { return context_.CheckInterrupt(); });
    std::vector<Value> row;
    while (true) {
      ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more) break;
      ScratchCharge charge(context_, "the rows of a result");
      for (; next_row_ < batch_.rows(); next_row_++) {
        row.clear();
        Status status = ReadRow(next_row_, &row, &charge);
        if (status.ok()) status = Keep(&row);
        if (!status.ok()) return Fail(std::move(status));
      }
    }
    if (writer_.started()) {
      Result<Run> run = writer_.Finish();
      if (!run.ok()) return Fail(run.status());
      run_ = std::move(*run);
      reader_ = RunReader(&run_);
    }
    drained_ = true;
    done_ = kept_.empty() && run_.empty();
    return Status::Ok();
  }

  storage::WriteCounters counters() const override {
    storage::WriteCounters c = final_counters_ ? *final_counters_ : OwnCounters();
    return c;
  }
  const std::vector<planner::OperatorProfile>& profile() const override { return context_.profiles(); }
  const std::vector<planner::Notification>& notifications() const override {
    return const_cast<ExecutionContext&>(context_).notifications();
  }
  size_t memory_bytes_peak() const override { return const_cast<ExecutionContext&>(context_).memory().peak(); }
  uint64_t spilled_bytes() const override { return context_.spilled_bytes(); }

 private:
  Status Fail(Status status) {
    error_ = std::move(status);
    final_counters_ = OwnCounters();
    return error_;                           // the operators go with the run, when its owner chooses
  }

  // Kept rows are in memory, those that didn't fit behind them on disk.
  Status Keep(std::vector<Value>* row) {
    constexpr std::string_view kWhat = "a buffered result";
    size_t bytes = 2 * sizeof(*row);
    for (const Value& v : *row) bytes += v.MemoryBytes();
    if (!writer_.started()) {
      if (!context_.can_spill()) RETURN_IF_ERROR(context_.memory().Charge(bytes, kWhat));
      if (!context_.can_spill() || context_.memory().Hold(bytes, kWhat)) {
        kept_.push_back(std::move(*row));
        return Status::Ok();
      }
      ASSIGN_OR_RETURN(SpillFile * file, context_.spill());
      writer_ = RunWriter(file, &spilled_);
    }
    return writer_.AddValues(*row);
  }

  Result<size_t> NextKept(size_t max_rows, std::vector<std::vector<Value>>* rows) {
    size_t given = 0;
    for (; given < max_rows && kept_next_ < kept_.size(); given++) rows->push_back(std::move(kept_[kept_next_++]));
    for (bool more = true; more && given < max_rows;) {
      std::vector<Value> row;
      Result<bool> read = reader_.ReadValues(columns_.size(), &row);
      if (!read.ok()) return Fail(read.status());
      more = *read;
      if (!more) break;
      rows->push_back(std::move(row));
      given++;
      kept_read_++;
    }
    if (kept_next_ >= kept_.size() && kept_read_ >= run_.rows()) Finish();
    return given;
  }

  // Makes sure that there is a row at next_row_; false at the end.
  Result<bool> Fill() {
    while (next_row_ >= batch_.rows()) {
      if (ended_) {
        Finish();
        return false;
      }
      next_row_ = 0;
      Status status;
      if (!opened_) {
        opened_ = true;
        status = root_->Open();
      }
      if (status.ok()) status = root_->Next(&batch_);
      if (!status.ok()) return Fail(std::move(status));
      if (batch_.empty()) {
        ended_ = true;
        final_counters_ = OwnCounters();
      }
    }
    return true;
  }

  void Finish() {
    done_ = true;
    root_.reset();
  }

  Status ReadRow(size_t row, std::vector<Value>* out, ScratchCharge* charge) {
    out->reserve(slots_.size());
    for (Slot slot : slots_) {
      ASSIGN_OR_RETURN(Value v, MaterializeAt(context_, batch_.column(slot), row, charge));
      out->push_back(std::move(v));
    }
    return Status::Ok();
  }

  storage::WriteCounters OwnCounters() const {
    storage::WriteCounters c = options_.transaction->counters();
    c.nodes_created -= start_counters_.nodes_created;
    c.nodes_deleted -= start_counters_.nodes_deleted;
    c.relationships_created -= start_counters_.relationships_created;
    c.relationships_deleted -= start_counters_.relationships_deleted;
    c.properties_set -= start_counters_.properties_set;
    c.labels_added -= start_counters_.labels_added;
    c.labels_removed -= start_counters_.labels_removed;
    c.indexes_added -= start_counters_.indexes_added;
    c.indexes_removed -= start_counters_.indexes_removed;
    c.constraints_added -= start_counters_.constraints_added;
    c.constraints_removed -= start_counters_.constraints_removed;
    AddCounters(const_cast<ExecutionContext&>(context_).inner_counters(), &c);
    return c;
  }

  std::shared_ptr<const planner::PhysicalPlan> plan_;
  ExecutionOptions options_;
  ExecutionContext context_;
  ArgumentSource source_;
  OperatorPtr root_;
  Batch batch_;
  size_t next_row_ = 0;
  bool opened_ = false, ended_ = false, done_ = false, drained_ = false;
  // After Drain.
  std::vector<std::vector<Value>> kept_;
  size_t kept_next_ = 0;
  SpillCounts spilled_;
  RunWriter writer_;
  Run run_;
  RunReader reader_;
  uint64_t kept_read_ = 0;                                 // of run_
  std::vector<std::string> columns_;
  std::vector<Slot> slots_;
  Status error_;
  storage::WriteCounters start_counters_;
  std::optional<storage::WriteCounters> final_counters_;   // once ended, the transaction may go away
};

}  // namespace

Result<std::unique_ptr<Execution>> Execution::Start(std::shared_ptr<const planner::PhysicalPlan> plan, ExecutionOptions options) {
  if (options.transaction == nullptr) return Status(Code::kUsage, "an execution needs a transaction");
  if (plan == nullptr || plan->root == nullptr) return Status(Code::kUsage, "an execution needs a plan");
  if (options.catalog == nullptr) options.catalog = &DefaultCatalog();
  auto execution = std::make_unique<ExecutionImpl>(std::move(plan), std::move(options));
  RETURN_IF_ERROR(execution->Build());
  return std::unique_ptr<Execution>(std::move(execution));
}

}  // namespace fornix::engine
