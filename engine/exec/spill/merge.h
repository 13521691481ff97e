// RunMerger: sorted runs as one sorted stream, by a loser tree. Rows that are equal come in the order of their runs, so a
// merge of consecutive runs is stable.
//
//        winner                 Each inner place holds the loser of the match between its two subtrees; the winner of all stands
//          |                    above. After the winner's run moves on, only the matches on its own way up are played again:
//         [1]                   log2(k) comparisons a row.
//       [2]  [3]
//      r0 r1 r2 r3
#pragma once

#include <functional>
#include <vector>

#include "engine/exec/spill/run.h"

namespace fornix::engine {

struct RunKey {
  size_t column;                  // of the run's columns
  bool descending;
};

class RunMerger {
 public:
  // The runs, `columns` wide, stay where they are until the merger is done.
  RunMerger(std::span<const Run> runs, size_t columns, std::vector<RunKey> keys);
  Status Start();
  bool done() const { return done_; }
  // The least row that is left: its columns (of a run) and its place in them.
  std::span<const Column> columns() const { return sources_[winner_].columns; }
  size_t row() const { return sources_[winner_].row; }
  Status Advance();

 private:
  struct Source {
    RunReader reader;
    std::vector<Column> columns;
    std::vector<Column*> places;
    size_t row = 0, rows = 0;
  };
  Status Refill(Source* source);
  bool Before(size_t a, size_t b) const;   // the row of source a comes before that of source b

  const std::vector<RunKey> keys_;
  std::vector<Source> sources_;
  std::vector<size_t> losers_;
  size_t winner_ = 0;
  bool done_ = false;
};

// Merges until at most `fan_in` runs are left, neighbours with neighbours.
Status MergeDown(SpillFile* file, SpillCounts* counts, size_t columns, const std::vector<RunKey>& keys,
                 const std::function<Status()>& check_interrupt, std::vector<Run>* runs);

}  // namespace fornix::engine
