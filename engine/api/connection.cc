// Connection and Cursor: how a statement meets a transaction.
//
// Auto-commit reads run in a read-only transaction that lives as long as their cursor. Auto-commit writes run to their end,
// commit, and only then show their rows, so that a lost race can be run again unseen. In an explicit transaction all cursors share
// it; those still open are drained before a writing statement starts, and any error dooms the transaction. An exception (memory, a
// base that can't be read) ends here and is an error like any other: engine/api/guard.h.
#include <algorithm>
#include <list>
#include <thread>

#include "base/clock.h"
#include "base/limits.h"
#include "engine/api/database_impl.h"
#include "engine/api/guard.h"
#include "engine/api/statement.h"
#include "engine/api/summary.h"
#include "engine/exec/context.h"
#include "engine/exec/executor.h"
#include "grammar/diagnostics.h"
#include "grammar/parameters.h"

namespace fornix {

Result<std::vector<Row>> Connection::Query(std::string_view text, const Map& parameters) {
  ASSIGN_OR_RETURN(auto cursor, Execute(text, parameters));
  std::vector<Row> rows;
  while (!cursor->done()) RETURN_IF_ERROR(cursor->Fetch(1024, &rows));
  return rows;
}

}  // namespace fornix

namespace fornix::engine {
namespace {

class ConnectionImpl;

// While one of the connection's calls runs its transaction is in use, between them it may lose an old snapshot: storage/txn/old_snapshots.h.
class InUse {
 public:
  // A pointer to where the transaction is owned, for it may be gone at the end. Null or empty: nothing to do.
  explicit InUse(const std::unique_ptr<storage::Transaction>* transaction) : transaction_(transaction) {
    if (transaction_ != nullptr && *transaction_ != nullptr) status_ = (*transaction_)->Resume();
  }
  ~InUse() {
    if (transaction_ != nullptr && *transaction_ != nullptr) (*transaction_)->Suspend();
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  const Status& status() const { return status_; }

 private:
  const std::unique_ptr<storage::Transaction>* const transaction_;
  Status status_;
};

DateTime Now() {
  int64_t micros = WallMicros();
  DateTime now;
  now.seconds = micros / 1000000;
  now.nanos = static_cast<int32_t>(micros % 1000000) * 1000;
  now.zone = "";
  return now;
}

bool IsInterruption(const Status& status) { return status.code() == Code::kCancelled || status.code() == Code::kDeadlineExceeded; }

std::vector<std::string> ColumnsOf(const planner::PhysicalPlan& plan) {
  std::vector<std::string> names;
  for (const auto& [name, slot] : plan.root->columns) names.push_back(name);
  return names;
}

// The line of text with a caret under the place, which errors of the parser have already.
Status WithExcerpt(const Status& status, std::string_view text) {
  if (status.ok() || status.position().line == 0 || status.message().find('\n') != std::string::npos) return status;
  Status shown = Status(status.code(), status.message() + grammar::Excerpt(text, status.position())).At(status.position()).Detail(status.detail());
  return status.compile_time() ? std::move(shown).CompileTime() : shown;
}

class PreparedImpl : public Prepared {
 public:
  PreparedImpl(std::string text, std::shared_ptr<const planner::PhysicalPlan> plan)
      : text_(std::move(text)), columns_(ColumnsOf(*plan)), type_(PublicType(plan->type)) {
    for (uint32_t i = 0; i < plan->parameters.size(); ++i) {
      const bool literal = std::any_of(plan->literals.begin(), plan->literals.end(), [i](const auto& l) { return l.first == i; });
      if (!literal) parameters_.push_back(plan->parameters[i]);
    }
    std::sort(parameters_.begin(), parameters_.end());
  }
  const std::vector<std::string>& columns() const override { return columns_; }
  const std::vector<std::string>& parameters() const override { return parameters_; }
  QueryType query_type() const override { return type_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;                        // planned through the cache each time, so a changed schema is noticed
  std::vector<std::string> columns_, parameters_;
  QueryType type_;
};

class CursorImpl : public Cursor {
 public:
  CursorImpl(ConnectionImpl* connection, Reaper* reaper, std::string_view text, Planned planned)
      : connection_(connection), reaper_(reaper), text_(text), plan_(planned.plan), columns_(ColumnsOf(*plan_)) {
    summary_.query_type = PublicType(plan_->type);
    summary_.compile_ns = planned.compile_ns;
    summary_.plan_cached = planned.compile_ns == 0;
    summary_.notifications = PublicNotifications(plan_->notifications);
    planned_ = std::move(planned);
  }
  ~CursorImpl() override;

