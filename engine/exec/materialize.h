// From the engine's values to those of a result: elements by id become Node, Relationship and Path values with labels,
// types and properties as the transaction sees them now; also inside lists and maps.
#pragma once

#include "engine/exec/context.h"

namespace fornix::engine {

// What is made is charged while it grows: a list of a million nodes is far larger than their ids.
Result<Value> MaterializeAt(ExecutionContext& context, const Column& column, size_t row, ScratchCharge* charge);

}  // namespace fornix::engine
