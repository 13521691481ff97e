// Each range index of the base against the elements: what they say of themselves is what the trees hold, and nothing else.
//
// One pass over the elements of each label or type and one over each tree sum up hashes of (key, id); equal sums and counts
// are equal contents. Only where they differ are entries looked up one by one, in both directions, to name the difference.
#pragma once

#include <functional>

#include "storage/base/paged_base.h"
#include "storage/check/catalog_content.h"

namespace fornix::storage {

struct IndexCheck {
  std::function<void(std::string)> problem;
  std::function<void(uint64_t done, uint64_t all)> progress;   // indexes
  uint64_t entries = 0;
};
void CheckIndexes(const BaseContext& context, const BaseRoots& roots, const Base& base, const CatalogContent& catalog, IndexCheck* check);

}  // namespace fornix::storage
