// Each vector index's image against the elements of the base: it can be read, its graph leads to every slot that is linked, and it has a
// vector of each element that has one, and of no other.
//
// A whole image is read into memory for that, one index after the other.
#pragma once

#include <functional>

#include "storage/base/paged_base.h"
#include "storage/check/catalog_content.h"
#include "storage/page/extent_file.h"

namespace fornix::storage {

struct VectorCheck {
  std::function<void(const ExtentRef&, ExtentKind)> extent;    // each one that an image reaches
  std::function<void(std::string)> problem;
  std::function<void(uint64_t done, uint64_t all)> progress;   // indexes
  uint64_t live = 0;                           // elements with a vector in an index
  uint64_t slots = 0, linked = 0;              // of all images
  uint64_t unreachable = 0;                    // live slots that are linked, and to which no way leads
};
// Extents only; what can't be read is a problem.
void ReachVectorImages(const ExtentFile& file, const BaseRoots& roots, VectorCheck* check);
void CheckVectorImages(const ExtentFile& file, const BaseRoots& roots, const Base& base, const CatalogContent& catalog, VectorCheck* check);

}  // namespace fornix::storage
