#include "storage/constraint/describe.h"

#include <algorithm>

#include "base/value_format.h"

namespace fornix::storage {

std::string TokenName(const Tokens& tokens, EntityKind entity, uint32_t token) {
  return entity == EntityKind::kNode ? tokens.labels.Name(LabelId(token)) : tokens.types.Name(TypeId(token));
}

std::string ElementText(EntityKind entity, uint64_t id) {
  return (entity == EntityKind::kNode ? "Node(" : "Relationship(") + std::to_string(id) + ")";
}

std::string SchemaText(const Tokens& tokens, EntityKind entity, std::span<const uint32_t> tokens_of,
                       std::span<const PropertyId> properties) {
  std::string names;
  for (uint32_t token : tokens_of) names += (names.empty() ? ":" : "|") + TokenName(tokens, entity, token);
  std::string list;
  for (PropertyId property : properties) list += (list.empty() ? "" : ", ") + tokens.properties.Name(property);
  return entity == EntityKind::kNode ? "(" + names + " {" + list + "})" : "()-[" + names + " {" + list + "}]-()";
}

std::string RuleText(const Tokens& tokens, const ConstraintDefinition& c) {
  const uint32_t token[] = {c.token};
  std::string text = c.name + ": " + SchemaText(tokens, c.entity, token, c.properties);
  switch (c.kind) {
    case ConstraintKind::kUnique: return text + " IS UNIQUE";
    case ConstraintKind::kKey: return text + (c.entity == EntityKind::kNode ? " IS NODE KEY" : " IS RELATIONSHIP KEY");
    case ConstraintKind::kExistence: return text + " IS NOT NULL";
    case ConstraintKind::kPropertyType: return text + " IS :: " + c.type.text;
  }
  return text;
}

std::string Shorten(std::string text) {
  constexpr size_t kShownBytesMax = 200;       // a value in a message is there to be recognised
  return text.size() > kShownBytesMax ? text.substr(0, kShownBytesMax) + "..." : text;
}

Status UniqueViolation(const Tokens& tokens, const ConstraintDefinition& c, const List& values, uint64_t holder,
                       uint64_t refused) {
  std::string message = ElementText(c.entity, holder) + " already exists with " +
                        (c.entity == EntityKind::kNode ? "label `" : "type `") + TokenName(tokens, c.entity, c.token) + "` and " +
                        (values.size() == 1 ? "property " : "properties ");
  for (size_t i = 0; i < values.size(); ++i) {
    message += (i == 0 ? "`" : ", `") + tokens.properties.Name(c.properties[i]) + "` = " + Shorten(ToText(values[i]));
  }
  message += "; so " + ElementText(c.entity, refused) + " is refused by rule " + RuleText(tokens, c);
  return Status(Code::kConstraintViolation, std::move(message)).Detail("Unique");
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace fornix::storage
