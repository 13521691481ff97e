// The commit: built outside the mutex, tested, stamped, logged and applied inside, acknowledged when durable.
//
//   outside  CheckDeletedNodes, plan.Build, record            may fail: nothing happened
//   inside   TestConflicts, plan.Reserve                      may fail: nothing that can be seen
//            log append                                       may fail: the store takes no more commits
//            plan.Apply                                       can't fail
//   later    log's completion: visible moves, `done` is called
#include <condition_variable>

#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

Status TransactionImpl::CommitWrites(Done* done) {
  RETURN_IF_ERROR(CheckDeletedNodes());
  const WriteSet none;
  CommitPlan plan;
  plan.Build(&store_->delta, Overlay(&store_->delta, &store_->base, live_.timestamp, &none), own_);

  Sequencer& sequencer = store_->sequencer;
  CommitResult result;
  {
    std::lock_guard lock(sequencer.mutex());
    RETURN_IF_ERROR(sequencer.failure());
    RETURN_IF_ERROR(TestConflicts(plan));
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
    sequencer.Unregister(&live_);
    sequencer.Collect();
    open_ = false;
  }
  (*done)(result);
  return Status::Ok();
}

void TransactionImpl::CommitAsync(Done done) {
  if (!open_) return done(Status(Code::kTransactionClosed, "the transaction has ended"));
  Status status;
  if (has_writes()) {
    status = CommitWrites(&done);
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
