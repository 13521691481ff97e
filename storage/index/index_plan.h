// IndexPlan: what a commit does to indexes; the part of a CommitPlan that a schema without indexes never needs. The same
// steps and rules: Add and FindHolders outside the mutex, FindClash and Reserve inside before the log append, Apply after.
//
// Unique keys: outside the mutex all layers of the own snapshot are asked who holds them, which may read the base; inside, only
// the generations with commits since then are: did the holder give the key up, did somebody take it.
#pragma once

#include <array>
#include <set>
#include <unordered_map>
#include <vector>

#include "storage/graph/overlay.h"
#include "storage/index/element_image.h"
#include "storage/schema_state.h"
#include "storage/txn/retire.h"

namespace fornix::storage {

// Two elements that would have one unique key. `begin`: since when the holder has it, where that is after the snapshot.
struct UniqueClash {
  const RangeBinding* binding;
  uint64_t holder;
  uint64_t refused;
  Timestamp begin;
};

class IndexPlan {
 public:
  IndexPlan() = default;
  IndexPlan(const IndexPlan&) = delete;
  IndexPlan& operator=(const IndexPlan&) = delete;
  ~IndexPlan();                                // rows of vectors that Apply didn't stamp are given up
  // `before` and `after` are images of one element.
  void Add(const SchemaState& schema, EntityKind entity, uint64_t id, const ElementImage& before,
           const ElementImage& after);
  // Two elements of this transaction with one unique key.
  std::optional<UniqueClash> FindOwnDuplicate() const;
  // Who holds the unique keys at the snapshot.
  void FindHolders(const Overlay& committed);
  // A unique key that the newest state holds already, net of what this commit removes. `since`: the generations with commits since the
  // snapshot, oldest first.
  std::optional<UniqueClash> FindClash(std::span<const std::shared_ptr<Delta>> since, Timestamp snapshot) const;
  // A vector that doesn't fit its index, whose dimensions may have been fixed since the statement ran.
  Status TestVectors(const Tokens& tokens) const;
  // A key longer than a page of the tree takes: refused here, for a checkpoint couldn't write it.
  Status TestKeys(const Tokens& tokens) const;
  // The same where nothing can be refused any more, in recovery: such keys, which earlier versions took, are left out, and their
  // indexes added to *indexes.
  void LeaveOutLongKeys(std::set<IndexId>* indexes);
  // These return the bytes that range lists shrank, and grew.
  size_t Reserve(Delta* delta, Timestamp floor, RetireList* retired);
  size_t Apply(Timestamp ts);
  // Whether the budget has room for the rows of new vectors; held until this is gone, for the indexes charge what they really take.
  Status HoldRoom(const Tokens& tokens);
  // For the linker, after the commit: how many rows each index got; 0 where vectors ended.
  std::vector<std::pair<std::shared_ptr<VectorIndex>, uint64_t>> Brought() const;

 private:
  struct RangeChange {
    const RangeBinding* binding;
    uint64_t id;
    std::optional<std::string> removed;
    RangeIndex::EntryPtr added;
    bool nan = false;
    std::vector<uint64_t> holders;             // of a unique key, at the snapshot
    RangeIndex* list = nullptr;
    RangeIndex::EntryPtr tombstone;            // what is removed lies below
    bool is_unique() const { return binding->unique != nullptr && added != nullptr && !nan; }
  };
  struct VectorChange {
    const VectorBinding* binding;
    uint64_t id;
    bool removed;
    std::vector<float> added;                  // empty: none
    // The index, and the one that is filled to take its place; null: nothing stored there.
    struct Row {
      std::shared_ptr<VectorIndex> index;
      uint32_t slot = 0;
      bool stored = false;
      bool waits = false;                      // until the index is loaded; nobody but the commit knows of it
    };
    std::array<Row, 2> rows;
  };
  void AddRange(const RangeBinding& binding, uint64_t id, const ElementImage& before, const ElementImage& after);
  void AddVector(const VectorBinding& binding, uint64_t id, const ElementImage& before, const ElementImage& after);
  bool Removes(const RangeBinding* binding, std::string_view key, uint64_t id) const;

  std::vector<RangeChange> ranges_;
  std::unordered_multimap<uint64_t, size_t> unique_removers_;   // by element: places in ranges_ that free a unique key
  std::vector<VectorChange> vectors_;
  std::vector<std::pair<std::shared_ptr<VectorIndex>, uint64_t>> held_;   // room in the budget
};

// "range index 'by_name' on (:Person {name}), Node(7): a key of 9000 bytes; at most 8192 are possible".
Status KeyRefusal(const Tokens& tokens, const IndexDefinition& definition, uint64_t id, size_t bytes);
// "index emb on (:Memory {embedding}), Node(7): a vector of 3 dimensions, expected 4".
Status VectorRefusal(const Tokens& tokens, const IndexDefinition& definition, uint64_t id, const Status& why);

}  // namespace fornix::storage
