// Function calls: they exist, have the right number of arguments, and arguments of types that can be right.
#include <algorithm>

#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

namespace {

// What the elements of a list are that a function returns.
TypeSet ElementsOf(const FunctionSignature& function, const std::vector<BoundExprPtr>& args) {
  const std::string& name = function.name;
  if (name == "nodes") return kNodeType;
  if (name == "relationships") return kRelationshipType;
  if (name == "labels" || name == "keys" || name == "split") return kStringType;
  if (name == "range") return kIntegerType;
  if ((name == "tail" || name == "reverse" || name == "collect") && !args.empty()) {
    return name == "collect" ? args[0]->type : args[0]->element_type;
  }
  return kAnyType;
}

// What it returns, where that depends on the arguments.
TypeSet ResultOf(const FunctionSignature& function, const std::vector<BoundExprPtr>& args) {
  const std::string& name = function.name;
  if ((name == "head" || name == "last") && !args.empty() && args[0]->type == kListType) return args[0]->element_type | kNullType;
  if (name == "coalesce" && !args.empty()) {
    TypeSet all{0};
    for (const auto& arg : args) all = all | arg->type;
    return all;
  }
  return function.result;
}

// "; toUpper(input :: STRING) :: STRING"
std::string Signed(const FunctionSignature& function) { return function.signature.empty() ? "" : "; " + function.signature; }

std::string Count(int n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); }

}  // namespace

Result<BoundExprPtr> Binder::BindFunction(const ast::Expr& expr, const ExprContext& context) {
  if (expr.kind == ast::ExprKind::kCountStar) return BindAggregate(expr, nullptr, context);
  std::string lower = expr.name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (lower == "exists" && expr.args.size() == 1 && expr.args[0]->kind == ast::ExprKind::kPattern) {
    return BindPatternPredicate(*expr.args[0], context);
  }
  const FunctionSignature* function = input_.functions->FindFunction(expr.name);
  if (!function) {
    const std::string nearest = input_.functions->NearestFunction(expr.name);
    return BindError("UnknownFunction",
                     "there is no function `" + expr.name + "`" + (nearest.empty() ? "" : "; did you mean `" + nearest + "`?"),
                     expr.span.start);
  }
  const int given = static_cast<int>(expr.args.size());
  if (given < function->args_min || (function->args_max >= 0 && given > function->args_max)) {
    const std::string wanted = function->args_min == function->args_max ? Count(function->args_min)
                               : function->args_max < 0                 ? "at least " + Count(function->args_min)
                                                                        : std::to_string(function->args_min) + " to " + Count(function->args_max);
    return BindError("InvalidNumberOfArguments",
                     function->name + "() takes " + wanted + ", found " + std::to_string(given) +
                         Signed(*function),
                     expr.span.start);
  }
  if (function->aggregate) return BindAggregate(expr, function, context);
  if (expr.distinct) {
    return BindError("UnexpectedSyntax", "DISTINCT has a meaning in aggregate functions only, and " + function->name + "() is none",
                     expr.span.start);
  }
  BoundExprPtr made = Make(BoundKind::kFunction, expr, function->result);
  made->function = function;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    ASSIGN_OR_RETURN(BoundExprPtr arg, BindExpr(*expr.args[i], context));
    if (!function->arguments.empty()) {
      const TypeSet wanted = function->arguments[std::min(i, function->arguments.size() - 1)];
      Status status = Expect(*arg, wanted, "argument " + std::to_string(i + 1) + " of " + function->name + "()");
      if (!status.ok()) return BindError(status.detail(), status.message() + Signed(*function), status.position());
    }
    made->args.push_back(std::move(arg));
  }
  made->type = ResultOf(*function, made->args);
  made->element_type = ElementsOf(*function, made->args);
  return made;
}

}  // namespace fornix::planner
