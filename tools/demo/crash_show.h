// The part of the demo that pulls the plug: a child process writes memories, one durable commit each, and tells the parent the
// number of each that was acknowledged; the parent kills it with SIGKILL in the middle of a write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fornix/status.h"

namespace fornix::demo {

struct CrashResult {
  std::vector<int64_t> acknowledged;     // numbers whose commit was acknowledged before the kill
};
// Starts this very program again with --writer, lets it commit for some `millis` and kills it.
Result<CrashResult> KillAWriter(const std::string& database_path, int millis);
// What the child does; returns only on an error.
int RunWriter(const std::string& database_path, int pipe_fd);

}  // namespace fornix::demo
