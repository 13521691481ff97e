// Sequencer: the one order of commits, and the registry of live snapshots, under one mutex.
//
// A commit takes the mutex, is tested again, gets the next timestamp, queues its record and writes the delta; then the
// mutex is free for the next one. `visible` is the timestamp up to which commits are durable: it is what a new snapshot
// sees, and it moves in commit order. Without a log, and with durability `async`, it moves at once.
//
//     1 ......... visible ......... last
//     seen by new   applied, waiting
//     snapshots     for the disk
//
// Floor: no snapshot below it is alive or can begin; versions that only such a snapshot would need may go. That is sound
// because snapshots begin under this mutex and trims run under it.
// After a failed append nothing is committed any more (`failure`); reads go on at `visible`.
// Lock order: mutex, then any of the small ones (tokens, label sets, ids); never two of those.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/intrusive/list.hpp>
#include <mutex>

#include "base/ids.h"
#include "fornix/status.h"

namespace fornix::storage {

class TransactionImpl;

struct LiveSnapshot : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::safe_link>> {
  Timestamp timestamp = 0;
  uint64_t serial = 0;                         // in the order of beginning; the transaction's number in messages
  bool may_write = false;                      // its commit will be tested against all since
  uint64_t begun_ns = 0;
  TransactionImpl* transaction = nullptr;      // whose it is; null: one that is never ended from outside
};

class Sequencer {
 public:
  std::mutex& mutex() { return mutex_; }

  // All below: under the mutex, unless it says otherwise.
  void Register(LiveSnapshot* snapshot);
  void Unregister(LiveSnapshot* snapshot);
  Timestamp floor() const { return live_.empty() ? visible() : std::min(live_.front().timestamp, visible()); }
  bool has_live_snapshots() const { return !live_.empty(); }
  Timestamp last() const { return last_; }
  Timestamp NextTimestamp() { return ++last_; }
  uint64_t next_serial() const { return next_serial_; }
  uint64_t oldest_serial() const { return live_.empty() ? next_serial_ : live_.front().serial; }
  // No transaction that may write has an older snapshot, or will have.
  Timestamp writers_floor() const {
    for (const LiveSnapshot& snapshot : live_) {
      if (snapshot.may_write) return std::min(snapshot.timestamp, visible());
    }
    return visible();
  }
  // The oldest snapshot that `wanted` takes; null: none.
  template <typename F>
  LiveSnapshot* FindOldest(F&& wanted) {
    for (LiveSnapshot& snapshot : live_) {
      if (wanted(snapshot)) return &snapshot;
    }
    return nullptr;
  }
  const Status& failure() const { return failure_; }
  void Fail(Status status) { if (failure_.ok()) failure_ = std::move(status); }
  // Recovery: the log's end.
  void StartAt(Timestamp last) { last_ = last; visible_.store(last, std::memory_order_release); }

  // Any thread, without the mutex; in commit order.
  Timestamp visible() const { return visible_.load(std::memory_order_acquire); }
  void SetVisible(Timestamp ts) { visible_.store(ts, std::memory_order_release); }

 private:
  std::mutex mutex_;
  boost::intrusive::list<LiveSnapshot> live_;  // timestamps and serials ascend
  uint64_t next_serial_ = 1;
  Timestamp last_ = 0;
  std::atomic<Timestamp> visible_{0};
  Status failure_;
};

}  // namespace fornix::storage
