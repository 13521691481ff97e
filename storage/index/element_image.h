// ElementImage: an element as indexes and rules look at it: labels or type as numbers, and all its properties. An element
// that isn't there has no tokens. Borrowed; lives as long as what it points to.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "storage/graph/graph_view.h"

namespace fornix::storage {

struct ElementImage {
  std::span<const uint32_t> tokens;
  const PropertyList* properties = nullptr;
  bool Has(uint32_t token) const {
    for (uint32_t t : tokens) {
      if (t == token) return true;
    }
    return false;
  }
  bool HasAny(std::span<const uint32_t> wanted) const {
    for (uint32_t t : wanted) {
      if (Has(t)) return true;
    }
    return false;
  }
};

// The key in a range index; none if a property is missing or has no key. `nan` says that it equals nothing.
struct IndexKey {
  std::string bytes;
  bool nan = false;
};
std::optional<IndexKey> KeyOf(const IndexDefinition& index, const ElementImage& image);

// LabelIds and a TypeId as tokens.
inline std::vector<uint32_t> TokensOf(std::span<const LabelId> labels) {
  std::vector<uint32_t> tokens;
  for (LabelId label : labels) tokens.push_back(label.value);
  return tokens;
}

}  // namespace fornix::storage