  const std::vector<std::string>& columns() const override { return columns_; }
  QueryType query_type() const override { return summary_.query_type; }
  Status Fetch(size_t rows_max, std::vector<Row>* rows) override;
  bool done() const override { return done_; }
  const Summary& summary() const override { return summary_; }

 private:
  friend class ConnectionImpl;
  // Runs on: appends rows, and closes the run at its end.
  Status Pull(size_t rows_max, std::vector<Row>* rows);
  // Runs to the end; the rows wait in memory or on disk.
  Status Drain();
  Status Moved(Status status) const { return planned_.Moved(std::move(status), text_); }
  Status StartRun(ExecutionOptions run) {
    run.profile = plan_->mode == ast::Statement::Mode::kProfile;
    run.literals = planned_.literals;
    Result<std::unique_ptr<Execution>> started = Execution::Start(plan_, std::move(run));
    if (!started.ok()) return Moved(started.status());
    run_ = std::move(*started);
    return Status::Ok();
  }
  void NoteRun();
  void EndRun();
  void Take(Planned planned) {
    plan_ = planned.plan;
    planned_ = std::move(planned);
  }
  void FinishExplain();

  // The same after an error. What an interrupted run held is left to the reaper.
  void EndRun(const Status& status);

  ConnectionImpl* connection_;              // null once the connection no longer knows this cursor
  Reaper* const reaper_;
  std::string text_;                        // for the excerpt of an error while it runs
  std::shared_ptr<const planner::PhysicalPlan> plan_;
  Planned planned_;                         // with what this text adds to a shared plan
  std::vector<std::string> columns_;
  std::unique_ptr<storage::Transaction> transaction_;   // of an auto-commit read
  OpenTransaction open_;                    // of a statement that is a transaction of its own
  uint64_t query_ = 0;                      // its number in the explicit transaction
  std::unique_ptr<Execution> run_;
  bool done_ = false;
  bool explicit_ = false;                   // runs in the connection's explicit transaction
  Summary summary_;
};

class ConnectionImpl : public Connection {
 public:
  explicit ConnectionImpl(std::shared_ptr<DatabaseCore> core) : core_(std::move(core)), number_(core_->transactions.NewConnection()) {
    core_->connections.fetch_add(1);
  }
  ~ConnectionImpl() override {
    (void)Rollback();
    for (CursorImpl* cursor : cursors_) {
      cursor->connection_ = nullptr;
      cursor->open_.Close();
    }
    core_->connections.fetch_sub(1);
  }

  Result<std::unique_ptr<Prepared>> Prepare(std::string_view text) override {
    RETURN_IF_ERROR(CheckOpen());
    Result<std::unique_ptr<Prepared>> prepared = Guarded([&]() -> Result<std::unique_ptr<Prepared>> {
      ASSIGN_OR_RETURN(Planned planned, PlanText(*core_, text, true));
      return std::unique_ptr<Prepared>(std::make_unique<PreparedImpl>(std::string(text), planned.plan));
    });
    if (!prepared.ok()) return WithExcerpt(prepared.status(), text);
    return prepared;
  }
  Result<std::unique_ptr<Cursor>> Execute(const Prepared& prepared, const Map& parameters, const ExecuteOptions& options) override {
    return Execute(static_cast<const PreparedImpl&>(prepared).text(), parameters, options);
  }
  Result<std::unique_ptr<Cursor>> Execute(std::string_view text, const Map& parameters, const ExecuteOptions& options) override {
    RETURN_IF_ERROR(CheckOpen());
    if (transaction_ && !doomed_.ok()) return DoomedError();
    if (transaction_) {
      doomed_ = open_.CheckTerminated();
      RETURN_IF_ERROR(doomed_);
    }
    const InUse in_use(&transaction_);
    Result<std::unique_ptr<Cursor>> cursor = Guarded([&]() -> Result<std::unique_ptr<Cursor>> {
      RETURN_IF_ERROR(in_use.status());
      return Run(text, parameters, options);
    });
    if (cursor.ok()) return cursor;
    Status status = cursor.status();
    if (status.code() == Code::kParameterMissing) status = Status(status).At(grammar::FindMissingParameter(text, parameters));
    status = WithExcerpt(status, text);
    if (transaction_) {
      doomed_ = status;
      open_.EndQuery(0);
    }
    return status;
  }

