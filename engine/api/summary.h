// From what the planner and the executor know to what a Summary tells.
#pragma once

#include "fornix/result.h"
#include "planner/planner.h"
#include "storage/txn/transaction.h"

namespace fornix::engine {

QueryType PublicType(planner::QueryType type);
Counters PublicCounters(const storage::WriteCounters& counters);
std::vector<Notification> PublicNotifications(const std::vector<planner::Notification>& notifications);
// `profile`: empty, or one entry an operator.
std::shared_ptr<const PlanNode> PublicPlan(const planner::PhysicalPlan& plan, const std::vector<planner::OperatorProfile>& profile);

}  // namespace fornix::engine
