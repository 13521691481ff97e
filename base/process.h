// This process, as others know it: its number, and the words that a lock file holds about it.
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include "fornix/status.h"

namespace fornix {

// Cheap enough for each transaction: kept, and set anew in the child of a fork.
int64_t ProcessId();
// Usage if `opened_by` is another process: after a fork the child has the parent's database, but not its threads, and not its
// right to write.
Status CheckProcess(int64_t opened_by);
// "process 4711 (fornix) since 2026-01-31T12:00:00Z": since now, that is.
std::string ProcessWords();

}  // namespace fornix
