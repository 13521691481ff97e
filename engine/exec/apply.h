// The two ways to run an inner plan for each outer row.
#pragma once

#include "engine/exec/builder.h"

namespace fornix::engine {

// Streams; with may_batch, many outer rows at once where the inner plan allows it.
OperatorPtr MakeStreamingApply(Builder& builder, const PhysicalOperator& plan, bool optional, bool may_batch);
// Takes in all outer rows, runs the inner plan for one after the other to its end, then emits: for inner plans that write.
OperatorPtr MakeEagerApply(Builder& builder, const PhysicalOperator& plan, bool optional);

}  // namespace fornix::engine
