// What a session asks of a statement before and after it runs: whether its parameters may be parameters, and what its plan does.
#pragma once

#include "fornix/status.h"
#include "fornix/value.h"
#include "planner/planner.h"

namespace fornix::engine {

// ParameterInvalid or LimitExceeded, with the parameter's name.
Status CheckParameters(const Map& parameters);

// CALL {...} IN TRANSACTIONS: some of its batches may be committed when it fails, and would be again if it ran again.
bool CommitsInside(const planner::PhysicalOperator& plan);

// Whether it acts on more than the graph, so that it has to run whether or not anybody asks for its rows.
bool ActsAtOnce(const planner::PhysicalOperator& plan);

// The error of a commit, with the place of the clause that wrote if the statement has only one.
Status AtItsWrite(Status status, const planner::PhysicalOperator& plan);

}  // namespace fornix::engine
