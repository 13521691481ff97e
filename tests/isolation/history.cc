// Checking histories; see history.h.
#include "tests/isolation/history.h"

#include <algorithm>
#include <bitset>
#include <memory>
#include <set>

namespace fornix::isolation {
namespace {

constexpr size_t kTransactionsMax = 16384;
using Reach = std::bitset<kTransactionsMax>;

class Checker {
 public:
  Checker(const std::vector<CommittedTransaction>& history, const std::map<int64_t, std::vector<int64_t>>& final_lists)
      : history_(history), final_lists_(final_lists), out_(history.size()) {}

  std::vector<std::string> Run(const std::vector<int64_t>& aborted) {
    if (history_.size() > kTransactionsMax) return {"the history is larger than the checker can hold"};
    CheckValues(aborted);
    if (problems_.empty()) BuildEdges();
    if (problems_.empty()) CheckCycles();
    return problems_;
  }

 private:
  void CheckValues(const std::vector<int64_t>& aborted) {
    for (size_t t = 0; t < history_.size(); ++t) {
      for (auto [key, value] : history_[t].appends) writer_[{key, value}] = t;
    }
    std::set<int64_t> never(aborted.begin(), aborted.end());
    for (const auto& [key, values] : final_lists_) {
      std::set<int64_t> seen;
      for (int64_t v : values) {
        if (!seen.insert(v).second) problems_.push_back("key " + std::to_string(key) + ": value " + std::to_string(v) + " is there twice");
        if (never.count(v)) problems_.push_back("key " + std::to_string(key) + ": value " + std::to_string(v) + " of an aborted transaction");
        position_[{key, v}] = position_.size();
      }
    }
    for (const auto& [where, t] : writer_) {
      if (!position_.count(where)) problems_.push_back("lost append of " + std::to_string(where.second) + " to key " + std::to_string(where.first));
    }
    for (const CommittedTransaction& t : history_) {
      for (const Observed& read : t.reads) {
        const auto& all = final_lists_.at(read.key);
        if (read.values.size() > all.size() || !std::equal(read.values.begin(), read.values.end(), all.begin())) {
          problems_.push_back("a read of key " + std::to_string(read.key) + " is no prefix of the final list");
        }
      }
    }
  }

  void BuildEdges() {
    for (size_t t = 0; t < history_.size(); ++t) {
      for (const Observed& read : history_[t].reads) {
        const auto& all = final_lists_.at(read.key);
        if (!read.values.empty()) AddDependency(writer_.at({read.key, read.values.back()}), t);
        if (read.values.size() < all.size()) {
          size_t next = writer_.at({read.key, all[read.values.size()]});
          if (next != t) anti_.emplace_back(t, next);
        }
      }
    }
    for (const auto& [key, values] : final_lists_) {
      for (size_t i = 1; i < values.size(); ++i) AddDependency(writer_.at({key, values[i - 1]}), writer_.at({key, values[i]}));
    }
    // Real time: each transaction after those that ended before it began. Only the latest few ended are needed, their
    // predecessors being reachable through them; all pairs would be quadratic, so chains by end order are used.
    std::vector<size_t> by_end(history_.size()), by_begin(history_.size());
    for (size_t i = 0; i < history_.size(); ++i) by_end[i] = by_begin[i] = i;
    std::sort(by_end.begin(), by_end.end(), [&](size_t a, size_t b) { return history_[a].ended_ns < history_[b].ended_ns; });
    std::sort(by_begin.begin(), by_begin.end(), [&](size_t a, size_t b) { return history_[a].began_ns < history_[b].began_ns; });
    // Among those that ended before T began, only ones whose end is not before another's begin that also ended earlier matter.
    size_t ended = 0;
    std::vector<size_t> frontier;
    for (size_t t : by_begin) {
      while (ended < by_end.size() && history_[by_end[ended]].ended_ns < history_[t].began_ns) {
        size_t fresh = by_end[ended++];
        std::erase_if(frontier, [&](size_t old) { return history_[old].ended_ns < history_[fresh].began_ns; });
        frontier.push_back(fresh);
      }
      for (size_t before : frontier) AddDependency(before, t);
    }
  }
  void AddDependency(size_t from, size_t to) {
    if (from != to) out_[from].push_back(to);
  }

  void CheckCycles() {
    // Topological order; what is left over is a cycle of dependencies.
    std::vector<int> in(history_.size());
    for (const auto& targets : out_) {
      for (size_t t : targets) ++in[t];
    }
    std::vector<size_t> order;
    for (size_t t = 0; t < in.size(); ++t) {
      if (in[t] == 0) order.push_back(t);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      for (size_t t : out_[order[i]]) {
        if (--in[t] == 0) order.push_back(t);
      }
    }
    if (order.size() != history_.size()) {
      problems_.push_back("a cycle of ww, wr and real-time edges (G0, G1c or a stale snapshot)");
      return;
    }
    std::vector<std::unique_ptr<Reach>> reach(history_.size());
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      reach[*it] = std::make_unique<Reach>();
      for (size_t t : out_[*it]) {
        reach[*it]->set(t);
        *reach[*it] |= *reach[t];
      }
    }
    for (auto [reader, overwriter] : anti_) {
      if (reach[overwriter]->test(reader)) {
        problems_.push_back("a cycle with one rw edge (G-single: read skew or a lost update) between transactions " +
                            std::to_string(reader) + " and " + std::to_string(overwriter));
        if (problems_.size() > 5) return;
      }
    }
  }

  const std::vector<CommittedTransaction>& history_;
  const std::map<int64_t, std::vector<int64_t>>& final_lists_;
  std::vector<std::vector<size_t>> out_;
  std::vector<std::pair<size_t, size_t>> anti_;
  std::map<std::pair<int64_t, int64_t>, size_t> writer_;     // key, value -> transaction
  std::map<std::pair<int64_t, int64_t>, size_t> position_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> CheckHistory(const std::vector<CommittedTransaction>& history,
                                      const std::map<int64_t, std::vector<int64_t>>& final_lists,
                                      const std::vector<int64_t>& aborted) {
  return Checker(history, final_lists).Run(aborted);
}

}  // namespace fornix::isolation
