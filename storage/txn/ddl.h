// Filling what a new schema brings: shared by the commit of schema changes and by recovery.
//
// New range indexes are filled into lists of their own, which nobody sees; Install puts them into the active delta. Filling may
// fail and allocate, and then the lists are thrown away; Install does neither.
#pragma once

#include <set>

#include "storage/graph/overlay.h"
#include "storage/schema_state.h"
#include "storage/txn/online_schema.h"

namespace fornix::storage {

class NewRanges {
 public:
  void Add(RangeSlot* slot, std::unique_ptr<RangeIndex> list) {
    bytes_ += list->EntryBytes();
    filled_.push_back({slot, std::move(list)});
  }
  // An index whose keys don't all fit a tree: recovery left those out.
  void LeftOut(IndexId index) { left_out_.insert(index); }
  const std::set<IndexId>& left_out() const { return left_out_; }
  void Install(Delta* active) {
    for (Filled& filled : filled_) filled.slot->list.store(filled.list.release(), std::memory_order_release);
    active->AddMemory(static_cast<int64_t>(bytes_));
  }

 private:
  struct Filled {
    RangeSlot* slot;
    std::unique_ptr<RangeIndex> list;
  };
  std::vector<Filled> filled_;
  std::set<IndexId> left_out_;
  size_t bytes_ = 0;
};

// Fills the indexes of `after` that `before` doesn't have from the newest state, as of `ts`, and tests the rules that are
// new (recovery doesn't: they were tested, and keys that no tree takes are left out). What is deferred is left out. `active` only gets empty places.
Status FillSchema(const SchemaState& before, const SchemaState& after, const Tokens& tokens, const Overlay& head, Timestamp ts,
                  bool test_rules, const DeferredSchema& deferred, Delta* active, NewRanges* ranges);
// Fills an empty vector index; its graph begins around the mean of a sample.
// ResourceExhausted where the budget has no room, if it `may_refuse`.
Status FillVector(const VectorBinding& binding, const Tokens& tokens, const Overlay& head, Timestamp ts, bool may_refuse);
// The rules that FillSchema left out, on what a snapshot sees.
Status TestDeferredRules(const SchemaState& schema, const Tokens& tokens, const Overlay& seen, const DeferredSchema& deferred);

}  // namespace fornix::storage
