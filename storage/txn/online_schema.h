// Indexes and rules over much data, without holding up other commits.
//
//   1  the commit of the schema change makes them known at once: an index is POPULATING (not used by plans, but every commit from
//      now on maintains it), a rule is obeyed by every commit from now on
//   2  behind it a checkpoint builds the tree of each new index out of a scan of its own snapshot (index/index_build.h); rules are
//      tested on a snapshot that is younger than the change
//   3  a second commit turns the indexes ONLINE, after it has tested under the mutex what came in between for unique keys;
//      or it takes everything back, and the statement fails with what was found
// Small ones (kOnlineSchemaElements) are filled and tested inside the first commit, which then is all. A crash between 1 and 3
// leaves the index POPULATING; opening goes on with 2.
#pragma once

#include <vector>

#include "base/ids.h"
#include "storage/store_state.h"

namespace fornix::storage {

// What a schema commit left to do.
struct DeferredSchema {
  std::vector<IndexId> ranges, vectors;
  std::vector<ConstraintId> constraints;
  bool graph_type = false;
  bool empty() const { return ranges.empty() && vectors.empty() && constraints.empty() && !graph_type; }
  bool Has(IndexId id) const;
  bool Has(ConstraintId id) const;
};

// What of `after` is new against `before` and concerns so many elements of the base that it has to be done online; marks such
// range indexes as not online.
DeferredSchema Defer(const SchemaVersion& before, SchemaVersion* after, const Base& base);

// 2 and 3. Not under the mutex.
Status FinishSchema(StoreState* store, DeferredSchema deferred, bool at_opening);
// After opening: what a crash left POPULATING.
DeferredSchema Unfinished(const SchemaVersion& schema);

}  // namespace fornix::storage
