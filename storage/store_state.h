// StoreState: the parts of one open database, as transactions, recovery and the store itself share them. Internal to
// storage/; who outside wants something goes through store.h.
#pragma once

#include "storage/index/vector_linker.h"
#include "storage/schema_state.h"
#include "storage/txn/generations.h"
#include "storage/txn/id_allocator.h"
#include "storage/txn/logged_tokens.h"
#include "storage/txn/recent.h"
#include "storage/txn/sequencer.h"
#include "wal/writer.h"

namespace fornix::storage {

struct StoreState {
  Tokens tokens;
  LabelSets label_sets;                        // of all layers, and outlives them
  IdAllocator ids;
  Sequencer sequencer;
  Generations generations{&sequencer};
  SchemaHistory schemas;                       // under the sequencer's mutex
  RecentCommits recent;                        // under the sequencer's mutex
  std::unique_ptr<wal::LogWriter> log;         // null: nothing is logged (in memory, read only, recovery)
  LoggedTokens logged;
  bool read_only = false;
  VectorLinker linker;                         // last: its thread uses what is above
};

}  // namespace fornix::storage
