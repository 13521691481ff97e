// From the engine's values to those of a result: elements by id become Node, Relationship and Path values with labels,
// types and properties as the transaction sees them now; also inside lists and maps.
#pragma once

#include "engine/exec/context.h"

namespace fornix::engine {

Result<Value> MaterializeAt(ExecutionContext& context, const Column& column, size_t row);
Result<Value> Materialize(ExecutionContext& context, const Value& value);

}  // namespace fornix::engine
