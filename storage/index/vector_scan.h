// The k nearest by comparing the vectors of all visible elements: what answers a vector search while the index is being
// filled, and for snapshots older than that. Exact; own writes included.
// Threads: as Overlay.
#pragma once

#include "storage/graph/overlay.h"
#include "storage/index/vector_index.h"
#include "storage/schema_state.h"

namespace fornix::storage {

// Appends every accepted element's distance to *out (unsorted, at most k after each group of rows). Throws ReadFailure.
Status ScanVectors(const VectorBinding& binding, const Overlay& overlay, std::span<const float> query, size_t k,
                   const std::function<bool(uint64_t id)>& accept, const CancelCheck& cancel,
                   std::vector<VectorIndex::Hit>* out, VectorSearchStats* stats);

}  // namespace fornix::storage
