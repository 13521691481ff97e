// Arguments as a procedure's signature wants them: an INTEGER becomes a FLOAT where only FLOAT is taken, null is taken
// everywhere, anything else that doesn't fit is a TypeError that names the procedure, the argument and both types.
#pragma once

#include "planner/bind/function_catalog.h"
#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

Result<Value> CoerceArgument(const planner::ProcedureSignature& signature, size_t index, Value value);

}  // namespace fornix::engine
