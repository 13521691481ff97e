// Names of operators, where possible those that users of Cypher know from other databases.
#include "planner/planner.h"

namespace fornix::planner {

std::string_view OperatorName(const PhysicalOperator& op) {
  switch (op.kind) {
    case OpKind::kArgument: return "Argument";
    case OpKind::kAllNodesScan: return "AllNodesScan";
    case OpKind::kLabelScan: return "NodeByLabelScan";
    case OpKind::kIndexSeek: return op.node != kNoSlot ? "NodeIndexSeek" : "RelationshipIndexSeek";
    case OpKind::kAllRelationshipsScan: return "RelationshipTypeScan";
    case OpKind::kNodeById: return "NodeByIdSeek";
    case OpKind::kVectorSeed: return "VectorSeed";
    case OpKind::kExpand: return op.expand_into ? "Expand(Into)" : "Expand(All)";
    case OpKind::kVarExpand: return op.expand_into ? "VarLengthExpand(Into)" : "VarLengthExpand(All)";
    case OpKind::kRepeat: return op.expand_into ? "Repeat(Into)" : "Repeat(Trail)";
    case OpKind::kShortestPath: return "ShortestPath";
    case OpKind::kIntersect: return "Intersect";
    case OpKind::kDegree: return "Degree";
    case OpKind::kFilter: return "Filter";
    case OpKind::kProject: return "Projection";
    case OpKind::kAggregate: return "EagerAggregation";
    case OpKind::kDistinct: return "Distinct";
    case OpKind::kSort: return op.exprs.empty() ? "Sort" : "Top";
    case OpKind::kSkip: return "Skip";
    case OpKind::kLimit: return "Limit";
    case OpKind::kUnwind: return "Unwind";
    case OpKind::kCreate: return "Create";
    case OpKind::kSet: return "Set";
    case OpKind::kDelete: return op.detach ? "DetachDelete" : "Delete";
    case OpKind::kForeach: return "Foreach";
    case OpKind::kCallProcedure: return "ProcedureCall";
    case OpKind::kBarrier: return "Eager";
    case OpKind::kKeepShortest: return "KeepShortest";
    case OpKind::kApply: return "Apply";
    case OpKind::kOptional: return "Optional";
    case OpKind::kSemiApply: return "SemiApply";
    case OpKind::kAntiApply: return "AntiSemiApply";
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
