// Expressions of the reference model.
#include "base/value_compare.h"
#include "tests/model/interpreter.h"

namespace fornix::model {

using ast::Expr;
using ast::ExprKind;

namespace {
Status WrongType(std::string what) { return Status(Code::kTypeError, std::move(what)).Detail("InvalidArgumentType"); }
}  // namespace

Result<Value> Interpreter::Evaluate(const Expr& e, const Variables& row, const Group* group) {
  auto argument = [&](size_t i) { return Evaluate(*e.args[i], row, group); };
  switch (e.kind) {
    case ExprKind::kLiteral: return e.value;
    case ExprKind::kParameter: {
      const Value* value = parameters_.Find(e.name);
      if (value == nullptr) return Status(Code::kParameterMissing, "there is no parameter $" + e.name);
      return *value;
    }
    case ExprKind::kVariable: {
      auto it = row.find(e.name);
      if (it == row.end()) return Status(Code::kSyntaxError, "variable `" + e.name + "` isn't defined").Detail("UndefinedVariable");
      return it->second;
    }
    case ExprKind::kProperty: {
      ASSIGN_OR_RETURN(Value base, argument(0));
      return engine::GetProperty(functions_, base, e.name);
    }
    case ExprKind::kSubscript: {
      ASSIGN_OR_RETURN(Value base, argument(0));
      ASSIGN_OR_RETURN(Value index, argument(1));
      return engine::Subscript(functions_, base, index);
    }
    case ExprKind::kSlice: {
      ASSIGN_OR_RETURN(Value list, argument(0));
      Value from, to;
      if (e.args[1]) { ASSIGN_OR_RETURN(from, argument(1)); }
      if (e.args[2]) { ASSIGN_OR_RETURN(to, argument(2)); }
      return engine::Slice(list, e.args[1] ? &from : nullptr, e.args[2] ? &to : nullptr);
    }
    case ExprKind::kList: {
      List list;
      for (size_t i = 0; i < e.args.size(); ++i) {
        ASSIGN_OR_RETURN(Value element, argument(i));
        list.push_back(element);
      }
      return Value(list);
    }
    case ExprKind::kMap: {
      Map map;
      for (size_t i = 0; i < e.args.size(); ++i) {
        ASSIGN_OR_RETURN(Value value, argument(i));
        map.Set(e.keys[i], value);
      }
      return Value(map);
    }
    case ExprKind::kMapProjection: return MapProjection(e, row, group);
    case ExprKind::kFunctionCall: return Call(e, row, group);
    case ExprKind::kCountStar:
      if (group == nullptr) return Status(Code::kSyntaxError, "count(*) outside of WITH and RETURN").Detail("InvalidAggregation");
      return Value(static_cast<int64_t>(group->size()));
    case ExprKind::kAnd: case ExprKind::kOr: case ExprKind::kXor: case ExprKind::kNot: return Logic(e, row, group);
    case ExprKind::kComparison: return Compare(e, row, group);
    case ExprKind::kArithmetic: return Arithmetic(e, row, group);
    case ExprKind::kUnaryMinus: {
      ASSIGN_OR_RETURN(Value value, argument(0));
      return engine::Negate(value);
    }
    case ExprKind::kUnaryPlus: return argument(0);
    case ExprKind::kIn: case ExprKind::kStartsWith: case ExprKind::kEndsWith: case ExprKind::kContains: case ExprKind::kRegexMatch: {
      ASSIGN_OR_RETURN(Value a, argument(0));
      ASSIGN_OR_RETURN(Value b, argument(1));
      if (e.kind == ExprKind::kIn) return engine::In(a, b);
      if (e.kind == ExprKind::kStartsWith) return engine::StartsWith(a, b);
      if (e.kind == ExprKind::kEndsWith) return engine::EndsWith(a, b);
      if (e.kind == ExprKind::kContains) return engine::Contains(a, b);
      return engine::MatchesRegex(a, b);
    }
    case ExprKind::kIsNull: case ExprKind::kIsNotNull: {
      ASSIGN_OR_RETURN(Value value, argument(0));
      return Value(value.is_null() == (e.kind == ExprKind::kIsNull));
    }
    case ExprKind::kIsTyped: case ExprKind::kIsNotTyped: {
      ASSIGN_OR_RETURN(Value value, argument(0));
      return Value(HasType(value, e.type_name) == (e.kind == ExprKind::kIsTyped));
    }
    case ExprKind::kLabelCheck: {
      ASSIGN_OR_RETURN(Value element, argument(0));
      if (element.is_null()) return Value();
      std::set<std::string> names;
      if (element.type() == Type::kNodeRef) {
        ASSIGN_OR_RETURN(std::vector<std::string> labels, reader_.NodeLabels(element.AsNodeRef()));
        names.insert(labels.begin(), labels.end());
      } else if (element.type() == Type::kRelationshipRef) {
        ASSIGN_OR_RETURN(std::string type, reader_.RelationshipType(element.AsRelationshipRef()));
        names.insert(type);
      } else {
        return WrongType("labels are of nodes and relationships");
      }
      ASSIGN_OR_RETURN(bool holds, LabelsHold(*e.labels, names, row));
      return Value(holds);
    }
    case ExprKind::kCase: {
      Value operand;
      if (e.args[0]) { ASSIGN_OR_RETURN(operand, argument(0)); }
      for (const auto& [when, then] : e.whens) {
        Truth taken = Truth::kFalse;
        if (e.args[0]) {
          ASSIGN_OR_RETURN(Value value, Evaluate(*when, row, group));
          taken = Equals(operand, value);
        } else {
          ASSIGN_OR_RETURN(taken, Test(*when, row, group));
        }
        if (taken == Truth::kTrue) return Evaluate(*then, row, group);
      }
      return e.else_expr ? Evaluate(*e.else_expr, row, group) : Result<Value>(Value());
    }
    case ExprKind::kListComprehension: case ExprKind::kQuantifier: case ExprKind::kReduce: return Over(e, row, group);
    case ExprKind::kPatternComprehension:
    case ExprKind::kPattern:
    case ExprKind::kExists:
    case ExprKind::kCountSubquery:
    case ExprKind::kCollectSubquery: return Subqueries(e, row);
    case ExprKind::kShortestPath: break;
  }
  return Status(Code::kNotAvailable, "the model knows no shortestPath");
}

Result<Truth> Interpreter::Test(const Expr& expr, const Variables& row, const Group* group) {
  ASSIGN_OR_RETURN(Value value, Evaluate(expr, row, group));
  if (value.is_null()) return Truth::kUnknown;
  if (value.type() != Type::kBoolean) return WrongType("a condition must be true or false");
  return TruthOf(value.AsBoolean());
}

Result<bool> Interpreter::Holds(const Expr* where, const Variables& row) {
  if (where == nullptr) return true;
  ASSIGN_OR_RETURN(Truth truth, Test(*where, row));
  return truth == Truth::kTrue;
}

Result<Value> Interpreter::Logic(const Expr& e, const Variables& row, const Group* group) {
  bool any_unknown = false, any_true = false, any_false = false, odd = false;
  for (const ast::ExprPtr& operand : e.args) {
    ASSIGN_OR_RETURN(Truth truth, Test(*operand, row, group));
    any_unknown |= truth == Truth::kUnknown;
    any_true |= truth == Truth::kTrue;
    any_false |= truth == Truth::kFalse;
    odd ^= truth == Truth::kTrue;
  }
  switch (e.kind) {
    case ExprKind::kAnd: return any_false ? Value(false) : any_unknown ? Value() : Value(true);
    case ExprKind::kOr: return any_true ? Value(true) : any_unknown ? Value() : Value(false);
    case ExprKind::kXor: return any_unknown ? Value() : Value(odd);
    default: return any_unknown ? Value() : Value(any_false);  // NOT
  }
}

// a < b <= c is a < b AND b <= c.
Result<Value> Interpreter::Compare(const Expr& e, const Variables& row, const Group* group) {
  bool unknown = false;
  ASSIGN_OR_RETURN(Value left, Evaluate(*e.args[0], row, group));
  bool all = true;
  for (size_t i = 0; i < e.ops.size(); ++i) {
    ASSIGN_OR_RETURN(Value right, Evaluate(*e.args[i + 1], row, group));
    Truth truth = Truth::kUnknown;
    switch (e.ops[i]) {
      case ast::Op::kEq: case ast::Op::kNe: truth = Equals(left, right); break;
      case ast::Op::kLt: truth = LessThan(left, right); break;
      case ast::Op::kLe: truth = LessOrEqual(left, right); break;
      case ast::Op::kGt: truth = LessThan(right, left); break;
      default: truth = LessOrEqual(right, left);
    }
    unknown |= truth == Truth::kUnknown;
    if (truth != Truth::kUnknown) all &= (truth == Truth::kTrue) != (e.ops[i] == ast::Op::kNe);
    left = right;
  }
  return !all ? Value(false) : unknown ? Value() : Value(true);
}

Result<Value> Interpreter::Arithmetic(const Expr& e, const Variables& row, const Group* group) {
  ASSIGN_OR_RETURN(Value left, Evaluate(*e.args[0], row, group));
  for (size_t i = 0; i < e.ops.size(); ++i) {
    ASSIGN_OR_RETURN(Value right, Evaluate(*e.args[i + 1], row, group));
    Result<Value> result = Value();
    switch (e.ops[i]) {
      case ast::Op::kAdd: result = engine::Add(left, right); break;
      case ast::Op::kSub: result = engine::Subtract(left, right); break;
      case ast::Op::kMul: result = engine::Multiply(left, right); break;
      case ast::Op::kDiv: result = engine::Divide(left, right); break;
      case ast::Op::kMod: result = engine::Modulo(left, right); break;
      case ast::Op::kPow: result = engine::Power(left, right); break;
      default: result = engine::Concatenate(left, right);
    }
    ASSIGN_OR_RETURN(left, std::move(result));
  }
  return left;
}

Result<Value> Interpreter::Call(const Expr& e, const Variables& row, const Group* group) {
  const planner::FunctionSignature* function = engine::BuiltinFunctions().FindFunction(e.name);
  if (function == nullptr) return Status(Code::kSyntaxError, "there is no function " + e.name).Detail("UnknownFunction");
  if (function->aggregate) {
    if (group == nullptr) return Status(Code::kSyntaxError, e.name + "() outside of WITH and RETURN").Detail("InvalidAggregation");
    return Aggregate(e, *function, *group);
  }
  List arguments;
  for (const ast::ExprPtr& argument : e.args) {
    ASSIGN_OR_RETURN(Value value, Evaluate(*argument, row, group));
    arguments.push_back(value);
  }
  return (*static_cast<const engine::ScalarFunction*>(function->implementation))(functions_, arguments);
}

Result<Value> Interpreter::Aggregate(const Expr& e, const planner::FunctionSignature& function, const Group& group) {
  std::unique_ptr<engine::Aggregator> aggregator = (*static_cast<const engine::AggregateFunction*>(function.implementation))();
  List seen;
  for (const Variables& row : group) {
    List arguments;
    for (const ast::ExprPtr& argument : e.args) {
      ASSIGN_OR_RETURN(Value value, Evaluate(*argument, row));
      arguments.push_back(value);
    }
    if (e.distinct) {
      bool again = false;
      for (const Value& value : seen) again |= Equivalent(value, arguments[0]);
      if (again) continue;
      seen.push_back(arguments[0]);
    }
    RETURN_IF_ERROR(aggregator->Add(arguments));
  }
  return aggregator->Finish();
}

Result<Value> Interpreter::Over(const Expr& e, const Variables& row, const Group* group) {
  const bool reduce = e.kind == ExprKind::kReduce;
  ASSIGN_OR_RETURN(Value source, Evaluate(*e.args[reduce ? 1 : 0], row, group));
  Value accumulator;
  if (reduce) { ASSIGN_OR_RETURN(accumulator, Evaluate(*e.args[0], row, group)); }
  if (source.is_null()) return Value();
  if (source.type() != Type::kList) return WrongType("a list is needed");
  List result;
  int64_t trues = 0, unknowns = 0, falses = 0;
  for (const Value& item : source.AsList()) {
    Variables inner = row;
    inner[e.variable.text] = item;
    if (reduce) {
      inner[e.name] = accumulator;
      ASSIGN_OR_RETURN(accumulator, Evaluate(*e.args[2], inner, group));
      continue;
    }
    Truth truth = Truth::kTrue;
    if (e.args[1]) { ASSIGN_OR_RETURN(truth, Test(*e.args[1], inner, group)); }
    (truth == Truth::kTrue ? trues : truth == Truth::kFalse ? falses : unknowns) += 1;
    if (e.kind != ExprKind::kListComprehension || truth != Truth::kTrue) continue;
    Value mapped = item;
    if (e.args[2]) { ASSIGN_OR_RETURN(mapped, Evaluate(*e.args[2], inner, group)); }
    result.push_back(mapped);
  }
  if (reduce) return accumulator;
  if (e.kind == ExprKind::kListComprehension) return Value(result);
  switch (e.quantifier) {
    case ast::Quantifier::kAll: return falses > 0 ? Value(false) : unknowns > 0 ? Value() : Value(true);
    case ast::Quantifier::kAny: return trues > 0 ? Value(true) : unknowns > 0 ? Value() : Value(false);
    case ast::Quantifier::kNone: return trues > 0 ? Value(false) : unknowns > 0 ? Value() : Value(true);
    default: return trues > 1 ? Value(false) : unknowns > 0 ? Value() : Value(trues == 1);
  }
}

Result<Value> Interpreter::MapProjection(const Expr& e, const Variables& row, const Group* group) {
  ASSIGN_OR_RETURN(Value base, Evaluate(*e.args[0], row, group));
  if (base.is_null()) return Value();
  Map out;
  for (const ast::MapProjectionItem& item : e.projection) {
    using Kind = ast::MapProjectionItem::Kind;
    if (item.kind == Kind::kAllProperties) {
      Map all;
      if (base.type() == Type::kMap) {
        all = base.AsMap();
      } else {
        ASSIGN_OR_RETURN(all, base.type() == Type::kNodeRef ? reader_.NodeProperties(base.AsNodeRef())
                                                            : reader_.RelationshipProperties(base.AsRelationshipRef()));
      }
      for (const auto& [key, value] : all) out.Set(key, value);
    } else if (item.kind == Kind::kProperty) {
      ASSIGN_OR_RETURN(Value value, engine::GetProperty(functions_, base, item.name.text));
      out.Set(item.name.text, value);
    } else if (item.kind == Kind::kVariable) {
      auto it = row.find(item.name.text);
      if (it == row.end()) return Status(Code::kSyntaxError, "variable `" + item.name.text + "` isn't defined");
      out.Set(item.name.text, it->second);
    } else {
      ASSIGN_OR_RETURN(Value value, Evaluate(*item.value, row, group));
      out.Set(item.name.text, value);
    }
  }
  return Value(out);
}

Result<Value> Interpreter::Subqueries(const Expr& e, const Variables& row) {
  int64_t count = 0;
  List collected;
  if (e.subquery) {
    Table input;
    for (const auto& [name, value] : row) input.scope.insert(name);
    input.rows.push_back(row);
    ASSIGN_OR_RETURN(Answer answer, RunQuery(*e.subquery, input));
    count = static_cast<int64_t>(answer.rows.size());
    if (e.kind == ExprKind::kCollectSubquery) {
      for (const Row& found : answer.rows) collected.push_back(found[0]);
    }
  } else {
    const bool comprehension = e.kind == ExprKind::kPatternComprehension;
    const Expr* where = e.args.empty() ? nullptr : e.args[0].get();
    RETURN_IF_ERROR(MatchAll(e.patterns, row, [&](const Variables& found) -> Status {
      ASSIGN_OR_RETURN(bool holds, Holds(where, found));
      if (!holds) return Status::Ok();
      ++count;
      if (comprehension) {
        ASSIGN_OR_RETURN(Value value, Evaluate(*e.args[1], found));
        collected.push_back(value);
      }
      return Status::Ok();
    }));
  }
  if (e.kind == ExprKind::kCountSubquery) return Value(count);
  if (e.kind == ExprKind::kCollectSubquery || e.kind == ExprKind::kPatternComprehension) return Value(collected);
  return Value(count > 0);
}

Result<std::vector<std::string>> Interpreter::DynamicNames(const ast::LabelExpr& labels, const Variables& row) {
  ASSIGN_OR_RETURN(Value value, Evaluate(*labels.dynamic, row));
  std::vector<std::string> names;
  if (value.type() == Type::kString) {
    names.push_back(value.AsString());
  } else if (value.type() == Type::kList) {
    for (const Value& name : value.AsList()) {
      if (name.type() != Type::kString) return WrongType("a label must be a string");
      names.push_back(name.AsString());
    }
  } else {
    return WrongType("a label must be a string");
  }
  return names;
}

Result<bool> Interpreter::LabelsHold(const ast::LabelExpr& labels, const std::set<std::string>& names, const Variables& row) {
  using Kind = ast::LabelExpr::Kind;
  switch (labels.kind) {
    case Kind::kName: return names.contains(labels.name.text);
    case Kind::kWildcard: return !names.empty();
    case Kind::kDynamic: {
      ASSIGN_OR_RETURN(std::vector<std::string> wanted, DynamicNames(labels, row));
      size_t found = 0;
      for (const std::string& name : wanted) found += names.contains(name);
      return labels.dynamic_any ? found > 0 : found == wanted.size();
    }
    case Kind::kNot: {
      ASSIGN_OR_RETURN(bool holds, LabelsHold(*labels.children[0], names, row));
      return !holds;
    }
    default: {
      const bool all = labels.kind == Kind::kAnd;
      for (const auto& child : labels.children) {
        ASSIGN_OR_RETURN(bool holds, LabelsHold(*child, names, row));
        if (holds != all) return holds;
      }
      return all;
    }
  }
}

}  // namespace fornix::model
