// Small tools over physical operators: their expressions, the slots they read and make.
// Pure functions.
#pragma once

#include <functional>
#include <set>

#include "planner/physical/plan.h"

namespace fornix::planner {

// Every expression that the operator itself holds (not those of its children), null ones left out.
void ForEachExpr(PhysicalOperator& op, const std::function<void(BoundExprPtr&)>& visit);
void ForEachExpr(const PhysicalOperator& op, const std::function<void(const BoundExpr&)>& visit);
// Every subplan inside an expression.
void ForEachSubplanExpr(BoundExpr& expr, const std::function<void(BoundExpr&)>& visit);
// Slots that the operator itself reads of its input.
void AddReads(const PhysicalOperator& op, std::set<Slot>* out);
// Slots that it adds to the row.
void AddMakes(const PhysicalOperator& op, std::set<Slot>* out);
bool IsWrite(OpKind kind);
// An aggregation of nothing but count(*) and count(x).
bool OnlyCounts(const PhysicalOperator& op);
// Whether the operator itself looks into the graph.
bool LooksIntoGraph(const PhysicalOperator& op);
// The operator or one of its children, at any depth.
bool TreeReadsGraph(const PhysicalOperator& op);
bool TreeWrites(const PhysicalOperator& op);

}  // namespace fornix::planner
