// Expressions: the kinds without operators or calls. See binder.h, bind_operator.cc, bind_function.cc, bind_subquery.cc.
//
// A pattern may stand as a value only where `context.predicate` says so: WHERE and what AND, OR, XOR, NOT pass it on to.
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

using ast::ExprKind;

Result<BoundExprPtr> Binder::BindExpr(const ast::Expr& expr, const ExprContext& context) {
  ASSIGN_OR_RETURN(BoundExprPtr bound, BindExprKind(expr, context));
  if (bound->text.empty()) bound->text = TextOf(expr.span);
  return bound;
}

Result<BoundExprPtr> Binder::BindPredicate(const ast::Expr& expr, ExprContext context) {
  context.predicate = true;
  ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(expr, context));
  RETURN_IF_ERROR(Expect(*bound, kBooleanType, "a predicate"));
  return bound;
}

Result<BoundExprPtr> Binder::BindExprKind(const ast::Expr& expr, const ExprContext& given) {
  ExprContext context = given;
  switch (expr.kind) {
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kXor:
    case ExprKind::kNot:
    case ExprKind::kPattern: break;
    default: context.predicate = false;
  }
  switch (expr.kind) {
    case ExprKind::kLiteral: {
      if (const auto place = LiteralPlace(expr.span.start.offset)) {
        BoundExprPtr lifted = Make(BoundKind::kParameter, expr, Only(expr.value.type()));
        lifted->name = lifted->text;
        lifted->parameter = *place;
        return lifted;
      }
      BoundExprPtr made = Make(BoundKind::kLiteral, expr, Only(expr.value.type()));
      made->value = expr.value;
      return made;
    }
    case ExprKind::kParameter: {
      BoundExprPtr made = Make(BoundKind::kParameter, expr, kAnyType);
      made->name = expr.name;
      made->parameter = ParameterPlace(expr.name);
      return made;
    }
    case ExprKind::kVariable: return BindVariable(expr, context);
    case ExprKind::kProperty: return BindProperty(expr, context);
    case ExprKind::kSubscript: return BindSubscript(expr, context);
    case ExprKind::kSlice: return BindSlice(expr, context);
    case ExprKind::kList:
    case ExprKind::kMap: return BindCollection(expr, context);
    case ExprKind::kMapProjection: return BindMapProjection(expr, context);
    case ExprKind::kFunctionCall:
    case ExprKind::kCountStar: return BindFunction(expr, context);
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kXor:
    case ExprKind::kNot: return BindBoolean(expr, context);
    case ExprKind::kComparison: return BindComparison(expr, context);
    case ExprKind::kArithmetic: return BindArithmetic(expr, context);
    case ExprKind::kUnaryMinus:
    case ExprKind::kUnaryPlus: return BindSign(expr, context);
    case ExprKind::kIn:
    case ExprKind::kStartsWith:
    case ExprKind::kEndsWith:
    case ExprKind::kContains:
    case ExprKind::kRegexMatch: return BindBinary(expr, context);
    case ExprKind::kIsNull:
    case ExprKind::kIsNotNull:
    case ExprKind::kIsTyped:
    case ExprKind::kIsNotTyped: {
      static constexpr BoundKind kKinds[] = {BoundKind::kIsNull, BoundKind::kIsNotNull, BoundKind::kIsTyped, BoundKind::kIsNotTyped};
      BoundExprPtr made = Make(kKinds[static_cast<int>(expr.kind) - static_cast<int>(ExprKind::kIsNull)], expr, kBooleanType);
      ASSIGN_OR_RETURN(BoundExprPtr arg, BindExpr(*expr.args[0], context));
      made->args.push_back(std::move(arg));
      made->name = expr.type_name;
      return made;
    }
    case ExprKind::kLabelCheck: return BindLabelCheck(expr, context);
    case ExprKind::kCase: return BindCase(expr, context);
    case ExprKind::kListComprehension:
    case ExprKind::kQuantifier: return BindComprehension(expr, context);
    case ExprKind::kReduce: return BindReduce(expr, context);
    case ExprKind::kPattern:
      if (!context.predicate) {
        return BindError("UnexpectedSyntax",
                         "a pattern is a condition, not a value: use it in WHERE, or write EXISTS {...}, COUNT {...} or [" +
                             TextOf(expr.span) + " | ...]",
                         expr.span.start);
      }
      return BindPatternPredicate(expr, context);
    case ExprKind::kPatternComprehension: return BindPatternComprehension(expr, context);
    case ExprKind::kShortestPath: return BindShortestPathValue(expr, context);
    case ExprKind::kExists:
    case ExprKind::kCountSubquery:
    case ExprKind::kCollectSubquery: return BindSubqueryExpr(expr, context);
  }
  return Status(Code::kInternal, "an expression of unknown kind");
}

