// Partitions: rows on disk, divided by the hash of their key, so that each part can be dealt with alone. A part that is
// still too large is divided again by other bits of the hash (level).
#pragma once

#include <array>
#include <vector>

#include "base/limits.h"
#include "engine/exec/spill/run.h"

namespace fornix::engine {

class Partitions {
 public:
  // Different keys that share the bits of all levels share the whole hash: dividing them further is no use.
  static constexpr unsigned kLevelsMax = 16;

  bool started() const { return file_ != nullptr; }
  void Start(SpillFile* file, SpillCounts* counts, unsigned level) {
    Clear();
    file_ = file;
    counts_ = counts;
    shift_ = 60 - 4 * (level % kLevelsMax);
  }
  void Clear() {
    for (RunWriter& writer : writers_) writer = RunWriter();
    file_ = nullptr;
  }
  RunWriter& Of(uint64_t hash) {
    RunWriter& writer = writers_[(hash >> shift_) % kSpillPartitions];
    if (!writer.started()) writer = RunWriter(file_, counts_);
    return writer;
  }
  // The runs, those without rows too: kSpillPartitions of them.
  Result<std::vector<Run>> Finish() {
    std::vector<Run> runs(kSpillPartitions);
    for (size_t i = 0; i < kSpillPartitions; i++) {
      if (writers_[i].started()) {
        ASSIGN_OR_RETURN(runs[i], writers_[i].Finish());
      }
    }
    Clear();
    return runs;
  }

 private:
  static_assert(kSpillPartitions == 16, "a level takes four bits");
  SpillFile* file_ = nullptr;
  SpillCounts* counts_ = nullptr;
  unsigned shift_ = 0;
  std::array<RunWriter, kSpillPartitions> writers_;
};

}  // namespace fornix::engine
