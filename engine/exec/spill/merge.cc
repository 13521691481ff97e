#include "engine/exec/spill/merge.h"

#include <algorithm>

namespace fornix::engine {
namespace {

constexpr size_t kReadRows = 64;   // of a run at a time: the columns of all runs together stay small

}  // namespace

RunMerger::RunMerger(std::span<const Run> runs, size_t columns, std::vector<RunKey> keys) : keys_(std::move(keys)), sources_(runs.size()) {
  for (size_t i = 0; i < runs.size(); i++) {
    sources_[i].reader = RunReader(&runs[i]);
    sources_[i].columns.resize(columns);
    for (Column& column : sources_[i].columns) sources_[i].places.push_back(&column);
  }
}

Status RunMerger::Refill(Source* source) {
  for (Column& column : source->columns) column.Clear();
  source->row = 0;
  ASSIGN_OR_RETURN(source->rows, source->reader.Read(source->places, kReadRows));
  return Status::Ok();
}

// A source at its end loses every match.
bool RunMerger::Before(size_t a, size_t b) const {
  const Source &x = sources_[a], &y = sources_[b];
  if (x.rows == 0 || y.rows == 0) return y.rows == 0 && (x.rows != 0 || a < b);
  for (const RunKey& key : keys_) {
    const int order = OrderAt(x.columns[key.column], x.row, y.columns[key.column], y.row);
    if (order != 0) return key.descending ? order > 0 : order < 0;
  }
  return a < b;
}

Status RunMerger::Start() {
  const size_t n = sources_.size();
  if (n == 0) {
    done_ = true;
    return Status::Ok();
  }
  for (Source& source : sources_) RETURN_IF_ERROR(Refill(&source));
  // The leaves are places n to 2n - 1; each inner place keeps the loser and hands the winner up.
  losers_.assign(n, 0);
  std::vector<size_t> winners(2 * n);
  for (size_t i = 0; i < n; i++) winners[n + i] = i;
  for (size_t place = n - 1; place >= 1; place--) {
    const size_t left = winners[2 * place], right = winners[2 * place + 1];
    const bool left_wins = Before(left, right);
    winners[place] = left_wins ? left : right;
    losers_[place] = left_wins ? right : left;
  }
  winner_ = n == 1 ? 0 : winners[1];
  done_ = sources_[winner_].rows == 0;
  return Status::Ok();
}

Status RunMerger::Advance() {
  Source& source = sources_[winner_];
  if (++source.row >= source.rows) RETURN_IF_ERROR(Refill(&source));
  for (size_t place = (sources_.size() + winner_) / 2; place >= 1; place /= 2) {
    if (Before(losers_[place], winner_)) std::swap(losers_[place], winner_);
  }
  done_ = sources_[winner_].rows == 0;
  return Status::Ok();
}

Status MergeDown(SpillFile* file, SpillCounts* counts, size_t columns, const std::vector<RunKey>& keys,
                 const std::function<Status()>& check_interrupt, std::vector<Run>* runs) {
  while (runs->size() > file->fan_in()) {
    std::vector<Run> merged;
    for (size_t first = 0; first < runs->size(); first += file->fan_in()) {
      const size_t count = std::min(file->fan_in(), runs->size() - first);
      RunMerger merger({runs->data() + first, count}, columns, keys);
      RETURN_IF_ERROR(merger.Start());
      RunWriter writer(file, counts);
      std::vector<const Column*> row(columns);
      while (!merger.done()) {
        if (writer.rows() % kBatchRowsMax == 0) RETURN_IF_ERROR(check_interrupt());
        for (size_t i = 0; i < columns; i++) row[i] = &merger.columns()[i];
        RETURN_IF_ERROR(writer.Add(row, merger.row()));
        RETURN_IF_ERROR(merger.Advance());
      }
      ASSIGN_OR_RETURN(Run run, writer.Finish());
      merged.push_back(std::move(run));
      for (size_t i = first; i < first + count; i++) (*runs)[i].Drop();
    }
    *runs = std::move(merged);
  }
  return Status::Ok();
}

}  // namespace fornix::engine
