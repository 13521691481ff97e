// The count of SKIP and LIMIT: an integer of at least 0, or a SyntaxError found at run time.
#pragma once

#include "engine/exec/expression.h"

namespace fornix::engine {

Result<int64_t> EvaluateCount(ExecutionContext& context, Evaluator& count, const char* clause);

}  // namespace fornix::engine
