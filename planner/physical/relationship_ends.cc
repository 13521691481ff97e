// See relationship_ends.h. Without a direction: UNWIND of [[start, end], [end, start]], once for a loop.
#include "planner/physical/relationship_ends.h"

#include "planner/bind/expr_util.h"

namespace fornix::planner {
namespace {

using OpPtr = std::shared_ptr<PhysicalOperator>;

BoundExprPtr End(const PatternRelationship& r, const char* name, const FunctionCatalog& functions) {
  auto call = std::make_unique<BoundExpr>(BoundKind::kFunction);
  call->function = functions.FindFunction(name);
  call->type = kNodeType;
  call->args.push_back(MakeSlot(r.slot, kRelationshipType));
  return call;
}

BoundExprPtr Pair(BoundExprPtr a, BoundExprPtr b) {
  auto list = std::make_unique<BoundExpr>(BoundKind::kList);
  list->type = kListType;
  list->args.push_back(std::move(a));
  list->args.push_back(std::move(b));
  return list;
}

BoundExprPtr At(Slot list, int index) {
  auto at = std::make_unique<BoundExpr>(BoundKind::kSubscript);
  at->type = kNodeType;
  at->args.push_back(MakeSlot(list, kListType));
  at->args.push_back(MakeLiteral(Value(index)));
  return at;
}

OpPtr Above(OpKind kind, OpPtr child) {
  auto op = std::make_shared<PhysicalOperator>(kind);
  op->estimated_rows = child->estimated_rows;
  op->children.push_back(std::move(child));
  return op;
}

}  // namespace

bool CanFindEnds(const FunctionCatalog& functions) {
  return functions.FindFunction("startNode") != nullptr && functions.FindFunction("endNode") != nullptr;
}

OpPtr RelationshipEnds(OpPtr child, const PatternRelationship& r, bool left_known, bool right_known, const FunctionCatalog& functions,
                       std::vector<std::string>* slot_names) {
  std::vector<BoundExprPtr> conditions;
  auto not_null = std::make_unique<BoundExpr>(BoundKind::kIsNotNull);
  not_null->type = kBooleanType;
  not_null->args.push_back(MakeSlot(r.slot, kRelationshipType));
  conditions.push_back(std::move(not_null));
  if (!r.types.empty()) {
    auto check = std::make_unique<BoundExpr>(BoundKind::kHasLabels);
    check->type = kBooleanType;
    check->args.push_back(MakeSlot(r.slot, kRelationshipType));
    check->labels.kind = LabelPredicate::Kind::kOr;
    for (const auto& type : r.types) {
      LabelPredicate one;
      one.name = type;
      check->labels.children.push_back(std::move(one));
    }
    conditions.push_back(std::move(check));
  }
  OpPtr op = Above(OpKind::kFilter, std::move(child));
  op->predicate = MakeAnd(std::move(conditions));

  BoundExprPtr left, right;
  if (r.direction == Direction::kBoth) {
    op = Above(OpKind::kUnwind, std::move(op));
    slot_names->emplace_back("");
    op->slot = static_cast<Slot>(slot_names->size() - 1);
    BoundExprPtr once = Pair(Pair(End(r, "startNode", functions), End(r, "endNode", functions)), nullptr);
    once->args.pop_back();
    BoundExprPtr both = Pair(Pair(End(r, "startNode", functions), End(r, "endNode", functions)),
                             Pair(End(r, "endNode", functions), End(r, "startNode", functions)));
    auto ways = std::make_unique<BoundExpr>(BoundKind::kCase);
    ways->type = kListType;
    ways->args.push_back(MakeCompare(End(r, "startNode", functions), BoundOp::kEq, End(r, "endNode", functions)));
    ways->args.push_back(std::move(once));
    ways->args.push_back(std::move(both));
    ways->has_else = true;
    op->exprs.push_back(std::move(ways));
    left = At(op->slot, 0);
    right = At(op->slot, 1);
  } else {
    const bool outgoing = r.direction == Direction::kOutgoing;
    left = End(r, outgoing ? "startNode" : "endNode", functions);
    right = End(r, outgoing ? "endNode" : "startNode", functions);
  }
  const bool loop = r.left == r.right;
  std::vector<BoundExprPtr> compare;
  if (loop) compare.push_back(MakeCompare(Clone(*left), BoundOp::kEq, Clone(*right)));
  if (left_known) compare.push_back(MakeCompare(MakeSlot(r.left, kNodeType), BoundOp::kEq, Clone(*left)));
  if (right_known && !loop) compare.push_back(MakeCompare(MakeSlot(r.right, kNodeType), BoundOp::kEq, Clone(*right)));
  if (!compare.empty()) {
    op = Above(OpKind::kFilter, std::move(op));
    op->predicate = MakeAnd(std::move(compare));
  }
  if (!left_known || (!right_known && !loop)) {
    op = Above(OpKind::kProject, std::move(op));
    if (!left_known) op->projections.push_back({r.left, std::move(left)});
    if (!right_known && !loop) op->projections.push_back({r.right, std::move(right)});
  }
  return op;
}

}  // namespace fornix::planner
