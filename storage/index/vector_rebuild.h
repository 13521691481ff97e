// A vector index made anew beside the old one: because its codes or links are to be others, or because most of its slots are freed.
//
//   old     answers .................................. snapshots from before the switch
//   fresh   successor: commits bring to both | fill | link | switch: one schema commit, from which on it has the index's number
//
// Nothing of it is in the log or the file before the switch, so a crash, or whatever ends the building, leaves the old one as it is.
// Threads: any, without the sequencer's mutex; one at a time an index, a second is refused.
#pragma once

#include <functional>
#include <string_view>

#include "storage/catalog/catalog.h"
#include "vector/function_ref.h"

namespace fornix::storage {

struct StoreState;

// The same options; `interrupt` is asked every so often, and a status that isn't ok ends it.
Status RebuildVectorIndex(StoreState* store, IndexId index, vector::FunctionRef<Status()> interrupt);
// Other options, as a statement's work: its interruption ends it. The new codes are in the file when it returns.
Status AlterBuiltIndex(StoreState* store, std::string_view name, const std::function<Status(VectorIndexOptions*)>& change);

}  // namespace fornix::storage
