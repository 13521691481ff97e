// Bound expressions as short text for EXPLAIN: as written where that is known, else put together from names.
#pragma once

#include <string>
#include <vector>

#include "planner/bind/expr.h"

namespace fornix::planner {

std::string ExprText(const BoundExpr& expr, const std::vector<std::string>& slot_names);
std::string LabelText(const LabelPredicate& labels, const std::vector<std::string>& slot_names);

}  // namespace fornix::planner
