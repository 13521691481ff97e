// Old snapshots and memory. A snapshot keeps its generations of the delta until it ends. Where that leaves commits no room, the oldest
// snapshot that keeps replaced generations is ended, once it is older than kSnapshotAgePressedMillis: its next read, and its commit,
// give TransactionConflict ("snapshot too old: ...", detail SnapshotTooOld), which is retryable.
//
// A transaction that nobody uses just now (Transaction::Suspend) loses its layers at once. One in use is asked: its reads through
// GraphView give the error from then on, and it lets go when its user suspends or ends it.
// Threads: any.
#pragma once

#include <memory>

#include "fornix/status.h"
#include "storage/graph/layers.h"

namespace fornix::storage {

struct StoreState;
class TransactionImpl;

Status SnapshotTooOld();
// What an ended snapshot reads: each question to it throws ReadFailure with that status.
const std::shared_ptr<const Layers>& EndedLayers();

// Of those that keep replaced generations: none; some that are too young or were asked already; one was ended or asked now.
enum class OldSnapshots : uint8_t { kNone, kWait, kEnded };
// Ends or asks at most one, the oldest that wasn't asked yet. `own` may be null: it isn't looked at, for it is about to end.
OldSnapshots EndOldest(StoreState* store, uint64_t age_min_ns, const TransactionImpl* own);

}  // namespace fornix::storage
