// The commit: built outside the mutex, tested, stamped, logged and applied inside, acknowledged when durable.
//
//   outside  CheckDeletedNodes, plan.Build, CheckRules, record  may fail: nothing happened; cancel and deadline are looked at
//   inside   TestConflicts, plan.Reserve                        may fail: nothing that can be seen
//            log append                                         may fail: the store takes no more commits
//            plan.Apply                                         can't fail
//   later    log's completion: visible moves, `done` is called
// With durability `async` visible moves inside, `done` is called right behind it, and the log writes some time later.
#include <condition_variable>

#include "base/interrupt.h"
#include "base/limits.h"
#include "storage/index/vector_rebuild.h"
#include "storage/txn/ddl.h"
#include "storage/checkpoint/checkpointer.h"
#include "storage/txn/log_record.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

// What happens when the outcome is known; lives in the log's queue, longer than the transaction.
struct TransactionImpl::Acknowledgement {
  Sequencer* sequencer;
  CommitResult result;
  Done done;

  // From the log, in commit order.
  void Durable(const Status& status) {
    if (status.ok()) {
      sequencer->SetVisible(result.timestamp);
      return done(result);
    }
    done(Failed(status));
  }
  // The log can't go on, and neither can we.
  Status Failed(const Status& status) {
    Status failure(status.code(), status.message() + "; whether commit " + std::to_string(result.timestamp) +
                                      " is durable shows when the database is opened again, until then it takes no more commits");
    std::lock_guard lock(sequencer->mutex());
    sequencer->Fail(failure);
    return failure;
  }
};

namespace {
// Before anything is marked or reserved: a record that the log refuses must not end all commits.
Status CheckSize(const std::vector<std::byte>& record) {
  if (record.size() <= kLogRecordBytesMax) return Status::Ok();
  return Status(Code::kLimitExceeded, "the transaction needs a log record of " + std::to_string(record.size()) + " bytes; the limit is " +
                                          std::to_string(kLogRecordBytesMax) + " (kLogRecordBytesMax): commit in smaller transactions");
}
}  // namespace

// Under the mutex. From here to the end of the apply nothing may fail; a failed append ends all commits.
Result<Lsn> TransactionImpl::Append(std::vector<std::byte> record, Timestamp ts, const std::shared_ptr<Acknowledgement>& ack) {
  if (store_->log == nullptr) return Lsn{0};
  auto entry = std::make_unique<wal::LogEntry>();
  entry->body = std::move(record);
  if (store_->async) {
    entry->done = [ack](const Status& status) { if (!status.ok()) static_cast<void>(ack->Failed(status).ok()); };
  } else {
    entry->done = [ack](const Status& status) { ack->Durable(status); };
  }
  RecordWriter::SetTimestamp(&entry->body, ts);
  store_->log_appended.fetch_add(entry->body.size(), std::memory_order_relaxed);
  ack->result.lsn = store_->log->next_lsn();   // only this mutex's holder appends
  Result<Lsn> lsn = store_->log->Append(std::move(entry));
  if (!lsn.ok()) {
    store_->sequencer.Fail(Status(lsn.status().code(), lsn.status().message() + "; the database takes no more commits until it is opened again"));
    return store_->sequencer.failure();
  }
  return lsn;
}

Result<Lsn> TransactionImpl::CommitData(const std::shared_ptr<Acknowledgement>& ack) {
  RETURN_IF_ERROR(CheckDeletedNodes());
  const WriteSet none;
  const Overlay committed(*layers_, live_.timestamp, &none);
  Sequencer& sequencer = store_->sequencer;
  std::shared_ptr<const SchemaState> schema = schema_;
  RecordWriter writer(store_->tokens, store_->logged);
  std::vector<std::byte> record;
  if (store_->log != nullptr) {
    writer.Write(own_);
    record = writer.Finish(0);
    RETURN_IF_ERROR(CheckSize(record));
  }
  for (;;) {
    CommitPlan plan;
    plan.Build(&store_->label_sets, committed, own_, *schema);
    RETURN_IF_ERROR(CheckRules(plan, *schema));
    RETURN_IF_ERROR(plan.mutable_indexes().HoldRoom(store_->tokens));
    plan.FindHolders(committed);

    const Uninterrupted decided;
    std::lock_guard lock(sequencer.mutex());
    RETURN_IF_ERROR(sequencer.failure());
    if (schema != store_->schemas.newest()) {
      schema = store_->schemas.newest();       // rules or indexes came since: look at everything again
      continue;
    }
    RETURN_IF_ERROR(TestConflicts(plan, *schema));
    plan.Reserve(*store_->generations.current(), &sequencer);
    const Timestamp ts = sequencer.last() + 1;
    for (const CommitPlan::NodeChange& change : plan.nodes()) {
      if (change.after == nullptr || (change.state == nullptr && change.properties == nullptr)) continue;
      store_->recent.Add(LabelId(), change.own->id, ts, sequencer.floor());
      for (LabelId label : change.after->labels) store_->recent.Add(label, change.own->id, ts, sequencer.floor());
    }
    writer.MarkLogged(&store_->logged);
    ack->result.timestamp = ts;
    ASSIGN_OR_RETURN(const Lsn lsn, Append(std::move(record), ts, ack));
    sequencer.NextTimestamp();
    plan.Apply(ts, &sequencer);
    if (store_->log == nullptr || store_->async) sequencer.SetVisible(ts);
    Leave();
    brought_ = plan.indexes().Brought();
    return lsn;
  }
}

