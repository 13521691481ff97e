#include "storage/constraint/check.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/value_format.h"
#include "storage/constraint/describe.h"
#include "storage/graph/stored_properties.h"

namespace fornix::storage {
namespace {

Status Violation(std::string message, const char* detail) {
  return Status(Code::kConstraintViolation, std::move(message)).Detail(detail);
}

// "Node(7) with label `Person`".
std::string Subject(const Tokens& tokens, EntityKind entity, uint64_t id, uint32_t token) {
  return ElementText(entity, id) + (entity == EntityKind::kNode ? " with label `" : " with type `") +
         TokenName(tokens, entity, token) + "`";
}

Status MissingProperty(const Tokens& tokens, const ConstraintDefinition& c, PropertyId missing, uint64_t id,
                       const PropertyList& properties) {
  std::vector<std::string> given;
  for (const auto& [key, value] : properties) given.push_back(tokens.properties.Name(key));
  const std::string name = tokens.properties.Name(missing);
  std::string message = Subject(tokens, c.entity, id, c.token) + " must have the property `" + name + "` (rule " +
                        RuleText(tokens, c) + "); it has " + (given.empty() ? "none" : Join(given));
  const std::string nearest = Nearest(name, given);
  if (!nearest.empty()) message += "; was `" + nearest + "` meant to be `" + name + "`?";
  return Violation(std::move(message), "PropertyMissing");
}

}  // namespace

Status CheckElement(const SchemaState& schema, const Tokens& tokens, EntityKind entity, uint64_t id, const ElementImage& image) {
  for (uint32_t token : image.tokens) {
    const TokenRules* rules = schema.RulesOf(entity, token);
    if (rules == nullptr) continue;
    for (const ConstraintDefinition* c : rules->constraints) {
      for (PropertyId property : c->properties) {
        const Value* value = FindProperty(*image.properties, property);
        if (c->kind == ConstraintKind::kExistence || c->kind == ConstraintKind::kKey) {
          if (value == nullptr) return MissingProperty(tokens, *c, property, id, *image.properties);
        } else if (c->kind == ConstraintKind::kPropertyType && value != nullptr && !c->type.Accepts(*value)) {
          return Violation(Subject(tokens, entity, id, token) + " must have the property `" +
                               tokens.properties.Name(property) + "` of type " + c->type.text + " (rule " +
                               RuleText(tokens, *c) + "); given was " + std::string(TypeName(value->type())) + " " +
                               Shorten(ToText(*value)),
                           "PropertyType");
        }
      }
    }
  }
  return Status::Ok();
}

namespace {
// "; allowed are A, B; did you mean A?"
std::string AllowedText(std::string_view given, const std::vector<std::string>& allowed, const char* what) {
  if (allowed.empty()) return std::string("; it allows no ") + what;
  const std::string nearest = Nearest(given, allowed);
  return std::string("; allowed ") + what + ": " + Join(allowed) + (nearest.empty() ? "" : "; did you mean " + nearest + "?");
}
}  // namespace

Status CheckLabels(const GraphType& type, const Tokens& tokens, NodeId id, std::span<const LabelId> labels) {
  if (!type.declared || !type.closed) return Status::Ok();
  if (labels.empty()) {
    return Violation("Node(" + std::to_string(id.value) + ") has no label, and the closed graph type wants one; allowed labels: " +
                         Join(type.labels),
                     "LabelNotAllowed");
  }
  for (LabelId label : labels) {
    const std::string& name = tokens.labels.Name(label);
    if (std::binary_search(type.labels.begin(), type.labels.end(), name)) continue;
    return Violation("Node(" + std::to_string(id.value) + ") has the label `" + name +
                         "`, which the closed graph type doesn't allow" + AllowedText(name, type.labels, "labels"),
                     "LabelNotAllowed");
  }
  return Status::Ok();
}

Status CheckType(const GraphType& graph_type, const Tokens& tokens, RelId id, TypeId type) {
  if (!graph_type.declared || !graph_type.closed) return Status::Ok();
  const std::string& name = tokens.types.Name(type);
  if (std::binary_search(graph_type.types.begin(), graph_type.types.end(), name)) return Status::Ok();
  return Violation("Relationship(" + std::to_string(id.value) + ") has the type `" + name +
                       "`, which the closed graph type doesn't allow" + AllowedText(name, graph_type.types, "types"),
                   "TypeNotAllowed");
}

Status CheckEnds(const GraphType& graph_type, const Tokens& tokens, RelId id, const RelationshipEnds& ends,
                 std::span<const LabelId> start_labels, std::span<const LabelId> end_labels) {
  if (!HasEndRules(graph_type)) return Status::Ok();
  const std::string& name = tokens.types.Name(ends.type);
  auto has = [&](std::span<const LabelId> labels, const std::string& wanted) {
    return wanted.empty() || std::any_of(labels.begin(), labels.end(),
                                         [&](LabelId label) { return tokens.labels.Name(label) == wanted; });
  };
  auto pattern = [&](const std::string& start, const std::string& end) {
    auto node = [](const std::string& label) { return label.empty() ? std::string("()") : "(:" + label + ")"; };
    return node(start) + "-[:" + name + "]->" + node(end);
  };
  std::vector<std::string> allowed;
  std::string nearest;
  for (const GraphType::Endpoint& e : graph_type.endpoints) {
    if (e.type != name) continue;
    const bool start_fits = has(start_labels, e.start_label), end_fits = has(end_labels, e.end_label);
    if (start_fits && end_fits) return Status::Ok();
    allowed.push_back(pattern(e.start_label, e.end_label));
    if (nearest.empty() || start_fits || end_fits) nearest = allowed.back();
  }
  if (allowed.empty()) return Status::Ok();    // a type that the graph type says nothing about
  auto labels_text = [&](std::span<const LabelId> labels) {
    std::string text;
    for (LabelId label : labels) text += (text.empty() ? "" : ":") + tokens.labels.Name(label);
    return text;
  };
  return Violation("Relationship(" + std::to_string(id.value) + ") is " + pattern(labels_text(start_labels), labels_text(end_labels)) +
                       " between Node(" + std::to_string(ends.start.value) + ") and Node(" + std::to_string(ends.end.value) +
                       "), which the graph type doesn't allow; allowed: " + Join(allowed) + "; the nearest is " + nearest,
                   "EndsNotAllowed");
}

}  // namespace fornix::storage