Result<BoundExprPtr> Binder::BindVariable(const ast::Expr& expr, const ExprContext& context) {
  const Variable* variable = Resolve(expr.name, *context.scope);
  if (!variable) return UndefinedVariable(expr.name, *context.scope, expr.span.start);
  BoundExprPtr made = Make(BoundKind::kSlot, expr, variable->type);
  made->slot = variable->slot;
  made->element_type = variable->element;
  made->text = expr.name;
  return made;
}

Result<BoundExprPtr> Binder::BindProperty(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kProperty, expr, kAnyType);
  ASSIGN_OR_RETURN(BoundExprPtr base, BindExpr(*expr.args[0], context));
  constexpr TypeSet kHolders = kNodeType | kRelationshipType | kMapType | kTemporalType | kPointType;
  if (!CanBe(base->type, kHolders)) {
    // A path or the list of a variable-length relationship is a mistake about the pattern, the rest one about the value.
    const bool pattern = base->type.Has(Type::kPath) || (base->type.Has(Type::kList) && base->element_type == kRelationshipType);
    RETURN_IF_ERROR(Expect(*base, kHolders, "property `" + expr.name + "`", pattern ? Code::kSyntaxError : Code::kTypeError));
  }
  made->name = expr.name;
  if (!writes_ && (base->type == kNodeType || base->type == kRelationshipType)) WarnUnknownName("property", expr.name, expr.span.start);
  if (base->kind == BoundKind::kMap) {
    // What a map written out holds is known.
    for (size_t i = 0; i < base->keys.size(); ++i) {
      if (base->keys[i] == expr.name) made->type = base->args[i]->type;
    }
  }
  made->args.push_back(std::move(base));
  return made;
}

Result<BoundExprPtr> Binder::BindSubscript(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kSubscript, expr, kAnyType);
  ASSIGN_OR_RETURN(BoundExprPtr base, BindExpr(*expr.args[0], context));
  ASSIGN_OR_RETURN(BoundExprPtr index, BindExpr(*expr.args[1], context));
  RETURN_IF_ERROR(Expect(*base, kListType | kMapType | kNodeType | kRelationshipType, "the value before []", Code::kTypeError));
  if (base->type == kListType) {
    RETURN_IF_ERROR(Expect(*index, kIntegerType, "the index of a list", Code::kTypeError));
    made->type = base->element_type | kNullType;
  }
  made->args.push_back(std::move(base));
  made->args.push_back(std::move(index));
  return made;
}

Result<BoundExprPtr> Binder::BindSlice(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kSlice, expr, kListType);
  ASSIGN_OR_RETURN(BoundExprPtr base, BindExpr(*expr.args[0], context));
  RETURN_IF_ERROR(Expect(*base, kListType, "the value before [..]", Code::kTypeError));
  made->element_type = base->element_type;
  made->args.push_back(std::move(base));
  for (int i = 1; i <= 2; ++i) {
    if (!expr.args[i]) {
      made->args.push_back(nullptr);
      continue;
    }
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(*expr.args[i], context));
    RETURN_IF_ERROR(Expect(*bound, kIntegerType, "the bound of a slice", Code::kTypeError));
    made->args.push_back(std::move(bound));
  }
  return made;
}