  Status Begin(const TransactionOptions& options) override {
    RETURN_IF_ERROR(CheckOpen());
    if (transaction_) return Status(Code::kUsage, "a transaction is open already: commit it or roll it back first");
    ASSIGN_OR_RETURN(transaction_, Guarded([&] { return core_->store->Begin(options.read_only || core_->options.read_only); }));
    transaction_->Suspend();
    read_only_ = options.read_only;
    transaction_time_ = Now();
    transaction_deadline_ns_ = DeadlineOf(options.timeout);
    doomed_ = Status::Ok();
    open_.Open(&core_->transactions, number_, {});
    return Status::Ok();
  }
  Result<uint64_t> Commit() override {
    RETURN_IF_ERROR(CheckCommit());
    std::unique_ptr<storage::Transaction> transaction = TakeTransaction();
    ASSIGN_OR_RETURN(storage::CommitResult result, Guarded([&] { return transaction->Commit(); }));
    return static_cast<uint64_t>(result.lsn);
  }
  void CommitAsync(std::function<void(Result<uint64_t>)> done) override {
    if (Status status = CheckCommit(); !status.ok()) return done(status);
    std::shared_ptr<storage::Transaction> transaction = TakeTransaction();
    // Both hold it: the callback may be gone before the call returns, and the call before the callback comes.
    transaction->CommitAsync([transaction, done = std::move(done)](Result<storage::CommitResult> result) {
      if (!result.ok()) return done(result.status());
      done(static_cast<uint64_t>(result->lsn));
    });
  }
  Status Rollback() override {
    if (!transaction_) return Status::Ok();
    TakeTransaction()->Rollback();
    return Status::Ok();
  }
  bool in_transaction() const override { return transaction_ != nullptr; }
  void Cancel() override { cancel_.store(true); }

  const std::unique_ptr<storage::Transaction>& transaction() const { return transaction_; }
  void Forget(CursorImpl* cursor) { cursors_.remove(cursor); }
  // A statement of the explicit transaction came to its end.
  void EndQuery(uint64_t query) { open_.EndQuery(query); }
  // A statement of the explicit transaction failed while its rows were fetched.
  void Doom(const Status& status) {
    if (transaction_ && doomed_.ok()) doomed_ = status;
  }

 private:
  Status CheckOpen() const {
    return core_->store ? Status::Ok() : Status(Code::kUsage, "the database is closed");
  }
  Status DoomedError() const {
    return Status(Code::kTransactionClosed,
                  "the transaction failed and takes no more statements until ROLLBACK; the first error was: " + doomed_.message());
  }
  // After a refused commit the transaction is over as well.
  Status CheckCommit() {
    if (!transaction_) return Status(Code::kUsage, "there is no open transaction to commit");
    // What commits stays in use to its end.
    Status status = doomed_.ok() ? open_.CheckTerminated() : DoomedError();
    if (status.ok()) status = transaction_->Resume();
    if (!status.ok()) (void)Rollback();
    return status;
  }
  std::unique_ptr<storage::Transaction> TakeTransaction() {
    // Open cursors of the transaction end here: their rows would come from a transaction that is over.
    for (auto it = cursors_.begin(); it != cursors_.end();) {
      CursorImpl* cursor = *it++;
      if (cursor->explicit_) {
        cursor->EndRun();
        cursor->done_ = true;
      }
    }
    open_.Close();
    return std::move(transaction_);
  }
  uint64_t DeadlineOf(std::chrono::milliseconds timeout) const {
    if (timeout.count() == 0) timeout = core_->options.statement_timeout;
    return timeout.count() == 0 ? 0 : MonotonicNanos() + static_cast<uint64_t>(timeout.count()) * 1000000;
  }

  // `open`: the transaction's entry among those of the database.
  ExecutionOptions OptionsFor(storage::Transaction* transaction, OpenTransaction* open, const Map& parameters, const ExecuteOptions& options) {
    ExecutionOptions out;
    out.registry = &core_->transactions;
    out.open = open;
    out.transaction = transaction;
    out.store = core_->store.get();
    out.catalog = core_->catalog;
    out.parameters = parameters;
    out.cancel = &cancel_;
    out.deadline_ns = deadline_ns_;
    out.budget = core_->budget.get();
    out.spill = core_->spill.get();
    out.memory_bytes_max = options.memory_bytes_max ? options.memory_bytes_max : core_->statement_memory_bytes_max;
    out.batch_rows = options.batch_rows;
    out.statement_time = Now();
    out.transaction_time = transaction_ ? transaction_time_ : out.statement_time;
    out.auto_commit = !transaction_;
    return out;
  }

