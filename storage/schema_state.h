// SchemaState: a SchemaVersion bound to its indexes, and the history of them that live snapshots need.
//
// A transaction holds the state of its snapshot (shared: an index that was dropped lives until the last snapshot that
// can use it is gone). A commit maintains the indexes and obeys the rules of the newest state.
// Threads: a SchemaState never changes; SchemaHistory is under the sequencer's mutex.
#pragma once

#include <deque>
#include <memory>

#include "storage/catalog/catalog.h"

namespace fornix::storage {

struct SchemaState {
  std::shared_ptr<const SchemaVersion> version;
};

class SchemaHistory {
 public:
  SchemaHistory();
  std::shared_ptr<const SchemaState> At(Timestamp snapshot) const;
  const std::shared_ptr<const SchemaState>& newest() const { return states_.back().state; }
  void Add(Timestamp ts, std::shared_ptr<const SchemaState> state) { states_.push_back({ts, std::move(state)}); }
  // Forgets what no snapshot at or after `floor` can ask for.
  void Trim(Timestamp floor);

 private:
  struct Item {
    Timestamp begin;
    std::shared_ptr<const SchemaState> state;
  };
  std::deque<Item> states_;
};

}  // namespace fornix::storage
