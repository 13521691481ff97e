// What the parts of bench storage share: the figures of one part each, through the public interface. An error ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/common/report.h"
#include "fornix/database.h"

namespace fornix::bench {

[[noreturn]] inline void Die(const std::string& text) {
  std::fprintf(stderr, "bench_storage: %s\n", text.c_str());
  std::exit(1);
}
inline void Check(const Status& status) {
  if (!status.ok()) Die(status.ToString());
}
template <typename T>
T Take(Result<T> result) {
  Check(result.status());
  return std::move(result).value();
}
inline double Seconds(uint64_t start) { return static_cast<double>(MonotonicNanos() - start) / 1e9; }

struct Random {
  uint64_t state = 88172645463325252ull;
  uint64_t Next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  }
  uint64_t Below(uint64_t n) { return Next() % n; }
};

size_t RunOnce(Connection& connection, const Prepared& prepared, const Map& parameters);   // the number of rows
// Runs `text` `times` times with $k below `keys`; microseconds of each.
std::vector<double> Times(Connection& connection, const std::string& text, uint64_t keys, int times, Random* random);
int RunProgram(const std::vector<std::string>& arguments);                               // its exit code; standard output is dropped

// `old_seconds`: the age that the old snapshot has when the checkpoint begins.
void Commits(Database& database, const std::string& folder, double old_seconds, Report* report);
// A database of its own with one hub of `relationships`.
void Hub(const std::string& program, const std::string& folder, uint64_t relationships, Report* report);

}  // namespace fornix::bench
