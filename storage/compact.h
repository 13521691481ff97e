// Compaction: the newest state as ordinary records, the shortest log that re-creates it, ids and all.
//
// Written by a clean close into a new generation beside the old log; the root slot decides which one counts, so a crash at
// any point leaves the old or the new. The last record holds the id allocator's state and so marks where the compacted part
// ends: deleted elements leave no other trace, and their ids must not come back.
// Threads: one, when no transaction runs.
#pragma once

#include <functional>

#include "storage/store_state.h"

namespace fornix::storage {

// Calls write(record) for each record in order.
Status WriteCompactRecords(StoreState* store, const std::function<Status(std::vector<std::byte> record)>& write);

}  // namespace fornix::storage
