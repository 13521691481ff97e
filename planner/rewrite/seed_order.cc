// A VectorSeed streams its hits by descending score. Operators that hand rows on one by one keep that order, so that
// ORDER BY score DESC above them is done already, and a LIMIT above it stops the search, the expansion and all between. A hash join isn't one of
// them: it keeps the order only as long as its rows fit into memory.
#include <optional>

#include "planner/physical/op_util.h"
#include "planner/rewrite/rules.h"

namespace fornix::planner {
namespace {

// The slot by whose descending value the rows come.
std::optional<Slot> DescendingBy(const PhysicalOperator& op) {
  switch (op.kind) {
    case OpKind::kVectorSeed:
      if (!op.scan_else) return op.score;
      return std::nullopt;
    case OpKind::kExpand:
    case OpKind::kVarExpand:
    case OpKind::kShortestPath:
    case OpKind::kIntersect:
    case OpKind::kDegree:
    case OpKind::kFilter:
    case OpKind::kProject:
    case OpKind::kLimit:
    case OpKind::kSkip:
    case OpKind::kUnwind:
    case OpKind::kApply:
    case OpKind::kOptional:
    case OpKind::kSemiApply:
    case OpKind::kAntiApply: return DescendingBy(*op.children[0]);
    case OpKind::kSubquery:
      if (TreeWrites(*op.children[1])) return std::nullopt;
      return DescendingBy(*op.children[0]);
    default: return std::nullopt;
  }
}

}  // namespace

void DropSortsOfSeeds(std::shared_ptr<PhysicalOperator>* root) {
  for (auto& child : (*root)->children) DropSortsOfSeeds(&child);
  const PhysicalOperator& op = **root;
  if (op.kind != OpKind::kSort || op.sort_keys.size() != 1 || !op.sort_keys[0].descending) return;
  if (DescendingBy(*op.children[0]) != op.sort_keys[0].slot) return;
  auto below = op.children[0];
  *root = std::move(below);
}

}  // namespace fornix::planner
