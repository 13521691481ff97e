// StoreState: the parts of one open database, as transactions, recovery and the store itself share them. Internal to
// storage/; who outside wants something goes through store.h.
#pragma once

#include "storage/graph/base.h"
#include "storage/graph/delta.h"
#include "storage/schema_state.h"
#include "storage/txn/commit_log.h"
#include "storage/txn/id_allocator.h"
#include "storage/txn/recent.h"
#include "storage/txn/sequencer.h"

namespace fornix::storage {

struct StoreState {
  Tokens tokens;
  Delta delta;
  EmptyBase base;
  IdAllocator ids;
  Sequencer sequencer;
  SchemaHistory schemas;                       // under the sequencer's mutex
  RecentCommits recent;                        // under the sequencer's mutex
  std::unique_ptr<CommitLog> log;              // null: in memory only
  LoggedTokens logged;
  bool read_only = false;
};

}  // namespace fornix::storage
