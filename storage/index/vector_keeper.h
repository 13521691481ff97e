// VectorKeeper: the thread that keeps graphs good under deletes and changes, so that commits don't wait for it.
//
//   retire    slots that ended, once no snapshot sees them: a walk over a queue, under the sequencer's mutex
//   repair    where a tenth of the graph is retired: takes them out, in slices, as a niced thread
//   rebuild   where more than half of all slots are freed: the index anew beside the old one (vector_rebuild.h)
// The thread starts with the first work. Threads: all functions from any; Stop once and last.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "storage/index/vector_index.h"

namespace fornix::storage {

struct StoreState;

class VectorKeeper {
 public:
  explicit VectorKeeper(StoreState* store) : store_(store) {}
  ~VectorKeeper() { Stop(); }
  // Without a thread, work is done by who brings it.
  void set_background(bool background) { background_ = background; }
  // After a commit that changed the index; not under the sequencer's mutex.
  void Look(const std::shared_ptr<VectorIndex>& index);
  // Returns when all that can be done is.
  void Await();
  void Stop();

 private:
  void Run();
  // True if slots have ended that a snapshot still sees.
  bool Keep(const std::shared_ptr<VectorIndex>& index, vector::SearchScratch* scratch);
  void Rebuild(const std::shared_ptr<VectorIndex>& index);
  Status Stopped();

  StoreState* const store_;
  bool background_ = true;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<VectorIndex>> queue_;
  std::vector<std::shared_ptr<VectorIndex>> waiting_;   // for snapshots to end
  bool working_ = false;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace fornix::storage
