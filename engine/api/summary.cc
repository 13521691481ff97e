// Summaries; see summary.h.
#include "engine/api/summary.h"

namespace fornix {

std::string_view QueryTypeName(QueryType type) {
  switch (type) {
    case QueryType::kRead: return "r";
    case QueryType::kReadWrite: return "rw";
    case QueryType::kWrite: return "w";
    case QueryType::kSchema: return "s";
  }
  return "r";
}

namespace {
struct CounterText {
  uint64_t Counters::*count;
  const char *verb, *one, *many;
};
constexpr CounterText kCounterTexts[] = {
    {&Counters::nodes_created, "created", "node", "nodes"},
    {&Counters::nodes_deleted, "deleted", "node", "nodes"},
    {&Counters::relationships_created, "created", "relationship", "relationships"},
    {&Counters::relationships_deleted, "deleted", "relationship", "relationships"},
    {&Counters::properties_set, "set", "property", "properties"},
    {&Counters::labels_added, "added", "label", "labels"},
    {&Counters::labels_removed, "removed", "label", "labels"},
    {&Counters::indexes_added, "created", "index", "indexes"},
    {&Counters::indexes_removed, "dropped", "index", "indexes"},
    {&Counters::constraints_added, "created", "constraint", "constraints"},
    {&Counters::constraints_removed, "dropped", "constraint", "constraints"},
};
}  // namespace

bool Counters::contains_updates() const {
  for (const CounterText& row : kCounterTexts) {
    if (this->*row.count) return true;
  }
  return false;
}

std::string Counters::ToString() const {
  std::string out;
  for (const CounterText& row : kCounterTexts) {
    uint64_t n = this->*row.count;
    if (n == 0) continue;
    out += out.empty() ? "" : ", ";
    out += std::string(row.verb) + " " + std::to_string(n) + " " + (n == 1 ? row.one : row.many);
  }
  if (!out.empty()) out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

}  // namespace fornix

namespace fornix::engine {

QueryType PublicType(planner::QueryType type) {
  switch (type) {
    case planner::QueryType::kRead: return QueryType::kRead;
    case planner::QueryType::kReadWrite: return QueryType::kReadWrite;
    case planner::QueryType::kWrite: return QueryType::kWrite;
    case planner::QueryType::kSchema: return QueryType::kSchema;
  }
  return QueryType::kRead;
}

Counters PublicCounters(const storage::WriteCounters& c) {
  return {c.nodes_created, c.nodes_deleted, c.relationships_created, c.relationships_deleted, c.properties_set, c.labels_added,
          c.labels_removed, c.indexes_added, c.indexes_removed, c.constraints_added, c.constraints_removed};
}

std::vector<Notification> PublicNotifications(const std::vector<planner::Notification>& notifications) {
  std::vector<Notification> out;
  for (const planner::Notification& n : notifications) out.push_back({n.code, n.title, n.description, n.severity, n.position});
  return out;
}

namespace {
PlanNode BuildNode(const planner::PhysicalOperator& op, const std::vector<planner::OperatorProfile>& profile) {
  PlanNode node;
  node.op = planner::OperatorName(op);
  node.details = op.details;
  node.estimated_rows = op.estimated_rows;
  if (op.id < profile.size()) {
    const planner::OperatorProfile& p = profile[op.id];
    node.rows = p.rows;
    node.db_hits = p.db_hits;
    node.time_ns = p.time_ns;
    node.distance_computations = p.distance_computations;
    node.memory_bytes = p.memory_bytes;
    node.spilled_bytes = p.spilled_bytes;
    node.spilled_runs = p.spilled_runs;
    const std::string told = planner::ProfileText(p);
    if (!told.empty()) node.details += (node.details.empty() ? "" : "; ") + told;
  }
  for (const auto& child : op.children) node.children.push_back(BuildNode(*child, profile));
  return node;
}
}  // namespace

std::shared_ptr<const PlanNode> PublicPlan(const planner::PhysicalPlan& plan, const std::vector<planner::OperatorProfile>& profile) {
  return std::make_shared<PlanNode>(BuildNode(*plan.root, profile));
}

}  // namespace fornix::engine
