// See expr_util.h. KeyOf writes an expression in a canonical prefix form: the kind's number, its own fields, its
// arguments in parentheses. It names slots, not variables, so equal keys mean equal values whatever the names were.
#include "planner/bind/expr_util.h"

#include "base/value_format.h"

namespace fornix::planner {
namespace {

void AppendLabels(const LabelPredicate& labels, std::string* out) {
  *out += std::to_string(static_cast<int>(labels.kind)) + "`" + labels.name + "`";
  if (labels.dynamic) *out += KeyOf(*labels.dynamic);
  for (const auto& child : labels.children) AppendLabels(child, out);
}

bool AppendKey(const BoundExpr& e, std::string* out) {
  if (e.kind == BoundKind::kExistsPlan || e.kind == BoundKind::kCountPlan || e.kind == BoundKind::kCollectPlan) return false;
  if (e.function && !e.function->deterministic) return false;
  *out += std::to_string(static_cast<int>(e.kind));
  switch (e.kind) {
    case BoundKind::kLiteral:
      *out += std::string(TypeName(e.value.type())) + ToText(e.value);
      break;
    case BoundKind::kParameter: *out += "$" + std::to_string(e.parameter); break;
    case BoundKind::kHasLabels: AppendLabels(e.labels, out); break;
    default: break;
  }
  if (e.slot != kNoSlot) *out += "#" + std::to_string(e.slot);
  if (e.slot2 != kNoSlot) *out += "#" + std::to_string(e.slot2);
  if (e.function) *out += e.function->name;
  if (!e.name.empty()) *out += "`" + e.name + "`";
  for (BoundOp op : e.ops) *out += "o" + std::to_string(static_cast<int>(op));
  for (const auto& key : e.keys) *out += "k`" + key + "`";
  for (Slot s : e.path_slots) *out += "p" + std::to_string(s);
  if (e.all_properties) *out += "*";
  if (e.has_operand) *out += "O";
  if (e.has_else) *out += "E";
  if (e.kind == BoundKind::kQuantifier) *out += "q" + std::to_string(static_cast<int>(e.quantifier));
  *out += "(";
  for (const auto& arg : e.args) {
    if (!arg) {
      *out += "_";
    } else if (!AppendKey(*arg, out)) {
      return false;
    }
    *out += ",";
  }
  *out += ")";
  return true;
}

}  // namespace

BoundExprPtr MakeSlot(Slot slot, TypeSet type, SourcePosition position) {
  auto made = std::make_unique<BoundExpr>(BoundKind::kSlot);
  made->slot = slot;
  made->type = type;
  made->position = position;
  return made;
}

BoundExprPtr MakeLiteral(Value value, SourcePosition position) {
  auto made = std::make_unique<BoundExpr>(BoundKind::kLiteral);
  made->type = Only(value.type());
  made->value = std::move(value);
  made->position = position;
  return made;
}

BoundExprPtr MakeCompare(BoundExprPtr left, BoundOp op, BoundExprPtr right) {
  auto made = std::make_unique<BoundExpr>(BoundKind::kComparison);
  made->type = kBooleanType;
  made->position = left->position;
  made->args.push_back(std::move(left));
  made->args.push_back(std::move(right));
  made->ops.push_back(op);
  return made;
}

BoundExprPtr MakeNot(BoundExprPtr arg) {
  auto made = std::make_unique<BoundExpr>(BoundKind::kNot);
  made->type = kBooleanType;
  made->position = arg->position;
  made->args.push_back(std::move(arg));
  return made;
}

BoundExprPtr MakeAnd(std::vector<BoundExprPtr> all) {
  if (all.empty()) return nullptr;
  if (all.size() == 1) return std::move(all[0]);
  auto made = std::make_unique<BoundExpr>(BoundKind::kAnd);
  made->type = kBooleanType;
  made->position = all[0]->position;
  made->args = std::move(all);
  return made;
}

void VisitExpr(const BoundExpr& expr, const std::function<void(const BoundExpr&)>& visit) {
  visit(expr);
  if (expr.kind == BoundKind::kCollectPlan) return;   // its argument belongs to its plan
  for (const auto& arg : expr.args) {
    if (arg) VisitExpr(*arg, visit);
  }
  std::function<void(const LabelPredicate&)> labels = [&](const LabelPredicate& l) {
    if (l.dynamic) VisitExpr(*l.dynamic, visit);
    for (const auto& child : l.children) labels(child);
  };
  if (expr.kind == BoundKind::kHasLabels) labels(expr.labels);
}

std::string KeyOf(const BoundExpr& expr) {
  std::string key;
  return AppendKey(expr, &key) ? key : std::string();
}

void AddFreeSlots(const BoundExpr& expr, std::set<Slot>* out) {
  std::set<Slot> own;   // slots are unique in a statement, so the order of the walk doesn't matter
  VisitExpr(expr, [&](const BoundExpr& e) {
    switch (e.kind) {
      case BoundKind::kSlot: out->insert(e.slot); break;
      case BoundKind::kPath: out->insert(e.path_slots.begin(), e.path_slots.end()); break;
      case BoundKind::kListComprehension:
      case BoundKind::kQuantifier:
      case BoundKind::kReduce:
        own.insert(e.slot);
        if (e.slot2 != kNoSlot) own.insert(e.slot2);
        break;
      default: out->insert(e.outer_slots.begin(), e.outer_slots.end()); break;
    }
  });
  for (Slot s : own) out->erase(s);
}

std::set<Slot> FreeSlots(const BoundExpr& expr) {
  std::set<Slot> slots;
  AddFreeSlots(expr, &slots);
  return slots;
}

BoundExprPtr Clone(const BoundExpr& e) {
  auto made = std::make_unique<BoundExpr>(e.kind);
  made->type = e.type;
  made->element_type = e.element_type;
  made->position = e.position;
  made->text = e.text;
  made->value = e.value;
  made->slot = e.slot;
  made->slot2 = e.slot2;
  made->parameter = e.parameter;
  made->name = e.name;
  for (const auto& arg : e.args) {
    // A subplan is shared, and so must be what it collects.
    made->args.push_back(arg ? Clone(*arg) : nullptr);
  }
  made->ops = e.ops;
  made->keys = e.keys;
  made->all_properties = e.all_properties;
  made->has_operand = e.has_operand;
  made->has_else = e.has_else;
  made->quantifier = e.quantifier;
  made->function = e.function;
  made->labels = e.labels;
  made->path_slots = e.path_slots;
  made->plan = e.plan;
  made->outer_slots = e.outer_slots;
  made->logical = e.logical;
  return made;
}

void SplitAnd(BoundExprPtr expr, std::vector<BoundExprPtr>* out) {
  if (!expr) return;
  if (expr->kind != BoundKind::kAnd) {
    out->push_back(std::move(expr));
    return;
  }
  for (auto& arg : expr->args) SplitAnd(std::move(arg), out);
}

bool IsDeterministic(const BoundExpr& expr) {
  bool yes = true;
  VisitExpr(expr, [&](const BoundExpr& e) { yes = yes && (!e.function || e.function->deterministic); });
  return yes;
}

bool HasSubplan(const BoundExpr& expr) {
  bool has = false;
  VisitExpr(expr, [&](const BoundExpr& e) {
    has = has || e.kind == BoundKind::kExistsPlan || e.kind == BoundKind::kCountPlan || e.kind == BoundKind::kCollectPlan;
  });
  return has;
}

bool IsConstant(const BoundExpr& expr) { return FreeSlots(expr).empty() && IsDeterministic(expr) && !HasSubplan(expr); }

bool ReadsGraph(const BoundExpr& expr) {
  bool reads = false;
  VisitExpr(expr, [&](const BoundExpr& e) {
    switch (e.kind) {
      case BoundKind::kProperty:
      case BoundKind::kSubscript:
      case BoundKind::kMapProjection:
        // A map holds its own values; anything else may be an element.
        reads = reads || !e.args[0]->type.Excludes(kNodeType | kRelationshipType);
        break;
      case BoundKind::kHasLabels:
      case BoundKind::kExistsPlan:
      case BoundKind::kCountPlan:
      case BoundKind::kCollectPlan: reads = true; break;
      case BoundKind::kFunction: reads = reads || e.function->reads_graph; break;
      default: break;
    }
  });
  return reads;
}

}  // namespace fornix::planner
