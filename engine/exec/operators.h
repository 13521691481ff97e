// The makers of all operators, one file each. Builder::Build chooses by kind.
#pragma once

#include "engine/exec/builder.h"

namespace fornix::engine {

OperatorPtr MakeArgument(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeNodeScan(Builder& builder, const PhysicalOperator& plan);          // kAllNodesScan, kLabelScan
OperatorPtr MakeRelationshipScan(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeIndexSeek(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeNodeById(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeVectorSeed(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeExpand(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeVarExpand(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeRepeat(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeShortestPath(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeIntersect(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeDegree(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeFilter(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeProject(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeAggregate(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeDistinct(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeSort(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeSkipLimit(Builder& builder, const PhysicalOperator& plan);         // kSkip, kLimit
OperatorPtr MakeUnwind(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeCreate(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeSet(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeDelete(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeForeach(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeCallProcedure(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeBarrier(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeKeepShortest(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeApply(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeOptional(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeSemiApply(Builder& builder, const PhysicalOperator& plan);         // kSemiApply, kAntiApply
OperatorPtr MakeMerge(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeSubquery(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeHashJoin(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakeUnion(Builder& builder, const PhysicalOperator& plan);
OperatorPtr MakePassThrough(Builder& builder, const PhysicalOperator& plan);       // kProduceResults, kEmptyResult
OperatorPtr MakeSchemaCommand(Builder& builder, const PhysicalOperator& plan);

}  // namespace fornix::engine
