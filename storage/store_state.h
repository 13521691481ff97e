// StoreState: the parts of one open database, as transactions, recovery and the store itself share them. Internal to
// storage/; who outside wants something goes through store.h.
#pragma once

#include "base/process.h"
#include "base/memory_budget.h"
#include "storage/index/vector_fill.h"
#include "storage/index/vector_keeper.h"
#include "storage/index/vector_linker.h"
#include "storage/index/vector_load.h"
#include "storage/schema_state.h"
#include "storage/txn/generations.h"
#include "storage/txn/id_allocator.h"
#include "storage/txn/logged_tokens.h"
#include "storage/txn/recent.h"
#include "storage/txn/sequencer.h"
#include "wal/writer.h"

namespace fornix::storage {

class Checkpointer;

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
  std::atomic<uint64_t> log_appended{0};       // bytes of records, those of recovery included
  MemoryBudget* budget = nullptr;              // never null once open
  Checkpointer* checkpointer = nullptr;        // null: in memory, read only, or opening
  bool read_only = false;
  const int64_t process = ProcessId();         // that opened it
  bool async = false;                          // commits are acknowledged when they are queued for the log
  std::function<void()> ended;                 // after each transaction; may be empty
  // A reader of a file that another process writes: everything before is void but for the snapshots that hold it.
  void StartAnew() {
    load.Stop();
    fill.Stop();
    generations.Restart();
    std::lock_guard lock(sequencer.mutex());
    sequencer.StartAt(0);
    schemas.Clear();
  }

  VectorLinker linker;                         // last: their threads use what is above
  VectorLoad load;
  VectorFill fill;
  VectorKeeper keeper{this};
};

}  // namespace fornix::storage
