// The vectors themselves, for searches that find their way by codes: the elements' properties as a snapshot has them.
//
// One batch for what only the base has, in the order of elements, which is that of its pages; nothing is allocated for a row.
// Threads: as Overlay.
#pragma once

#include "storage/graph/overlay.h"
#include "vector/hnsw/search_request.h"

namespace fornix::storage {

// Hands `take` the numbers of each element that has some under that key, with its place in `ids`, which ascend. Throws ReadFailure.
void ReadVectors(const Overlay& overlay, EntityKind entity, PropertyId key, std::span<const uint64_t> ids, vector::TakeOriginal take);

}  // namespace fornix::storage
