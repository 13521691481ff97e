// Properties and labels of elements: gathered for a whole column at once, key and label names resolved to tokens once.
//
// A name may have no token when the run starts and get one from a write of the same statement, so unresolved names are
// looked up again for every batch.
#include "engine/exec/builder.h"
#include "engine/exec/expression.h"

namespace fornix::engine {

using planner::LabelPredicate;

namespace {

template <typename ElementId>
Status CheckAlive(ExecutionContext& context, std::span<const ElementId> ids) {
  if (!context.has_deletes()) return Status::Ok();
  for (ElementId id : ids) {
    if (context.view().StateOf(id) != storage::ElementState::kVisible) {
      return DeletedAccess(std::is_same_v<ElementId, RelId>, id.value);
    }
  }
  return Status::Ok();
}

class PropertyEvaluator : public Evaluator {
 public:
  PropertyEvaluator(Builder& builder, const BoundExpr& expr)
      : Evaluator(expr), context_(builder.context()), base_(builder.Compile(*expr.args[0])) {}

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    Operand base;
    RETURN_IF_ERROR(base_->Evaluate(in, rows, &base));
    const Column& c = *base.column;
    const size_t count = base.constant ? 1 : rows.count;
    if (c.kind() == ColumnKind::kNode) {
      RETURN_IF_ERROR(Gather(c, c.nodes().first(count)));
    } else if (c.kind() == ColumnKind::kRelationship) {
      RETURN_IF_ERROR(Gather(c, c.relationships().first(count)));
    } else if (c.kind() <= ColumnKind::kNull) {
      result_.Start(ColumnKind::kNull, count);
    } else {
      result_.Clear();
      for (size_t i = 0; i < count; i++) {
        if (c.IsNull(i)) {
          result_.AppendNull();
          continue;
        }
        const Value v = c.ValueAt(i);
        if (v.type() == Type::kMap) {
          const Value* found = v.AsMap().Find(expr_.name);
          result_.Append(found != nullptr ? *found : Value());
          continue;
        }
        context_.db_hits++;
        ASSIGN_OR_RETURN(const Value property, GetProperty(context_.functions(), v, expr_.name));
        result_.Append(property);
      }
    }
    *out = {&result_, base.constant};
    return Status::Ok();
  }

 private:
  template <typename ElementId>
  Status Gather(const Column& c, std::span<const ElementId> ids) {
    if (!key_) key_ = context_.tokens().properties.Find(expr_.name);
    const size_t count = ids.size();
    if (const uint8_t* nulls = c.nulls()) {
      // Only the elements that are there are asked for, then spread.
      std::vector<ElementId> some;
      std::vector<uint32_t> places;
      for (size_t i = 0; i < count; i++) {
        if (nulls[i] != 0) continue;
        some.push_back(ids[i]);
        places.push_back(static_cast<uint32_t>(i));
      }
      RETURN_IF_ERROR(CheckAlive(context_, std::span<const ElementId>(some)));
      result_.Start(ColumnKind::kBoxed, count);
      if (!key_) return Status::Ok();
      std::vector<Value> values(some.size());
      context_.view().GatherProperty(std::span<const ElementId>(some), *key_, values.data());
      for (size_t i = 0; i < some.size(); i++) result_.mutable_boxed()[places[i]] = std::move(values[i]);
      context_.db_hits += some.size();
      return Status::Ok();
    }
    RETURN_IF_ERROR(CheckAlive(context_, ids));
    if (!key_) {
      result_.Start(ColumnKind::kNull, count);
      return Status::Ok();
    }
    result_.Start(ColumnKind::kBoxed, count);
    context_.view().GatherProperty(ids, *key_, result_.mutable_boxed());
    context_.db_hits += count;
    return Status::Ok();
  }

