// OwnKeys: the keys that a transaction's own writes have in range indexes, so that a seek merges two ordered sequences
// instead of looking at every write. A cache of the write set: made per index by the first seek that needs it, kept in
// step by Changed after every write.
// Threads: those of its transaction.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "storage/graph/overlay.h"
#include "storage/index/element_image.h"
#include "storage/schema_state.h"

namespace fornix::storage {

class OwnKeys {
 public:
  using Keys = std::set<std::pair<std::string, uint64_t>>;   // (key, element)

  const Keys& Of(const RangeBinding& binding, const Overlay& overlay);
  void Changed(EntityKind entity, uint64_t id, const Overlay& overlay) {
    if (!indexes_.empty()) Update(entity, id, overlay);
  }

 private:
  struct PerIndex {
    const IndexDefinition* definition;
    Keys keys;
    std::unordered_map<uint64_t, std::string> key_of;
  };
  void Update(EntityKind entity, uint64_t id, const Overlay& overlay);
  static void UpdateOne(PerIndex* index, uint64_t id, const Overlay& overlay);

  std::map<IndexId, PerIndex> indexes_;
};

// The image of an element as the overlay sees it, own writes included.
struct SeenImage {
  std::vector<uint32_t> tokens;
  PropertyList properties;
  ElementImage image() const { return {tokens, &properties}; }
};
SeenImage ImageOf(const Overlay& overlay, EntityKind entity, uint64_t id);
// Whether the own write set says anything about the element that an index could care for.
bool TouchedHere(const WriteSet& own, EntityKind entity, uint64_t id);

}  // namespace fornix::storage