Result<Lsn> TransactionImpl::CommitSchema(const std::shared_ptr<Acknowledgement>& ack) {
  Sequencer& sequencer = store_->sequencer;
  std::lock_guard lock(sequencer.mutex());
  RETURN_IF_ERROR(sequencer.failure());
  const Timestamp ts = sequencer.last() + 1;
  NewRanges ranges;
  ASSIGN_OR_RETURN(const std::shared_ptr<const SchemaState> schema, MakeSchema(ts, &ranges));
  const Uninterrupted decided;
  Lsn lsn = 0;
  for (const VectorBinding& binding : schema->vectors) {
    if (store_->schemas.newest()->FindVector(binding.definition->id) != nullptr) continue;
    brought_.emplace_back(binding.index, 0);
  }
  if (schema == store_->schemas.newest()) {    // others did it before us, and IF NOT EXISTS was said
    ack->result.timestamp = live_.timestamp;
  } else {
    RecordWriter writer(store_->tokens, store_->logged);
    writer.Schema(*schema->version);
    std::vector<std::byte> record = writer.Finish(ts);
    RETURN_IF_ERROR(CheckSize(record));
    writer.MarkLogged(&store_->logged);
    store_->schemas.Trim(sequencer.floor());
    store_->schemas.Reserve();
    ack->result.timestamp = ts;
    ASSIGN_OR_RETURN(lsn, Append(std::move(record), ts, ack));
    sequencer.NextTimestamp();
    ranges.Install(store_->generations.current()->active.get());
    for (const VectorBinding& before : store_->schemas.newest()->vectors) {
      const VectorBinding* now = schema->FindVector(before.definition->id);
      if (now == nullptr || now->index != before.index) before.index->StopWork();
    }
    store_->schemas.Add(ts, schema);
    if (store_->log == nullptr || store_->async) sequencer.SetVisible(ts);
  }
  Leave();
  return lsn;
}

void TransactionImpl::Leave() {
  open_ = false;
  layers_.reset();
  store_->sequencer.Unregister(&live_);
  store_->generations.Collect();
}

// `done` is called here, unless there is an LSN to wait for: then by the log.
Lsn TransactionImpl::CommitAny(Done done) {
  if (!open_) {
    done(Status(Code::kTransactionClosed, "the transaction has ended"));
    return 0;
  }
  if (Status status = CheckProcess(store_->process); !status.ok()) {
    done(status);                              // nothing else: a thread that isn't here may have held the mutex
    return 0;
  }
  auto ack = std::make_shared<Acknowledgement>();
  ack->sequencer = &store_->sequencer;
  ack->result.timestamp = live_.timestamp;
  ack->done = std::move(done);
  Result<Lsn> lsn = Lsn{0};
  if (has_writes() && store_->checkpointer != nullptr) store_->checkpointer->MakeRoom(this);
  if (has_writes()) {
    lsn = Guarded([&]() -> Result<Lsn> {
      RETURN_IF_ERROR(broken_);
      RETURN_IF_ERROR(ChargeWrites());
      return schema_changes_.empty() ? CommitData(ack) : CommitSchema(ack);
    });
  }
  End();
  if (!lsn.ok()) {
    ack->done(lsn.status());
    return 0;
  }
  if (*lsn != 0 && store_->async) store_->log->WriteSoon();
  if (*lsn == 0 || store_->async) {
    ack->done(ack->result);
    return 0;
  }
  return *lsn;
}

// The rows that this commit brought get linked, here or by the linker; the commit itself is over.
void TransactionImpl::LinkVectors() {
  for (const auto& [index, added] : brought_) {
    if (added > 0 || index->unlinked() > 0) store_->linker.Brought(index, added);
    store_->keeper.Look(index);
  }
  brought_.clear();
  if (store_->checkpointer != nullptr) store_->checkpointer->MadeProgress();
}

void TransactionImpl::CommitAsync(Done done) {
  if (!schema_changes_.empty() || !altered_.empty()) return done(Commit());   // may have much to do behind the commit
  if (CommitAny(std::move(done)) != 0) store_->log->Kick();
  LinkVectors();
}

Result<CommitResult> TransactionImpl::Commit() {
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Result<CommitResult>> outcome;
  const Lsn lsn = CommitAny([&](Result<CommitResult> result) {
    std::lock_guard lock(mutex);
    outcome = std::move(result);
    ended.notify_one();                        // under the lock: the waiter's stack must outlive the call
  });
  // Who waits first writes for all. An error arrives through the completion, too.
  if (lsn != 0) static_cast<void>(store_->log->WaitDurable(lsn).ok());
  LinkVectors();
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return outcome.has_value(); });
  if (outcome->ok() && !deferred_.empty()) RETURN_IF_ERROR(FinishSchema(store_, deferred_, false));
  if (outcome->ok()) {
    for (const auto& [name, change] : altered_) RETURN_IF_ERROR(AlterBuiltIndex(store_, name, change));
  }
  return std::move(*outcome);
}

}  // namespace fornix::storage
