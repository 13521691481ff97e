// TypeSampler: looks at some relationships of a type, spread over all its ids, and keeps what it saw.
//
// A type of at most kWholeMax relationships is looked at whole. Of a larger one kProbes places are looked at, kTaken relationships at each; the
// places are spread evenly between its first and last id, so a hub counts as often as it has relationships. The same graph gives the
// same sample.
// Thread safety: any thread; one lock, not held while it reads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "storage/graph/graph_view.h"
#include "storage/stats/statistics.h"

namespace fornix::storage {

inline constexpr uint64_t kWholeMax = 512;       // as many as a sample of a large type holds, about
inline constexpr int kProbes = 96;               // shares of 10 % are then known to 3 %
inline constexpr size_t kTaken = 4;

TypeSample TakeSample(const GraphView& view, TypeId type, uint64_t type_count);

class TypeSampler {
 public:
  // `take` is called when there is no sample, or the epoch is another, or `count` has moved by an eighth since.
  std::shared_ptr<const TypeSample> Get(TypeId type, uint64_t count, uint64_t epoch, const std::function<TypeSample()>& take);

 private:
  struct Kept {
    uint64_t epoch = 0;
    std::shared_ptr<const TypeSample> sample;
  };
  std::mutex mutex_;
  std::map<uint32_t, Kept> kept_;
};

// The epoch of statistics: see Statistics::Epoch.
class EpochOfCounts {
 public:
  // `counts` are all counts in a fixed order (new tokens at the end); asked for only if `elements` or `commits` moved enough.
  uint64_t Now(uint64_t elements, uint64_t commits, const std::function<std::vector<uint64_t>()>& counts);

 private:
  std::mutex mutex_;
  uint64_t epoch_ = 1;
  uint64_t elements_ = 0, commits_ = 0;          // when it was looked at last
  bool started_ = false;
  std::vector<uint64_t> counts_;                 // when the epoch began
};

}  // namespace fornix::storage
