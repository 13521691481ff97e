// Indexes and constraints as SHOW tells them: kinds, names, options and the statement that would create them.
#pragma once

#include <string>
#include <vector>

#include "storage/catalog/catalog.h"

namespace fornix::engine {

std::string IndexTypeName(storage::IndexKind kind);                          // "RANGE", "VECTOR"
std::string ConstraintTypeName(const storage::ConstraintDefinition& constraint);  // "UNIQUENESS", "NODE_KEY", ...
std::vector<std::string> TokenNames(const storage::Tokens& tokens, storage::EntityKind entity, const std::vector<uint32_t>& ids);
// The key's properties, then those that a vector index filters by.
std::vector<std::string> PropertyNames(const storage::Tokens& tokens, const storage::IndexDefinition& index);
Map IndexOptions(const storage::Tokens& tokens, const storage::IndexDefinition& index);   // {indexProvider, indexConfig}
std::string CreateStatement(const storage::Tokens& tokens, const storage::IndexDefinition& index);
std::string CreateStatement(const storage::Tokens& tokens, const storage::ConstraintDefinition& constraint);
std::string_view MetricName(storage::Metric metric);                         // "cosine", "euclidean", "dot"

}  // namespace fornix::engine
