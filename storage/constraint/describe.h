// The words in which refusals speak: of elements, rules, and what a writer may have meant. A model that reads the error
// must be able to correct itself, so each says what was given, what is allowed in full, and the nearest of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "storage/catalog/catalog.h"

namespace fornix::storage {

std::string TokenName(const Tokens& tokens, EntityKind entity, uint32_t token);
// "Node(7)" or "Relationship(7)", as Neo4j's messages have it.
std::string ElementText(EntityKind entity, uint64_t id);
// "(:Person {email})" or "()-[:KNOWS {since}]-()": where a rule or an index lies.
std::string SchemaText(const Tokens& tokens, EntityKind entity, std::span<const uint32_t> tokens_of,
                       std::span<const PropertyId> properties);
// "person_email: (:Person {email}) IS UNIQUE".
std::string RuleText(const Tokens& tokens, const ConstraintDefinition& constraint);
// The refusal of a unique key: "Node(3) already exists with label `Person` and property `email` = 'a@b'", which element
// wanted it too, and the rule. `values`: of the constraint's properties.
Status UniqueViolation(const Tokens& tokens, const ConstraintDefinition& constraint, const List& values, uint64_t holder,
                       uint64_t refused);
std::string Shorten(std::string text);   // of a value, for a message
std::string Join(const std::vector<std::string>& words);

}  // namespace fornix::storage
