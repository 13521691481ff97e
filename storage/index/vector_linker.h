// VectorLinker: the threads that link stored vectors into their graphs, so that commits don't wait for it.
//
// One thread links what commits bring; where much is left, as when an index is filled, others help, so many that a machine of more than
// two processors keeps one for its users. Back-pressure: a commit that leaves more than kVectorsUnlinkedMax rows behind links as many as
// it brought, so that the scan of the unlinked ones stays near the cost of the graph's own search however fast vectors come.
// The threads start with the first work. Threads: all functions from any; Stop once and last.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/limits.h"
#include "storage/index/vector_index.h"

namespace fornix::storage {

class VectorLinker {
 public:
  ~VectorLinker() { Stop(); }
  // Without threads, work is done by who brings it.
  void set_background(bool background) { background_ = background; }
  // Called by a linking thread when it has linked the last row. Before the first Brought.
  void set_idle(std::function<void()> idle) { idle_ = std::move(idle); }
  // After a commit that brought `added` rows to the index; not under the sequencer's mutex.
  void Brought(const std::shared_ptr<VectorIndex>& index, uint64_t added);
  // Returns when everything brought before is linked.
  void Await();
  void Stop();

 private:
  void Run(bool helper);
  // An index that such a thread should link now; null: none. Under mutex_.
  std::shared_ptr<VectorIndex> Next(bool helper);

  bool background_ = true;
  std::function<void()> idle_;                         // may be empty
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<VectorIndex>> queue_;    // with rows to link
  size_t next_ = 0;                                    // in the queue, in turn
  int working_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fornix::storage
