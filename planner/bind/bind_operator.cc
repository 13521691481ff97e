// Expressions with operators, and what is known of their types.
//
// A type error is raised here only when no value of the operand could ever be right; null is right everywhere.
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

using ast::ExprKind;

namespace {

BoundOp OpOf(ast::Op op) { return static_cast<BoundOp>(op); }
static_assert(static_cast<int>(ast::Op::kPow) == static_cast<int>(BoundOp::kPow));
static_assert(static_cast<int>(ast::Op::kEq) == static_cast<int>(BoundOp::kEq));

std::string_view Symbol(BoundOp op) {
  static constexpr std::string_view kSymbols[] = {"=", "<>", "<", "<=", ">", ">=", "+", "-", "||", "*", "/", "%", "^"};
  return kSymbols[static_cast<int>(op)];
}

// What may stand on either side.
TypeSet Operands(BoundOp op) {
  switch (op) {
    case BoundOp::kSub: return kNumberType | kTemporalType;
    case BoundOp::kMul:
    case BoundOp::kDiv: return kNumberType | kDurationType;
    case BoundOp::kMod:
    case BoundOp::kPow: return kNumberType;
    default: return kAnyType;
  }
}

bool Within(TypeSet type, TypeSet set) { return (type.bits & ~1u) != 0 && (type.bits & ~set.bits) == 0; }

TypeSet ResultOf(BoundOp op, const BoundExpr& a, const BoundExpr& b) {
  if (op == BoundOp::kPow) return kFloatType;
  if (Within(a.type, kIntegerType) && Within(b.type, kIntegerType)) return kIntegerType;
  if (Within(a.type, kNumberType) && Within(b.type, kNumberType)) {
    return Within(a.type, kFloatType) || Within(b.type, kFloatType) ? kFloatType : kNumberType;
  }
  if (op == BoundOp::kMod) return kNumberType;
  if (op == BoundOp::kAdd || op == BoundOp::kConcat) {
    if (Within(a.type, kStringType) && Within(b.type, kStringType)) return kStringType;
    if (Within(a.type, kListType) || Within(b.type, kListType)) return kListType;
    return kAnyType;
  }
  return kNumberType | kTemporalType;
}

}  // namespace

Result<BoundExprPtr> Binder::BindBoolean(const ast::Expr& expr, const ExprContext& context) {
  BoundKind kind = BoundKind::kNot;
  const char* word = "NOT";
  if (expr.kind == ExprKind::kAnd) kind = BoundKind::kAnd, word = "AND";
  if (expr.kind == ExprKind::kOr) kind = BoundKind::kOr, word = "OR";
  if (expr.kind == ExprKind::kXor) kind = BoundKind::kXor, word = "XOR";
  BoundExprPtr made = Make(kind, expr, kBooleanType);
  for (const auto& arg : expr.args) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(*arg, context));
    RETURN_IF_ERROR(Expect(*bound, kBooleanType, word));
    made->args.push_back(std::move(bound));
  }
  return made;
}

Result<BoundExprPtr> Binder::BindComparison(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kComparison, expr, kBooleanType);
  for (const auto& arg : expr.args) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(*arg, context));
    made->args.push_back(std::move(bound));
  }
  for (ast::Op op : expr.ops) made->ops.push_back(OpOf(op));
  return made;
}

Result<BoundExprPtr> Binder::BindArithmetic(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kArithmetic, expr, kAnyType);
  for (size_t i = 0; i < expr.args.size(); ++i) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(*expr.args[i], context));
    if (i > 0) made->ops.push_back(OpOf(expr.ops[i - 1]));
    const BoundOp op = OpOf(expr.ops[i > 0 ? i - 1 : 0]);
    RETURN_IF_ERROR(Expect(*bound, Operands(op), "operator " + std::string(Symbol(op))));
    if (i == 0) {
      made->type = bound->type;
    } else {
      BoundExpr left(BoundKind::kLiteral);   // stands for what is on the left so far
      left.type = made->type;
      made->type = ResultOf(op, left, *bound);
    }
    made->args.push_back(std::move(bound));
  }
  return made;
}

