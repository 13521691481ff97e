// Names of operators, one for each kind.
#include "planner/planner.h"

namespace fornix::planner {

std::string_view OperatorName(const PhysicalOperator& op) {
  switch (op.kind) {
    case OpKind::kArgument: return "Argument";
    case OpKind::kAllNodesScan: return "AllNodesScan";
    case OpKind::kLabelScan: return "LabelScan";
    case OpKind::kIndexSeek: return "IndexSeek";
    case OpKind::kAllRelationshipsScan: return "RelationshipsScan";
    case OpKind::kNodeById: return "NodeById";
    case OpKind::kVectorSeed: return "VectorSeed";
    case OpKind::kExpand: return op.expand_into ? "Expand(Into)" : "Expand";
    case OpKind::kVarExpand: return op.expand_into ? "VarExpand(Into)" : "VarExpand";
    case OpKind::kRepeat: return op.expand_into ? "Repeat(Into)" : "Repeat";
    case OpKind::kShortestPath: return "ShortestPath";
    case OpKind::kFilter: return "Filter";
    case OpKind::kProject: return "Project";
    case OpKind::kAggregate: return "Aggregate";
    case OpKind::kDistinct: return "Distinct";
    case OpKind::kSort: return op.exprs.empty() ? "Sort" : "TopN";
    case OpKind::kSkip: return "Skip";
    case OpKind::kLimit: return "Limit";
    case OpKind::kUnwind: return "Unwind";
    case OpKind::kCreate: return "Create";
    case OpKind::kSet: return "Set";
    case OpKind::kDelete: return op.detach ? "DetachDelete" : "Delete";
    case OpKind::kForeach: return "Foreach";
    case OpKind::kCallProcedure: return "CallProcedure";
    case OpKind::kBarrier: return "Barrier";
    case OpKind::kApply: return "Apply";
    case OpKind::kOptional: return "Optional";
    case OpKind::kSemiApply: return "SemiApply";
    case OpKind::kAntiApply: return "AntiApply";
    case OpKind::kMerge: return "Merge";
    case OpKind::kSubquery: return op.in_transactions ? "SubqueryInTransactions" : "Subquery";
    case OpKind::kHashJoin: return "HashJoin";
    case OpKind::kUnion: return "Union";
    case OpKind::kProduceResults: return "ProduceResults";
    case OpKind::kEmptyResult: return "EmptyResult";
    case OpKind::kSchemaCommand: return "SchemaCommand";
  }
  return "?";
}

}  // namespace fornix::planner