  Result<std::unique_ptr<Cursor>> Run(std::string_view text, const Map& parameters, const ExecuteOptions& options) {
    cancel_.store(false);
    // Of the whole statement: of its plan, and of all runs of one that lost a race.
    deadline_ns_ = DeadlineOf(options.timeout);
    if (transaction_ && transaction_deadline_ns_ && (!deadline_ns_ || transaction_deadline_ns_ < deadline_ns_)) {
      deadline_ns_ = transaction_deadline_ns_;
    }
    RETURN_IF_ERROR(CheckParameters(parameters));
    // In a transaction the schema is its snapshot's, unless it changes it.
    const bool own = transaction_ != nullptr && !transaction_->has_writes();
    ASSIGN_OR_RETURN(Planned planned, PlanText(*core_, text, options.optimize, own ? &transaction_->view().schema() : nullptr));
    const planner::PhysicalPlan& plan = *planned.plan;
    auto cursor = std::make_unique<CursorImpl>(this, core_->reaper.get(), text, planned);
    cursor->explicit_ = transaction_ != nullptr;
    if (transaction_) cursor->query_ = open_.BeginQuery(text);
    if (plan.mode == ast::Statement::Mode::kExplain) {
      cursor->FinishExplain();
      open_.EndQuery(cursor->query_);
    } else if (plan.type == planner::QueryType::kRead) {
      RETURN_IF_ERROR(StartRead(text, parameters, options, cursor.get()));
    } else if (read_only_ && transaction_) {
      return Status(Code::kReadOnly, "a writing statement in a transaction that was opened for reading");
    } else if (core_->options.read_only) {
      return Status(Code::kReadOnly, "a writing statement on a database that was opened for reading").Detail("ReadOnlyDatabase");
    } else if (transaction_) {
      transaction_->BeginStatement(text);
      RETURN_IF_ERROR(RunWriteInTransaction(parameters, options, cursor.get()));
    } else {
      cursor->open_.Open(&core_->transactions, number_, text);
      const Status status = RunAutoCommitWrite(parameters, options, cursor.get());
      cursor->open_.Close();
      RETURN_IF_ERROR(status);
    }
    cursors_.push_back(cursor.get());
    return std::unique_ptr<Cursor>(std::move(cursor));
  }

  Status StartRead(std::string_view text, const Map& parameters, const ExecuteOptions& options, CursorImpl* cursor) {
    storage::Transaction* transaction = transaction_.get();
    if (!transaction) {
      ASSIGN_OR_RETURN(cursor->transaction_, core_->store->Begin(true));
      transaction = cursor->transaction_.get();
      cursor->open_.Open(&core_->transactions, number_, text);
      // The schema may have changed since the plan was made; opened for reading, it changes in Begin.
      const storage::SchemaVersion& schema = transaction->view().schema();
      if (schema.epoch != cursor->plan_->schema_epoch) {
        ASSIGN_OR_RETURN(Planned again, PlanText(*core_, text, options.optimize, &schema));
        cursor->Take(std::move(again));
      }
    }
    ExecutionOptions run = OptionsFor(transaction, transaction_ ? &open_ : &cursor->open_, parameters, options);
    RETURN_IF_ERROR(cursor->StartRun(std::move(run)));
    if (ActsAtOnce(*cursor->plan_->root)) RETURN_IF_ERROR(cursor->Drain());
    if (cursor->transaction_ != nullptr) cursor->transaction_->Suspend();
    return Status::Ok();
  }

  // Runs to the end and keeps the rows.
  Status RunWrite(storage::Transaction* transaction, const Map& parameters, const ExecuteOptions& options, CursorImpl* cursor) {
    ExecutionOptions run = OptionsFor(transaction, transaction_ ? &open_ : &cursor->open_, parameters, options);
    RETURN_IF_ERROR(cursor->StartRun(std::move(run)));
    cursor->summary_.run_ns = 0;
    cursor->done_ = false;
    return cursor->Drain();
  }
  Status RunWriteInTransaction(const Map& parameters, const ExecuteOptions& options, CursorImpl* cursor) {
    for (CursorImpl* open : cursors_) {
      if (open->run_ && open->explicit_) RETURN_IF_ERROR(open->Drain());
    }
    return RunWrite(transaction_.get(), parameters, options, cursor);
  }
  Status RunAutoCommitWrite(const Map& parameters, const ExecuteOptions& options, CursorImpl* cursor) {
    for (int attempt = 0;; ++attempt) {
      ASSIGN_OR_RETURN(auto transaction, core_->store->Begin(false));
      Status status = Guarded([&] { return RunWrite(transaction.get(), parameters, options, cursor); });
      if (status.ok()) status = cursor->open_.CheckTerminated();
      if (status.ok()) {
        uint64_t start = MonotonicNanos();
        Result<storage::CommitResult> result = Guarded([&] {
          // Until it is decided: storage/txn/commit.cc.
          const WorkScope scope([&] { return CheckInterrupted(&cancel_, &cursor->open_, deadline_ns_); });
          return transaction->Commit();
        });
        status = cursor->Moved(AtItsWrite(result.status(), *cursor->plan_->root));
        cursor->summary_.run_ns += MonotonicNanos() - start;
        if (result.ok()) cursor->summary_.commit = result->lsn;
      }
      if (status.ok()) return status;
      cursor->run_.reset();
      if (!status.retryable() || attempt == kAutoCommitRetriesMax || CommitsInside(*cursor->plan_->root)) {
        if (IsInterruption(status)) {
          transaction->Rollback();
          core_->reaper->Take(std::move(transaction));
        }
        return status;
      }
      transaction.reset();
      uint64_t wait = kRetryWaitMicros << attempt;
      std::this_thread::sleep_for(std::chrono::microseconds(wait / 2 + MonotonicNanos() % wait));
    }
  }

