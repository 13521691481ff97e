#include <algorithm>

#include "engine/exec/traversal.h"
#include "engine/exec/write.h"

namespace fornix::engine {

namespace {

Status AddProperty(ExecutionContext& context, std::string_view key, const Value& value, storage::PropertyList* out) {
  if (Status status = storage::CheckStorable(value); !status.ok()) {
    return Status(status.code(), "property `" + std::string(key) + "`: " + status.message()).Detail(status.detail());
  }
  ASSIGN_OR_RETURN(const PropertyId id, context.transaction().InternProperty(key));
  out->emplace_back(id, value);
  return Status::Ok();
}

void SortById(storage::PropertyList* list) {
  std::sort(list->begin(), list->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

}  // namespace

Status PropertiesFromMap(ExecutionContext& context, const Map& map, storage::PropertyList* out) {
  for (const auto& [key, value] : map) {
    if (!value.is_null()) RETURN_IF_ERROR(AddProperty(context, key, value, out));
  }
  SortById(out);
  return Status::Ok();
}

Result<Map> MapOf(ExecutionContext& context, const Value& value) {
  switch (value.type()) {
    case Type::kMap: return value.AsMap();
    case Type::kNodeRef: return context.functions().elements->NodeProperties(value.AsNodeRef());
    case Type::kRelationshipRef: return context.functions().elements->RelationshipProperties(value.AsRelationshipRef());
    default:
      return Status(Code::kTypeError, "Type mismatch: properties come from a map, a node or a relationship, but this was " +
                                          std::string(TypeName(value.type())) + " " + Shown(value))
          .Detail("InvalidArgumentType");
  }
}

Status DynamicNames(const std::vector<EvaluatorPtr>& exprs, const Batch& rows, uint32_t row, std::vector<std::string>* names) {
  auto bad = [](const Value& v) {
    return Status(Code::kTypeError, "a dynamic label or type must be a string or a list of strings that aren't empty, but was " + Shown(v))
        .Detail("InvalidArgumentType");
  };
  for (const auto& expr : exprs) {
    ASSIGN_OR_RETURN(const Value v, expr->EvaluateRow(rows, row));
    const List one{v};
    for (const Value& name : v.type() == Type::kList ? v.AsList() : one) {
      if (name.type() != Type::kString || name.AsString().empty()) return bad(name).At(expr->expr().position);
      names->push_back(name.AsString());
    }
  }
  return Status::Ok();
}

Status CheckWritable(ExecutionContext& context, const Value& element) {
  if (!context.has_deletes()) return Status::Ok();
  const bool relationship = element.type() == Type::kRelationshipRef;
  const uint64_t id = relationship ? element.AsRelationshipRef() : element.AsNodeRef();
  const storage::ElementState state = relationship ? context.view().StateOf(RelId(id)) : context.view().StateOf(NodeId(id));
  return state == storage::ElementState::kVisible ? Status::Ok() : DeletedAccess(relationship, id);
}

CreateRunner::CreateRunner(Builder& builder, const std::vector<planner::CreateElement>& elements, bool merge)
    : context_(builder.context()), merge_(merge) {
  std::vector<Slot> created;
  for (const auto& e : elements) created.push_back(e.slot);
  for (const auto& e : elements) {
    Element element;
    element.plan = &e;
    if (e.properties != nullptr && e.properties->kind == planner::BoundKind::kMap) {
      for (size_t i = 0; i < e.properties->keys.size(); i++) {
        Property property{e.properties->keys[i], builder.Compile(*e.properties->args[i])};
        std::vector<Slot> reads;
        property.early = CollectSlots(*e.properties->args[i], &reads);
        for (Slot slot : reads) property.early &= std::find(created.begin(), created.end(), slot) == created.end();
        element.properties.push_back(std::move(property));
      }
    } else {
      element.map = builder.CompileOptional(e.properties);
    }
    for (const auto& d : e.dynamic_labels) element.dynamic_labels.push_back(builder.Compile(*d));
    elements_.push_back(std::move(element));
  }
}

void CreateRunner::MarkEitherDirection(Slot relationship) {
  for (Element& e : elements_) {
    if (e.plan->relationship && e.plan->slot == relationship) e.either_direction = true;
  }
}

Status CreateRunner::Prepare(const Batch& rows, Prepared* prepared) {
  prepared->values.resize(elements_.size());
  for (size_t e = 0; e < elements_.size(); e++) {
    auto& properties = elements_[e].properties;
    prepared->values[e].resize(properties.size());
    for (size_t p = 0; p < properties.size(); p++) {
      if (properties[p].early) RETURN_IF_ERROR(properties[p].value->EvaluateInto(rows, AllRows(rows), &prepared->values[e][p]));
    }
  }
  return Status::Ok();
}

Status CreateRunner::ReadProperties(Element& element, size_t index, const Batch& rows, uint32_t row, const Prepared& prepared,
                                    storage::PropertyList* out) {
  auto add = [&](const std::string& key, const Value& value) {
    if (!value.is_null()) return AddProperty(context_, key, value, out);
    if (!merge_) return Status::Ok();
    return Status(Code::kSemanticError, "Cannot merge because property `" + key + "` is null: null never equals anything, so MERGE could neither find nor make it")
        .Detail("MergeReadOwnWrites");
  };
  if (element.map != nullptr) {
    ASSIGN_OR_RETURN(const Value v, element.map->EvaluateRow(rows, row));
    if (v.is_null()) {
      return Status(Code::kTypeError, "the properties of a pattern must be a map, but were null").Detail("InvalidArgumentType");
    }
    ASSIGN_OR_RETURN(const Map map, MapOf(context_, v));
    for (const auto& [key, value] : map) RETURN_IF_ERROR(add(key, value));
  }
  for (size_t p = 0; p < element.properties.size(); p++) {
    Property& property = element.properties[p];
    if (property.early) {
      RETURN_IF_ERROR(add(property.key, prepared.values[index][p].ValueAt(row)));
    } else {
      ASSIGN_OR_RETURN(const Value v, property.value->EvaluateRow(rows, row));
      RETURN_IF_ERROR(add(property.key, v));
    }
  }
  SortById(out);
  return Status::Ok();
}

Status CreateRunner::CreateRow(Batch* rows, uint32_t row, const Prepared& prepared) {
  for (size_t e = 0; e < elements_.size(); e++) {
    Element& element = elements_[e];
    storage::PropertyList properties;
    Status status = ReadProperties(element, e, *rows, row, prepared, &properties);
    if (status.ok()) {
      status = element.plan->relationship ? CreateRelationship(element, rows, row, std::move(properties))
                                          : CreateNode(element, rows, row, std::move(properties));
    }
    if (!status.ok()) return status.position().line == 0 ? std::move(status).At(element.plan->position) : status;
  }
  return Status::Ok();
}

Status CreateRunner::CreateNode(Element& element, Batch* rows, uint32_t row, storage::PropertyList properties) {
  if (!element.interned) {
    for (const std::string& name : element.plan->labels) {
      ASSIGN_OR_RETURN(const LabelId label, context_.transaction().InternLabel(name));
      element.labels.push_back(label);
    }
    std::sort(element.labels.begin(), element.labels.end());
    element.labels.erase(std::unique(element.labels.begin(), element.labels.end()), element.labels.end());
    element.interned = true;
  }
  std::vector<LabelId> all;
  const std::vector<LabelId>* labels = &element.labels;
  if (!element.dynamic_labels.empty()) {
    std::vector<std::string> names;
    RETURN_IF_ERROR(DynamicNames(element.dynamic_labels, *rows, row, &names));
    all = element.labels;
    for (const std::string& name : names) {
      ASSIGN_OR_RETURN(const LabelId label, context_.transaction().InternLabel(name));
      all.push_back(label);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    labels = &all;
  }
  if (merge_) {
    storage::MergeMiss miss;
    miss.labels = *labels;
    miss.properties = properties;
    context_.transaction().RecordMergeMiss(std::move(miss));
  }
  ASSIGN_OR_RETURN(const NodeId id, context_.transaction().CreateNode(*labels, std::move(properties)));
  rows->column(element.plan->slot).AppendNode(id);
  return Status::Ok();
}

Status CreateRunner::CreateRelationship(Element& element, Batch* rows, uint32_t row, storage::PropertyList properties) {
  TypeId type = element.type;
  if (!element.dynamic_labels.empty()) {
    std::vector<std::string> names;
    RETURN_IF_ERROR(DynamicNames(element.dynamic_labels, *rows, row, &names));
    if (names.size() != 1) {
      return Status(Code::kTypeError, "a relationship has exactly one type, but the dynamic type gave " + std::to_string(names.size()))
          .Detail("InvalidArgumentType");
    }
    ASSIGN_OR_RETURN(type, context_.transaction().InternType(names[0]));
  } else if (!element.interned) {
    ASSIGN_OR_RETURN(type, context_.transaction().InternType(element.plan->labels.at(0)));
    element.type = type;
    element.interned = true;
  }
  NodeId ends[2];
  const Slot slots[2] = {element.plan->start, element.plan->end};
  for (int k = 0; k < 2; k++) {
    ASSIGN_OR_RETURN(const std::optional<NodeId> node, NodeAt(context_, *rows, slots[k], row));
    if (!node) {
      const auto& names = context_.plan().slot_names;
      const std::string name = slots[k] < names.size() && !names[slots[k]].empty() ? "`" + names[slots[k]] + "`" : "at one end";
      return {Code::kSemanticError, "Failed to create a relationship: the node " + name + " is null; skip such rows with WHERE ... IS NOT NULL"};
    }
    RETURN_IF_ERROR(CheckWritable(context_, Value::NodeRef(node->value)));
    ends[k] = *node;
  }
  if (merge_) {
    storage::MergeMiss miss;
    miss.relationship = true;
    miss.start = ends[0];
    miss.end = ends[1];
    miss.type = type;
    miss.properties = properties;
    miss.either_direction = element.either_direction;
    context_.transaction().RecordMergeMiss(std::move(miss));
  }
  ASSIGN_OR_RETURN(const RelId id, context_.transaction().CreateRelationship(ends[0], type, ends[1], std::move(properties)));
  rows->column(element.plan->slot).AppendRelationship(id);
  return Status::Ok();
}

}  // namespace fornix::engine
