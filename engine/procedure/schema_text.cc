#include "engine/procedure/schema_text.h"

#include "base/value_format.h"
#include "storage/catalog/quantization_name.h"

namespace fornix::engine {

using storage::EntityKind;

std::string IndexTypeName(storage::IndexKind kind) {
  switch (kind) {
    case storage::IndexKind::kRange: return "RANGE";
    case storage::IndexKind::kVector: return "VECTOR";
    case storage::IndexKind::kText: return "TEXT";
    case storage::IndexKind::kFulltext: return "FULLTEXT";
    case storage::IndexKind::kPoint: return "POINT";
    case storage::IndexKind::kLookup: return "LOOKUP";
  }
  return "?";
}

std::string ConstraintTypeName(const storage::ConstraintDefinition& constraint) {
  const bool node = constraint.entity == EntityKind::kNode;
  const std::string prefix = node ? "NODE_" : "RELATIONSHIP_";
  switch (constraint.kind) {
    case storage::ConstraintKind::kUnique: return node ? "UNIQUENESS" : "RELATIONSHIP_UNIQUENESS";
    case storage::ConstraintKind::kKey: return prefix + "KEY";
    case storage::ConstraintKind::kExistence: return prefix + "PROPERTY_EXISTENCE";
    case storage::ConstraintKind::kPropertyType: return prefix + "PROPERTY_TYPE";
  }
  return "?";
}

std::string_view MetricName(storage::Metric metric) {
  switch (metric) {
    case storage::Metric::kCosine: return "cosine";
    case storage::Metric::kEuclidean: return "euclidean";
    case storage::Metric::kDot: return "dot";
  }
  return "?";
}

std::vector<std::string> TokenNames(const storage::Tokens& tokens, EntityKind entity, const std::vector<uint32_t>& ids) {
  std::vector<std::string> names;
  for (uint32_t id : ids) names.push_back(entity == EntityKind::kNode ? tokens.labels.Name(LabelId(id)) : tokens.types.Name(TypeId(id)));
  return names;
}

std::vector<std::string> PropertyNames(const storage::Tokens& tokens, const storage::IndexDefinition& index) {
  std::vector<std::string> names;
  for (PropertyId p : index.properties) names.push_back(tokens.properties.Name(p));
  for (PropertyId p : index.filter_properties) names.push_back(tokens.properties.Name(p));
  return names;
}

namespace {
constexpr char kFilterable[] = "vector.filterable_properties";   // WITH [...] says it in a statement
}  // namespace

Map IndexOptions(const storage::Tokens& tokens, const storage::IndexDefinition& index) {
  Map config;
  if (index.kind == storage::IndexKind::kVector) {
    if (index.vector.dimensions != 0) config.Set("vector.dimensions", Value(static_cast<int64_t>(index.vector.dimensions)));
    config.Set("vector.similarity_function", Value(MetricName(index.vector.metric)));
    config.Set("vector.hnsw.m", Value(static_cast<int64_t>(index.vector.m)));
    config.Set("vector.hnsw.ef_construction", Value(static_cast<int64_t>(index.vector.ef_construction)));
    config.Set("vector.quantization.enabled", Value(index.vector.quantization != vector::Quantization::kNone));
    config.Set("vector.quantization.type", Value(storage::QuantizationName(index.vector.quantization)));
    if (index.vector.expansion_factor > 0) config.Set("vector.default_search_expansion_factor", Value(index.vector.expansion_factor));
    if (!index.filter_properties.empty()) {
      List names;
      for (PropertyId p : index.filter_properties) names.emplace_back(tokens.properties.Name(p));
      config.Set(kFilterable, Value(std::move(names)));
    }
    if (!index.vector.model.empty()) config.Set("vector.model", Value(index.vector.model));
  }
  return Map{{"indexProvider", Value(index.kind == storage::IndexKind::kVector ? "vector-2.0" : "range-1.0")}, {"indexConfig", Value(std::move(config))}};
}

namespace {

// FOR (n:A|B) or FOR ()-[r:T]-(), and the variable.
std::string ForElement(const std::vector<std::string>& names, EntityKind entity, std::string* variable) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : "|") + QuoteName(name);
  *variable = entity == EntityKind::kNode ? "n" : "r";
  return entity == EntityKind::kNode ? "FOR (n:" + joined + ")" : "FOR ()-[r:" + joined + "]-()";
}

std::string PropertyOf(const std::string& variable, const std::string& name) { return variable + "." + QuoteName(name); }

}  // namespace

std::string CreateStatement(const storage::Tokens& tokens, const storage::IndexDefinition& index) {
  std::string variable, keys, filters;
  const std::string element = ForElement(TokenNames(tokens, index.entity, index.tokens), index.entity, &variable);
  for (PropertyId p : index.properties) keys += (keys.empty() ? "" : ", ") + PropertyOf(variable, tokens.properties.Name(p));
  for (PropertyId p : index.filter_properties) filters += (filters.empty() ? "" : ", ") + PropertyOf(variable, tokens.properties.Name(p));
  std::string text = "CREATE " + IndexTypeName(index.kind) + " INDEX " + QuoteName(index.name) + " " + element + " ON (" + keys + ")";
  if (!filters.empty()) text += " WITH [" + filters + "]";
  if (index.kind == storage::IndexKind::kVector) {
    Map options = IndexOptions(tokens, index);
    std::string config;
    for (const auto& [key, value] : options.Find("indexConfig")->AsMap()) {
      if (key == kFilterable) continue;
      config += (config.empty() ? "" : ", ") + ("`" + key + "`: ") + ToText(value);
    }
    text += " OPTIONS {indexConfig: {" + config + "}}";
  }
  return text;
}

std::string CreateStatement(const storage::Tokens& tokens, const storage::ConstraintDefinition& constraint) {
  std::string variable, keys;
  const std::string element = ForElement(TokenNames(tokens, constraint.entity, {constraint.token}), constraint.entity, &variable);
  for (PropertyId p : constraint.properties) keys += (keys.empty() ? "" : ", ") + PropertyOf(variable, tokens.properties.Name(p));
  std::string rule;
  switch (constraint.kind) {
    case storage::ConstraintKind::kUnique: rule = "IS UNIQUE"; break;
    case storage::ConstraintKind::kKey: rule = constraint.entity == EntityKind::kNode ? "IS NODE KEY" : "IS RELATIONSHIP KEY"; break;
    case storage::ConstraintKind::kExistence: rule = "IS NOT NULL"; break;
    case storage::ConstraintKind::kPropertyType: rule = "IS :: " + constraint.type.text; break;
  }
  return "CREATE CONSTRAINT " + QuoteName(constraint.name) + " " + element + " REQUIRE (" + keys + ") " + rule;
}

}  // namespace fornix::engine