  ExecutionContext& context_;
  EvaluatorPtr base_;
  std::optional<PropertyId> key_;
};

// A label predicate with what it needs at run time beside it.
struct CompiledLabels {
  const LabelPredicate* predicate = nullptr;
  std::vector<CompiledLabels> children;
  EvaluatorPtr dynamic;
  std::optional<LabelId> label;
  std::optional<TypeId> type;
};

CompiledLabels Compile(Builder& builder, const LabelPredicate& predicate) {
  CompiledLabels compiled;
  compiled.predicate = &predicate;
  for (const auto& child : predicate.children) compiled.children.push_back(Compile(builder, child));
  if (predicate.dynamic != nullptr) compiled.dynamic = builder.Compile(*predicate.dynamic);
  return compiled;
}

class LabelsEvaluator : public Evaluator {
 public:
  LabelsEvaluator(Builder& builder, const BoundExpr& expr)
      : Evaluator(expr),
        context_(builder.context()),
        base_(builder.Compile(*expr.args[0])),
        labels_(Compile(builder, expr.labels)) {}

  Status DoEvaluate(const Batch& in, Selection rows, Operand* out) override {
    Operand base;
    RETURN_IF_ERROR(base_->Evaluate(in, rows, &base));
    const Column& c = *base.column;
    result_.Start(ColumnKind::kBool, rows.count);
    // Split by what the entries are; a column of one kind is the rule.
    nodes_.clear();
    node_rows_.clear();
    for (size_t i = 0; i < rows.count; i++) {
      const size_t at = base.At(i);
      if (c.IsNull(at)) {
        result_.SetNull(i);
        continue;
      }
      const Value v = c.kind() == ColumnKind::kNode ? Value::NodeRef(c.word(at)) : c.ValueAt(at);
      if (v.type() == Type::kNodeRef) {
        nodes_.push_back(NodeId(v.AsNodeRef()));
        node_rows_.push_back(static_cast<uint32_t>(i));
      } else if (v.type() == Type::kRelationshipRef) {
        bool has = false;
        RETURN_IF_ERROR(RelationshipHas(in, rows[i], RelId(v.AsRelationshipRef()), labels_, &has));
        result_.SetBool(i, has);
      } else {
        return Status(Code::kTypeError, "Type mismatch: labels are tested on a node or a relationship, not on " +
                                            std::string(TypeName(v.type())) + " " + Shown(v))
            .Detail("InvalidArgumentType");
      }
    }
    if (!nodes_.empty()) {
      RETURN_IF_ERROR(CheckAlive(context_, std::span<const NodeId>(nodes_)));
      std::vector<uint8_t> has(nodes_.size());
      RETURN_IF_ERROR(NodesHave(in, rows, labels_, &has));
      for (size_t i = 0; i < nodes_.size(); i++) result_.SetBool(node_rows_[i], has[i] != 0);
      context_.db_hits += nodes_.size();
    }
    *out = Own();
    return Status::Ok();
  }

 private:
  Status DynamicNames(const Batch& in, uint32_t row, CompiledLabels& labels, std::vector<std::string>* names) {
    ASSIGN_OR_RETURN(const Value v, labels.dynamic->EvaluateRow(in, row));
    if (v.type() == Type::kString) {
      names->push_back(v.AsString());
      return Status::Ok();
    }
    if (v.type() == Type::kList) {
      for (const Value& item : v.AsList()) {
        if (item.type() != Type::kString) return BadDynamic(item);
        names->push_back(item.AsString());
      }
      return Status::Ok();
    }
    return BadDynamic(v);
  }
  static Status BadDynamic(const Value& v) {
    return Status(Code::kTypeError, "a dynamic label must be a string or a list of strings, but was " + Shown(v)).Detail("InvalidArgumentType");
  }