Result<BoundExprPtr> Binder::BindSign(const ast::Expr& expr, const ExprContext& context) {
  ASSIGN_OR_RETURN(BoundExprPtr arg, BindExpr(*expr.args[0], context));
  RETURN_IF_ERROR(Expect(*arg, kNumberType | kDurationType, expr.kind == ExprKind::kUnaryMinus ? "operator -" : "operator +"));
  if (expr.kind == ExprKind::kUnaryPlus) return arg;
  if (arg->kind == BoundKind::kLiteral && arg->value.type() == Type::kFloat) {
    BoundExprPtr made = Make(BoundKind::kLiteral, expr, kFloatType);
    made->value = Value(-arg->value.AsFloat());
    return made;
  }
  if (arg->kind == BoundKind::kLiteral && arg->value.type() == Type::kInteger && arg->value.AsInteger() != INT64_MIN) {
    BoundExprPtr made = Make(BoundKind::kLiteral, expr, kIntegerType);
    made->value = Value(-arg->value.AsInteger());
    return made;
  }
  BoundExprPtr made = Make(BoundKind::kNegate, expr, arg->type);
  made->args.push_back(std::move(arg));
  return made;
}

Result<BoundExprPtr> Binder::BindBinary(const ast::Expr& expr, const ExprContext& context) {
  BoundKind kind = BoundKind::kRegexMatch;
  if (expr.kind == ExprKind::kIn) kind = BoundKind::kIn;
  if (expr.kind == ExprKind::kStartsWith) kind = BoundKind::kStartsWith;
  if (expr.kind == ExprKind::kEndsWith) kind = BoundKind::kEndsWith;
  if (expr.kind == ExprKind::kContains) kind = BoundKind::kContains;
  BoundExprPtr made = Make(kind, expr, kBooleanType);
  for (const auto& arg : expr.args) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(*arg, context));
    made->args.push_back(std::move(bound));
  }
  // The string operators answer null for what is no string; IN refuses what is no list.
  if (kind == BoundKind::kIn) RETURN_IF_ERROR(Expect(*made->args[1], kListType, "IN"));
  return made;
}

Result<BoundExprPtr> Binder::BindComprehension(const ast::Expr& expr, const ExprContext& context) {
  const bool quantifier = expr.kind == ExprKind::kQuantifier;
  BoundExprPtr made = quantifier ? Make(BoundKind::kQuantifier, expr, kBooleanType)
                                 : Make(BoundKind::kListComprehension, expr, kListType);
  ASSIGN_OR_RETURN(BoundExprPtr list, BindExpr(*expr.args[0], context));
  RETURN_IF_ERROR(Expect(*list, kListType, quantifier ? "a quantifier" : "a list comprehension"));
  Scope inner(context.scope);
  made->slot = NewSlot(expr.variable.text);
  inner.Add({expr.variable.text, made->slot, list->element_type, kAnyType});
  const TypeSet item_type = list->element_type;
  made->args.push_back(std::move(list));
  const ExprContext inside{&inner};   // no aggregates: there is no row of their own to take in
  BoundExprPtr where;
  if (expr.args.size() > 1 && expr.args[1]) {
    ASSIGN_OR_RETURN(where, BindPredicate(*expr.args[1], inside));
  }
  if (quantifier) {
    if (!where) {
      return BindError("UnexpectedSyntax", "all(), any(), none() and single() need a WHERE", expr.span.start);
    }
    made->quantifier = static_cast<BoundQuantifier>(expr.quantifier);
    made->args.push_back(std::move(where));
    return made;
  }
  made->args.push_back(std::move(where));
  made->element_type = item_type;
  if (expr.args.size() > 2 && expr.args[2]) {
    ASSIGN_OR_RETURN(BoundExprPtr projection, BindExpr(*expr.args[2], inside));
    made->element_type = projection->type;
    made->args.push_back(std::move(projection));
  } else {
    made->args.push_back(nullptr);
  }
  return made;
}

Result<BoundExprPtr> Binder::BindReduce(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kReduce, expr, kAnyType);
  ASSIGN_OR_RETURN(BoundExprPtr start, BindExpr(*expr.args[0], context));
  ASSIGN_OR_RETURN(BoundExprPtr list, BindExpr(*expr.args[1], context));
  RETURN_IF_ERROR(Expect(*list, kListType, "reduce()"));
  Scope inner(context.scope);
  made->slot2 = NewSlot(expr.name);
  made->slot = NewSlot(expr.variable.text);
  inner.Add({expr.name, made->slot2, kAnyType, kAnyType});
  inner.Add({expr.variable.text, made->slot, list->element_type, kAnyType});
  ASSIGN_OR_RETURN(BoundExprPtr step, BindExpr(*expr.args[2], ExprContext{&inner}));
  made->args.push_back(std::move(start));
  made->args.push_back(std::move(list));
  made->args.push_back(std::move(step));
  return made;
}

}  // namespace fornix::planner
