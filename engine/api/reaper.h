// Reaper: frees what a cancelled statement held, so that the statement itself returns at once.
//
// A statement may hold millions of small pieces, in its operators and its write set, and freeing them takes a third as long as making them
// did. What is handed over stays charged to the budget until it is gone. The thread is started when it is first needed.
// A small transaction may be gone before the run that ran in it: freeing a run asks neither its transaction nor its entry among the open ones.
// Threads: any; Close once and last.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/exec/executor.h"

namespace fornix::engine {

class Reaper {
 public:
  ~Reaper() { Close(); }
  // Null pointers and small things are freed here.
  void Take(std::unique_ptr<Execution> run);
  void Take(std::unique_ptr<storage::Transaction> transaction);   // rolled back already
  void Await();                                // until everything is freed
  void Close();

 private:
  struct Dead {                                // destroyed from the last member to the first
    std::unique_ptr<storage::Transaction> transaction;
    std::unique_ptr<Execution> run;
  };
  void Add(Dead dead);
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Dead> queue_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace fornix::engine