  std::shared_ptr<DatabaseCore> core_;
  const uint64_t number_;                   // among the database's connections
  std::unique_ptr<storage::Transaction> transaction_;   // the explicit one
  OpenTransaction open_;                    // the same
  bool read_only_ = false;
  Status doomed_;
  DateTime transaction_time_;
  uint64_t transaction_deadline_ns_ = 0;
  std::atomic<bool> cancel_{false};
  uint64_t deadline_ns_ = 0;                // of the statement that was begun last
  std::list<CursorImpl*> cursors_;          // alive, in the order they were opened
};

CursorImpl::~CursorImpl() {
  run_.reset();
  if (connection_) connection_->Forget(this);
}

void CursorImpl::NoteRun() {
  summary_.counters = PublicCounters(run_->counters());
  summary_.notifications = PublicNotifications(run_->notifications());
  summary_.memory_bytes_peak = run_->memory_bytes_peak();
  summary_.spilled_bytes = run_->spilled_bytes();
  if (plan_->mode == ast::Statement::Mode::kProfile) {
    summary_.plan = PublicPlan(*plan_, run_->profile());
    summary_.plan_text = planner::ExplainText(*plan_, run_->profile());
    summary_.profiled = true;
  }
}

void CursorImpl::EndRun() {
  EndRun(Status::Ok());
}

void CursorImpl::EndRun(const Status& status) {
  if (!run_) return;
  NoteRun();
  if (IsInterruption(status)) {
    reaper_->Take(std::move(run_));
    if (transaction_ != nullptr) transaction_->Rollback();
    reaper_->Take(std::move(transaction_));
  }
  run_.reset();
  transaction_.reset();
  open_.Close();
  if (explicit_ && connection_ != nullptr) connection_->EndQuery(query_);
}

Status CursorImpl::Drain() {
  uint64_t start = MonotonicNanos();
  Status status = Moved(Guarded([&] { return run_->Drain(); }));
  summary_.run_ns += MonotonicNanos() - start;
  NoteRun();
  if (!status.ok() || run_->done()) {
    EndRun(status);
    done_ = true;
  }
  return status;
}

void CursorImpl::FinishExplain() {
  summary_.plan = PublicPlan(*plan_, {});
  summary_.plan_text = planner::ExplainText(*plan_, {});
  done_ = true;
}

Status CursorImpl::Pull(size_t rows_max, std::vector<Row>* rows) {
  uint64_t start = MonotonicNanos();
  Result<size_t> count = Guarded([&] { return run_->Next(rows_max, rows); });
  summary_.run_ns += MonotonicNanos() - start;
  if (!count.ok()) {
    EndRun(count.status());
    return Moved(count.status());
  }
  summary_.rows += *count;
  if (run_->done()) EndRun();
  return Status::Ok();
}

Status CursorImpl::Fetch(size_t rows_max, std::vector<Row>* rows) {
  if (done_ || rows_max == 0) return Status::Ok();
  const InUse in_use(transaction_ != nullptr ? &transaction_ : explicit_ && connection_ != nullptr ? &connection_->transaction() : nullptr);
  Status status = in_use.status();
  if (status.ok()) status = WithExcerpt(Guarded([&] { return Pull(rows_max, rows); }), text_);
  if (!status.ok()) {
    EndRun();
    done_ = true;
    if (connection_ && explicit_) connection_->Doom(status);
    return status;
  }
  done_ = !run_;
  return Status::Ok();
}

}  // namespace

std::unique_ptr<Connection> NewConnection(std::shared_ptr<DatabaseCore> core) {
  return std::make_unique<ConnectionImpl>(std::move(core));
}

}  // namespace fornix::engine
