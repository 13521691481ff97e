// Everything that runs on boxed values row by row: functions, lists, maps, subscripts, string operators, types.
#include <algorithm>
#include <optional>

#include "engine/exec/builder.h"
#include "engine/exec/expression.h"
#include "engine/exec/growth.h"
#include "engine/exec/type_predicate.h"

namespace fornix::engine {

using planner::BoundKind;

namespace {

class BoxedEvaluator : public Evaluator {
 public:
  BoxedEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr), context_(builder.context()) {
    for (const auto& arg : expr.args) args_.push_back(builder.CompileOptional(arg));
    values_.resize(args_.size());
    operands_.resize(args_.size());
    if (expr.kind == BoundKind::kFunction) {
      if (expr.function == nullptr || expr.function->implementation == nullptr || expr.function->aggregate) {
        builder.Fail(Status(Code::kNotAvailable, "function " + (expr.function ? expr.function->name : expr.name) + "() is not available yet")
                         .At(expr.position));
      } else {
        function_ = *static_cast<const ScalarFunction*>(expr.function->implementation);
        // Elements are looked up through the graph: count them as reads.
        reads_ = expr.function->reads_graph;
        pure_ = expr.function->deterministic && !reads_;
        growth_ = GrowthOf(expr.function->name);
      }
    }
    if (expr.kind == BoundKind::kIsTyped || expr.kind == BoundKind::kIsNotTyped) {
      Result<TypePredicate> type = TypePredicate::Parse(expr.name);
      if (type.ok()) {
        type_ = std::move(type).value();
      } else {
        builder.Fail(Status(type.status()).At(expr.position));
      }
    }
  }

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    // What the batch before left, which may be as long as the memory, goes first.
    result_.Clear();
    std::fill(values_.begin(), values_.end(), Value());
    bool constant = pure_;
    for (size_t a = 0; a < args_.size(); a++) {
      if (args_[a] == nullptr) continue;
      RETURN_IF_ERROR(args_[a]->Evaluate(in, rows, &operands_[a]));
      constant = constant && operands_[a].constant;
      if (operands_[a].constant) values_[a] = operands_[a].ValueAt(0);
    }
    const size_t count = constant && rows.count > 0 ? 1 : rows.count;
    ScratchCharge charge(context_, expr_.text.empty() ? std::string_view("an expression") : std::string_view(expr_.text));
    for (size_t i = 0; i < count; i++) {
      CountWork(64);
      for (size_t a = 0; a < args_.size(); a++) {
        if (args_[a] != nullptr && !operands_[a].constant) values_[a] = operands_[a].column->ValueAt(i);
      }
      if (growth_ != nullptr) RETURN_IF_ERROR(charge.Add(growth_(values_)));   // before it is made
      ASSIGN_OR_RETURN(const Value v, Row());
      if (growth_ == nullptr) RETURN_IF_ERROR(charge.Add(v));
      result_.Append(v);
    }
    if (reads_) context_.db_hits += count;
    *out = {&result_, constant && rows.count > 0};
    return Status::Ok();
  }

 private:
  Result<Value> Row() {
    switch (expr_.kind) {
      case BoundKind::kFunction: return Call();
      case BoundKind::kList: return Value(List(values_.begin(), values_.end()));
      case BoundKind::kMap: return MakeMap(0, {});
      case BoundKind::kMapProjection: return MapProjection();
      case BoundKind::kSubscript: return Subscript(context_.functions(), values_[0], values_[1]);
      case BoundKind::kSlice:
        return Slice(values_[0], args_.size() > 1 && args_[1] ? &values_[1] : nullptr,
                     args_.size() > 2 && args_[2] ? &values_[2] : nullptr);
      case BoundKind::kNegate: return Negate(values_[0]);
      case BoundKind::kIn: return In(values_[0], values_[1]);
      case BoundKind::kStartsWith: return StartsWith(values_[0], values_[1]);
      case BoundKind::kEndsWith: return EndsWith(values_[0], values_[1]);
      case BoundKind::kContains: return Contains(values_[0], values_[1]);
      case BoundKind::kRegexMatch: return MatchesRegex(values_[0], values_[1]);
      case BoundKind::kIsTyped: return Value(type_->Accepts(values_[0]));
      case BoundKind::kIsNotTyped: return Value(!type_->Accepts(values_[0]));
      default: return Status(Code::kInternal, "expression '" + expr_.text + "' has no evaluator");
    }
  }

  // A value of a wrong type is answered with what the function takes.
  Result<Value> Call() {
    Result<Value> result = function_(context_.functions(), values_);
    const Status& status = result.status();
    if (status.code() != Code::kTypeError && status.detail() != "InvalidArgumentType") [[likely]] return result;
    if (!expr_.name.empty()) return WrongElement();
    return Status(status.code(), status.message() + "; " + expr_.function->signature).Detail(status.detail()).At(status.position());
  }

  // A known value where a pattern wants an element: Binder::IsElement.
  Status WrongElement() const {
    const char* wanted = expr_.function->name == "type" ? "a relationship" : "a node";
    return Status(Code::kTypeError, std::string("Type mismatch: expected ") + wanted + " but was " + std::string(TypeName(values_[0].type())) + " " +
                                        Shown(values_[0]) + ", in variable `" + expr_.name + "`")
        .Detail("InvalidArgumentType");
  }

  Result<Value> MakeMap(size_t first_arg, Map map) {
    if (map.empty()) {
      std::vector<Map::Entry> entries;
      entries.reserve(expr_.keys.size());
      for (size_t i = 0; i < expr_.keys.size(); i++) entries.emplace_back(expr_.keys[i], values_[first_arg + i]);
      return Value(Map::FromEntries(std::move(entries)));
    }
    for (size_t i = 0; i < expr_.keys.size(); i++) map.Set(expr_.keys[i], values_[first_arg + i]);
    return Value(std::move(map));
  }

  Result<Value> MapProjection() {
    const Value& base = values_[0];
    if (base.is_null()) return Value();
    Map map;
    if (expr_.all_properties) {
      if (base.type() == Type::kMap) {
        map = base.AsMap();
      } else if (base.type() == Type::kNodeRef) {
        ASSIGN_OR_RETURN(map, context_.functions().elements->NodeProperties(base.AsNodeRef()));
      } else if (base.type() == Type::kRelationshipRef) {
        ASSIGN_OR_RETURN(map, context_.functions().elements->RelationshipProperties(base.AsRelationshipRef()));
      } else {
        return Status(Code::kTypeError, "Type mismatch: a map projection needs a map, a node or a relationship, but was " + Shown(base))
            .Detail("InvalidArgumentType");
      }
      context_.db_hits++;
    }
    return MakeMap(1, std::move(map));
  }

  ExecutionContext& context_;
  std::vector<EvaluatorPtr> args_;
  std::vector<Operand> operands_;
  std::vector<Value> values_;
  ScalarFunction function_ = nullptr;
  Growth growth_ = nullptr;
  bool reads_ = false, pure_ = false;
  std::optional<TypePredicate> type_;
};

}  // namespace

EvaluatorPtr CompileBoxed(Builder& builder, const BoundExpr& expr) { return std::make_unique<BoxedEvaluator>(builder, expr); }

}  // namespace fornix::engine
