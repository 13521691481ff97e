// IndexPlan: what a commit does to indexes; the part of a CommitPlan that a schema without indexes never needs. The same
// steps and rules: Add outside the mutex, FindClash and Reserve inside before the log append, Apply after.
#pragma once

#include <unordered_map>
#include <vector>

#include "storage/index/element_image.h"
#include "storage/schema_state.h"
#include "storage/txn/retire.h"

namespace fornix::storage {

// Two elements that would have one unique key. `begin`: since when the holder has it; 0 if it comes with this commit.
struct UniqueClash {
  const RangeBinding* binding;
  uint64_t holder;
  uint64_t refused;
  Timestamp begin;
};

class IndexPlan {
 public:
  // `before` and `after` are images of one element.
  void Add(const SchemaState& schema, EntityKind entity, uint64_t id, const ElementImage& before,
           const ElementImage& after);
  // Two elements of this transaction with one unique key.
  std::optional<UniqueClash> FindOwnDuplicate() const;
  // A unique key that the newest state holds already, net of what this commit removes.
  std::optional<UniqueClash> FindClash() const;
  // A vector that doesn't fit its index, whose dimensions may have been fixed since the statement ran.
  Status TestVectors(const Tokens& tokens) const;
  void Reserve(Timestamp floor, RetireList* retired);
  void Apply(Timestamp ts);
  // For the linker, after the commit: how many rows each index got.
  std::vector<std::pair<std::shared_ptr<VectorIndex>, uint64_t>> Brought() const;

 private:
  struct RangeChange {
    const RangeBinding* binding;
    uint64_t id;
    std::optional<std::string> removed;
    RangeIndex::EntryPtr added;
    bool nan = false;
  };
  struct VectorChange {
    const VectorBinding* binding;
    uint64_t id;
    bool removed;
    std::vector<float> added;                  // empty: none
    uint32_t slot;
  };
  void AddRange(const RangeBinding& binding, uint64_t id, const ElementImage& before, const ElementImage& after);
  void AddVector(const VectorBinding& binding, uint64_t id, const ElementImage& before, const ElementImage& after);
  bool Removes(const RangeBinding* binding, std::string_view key, uint64_t id) const;

  std::vector<RangeChange> ranges_;
  std::unordered_multimap<uint64_t, size_t> unique_removers_;   // by element: places in ranges_ that free a unique key
  std::vector<VectorChange> vectors_;
};

// "index emb on (:Memory {embedding}), Node(7): a vector of 3 dimensions, expected 4".
Status VectorRefusal(const Tokens& tokens, const IndexDefinition& definition, uint64_t id, const Status& why);

}  // namespace fornix::storage
