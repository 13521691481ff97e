// The planner's door: from a syntax tree to a physical plan.
//
// bind (names, scopes, static types, all compile-time errors) -> logical plan -> rewrite rules -> physical plan. Reads
// the catalog and statistics only, never the graph. Errors have code, detail and position and are marked CompileTime.
// Thread safety: a pure function of its arguments.
#pragma once

#include <string>
#include <vector>

#include "planner/physical/plan.h"
#include "storage/stats/statistics.h"

namespace fornix::planner {

struct PlannerInput {
  const storage::Tokens* tokens = nullptr;
  const storage::SchemaVersion* schema = nullptr;
  const storage::Statistics* statistics = nullptr;
  const FunctionCatalog* functions = nullptr;
  // Offsets of literals that become parameters of the plan, ascending; null: none. The plan then serves every text that differs in these
  // literals alone, if all of them occur in PhysicalPlan::literals (else one stood where no expression does).
  const std::vector<uint32_t>* lifted = nullptr;
  bool optimize = true;                          // false: no rewrites, no indexes (a configuration of the tests)
  bool use_indexes = true;                       // false: no range index is sought in, all else stays (another one)
};

Result<std::shared_ptr<const PhysicalPlan>> Plan(std::unique_ptr<ast::Statement> statement, const PlannerInput& input);

// What one operator did in one run; by PhysicalOperator::id.
struct OperatorProfile {
  uint64_t rows = 0;
  uint64_t time_ns = 0;                          // without its children
  uint64_t db_hits = 0;                          // elements, properties and list entries read
  uint64_t distance_computations = 0;
  // Of vector searches, and how they found their answers: VectorSearchStats of storage/graph/graph_view.h, summed.
  struct Searches {
    uint64_t count = 0, passing = 0, reranked = 0, unlinked = 0, rejected = 0;
    uint64_t ids = 0;                              // that came from a list; with `listed` searches
    uint64_t listed = 0, scanned = 0;              // searches that had a list; ones that looked at all rows instead
    bool exact = true;                             // all of them
    std::vector<std::string_view> strategies;      // different ones, never freed
  } searches;
  uint64_t memory_bytes = 0;
  uint64_t spilled_bytes = 0, spilled_runs = 0;      // put on disk, because memory didn't hold it
};

// The name of an operator as EXPLAIN shows it: "VectorSeed", "Expand(Into)".
std::string_view OperatorName(const PhysicalOperator& op);

// What PROFILE tells of an operator behind its details: how a vector search went, what was spilled. "" for nothing.
std::string ProfileText(const OperatorProfile& profile);

// The tree as aligned text; profile may be empty (EXPLAIN) or has operator_count entries (PROFILE).
std::string ExplainText(const PhysicalPlan& plan, const std::vector<OperatorProfile>& profile);

}  // namespace fornix::planner
