// A sample of the vectors that an index is going to hold, for the centre of its codes (vector/quantize/projection.h).
//
// Short runs of elements all over the numbers that a label's or type's elements have, so that data which came in an order, say of
// clusters, is met everywhere. Threads: as Overlay.
#pragma once

#include "storage/graph/overlay.h"
#include "storage/schema_state.h"

namespace fornix::storage {

// Begins the index around the mean of a sample; nothing where its codes have no centre, it has begun, or there is too little to say.
// Throws ReadFailure.
void BeginAtCentre(const VectorBinding& binding, const Overlay& head);

}  // namespace fornix::storage
