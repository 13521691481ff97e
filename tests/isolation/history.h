// A history of list-append transactions, and the check that it is possible under snapshot isolation.
//
// After Elle (Kingsbury, Alvaro: "Elle: Inferring Isolation Anomalies from Experimental Observations", VLDB 2020): every append
// is a value used once, so the final lists give the version order of each key, and reads give the rest. Edges between committed
// transactions: ww (appended next), wr (read what the other appended last), rt (ended before the other began) and rw (read a
// version that the other replaced). Snapshot isolation with real-time order allows no cycle of ww, wr and rt edges, and none with
// exactly one rw edge among them. A cycle with two rw edges is write skew, which is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fornix::isolation {

struct Observed {
  int64_t key = 0;
  std::vector<int64_t> values;     // read before this transaction's own appends
};
struct CommittedTransaction {
  uint64_t began_ns = 0, ended_ns = 0;
  std::vector<Observed> reads;
  std::vector<std::pair<int64_t, int64_t>> appends;   // key, value
};

// What is wrong, in words; empty if nothing is. `final_lists` was read after all ended; `aborted` are values of transactions that did not commit.
std::vector<std::string> CheckHistory(const std::vector<CommittedTransaction>& history,
                                      const std::map<int64_t, std::vector<int64_t>>& final_lists,
                                      const std::vector<int64_t>& aborted);

}  // namespace fornix::isolation
