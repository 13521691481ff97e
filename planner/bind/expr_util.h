// Small tools over BoundExpr: makers, walks, equality by key, free slots, copies.
// Pure functions.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "planner/bind/expr.h"

namespace fornix::planner {

BoundExprPtr MakeSlot(Slot slot, TypeSet type, SourcePosition position = {});
BoundExprPtr MakeLiteral(Value value, SourcePosition position = {});
BoundExprPtr MakeCompare(BoundExprPtr left, BoundOp op, BoundExprPtr right);
BoundExprPtr MakeNot(BoundExprPtr arg);
// The AND of all; a null pointer for none.
BoundExprPtr MakeAnd(std::vector<BoundExprPtr> all);

// `visit` sees the expression and all below it, parents first. Subplans are not entered, nor what they collect.
void VisitExpr(const BoundExpr& expr, const std::function<void(const BoundExpr&)>& visit);
// Two expressions with the same key have the same value in the same row. "" for what is never the same twice (rand()).
std::string KeyOf(const BoundExpr& expr);
// The slots of the row around that the expression reads: not those of its own comprehensions, but those of its subplans.
void AddFreeSlots(const BoundExpr& expr, std::set<Slot>* out);
std::set<Slot> FreeSlots(const BoundExpr& expr);
BoundExprPtr Clone(const BoundExpr& expr);
// Takes a conjunction apart.
void SplitAnd(BoundExprPtr expr, std::vector<BoundExprPtr>* out);
// Parameters, literals and deterministic functions of them: the same in every row.
bool IsConstant(const BoundExpr& expr);
// a = b, one comparison and not a chain of them.
inline bool IsEquality(const BoundExpr& e) { return e.kind == BoundKind::kComparison && e.ops.size() == 1 && e.ops[0] == BoundOp::kEq; }
bool IsDeterministic(const BoundExpr& expr);
bool HasSubplan(const BoundExpr& expr);
// Whether its value may change when the graph does.
bool ReadsGraph(const BoundExpr& expr);

}  // namespace fornix::planner
