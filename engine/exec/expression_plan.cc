// Expressions over the graph's shape: paths put together from their parts, and plans inside expressions (EXISTS, COUNT,
// COLLECT), which run once for each row.
#include "engine/exec/builder.h"
#include "engine/exec/expression.h"

namespace fornix::engine {

using planner::BoundKind;

namespace {

// The node at the other end of a relationship, or nothing when it doesn't touch the node.
std::optional<NodeId> OtherEnd(const storage::RelationshipEnds& ends, NodeId node) {
  if (ends.start == node) return ends.end;
  if (ends.end == node) return ends.start;
  return std::nullopt;
}

class PathEvaluator : public Evaluator {
 public:
  PathEvaluator(Builder& builder, const BoundExpr& expr) : Evaluator(expr), context_(builder.context()) {}

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    result_.Clear();
    for (size_t i = 0; i < rows.count; i++) {
      ASSIGN_OR_RETURN(const Value path, Row(in, rows[i]));
      result_.Append(path);
    }
    *out = Own();
    return Status::Ok();
  }

 private:
  Result<Value> Row(const Batch& in, uint32_t row) {
    Path path;
    for (size_t k = 0; k < expr_.path_slots.size(); k++) {
      const Column& column = in.column(expr_.path_slots[k]);
      if (column.IsNull(row)) return Value();
      const Value v = column.ValueAt(row);
      if (k % 2 == 1) {
        if (v.type() == Type::kRelationshipRef) {
          path.relationships.push_back(v);
          continue;
        }
        if (v.type() == Type::kList) {
          RETURN_IF_ERROR(Walk(v.AsList(), in.column(expr_.path_slots[k + 1]).ValueAt(row), &path));
          continue;
        }
      } else if (v.type() == Type::kNodeRef) {
        path.nodes.push_back(v);
        continue;
      }
      return Status(Code::kTypeError, "a path consists of nodes and relationships, but one part was " + Shown(v)).Detail("InvalidArgumentType");
    }
    return Value(std::move(path));
  }

  // Adds the relationships of a variable-length step and the nodes between them, but not the last node. The list may
  // have been made from the far end; then it doesn't lead from the last node to `end`.
  Status Walk(const List& steps, const Value& end, Path* path) {
    CountWork(8 * steps.size());
    if (steps.empty()) {
      // A step of length nothing: its two ends are one node, which comes next.
      path->nodes.pop_back();
      return Status::Ok();
    }
    for (const bool backwards : {false, true}) {
      NodeId at(path->nodes.back().AsNodeRef());
      List nodes;
      nodes.reserve(steps.size());
      bool connected = true;
      for (size_t k = 0; k < steps.size() && connected; k++) {
        const Value& step = steps[backwards ? steps.size() - 1 - k : k];
        if (step.type() != Type::kRelationshipRef) break;
        const std::optional<NodeId> next = OtherEnd(context_.view().Ends(RelId(step.AsRelationshipRef())), at);
        connected = next.has_value();
        if (!connected) break;
        at = *next;
        if (k + 1 < steps.size()) nodes.push_back(Value::NodeRef(at.value));
      }
      if (!connected || end.type() != Type::kNodeRef || at.value != end.AsNodeRef()) continue;
      // Paths are kept by the million: no room beyond what they are.
      path->relationships.reserve(path->relationships.size() + steps.size());
      path->nodes.reserve(path->nodes.size() + nodes.size() + 1);
      for (size_t k = 0; k < steps.size(); k++) path->relationships.push_back(steps[backwards ? steps.size() - 1 - k : k]);
      path->nodes.insert(path->nodes.end(), nodes.begin(), nodes.end());
      return Status::Ok();
    }
    return {Code::kInternal, "the relationships of a path do not lead from its start to its end"};
  }

  ExecutionContext& context_;
};

class SubplanEvaluator : public Evaluator {
 public:
  SubplanEvaluator(Builder& builder, const BoundExpr& expr)
      : Evaluator(expr), context_(builder.context()), plan_(builder.BuildInner(*expr.plan, &source_)) {
    if (expr.kind == BoundKind::kCollectPlan) value_ = builder.Compile(*expr.args[0]);
  }

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    if (out_.slots() != context_.slot_count()) out_ = Batch(context_.slot_count());
    result_.Clear();
    ScratchCharge charge(context_, "COLLECT");
    for (size_t i = 0; i < rows.count; i++) {
      source_ = {&in, rows[i], 1};
      RETURN_IF_ERROR(plan_->Open());
      int64_t count = 0;
      items_.clear();
      while (true) {
        RETURN_IF_ERROR(plan_->Next(&out_));
        if (out_.empty()) break;
        count += static_cast<int64_t>(out_.rows());
        if (expr_.kind == BoundKind::kExistsPlan) break;
        if (value_ != nullptr) {
          Operand values;
          RETURN_IF_ERROR(value_->Evaluate(out_, AllRows(out_), &values));
          RETURN_IF_ERROR(charge.Add(2 * out_.rows() * sizeof(Value)));
          for (size_t k = 0; k < out_.rows(); k++) {
            items_.push_back(values.ValueAt(k));
            RETURN_IF_ERROR(charge.Add(items_.back()));
          }
        }
      }
      switch (expr_.kind) {
        case BoundKind::kExistsPlan: result_.AppendBool(count > 0); break;
        case BoundKind::kCountPlan: result_.AppendInt(count); break;
        default: result_.Append(Value(std::exchange(items_, {}))); break;
      }
    }
    *out = Own();
    return Status::Ok();
  }

 private:
  ExecutionContext& context_;
  ArgumentSource source_;
  OperatorPtr plan_;
  EvaluatorPtr value_;
  List items_;
  Batch out_;
};

}  // namespace

EvaluatorPtr CompilePath(Builder& builder, const BoundExpr& expr) { return std::make_unique<PathEvaluator>(builder, expr); }
EvaluatorPtr CompileSubplan(Builder& builder, const BoundExpr& expr) { return std::make_unique<SubplanEvaluator>(builder, expr); }

}  // namespace fornix::engine
