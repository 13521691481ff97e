// LIMIT n above ORDER BY: no more than n rows (n + SKIP) need to be kept and sorted. The LIMIT itself stays, and says what is
// wrong with a count that is none.
#include <cstdint>

#include "planner/bind/expr_util.h"
#include "planner/rewrite/rules.h"

namespace fornix::planner {
namespace {

// limit + skip, where a sum above what an integer holds is as good as no limit.
BoundExprPtr Sum(BoundExprPtr limit, BoundExprPtr skip) {
  constexpr int64_t kHuge = INT64_MAX / 2;
  auto is_huge = [](const BoundExpr& e) { return MakeCompare(Clone(e), BoundOp::kGt, MakeLiteral(Value(kHuge), e.position)); };
  auto literal = [](const BoundExpr& e) { return e.kind == BoundKind::kLiteral && e.value.type() == Type::kInteger; };
  if (literal(*limit) && literal(*skip)) {
    const int64_t a = limit->value.AsInteger(), b = skip->value.AsInteger();
    return MakeLiteral(Value(a > kHuge || b > kHuge ? INT64_MAX : a + b), limit->position);
  }
  auto sum = std::make_unique<BoundExpr>(BoundKind::kCase);
  sum->type = kIntegerType;
  sum->position = limit->position;
  sum->text = limit->text + " + " + skip->text;
  auto any = std::make_unique<BoundExpr>(BoundKind::kOr);
  any->type = kBooleanType;
  any->args.push_back(is_huge(*limit));
  any->args.push_back(is_huge(*skip));
  auto add = std::make_unique<BoundExpr>(BoundKind::kArithmetic);
  add->type = kIntegerType;
  add->position = limit->position;
  add->ops.push_back(BoundOp::kAdd);
  add->args.push_back(std::move(limit));
  add->args.push_back(std::move(skip));
  sum->args.push_back(std::move(any));
  sum->args.push_back(MakeLiteral(Value(INT64_MAX), sum->position));
  sum->args.push_back(std::move(add));
  sum->has_else = true;
  return sum;
}

}  // namespace

void LimitSorts(PhysicalOperator* root) {
  for (auto& child : root->children) LimitSorts(child.get());
  if (root->kind != OpKind::kLimit) return;
  PhysicalOperator* below = root->children[0].get();
  BoundExprPtr count = Clone(*root->exprs[0]);
  if (below->kind == OpKind::kSkip) {
    count = Sum(std::move(count), Clone(*below->exprs[0]));
    below = below->children[0].get();
  }
  // rand() would be asked twice and answer twice.
  if (below->kind != OpKind::kSort || !below->exprs.empty() || !IsDeterministic(*count)) return;
  below->exprs.push_back(std::move(count));
}

}  // namespace fornix::planner
