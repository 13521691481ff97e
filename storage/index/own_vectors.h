// OwnVectors: the vectors that a transaction's own writes have in vector indexes, compared exactly by every search of the
// same transaction, with the same arithmetic as the index's. A cache of the write set like OwnKeys, made by the first
// search, kept in step by Changed.
// Threads: those of its transaction.
#pragma once

#include <map>
#include <memory>

#include "storage/index/own_keys.h"
#include "storage/index/vector_index.h"

namespace fornix::storage {

class OwnVectors {
 public:
  // Appends the own elements that `accept` lets through with their distances.
  Status Search(const VectorBinding& binding, const Overlay& overlay, std::span<const float> query,
                const std::function<bool(uint64_t id)>& accept, const CancelCheck& cancel,
                std::vector<VectorIndex::Hit>* out, VectorSearchStats* stats);
  void Changed(EntityKind entity, uint64_t id, const Overlay& overlay) {
    if (!indexes_.empty()) Update(entity, id, overlay);
  }

 private:
  struct PerIndex {
    const VectorBinding* binding;
    std::unique_ptr<vector::VectorStore> rows; // one for each vector that was ever the element's here
    uint32_t dimensions = 0;                   // of the index, or of the first own vector if nothing fixed it yet
    std::map<uint64_t, uint32_t> row_of;       // the newest, by element
  };
  void Update(EntityKind entity, uint64_t id, const Overlay& overlay);
  static void UpdateOne(PerIndex* index, uint64_t id, const Overlay& overlay);

  std::map<IndexId, PerIndex> indexes_;
};

// The vector that an element has in an index: one of the labels, and a property of numbers. False if it has none.
bool VectorOf(const IndexDefinition& definition, const ElementImage& image, std::vector<float>* out);

}  // namespace fornix::storage
