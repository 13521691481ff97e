// VectorIndex: placeholder of the vector binding until vector/hnsw lands.
#pragma once

#include "storage/catalog/catalog.h"

namespace fornix::storage {

class VectorIndex {
 public:
  explicit VectorIndex(const VectorIndexOptions&) {}
};

}  // namespace fornix::storage