  Status NodesHave(const Batch& in, Selection rows, CompiledLabels& labels, std::vector<uint8_t>* has) {
    const LabelPredicate& p = *labels.predicate;
    switch (p.kind) {
      case LabelPredicate::Kind::kName:
        if (!labels.label) labels.label = context_.tokens().labels.Find(p.name);
        if (!labels.label) {
          std::fill(has->begin(), has->end(), 0);
        } else {
          context_.view().GatherLabel(nodes_, *labels.label, has->data());
        }
        return Status::Ok();
      case LabelPredicate::Kind::kNot:
        RETURN_IF_ERROR(NodesHave(in, rows, labels.children[0], has));
        for (uint8_t& h : *has) h = !h;
        return Status::Ok();
      case LabelPredicate::Kind::kAnd:
      case LabelPredicate::Kind::kOr: {
        RETURN_IF_ERROR(NodesHave(in, rows, labels.children[0], has));
        std::vector<uint8_t> more(has->size());
        for (size_t k = 1; k < labels.children.size(); k++) {
          RETURN_IF_ERROR(NodesHave(in, rows, labels.children[k], &more));
          for (size_t i = 0; i < has->size(); i++) {
            (*has)[i] = p.kind == LabelPredicate::Kind::kAnd ? (*has)[i] & more[i] : (*has)[i] | more[i];
          }
        }
        return Status::Ok();
      }
      case LabelPredicate::Kind::kAny: {
        std::vector<LabelId> of_node;
        for (size_t i = 0; i < nodes_.size(); i++) {
          context_.view().Labels(nodes_[i], &of_node);
          (*has)[i] = !of_node.empty();
        }
        return Status::Ok();
      }
      case LabelPredicate::Kind::kDynamic:
        for (size_t i = 0; i < nodes_.size(); i++) {
          std::vector<std::string> names;
          RETURN_IF_ERROR(DynamicNames(in, rows[node_rows_[i]], labels, &names));
          bool all = true, any = false;
          for (const std::string& name : names) {
            const std::optional<LabelId> label = context_.tokens().labels.Find(name);
            const bool one = label && context_.view().HasLabel(nodes_[i], *label);
            all &= one;
            any |= one;
          }
          (*has)[i] = p.dynamic_any ? any : all;
        }
        return Status::Ok();
    }
    return Status::Ok();
  }

  Status RelationshipHas(const Batch& in, uint32_t row, RelId id, CompiledLabels& labels, bool* has) {
    const LabelPredicate& p = *labels.predicate;
    switch (p.kind) {
      case LabelPredicate::Kind::kName:
        if (!labels.type) labels.type = context_.tokens().types.Find(p.name);
        *has = labels.type && context_.view().Ends(id).type == *labels.type;
        return Status::Ok();
      case LabelPredicate::Kind::kNot:
        RETURN_IF_ERROR(RelationshipHas(in, row, id, labels.children[0], has));
        *has = !*has;
        return Status::Ok();
      case LabelPredicate::Kind::kAnd:
      case LabelPredicate::Kind::kOr: {
        const bool and_form = p.kind == LabelPredicate::Kind::kAnd;
        *has = and_form;
        for (auto& child : labels.children) {
          bool one = false;
          RETURN_IF_ERROR(RelationshipHas(in, row, id, child, &one));
          *has = and_form ? *has && one : *has || one;
        }
        return Status::Ok();
      }
      case LabelPredicate::Kind::kAny: *has = true; return Status::Ok();
      case LabelPredicate::Kind::kDynamic: {
        std::vector<std::string> names;
        RETURN_IF_ERROR(DynamicNames(in, row, labels, &names));
        const std::string& type = context_.tokens().types.Name(context_.view().Ends(id).type);
        bool all = true, any = false;
        for (const std::string& name : names) {
          all &= name == type;
          any |= name == type;
        }
        *has = p.dynamic_any ? any : all;
        return Status::Ok();
      }
    }
    return Status::Ok();
  }

  ExecutionContext& context_;
  EvaluatorPtr base_;
  CompiledLabels labels_;
  std::vector<NodeId> nodes_;
  std::vector<uint32_t> node_rows_;
};

}  // namespace

EvaluatorPtr CompileProperty(Builder& builder, const BoundExpr& expr) { return std::make_unique<PropertyEvaluator>(builder, expr); }
EvaluatorPtr CompileLabels(Builder& builder, const BoundExpr& expr) { return std::make_unique<LabelsEvaluator>(builder, expr); }

}  // namespace fornix::engine
