// Cancelling a statement from another thread, and what the statement's thread still did after that.
//
// The measure is the processor time of the thread that runs the statement, from the call of Cancel() to the return of the
// statement: a machine that is busy with other things doesn't lengthen it, a loop that doesn't look does.
#pragma once

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <thread>

#include "tests/api/api_test_util.h"
#include "tests/hostile/resident.h"

namespace fornix::test {

inline int64_t NanosOf(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

struct Outcome {
  Status status;
  bool cancelled = false;          // Cancel() was called while it ran
  int64_t ran_ns = 0;              // processor time in all
  int64_t after_ns = 0;            // and after Cancel() had returned
};

inline Status RunToEnd(Connection& connection, const std::string& text, const Map& parameters, const ExecuteOptions& options) {
  auto cursor = connection.Execute(text, parameters, options);
  Status status = cursor.status();
  std::vector<Row> rows;
  while (status.ok() && !(*cursor)->done()) {
    rows.clear();
    status = (*cursor)->Fetch(1000, &rows);
  }
  return status;
}

// Runs the statement in a thread of its own and cancels it when that has had so much processor time. With cancel_ns < 0 nobody cancels.
inline Outcome RunAndCancel(Connection& connection, const std::string& text, const Map& parameters, const ExecuteOptions& options, int64_t cancel_ns) {
  Outcome out;
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::atomic<bool> started{false}, ended{false}, release{false};
    clockid_t clock{};
    int64_t end = 0, before = 0, after = 0;
    std::thread thread([&] {
      pthread_getcpuclockid(pthread_self(), &clock);
      started.store(true);
      out.status = RunToEnd(connection, text, parameters, options);
      end = NanosOf(CLOCK_THREAD_CPUTIME_ID);
      ended.store(true);
      while (!release.load()) std::this_thread::sleep_for(std::chrono::microseconds(200));   // its clock ends with it
    });
    while (!started.load()) std::this_thread::yield();
    out.cancelled = false;
    while (!ended.load()) {
      if (cancel_ns < 0 || out.cancelled || (before = NanosOf(clock)) < cancel_ns) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        continue;
      }
      connection.Cancel();
      after = NanosOf(clock);
      out.cancelled = true;
    }
    release.store(true);
    thread.join();
    out.ran_ns = end;
    out.after_ns = out.cancelled && end > after ? end - after : 0;
    // We were put aside in the middle of the call: nobody knows when the statement could have seen it.
    if (out.cancelled && after - before > 2'000'000) continue;
    break;
  }
  return out;
}

}  // namespace fornix::test
