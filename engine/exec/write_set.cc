#include "engine/exec/write.h"

namespace fornix::engine {

using Kind = planner::SetAction::Kind;

SetRunner::SetRunner(Builder& builder, const std::vector<planner::SetAction>& actions) : context_(builder.context()) {
  for (const auto& a : actions) {
    Action action;
    action.plan = &a;
    action.target = builder.Compile(*a.target);
    action.key = builder.CompileOptional(a.key_expr);
    action.value = builder.CompileOptional(a.value);
    for (const auto& d : a.dynamic_labels) action.dynamic_labels.push_back(builder.Compile(*d));
    actions_.push_back(std::move(action));
  }
}

Status SetRunner::RunRow(const Batch& rows, uint32_t row) {
  for (Action& action : actions_) {
    Status status = RunOne(action, rows, row);
    if (!status.ok()) return status.position().line == 0 ? std::move(status).At(action.plan->position) : status;
  }
  return Status::Ok();
}

Status SetRunner::RunOne(Action& action, const Batch& rows, uint32_t row) {
  ASSIGN_OR_RETURN(const Value target, action.target->EvaluateRow(rows, row));
  if (target.is_null()) return Status::Ok();
  if (target.type() != Type::kNodeRef && target.type() != Type::kRelationshipRef) {
    return Status(Code::kTypeError, "Type mismatch: properties and labels are set on a node or a relationship, not on " +
                                        std::string(TypeName(target.type())) + " " + Shown(target))
        .Detail("InvalidArgumentType");
  }
  RETURN_IF_ERROR(CheckWritable(context_, target));
  const Kind kind = action.plan->kind;
  if (kind == Kind::kAddLabels || kind == Kind::kRemoveLabels) return Labels(target, action, rows, row);
  Value value;
  if (action.value != nullptr) {
    ASSIGN_OR_RETURN(value, action.value->EvaluateRow(rows, row));
  }
  switch (kind) {
    case Kind::kProperty: return SetOne(target, action.plan->key, value);
    case Kind::kRemoveProperty: return SetOne(target, action.plan->key, Value());
    case Kind::kDynamicProperty:
    case Kind::kRemoveDynamicProperty: {
      ASSIGN_OR_RETURN(const Value key, action.key->EvaluateRow(rows, row));
      if (key.type() != Type::kString) {
        return Status(Code::kTypeError, "Type mismatch: the name of a property must be a string, but was " + Shown(key))
            .Detail("MapElementAccessByNonString");
      }
      return SetOne(target, key.AsString(), kind == Kind::kDynamicProperty ? value : Value());
    }
    default: return SetAll(target, value, kind == Kind::kReplace);
  }
}

Status SetRunner::SetOne(const Value& target, std::string_view key, const Value& value) {
  const bool relationship = target.type() == Type::kRelationshipRef;
  if (value.is_null() && !context_.tokens().properties.Find(key)) return Status::Ok();   // nothing has it
  if (Status status = storage::CheckStorable(value); !status.ok()) {
    return Status(status.code(), "property `" + std::string(key) + "`: " + status.message()).Detail(status.detail());
  }
  storage::Transaction& transaction = context_.transaction();
  ASSIGN_OR_RETURN(const PropertyId id, transaction.InternProperty(key));
  return relationship ? transaction.SetProperty(RelId(target.AsRelationshipRef()), id, value)
                      : transaction.SetProperty(NodeId(target.AsNodeRef()), id, value);
}

Status SetRunner::SetAll(const Value& target, const Value& value, bool replace) {
  Map map;
  if (!value.is_null()) {
    ASSIGN_OR_RETURN(map, MapOf(context_, value));
  } else if (!replace) {
    return Status::Ok();                     // SET n += null
  }
  // Everything is checked before anything is written.
  for (const auto& [key, item] : map) {
    if (Status status = storage::CheckStorable(item); !status.ok()) {
      return Status(status.code(), "property `" + key + "`: " + status.message()).Detail(status.detail());
    }
  }
  if (replace) {
    storage::PropertyList now;
    if (target.type() == Type::kRelationshipRef) {
      context_.view().Properties(RelId(target.AsRelationshipRef()), &now);
    } else {
      context_.view().Properties(NodeId(target.AsNodeRef()), &now);
    }
    for (const auto& [id, old] : now) {
      const std::string& key = context_.tokens().properties.Name(id);
      if (map.Find(key) == nullptr) RETURN_IF_ERROR(SetOne(target, key, Value()));
    }
  }
  for (const auto& [key, item] : map) RETURN_IF_ERROR(SetOne(target, key, item));
  return Status::Ok();
}

Status SetRunner::Labels(const Value& target, Action& action, const Batch& rows, uint32_t row) {
  if (target.type() != Type::kNodeRef) {
    return Status(Code::kTypeError, "Type mismatch: labels are set on nodes; the type of a relationship can't be changed").Detail("InvalidArgumentType");
  }
  std::vector<std::string> names = action.plan->labels;
  RETURN_IF_ERROR(DynamicNames(action.dynamic_labels, rows, row, &names));
  const NodeId id(target.AsNodeRef());
  for (const std::string& name : names) {
    if (action.plan->kind == Kind::kAddLabels) {
      ASSIGN_OR_RETURN(const LabelId label, context_.transaction().InternLabel(name));
      RETURN_IF_ERROR(context_.transaction().AddLabel(id, label));
    } else if (const std::optional<LabelId> label = context_.tokens().labels.Find(name)) {
      RETURN_IF_ERROR(context_.transaction().RemoveLabel(id, *label));
    }
  }
  return Status::Ok();
}

}  // namespace fornix::engine
