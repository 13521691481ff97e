// See expr_text.h.
#include "planner/physical/expr_text.h"

#include "base/value_format.h"

namespace fornix::planner {
namespace {

std::string Join(const std::vector<BoundExprPtr>& all, const std::string& between, const std::vector<std::string>& names) {
  std::string text;
  bool first = true;
  for (const auto& one : all) {
    if (!one) continue;
    if (!first) text += between;
    text += ExprText(*one, names);
    first = false;
  }
  return text;
}

}  // namespace

std::string LabelText(const LabelPredicate& labels, const std::vector<std::string>& slot_names) {
  std::string text;
  switch (labels.kind) {
    case LabelPredicate::Kind::kName: return QuoteName(labels.name);
    case LabelPredicate::Kind::kNot: return "!" + LabelText(labels.children[0], slot_names);
    case LabelPredicate::Kind::kAny: return "%";
    case LabelPredicate::Kind::kDynamic: return "$(" + ExprText(*labels.dynamic, slot_names) + ")";
    case LabelPredicate::Kind::kAnd:
    case LabelPredicate::Kind::kOr:
      for (const auto& child : labels.children) {
        if (!text.empty()) text += labels.kind == LabelPredicate::Kind::kAnd ? "&" : "|";
        text += LabelText(child, slot_names);
      }
      return text;
  }
  return text;
}

std::string ExprText(const BoundExpr& expr, const std::vector<std::string>& slot_names) {
  static constexpr std::string_view kOps[] = {" = ", " <> ", " < ", " <= ", " > ", " >= ", " + ", " - ", " || ", " * ", " / ", " % ", "^"};
  if (!expr.text.empty()) return expr.text;
  switch (expr.kind) {
    case BoundKind::kLiteral: return ToText(expr.value);
    case BoundKind::kParameter: return "$" + expr.name;
    case BoundKind::kSlot: return expr.slot < slot_names.size() ? slot_names[expr.slot] : "";
    case BoundKind::kProperty: return ExprText(*expr.args[0], slot_names) + "." + QuoteName(expr.name);
    case BoundKind::kHasLabels: return ExprText(*expr.args[0], slot_names) + ":" + LabelText(expr.labels, slot_names);
    case BoundKind::kAnd: return Join(expr.args, " AND ", slot_names);
    case BoundKind::kOr: return Join(expr.args, " OR ", slot_names);
    case BoundKind::kXor: return Join(expr.args, " XOR ", slot_names);
    case BoundKind::kNot: return "NOT " + ExprText(*expr.args[0], slot_names);
    case BoundKind::kIn: return Join(expr.args, " IN ", slot_names);
    case BoundKind::kIsNull: return ExprText(*expr.args[0], slot_names) + " IS NULL";
    case BoundKind::kIsNotNull: return ExprText(*expr.args[0], slot_names) + " IS NOT NULL";
    case BoundKind::kFunction: return expr.function->name + "(" + Join(expr.args, ", ", slot_names) + ")";
    case BoundKind::kList: return "[" + Join(expr.args, ", ", slot_names) + "]";
    case BoundKind::kSubscript: return ExprText(*expr.args[0], slot_names) + "[" + ExprText(*expr.args[1], slot_names) + "]";
    case BoundKind::kCase: return "CASE ... END";
    case BoundKind::kPath: return "path";
    case BoundKind::kComparison:
    case BoundKind::kArithmetic: {
      std::string text = ExprText(*expr.args[0], slot_names);
      for (size_t i = 0; i < expr.ops.size(); ++i) text += std::string(kOps[static_cast<int>(expr.ops[i])]) + ExprText(*expr.args[i + 1], slot_names);
      return text;
    }
    default: return "...";
  }
}

}  // namespace fornix::planner
