// VectorFill: after opening, brings the vectors of the base into the vector indexes that have no image in the file, or one that isn't complete,
// so that opening need not read them.
//
// Elements are read in batches without a lock; each vector is stored under the sequencer's mutex if the element's newest state
// still has it and no commit brought one since (a commit stores the vectors of what it changes, filled or not). When all are
// in, snapshots from the newest commit on use the index; older ones, and all before, scan exactly (graph/view_index.cc).
// Threads: Start once; Await and Stop from any.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "storage/graph/base.h"
#include "storage/schema_state.h"
#include "vector/function_ref.h"

namespace fornix::storage {

struct StoreState;

// Brings the vectors of `base` into the index of the binding, or into a successor of it, and has them linked meanwhile. Cancelled if the
// index was dropped, ResourceExhausted if the budget has no room for it; what is in it by then stays. Throws ReadFailure.
Status FillFromBase(StoreState* store, const VectorBinding& binding, const std::shared_ptr<const Base>& base,
                    vector::FunctionRef<Status()> interrupt);

class VectorFill {
 public:
  ~VectorFill() { Stop(); }
  // Fills the indexes of `schema` that aren't usable yet; in a thread, or before it returns.
  void Start(StoreState* store, std::shared_ptr<const SchemaState> schema, bool background);
  // Stops, then starts for another base and schema.
  void Restart(StoreState* store, std::shared_ptr<const SchemaState> schema, bool background);
  // Returns when all are full; the status of a failed read.
  Status Await();
  void Stop();

 private:
  Status FillAll(const SchemaState& schema);

  StoreState* store_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> stop_{false};
  bool running_ = false;
  Status status_;
  std::thread thread_;
};

}  // namespace fornix::storage
