// The commit: built outside the mutex, tested, stamped, logged and applied inside, acknowledged when durable.
//
//   outside  CheckDeletedNodes, plan.Build, CheckRules, record  may fail: nothing happened
//   inside   TestConflicts, plan.Reserve                        may fail: nothing that can be seen
//            log append                                         may fail: the store takes no more commits
//            plan.Apply                                         can't fail
//   later    log's completion: visible moves, `done` is called
#include <condition_variable>

#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

Status TransactionImpl::CommitData(Done* done) {
  RETURN_IF_ERROR(CheckDeletedNodes());
  const WriteSet none;
  const Overlay committed(&store_->delta, &store_->base, live_.timestamp, &none);
  Sequencer& sequencer = store_->sequencer;
  std::shared_ptr<const SchemaState> schema = schema_;
  CommitResult result;
  for (;;) {
    CommitPlan plan;
    plan.Build(&store_->delta, committed, own_, *schema);
    RETURN_IF_ERROR(CheckRules(plan, *schema));

    std::lock_guard lock(sequencer.mutex());
    RETURN_IF_ERROR(sequencer.failure());
    if (schema != store_->schemas.newest()) {
      schema = store_->schemas.newest();       // rules or indexes came since: look at everything again
      continue;
    }
    RETURN_IF_ERROR(TestConflicts(plan, *schema));
    plan.Reserve(&sequencer);
    const Timestamp ts = sequencer.last() + 1;
    for (const CommitPlan::NodeChange& change : plan.nodes()) {
      if (change.after == nullptr || (change.state == nullptr && change.properties == nullptr)) continue;
      store_->recent.Add(LabelId(), change.own->id, ts, sequencer.floor());
      for (LabelId label : change.after->labels) store_->recent.Add(label, change.own->id, ts, sequencer.floor());
    }
    sequencer.NextTimestamp();
    result.timestamp = ts;
    plan.Apply(ts, &sequencer);
    if (store_->log == nullptr) sequencer.SetVisible(ts);
    Leave();
    break;
  }
  (*done)(result);
  return Status::Ok();
}

Status TransactionImpl::CommitSchema(Done* done) {
  Sequencer& sequencer = store_->sequencer;
  CommitResult result;
  {
    std::lock_guard lock(sequencer.mutex());
    RETURN_IF_ERROR(sequencer.failure());
    const Timestamp ts = sequencer.last() + 1;
    ASSIGN_OR_RETURN(const std::shared_ptr<const SchemaState> schema, MakeSchema(ts));
    if (schema == store_->schemas.newest()) {  // others did it before us, and IF NOT EXISTS was said
      result.timestamp = live_.timestamp;
    } else {
      store_->schemas.Trim(sequencer.floor());
      store_->schemas.Add(ts, schema);
      result.timestamp = sequencer.NextTimestamp();
      if (store_->log == nullptr) sequencer.SetVisible(ts);
    }
    Leave();
  }
  (*done)(result);
  return Status::Ok();
}

void TransactionImpl::Leave() {
  open_ = false;
  store_->sequencer.Unregister(&live_);
  store_->sequencer.Collect();
}

void TransactionImpl::CommitAsync(Done done) {
  if (!open_) return done(Status(Code::kTransactionClosed, "the transaction has ended"));
  Status status;
  if (has_writes()) {
    status = schema_changes_.empty() ? CommitData(&done) : CommitSchema(&done);
    if (status.ok()) return;
  }
  End();
  if (!status.ok()) return done(status);
  CommitResult nothing_written;
  nothing_written.timestamp = live_.timestamp;
  done(nothing_written);
}

Result<CommitResult> TransactionImpl::Commit() {
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Result<CommitResult>> outcome;
  CommitAsync([&](Result<CommitResult> result) {
    std::lock_guard lock(mutex);
    outcome = std::move(result);
    ended.notify_one();                        // under the lock: the waiter's stack must outlive the call
  });
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return outcome.has_value(); });
  return std::move(*outcome);
}

}  // namespace fornix::storage