Result<BoundExprPtr> Binder::BindCollection(const ast::Expr& expr, const ExprContext& context) {
  const bool list = expr.kind == ExprKind::kList;
  BoundExprPtr made = Make(list ? BoundKind::kList : BoundKind::kMap, expr, list ? kListType : kMapType);
  TypeSet elements{0};
  for (const auto& arg : expr.args) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(*arg, context));
    elements = elements | bound->type;
    made->args.push_back(std::move(bound));
  }
  if (list && !expr.args.empty()) made->element_type = elements;
  made->keys = expr.keys;
  return made;
}

Result<BoundExprPtr> Binder::BindMapProjection(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kMapProjection, expr, kMapType);
  ASSIGN_OR_RETURN(BoundExprPtr base, BindExpr(*expr.args[0], context));
  RETURN_IF_ERROR(Expect(*base, kNodeType | kRelationshipType | kMapType, "a map projection"));
  for (const auto& item : expr.projection) {
    BoundExprPtr value;
    switch (item.kind) {
      case ast::MapProjectionItem::Kind::kAllProperties: made->all_properties = true; continue;
      case ast::MapProjectionItem::Kind::kProperty:
        value = std::make_unique<BoundExpr>(BoundKind::kProperty);
        value->name = item.name.text;
        value->position = item.name.span.start;
        value->args.push_back(Clone(*base));
        break;
      case ast::MapProjectionItem::Kind::kLiteral: {
        ASSIGN_OR_RETURN(value, BindExpr(*item.value, context));
        break;
      }
      case ast::MapProjectionItem::Kind::kVariable: {
        const Variable* variable = Resolve(item.name.text, *context.scope);
        if (!variable) return UndefinedVariable(item.name.text, *context.scope, item.name.span.start);
        value = MakeSlot(variable->slot, variable->type, item.name.span.start);
        value->text = item.name.text;
        break;
      }
    }
    made->keys.push_back(item.name.text);
    made->args.push_back(std::move(value));
  }
  made->args.insert(made->args.begin(), std::move(base));
  return made;
}

Result<BoundExprPtr> Binder::BindLabelCheck(const ast::Expr& expr, const ExprContext& context) {
  BoundExprPtr made = Make(BoundKind::kHasLabels, expr, kBooleanType);
  ASSIGN_OR_RETURN(BoundExprPtr element, BindExpr(*expr.args[0], context));
  RETURN_IF_ERROR(Expect(*element, kNodeType | kRelationshipType, "a label check"));
  made->args.push_back(std::move(element));
  ASSIGN_OR_RETURN(made->labels, BindLabels(*expr.labels, *context.scope));
  if (!writes_ && made->args[0]->type == kNodeType) WarnUnknownLabels(made->labels, false, expr.span.start);
  return made;
}

Result<BoundExprPtr> Binder::BindCase(const ast::Expr& expr, const ExprContext& given) {
  BoundExprPtr made = Make(BoundKind::kCase, expr, TypeSet{0});
  ExprContext condition = given;
  if (!expr.args.empty() && expr.args[0]) {
    ASSIGN_OR_RETURN(BoundExprPtr operand, BindExpr(*expr.args[0], given));
    made->args.push_back(std::move(operand));
    made->has_operand = true;
  } else {
    condition.predicate = true;
  }
  for (const auto& [when, then] : expr.whens) {
    ASSIGN_OR_RETURN(BoundExprPtr bound_when, BindExpr(*when, condition));
    if (!made->has_operand) RETURN_IF_ERROR(Expect(*bound_when, kBooleanType, "CASE WHEN"));
    ASSIGN_OR_RETURN(BoundExprPtr bound_then, BindExpr(*then, given));
    made->type = made->type | bound_then->type;
    made->args.push_back(std::move(bound_when));
    made->args.push_back(std::move(bound_then));
  }
  if (expr.else_expr) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindExpr(*expr.else_expr, given));
    made->type = made->type | bound->type;
    made->args.push_back(std::move(bound));
    made->has_else = true;
  } else {
    made->type = made->type | kNullType;
  }
  return made;
}

}  // namespace fornix::planner
