// VectorLinker: the thread that links stored vectors into their graphs, so that commits don't wait for it.
//
// Back-pressure: a commit that leaves more than kVectorsUnlinkedMax rows behind links as many as it brought, so that the scan of
// the unlinked ones stays near the cost of the graph's own search however fast vectors come.
// The thread starts with the first work. Threads: all functions from any; Stop once and last.
#pragma once

#include <condition_variable>
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
  // Without a thread, work is done by who brings it.
  void set_background(bool background) { background_ = background; }
  // After a commit that brought `added` rows to the index; not under the sequencer's mutex.
  void Brought(const std::shared_ptr<VectorIndex>& index, uint64_t added);
  // Returns when everything brought before is linked.
  void Await();
  void Stop();

 private:
  void Run();

  bool background_ = true;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<VectorIndex>> queue_;    // with rows to link
  bool working_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace fornix::storage
