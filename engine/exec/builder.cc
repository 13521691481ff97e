#include "engine/exec/builder.h"

#include "engine/exec/operators.h"

namespace fornix::engine {

using planner::OpKind;

OperatorPtr Builder::BuildInner(const PhysicalOperator& plan, ArgumentSource* source, Slot hidden) {
  ArgumentSource* const outer = argument_;
  std::vector<Slot> outer_hidden = hidden_;
  argument_ = source;
  // A plan that runs for one row at a time needs no row numbers of the operators around it.
  if (hidden == kNoSlot) {
    hidden_.clear();
  } else {
    hidden_.push_back(hidden);
  }
  OperatorPtr built = Build(plan);
  argument_ = outer;
  hidden_ = std::move(outer_hidden);
  return built;
}

OperatorPtr Builder::BuildInnerIn(ExecutionContext& context, const PhysicalOperator& plan, ArgumentSource* source) {
  ExecutionContext* const outer = context_;
  context_ = &context;
  OperatorPtr built = BuildInner(plan, source);
  context_ = outer;
  return built;
}

OperatorPtr Builder::Build(const PhysicalOperator& plan) {
  switch (plan.kind) {
    case OpKind::kArgument: return MakeArgument(*this, plan);
    case OpKind::kAllNodesScan:
    case OpKind::kLabelScan: return MakeNodeScan(*this, plan);
    case OpKind::kIndexSeek: return MakeIndexSeek(*this, plan);
    case OpKind::kAllRelationshipsScan: return MakeRelationshipScan(*this, plan);
    case OpKind::kNodeById: return MakeNodeById(*this, plan);
    case OpKind::kVectorSeed: return MakeVectorSeed(*this, plan);
    case OpKind::kExpand: return MakeExpand(*this, plan);
    case OpKind::kVarExpand: return MakeVarExpand(*this, plan);
    case OpKind::kRepeat: return MakeRepeat(*this, plan);
    case OpKind::kShortestPath: return MakeShortestPath(*this, plan);
    case OpKind::kIntersect: return MakeIntersect(*this, plan);
    case OpKind::kDegree: return MakeDegree(*this, plan);
    case OpKind::kFilter: return MakeFilter(*this, plan);
    case OpKind::kProject: return MakeProject(*this, plan);
    case OpKind::kAggregate: return MakeAggregate(*this, plan);
    case OpKind::kDistinct: return MakeDistinct(*this, plan);
    case OpKind::kSort: return MakeSort(*this, plan);
    case OpKind::kSkip:
    case OpKind::kLimit: return MakeSkipLimit(*this, plan);
    case OpKind::kUnwind: return MakeUnwind(*this, plan);
    case OpKind::kCreate: return MakeCreate(*this, plan);
    case OpKind::kSet: return MakeSet(*this, plan);
    case OpKind::kDelete: return MakeDelete(*this, plan);
    case OpKind::kForeach: return MakeForeach(*this, plan);
    case OpKind::kCallProcedure: return MakeCallProcedure(*this, plan);
    case OpKind::kBarrier: return MakeBarrier(*this, plan);
    case OpKind::kKeepShortest: return MakeKeepShortest(*this, plan);
    case OpKind::kApply: return MakeApply(*this, plan);
    case OpKind::kOptional: return MakeOptional(*this, plan);
    case OpKind::kSemiApply:
    case OpKind::kAntiApply: return MakeSemiApply(*this, plan);
    case OpKind::kMerge: return MakeMerge(*this, plan);
    case OpKind::kSubquery: return MakeSubquery(*this, plan);
    case OpKind::kHashJoin: return MakeHashJoin(*this, plan);
    case OpKind::kUnion: return MakeUnion(*this, plan);
    case OpKind::kProduceResults:
    case OpKind::kEmptyResult: return MakePassThrough(*this, plan);
    case OpKind::kSchemaCommand: return MakeSchemaCommand(*this, plan);
  }
  Fail({Code::kInternal, "an operator of an unknown kind"});
  return nullptr;
}

bool IsRowWise(const PhysicalOperator& plan) {
  switch (plan.kind) {
    case OpKind::kArgument:
    case OpKind::kAllNodesScan:
    case OpKind::kLabelScan:
    case OpKind::kIndexSeek:
    case OpKind::kAllRelationshipsScan:
    case OpKind::kNodeById:
    case OpKind::kExpand:
    case OpKind::kVarExpand:
    case OpKind::kShortestPath:
    case OpKind::kIntersect:
    case OpKind::kDegree:
    case OpKind::kFilter:
    case OpKind::kProject:
    case OpKind::kUnwind:
      break;
    case OpKind::kVectorSeed: return true;   // its children run for one row at a time
    case OpKind::kApply:
    case OpKind::kOptional:
    case OpKind::kRepeat:
    case OpKind::kSemiApply:
    case OpKind::kAntiApply:
      return IsRowWise(*plan.children[0]);   // the second child only ever sees rows of the first
    default: return false;
  }
  for (const auto& child : plan.children) {
    if (!IsRowWise(*child)) return false;
  }
  return true;
}

bool Writes(const PhysicalOperator& plan) {
  switch (plan.kind) {
    case OpKind::kCreate:
    case OpKind::kSet:
    case OpKind::kDelete:
    case OpKind::kForeach:
    case OpKind::kMerge: return true;
    case OpKind::kCallProcedure:
      if (plan.procedure != nullptr && plan.procedure->writes) return true;
      break;
    default: break;
  }
  for (const auto& child : plan.children) {
    if (Writes(*child)) return true;
  }
  return false;
}

}  // namespace fornix::engine
