#include "storage/catalog/schema_change.h"

#include <algorithm>

#include "base/limits.h"
#include "base/nearest.h"
#include "storage/catalog/property_type.h"
#include "storage/constraint/describe.h"
#include "vector/validate.h"

namespace fornix::storage {
namespace {

Status Exists(std::string message, const char* detail) {
  return Status(Code::kSchemaConflict, std::move(message)).Detail(detail);
}

bool SameSchema(const IndexDefinition& a, const IndexDefinition& b) {
  return a.entity == b.entity && a.tokens == b.tokens && a.properties == b.properties;
}
bool SamePlace(const ConstraintDefinition& a, const ConstraintDefinition& b) {
  return a.entity == b.entity && a.token == b.token && a.properties == b.properties;
}
bool NeedsIndex(ConstraintKind kind) { return kind == ConstraintKind::kUnique || kind == ConstraintKind::kKey; }

// FNV-1a: the same schema gets the same made-up name in every database.
std::string MadeUpName(const char* prefix, const std::string& text) {
  uint32_t hash = 2166136261u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  char digits[9];
  std::snprintf(digits, sizeof(digits), "%08x", hash);
  return std::string(prefix) + digits;
}

std::string KindText(IndexKind kind) {
  switch (kind) {
    case IndexKind::kRange: return "range index";
    case IndexKind::kVector: return "vector index";
    case IndexKind::kText: return "text index";
    case IndexKind::kFulltext: return "fulltext index";
    case IndexKind::kPoint: return "point index";
    case IndexKind::kLookup: return "lookup index";
  }
  return "index";
}

std::string Place(const Tokens& tokens, const IndexDefinition& d) { return SchemaText(tokens, d.entity, d.tokens, d.properties); }
std::string Place(const Tokens& tokens, const ConstraintDefinition& d) {
  const uint32_t token[] = {d.token};
  return SchemaText(tokens, d.entity, token, d.properties);
}

// A name belongs to one index or constraint; an index that backs a constraint shares the constraint's.
std::string OwnerOfName(const SchemaVersion& schema, std::string_view name) {
  if (schema.FindConstraint(name) != nullptr) return "a constraint";
  if (schema.FindIndex(name) != nullptr) return "an index";
  return {};
}

Status CheckIndexShape(const IndexDefinition& d) {
  if (d.kind != IndexKind::kRange && d.kind != IndexKind::kVector) {
    return Status(Code::kNotAvailable, KindText(d.kind) + "es are not available yet; there are range and vector indexes");
  }
  if (d.tokens.empty() || d.properties.empty()) {
    return Status(Code::kUsage, "an index needs a label or type and a property");
  }
  if (d.kind == IndexKind::kRange && d.tokens.size() != 1) {
    return Status(Code::kSyntaxError, "a range index is of one label or type");
  }
  if (d.kind == IndexKind::kVector && d.properties.size() != 1) {
    return Status(Code::kSyntaxError, "a vector index is of one property");
  }
  if (d.kind == IndexKind::kVector) {
    const VectorIndexOptions& o = d.vector;
    if (o.dimensions != 0) RETURN_IF_ERROR(vector::ValidateDimensions(o.dimensions));
    if (o.m < 1 || o.m > kHnswMMax) {
      return Status(Code::kArgumentError, "vector.hnsw.m is " + std::to_string(o.m) + ", expected 1 to " + std::to_string(kHnswMMax));
    }
    if (o.ef_construction < 1 || o.ef_construction > kHnswEfConstructionMax) {
      return Status(Code::kArgumentError, "vector.hnsw.ef_construction is " + std::to_string(o.ef_construction) + ", expected 1 to " +
                                              std::to_string(kHnswEfConstructionMax));
    }
  }
  return Status::Ok();
}

}  // namespace

namespace {
// Numbers of indexes and constraints aren't used twice, and deltas keep lists by them. A constraint takes two.
Status CheckNumbersLeft(const SchemaVersion& schema) {
  if (schema.next_id + 2 <= kTokensMax) return Status::Ok();
  return Status(Code::kLimitExceeded, "indexes and constraints have been created " + std::to_string(schema.next_id) +
                                          " times; at most " + std::to_string(kTokensMax) + " are allowed in the life of a database");
}

// On one property of one label there may be a vector index for each similarity. They are of the same vectors, so they can't be of
// different models or lengths.
Status CheckSameVectors(const SchemaVersion& schema, const Tokens& tokens, const IndexDefinition& d) {
  for (const IndexDefinition& other : schema.indexes) {
    if (other.kind != IndexKind::kVector || other.entity != d.entity || other.properties != d.properties) continue;
    const bool shared = std::any_of(d.tokens.begin(), d.tokens.end(), [&](uint32_t token) {
      return std::find(other.tokens.begin(), other.tokens.end(), token) != other.tokens.end();
    });
    if (!shared) continue;
    const std::string both = "vector index '" + d.name + "' on " + Place(tokens, d) + " can't stand beside '" + other.name + "' on " +
                             Place(tokens, other) + ": they would index the same vectors, ";
    if (!d.vector.model.empty() && !other.vector.model.empty() && d.vector.model != other.vector.model) {
      return Exists(both + "the one as of model '" + d.vector.model + "', the other as of '" + other.vector.model + "'", "VectorModel");
    }
    if (!SameSchema(other, d) || other.vector.metric == d.vector.metric) continue;
    if (d.vector.dimensions != 0 && other.vector.dimensions != 0 && d.vector.dimensions != other.vector.dimensions) {
      return Exists(both + "the one of " + std::to_string(d.vector.dimensions) + " dimensions, the other of " +
                        std::to_string(other.vector.dimensions),
                    "VectorDimension");
    }
  }
  return Status::Ok();
}
}  // namespace

Result<bool> AddIndex(SchemaVersion* schema, const Tokens& tokens, IndexDefinition d, bool if_not_exists) {
  RETURN_IF_ERROR(CheckIndexShape(d));
  std::sort(d.tokens.begin(), d.tokens.end());
  if (d.name.empty()) {
    d.name = MadeUpName("index_", KindText(d.kind) + Place(tokens, d));
    // The second one there, of another similarity.
    const IndexDefinition* first = d.kind == IndexKind::kVector ? schema->FindIndex(d.name) : nullptr;
    if (first != nullptr && SameSchema(*first, d) && first->vector.metric != d.vector.metric) {
      d.name = MadeUpName("index_", KindText(d.kind) + Place(tokens, d) + std::to_string(static_cast<int>(d.vector.metric)));
    }
  }
  if (d.kind == IndexKind::kVector) WriteSearchOptions(d.vector, &d.options);
  const std::string what = d.name + " " + Place(tokens, d);
  if (d.kind == IndexKind::kVector) RETURN_IF_ERROR(CheckSameVectors(*schema, tokens, d));
  for (const IndexDefinition& other : schema->indexes) {
    if (other.kind != d.kind || !SameSchema(other, d)) continue;
    if (d.kind == IndexKind::kVector && d.vector.metric != other.vector.metric) continue;
    if (if_not_exists) return false;
    if (other.owner.valid()) {
      return Exists("there is a uniqueness constraint '" + other.name + "' on " + Place(tokens, d) +
                        ", which has such an index already; nothing to create",
                    "ConstraintAlreadyExists");
    }
    if (other.name == d.name) {
      return Exists("an equivalent index already exists: " + KindText(other.kind) + " " + what,
                    "EquivalentSchemaRuleAlreadyExists");
    }
    return Exists("there already exists an index " + Place(tokens, d) + ", named '" + other.name + "'", "IndexAlreadyExists");
  }
  if (const std::string owner = OwnerOfName(*schema, d.name); !owner.empty()) {
    if (if_not_exists) return false;
    return Exists("there already exists " + owner + " called '" + d.name + "', on something else; choose another name or drop it",
                  owner == "an index" ? "IndexWithNameAlreadyExists" : "ConstraintWithNameAlreadyExists");
  }
  RETURN_IF_ERROR(CheckNumbersLeft(*schema));
  d.id = IndexId(schema->next_id++);
  d.owner = ConstraintId();
  schema->indexes.push_back(std::move(d));
  return true;
}

Result<bool> RemoveIndex(SchemaVersion* schema, std::string_view name, bool if_exists) {
  const IndexDefinition* found = schema->FindIndex(name);
  if (found == nullptr) {
    if (if_exists) return false;
    std::vector<std::string> names;
    for (const IndexDefinition& d : schema->indexes) names.push_back(d.name);
    return Status(Code::kSchemaNotFound, "there is no index called '" + std::string(name) + "'" + DidYouMeanOrAll(name, names))
        .Detail("IndexNotFound");
  }
  if (found->owner.valid()) {
    return Status(Code::kSchemaConflict, "the index '" + found->name + "' belongs to the constraint of that name; drop the constraint")
        .Detail("IndexBelongsToConstraint");
  }
  schema->indexes.erase(schema->indexes.begin() + (found - schema->indexes.data()));
  return true;
}

Result<bool> ChangeVectorIndex(SchemaVersion* schema, std::string_view name, const VectorChange& change) {
  for (IndexDefinition& d : schema->indexes) {
    if (d.name != name) continue;
    if (d.kind != IndexKind::kVector) {
      return Status(Code::kSchemaConflict, "the index '" + d.name + "' is a " + KindText(d.kind) + "; options can be set of vector indexes")
          .Detail("IndexNotVector");
    }
    IndexDefinition changed = d;
    RETURN_IF_ERROR(change(&changed.vector));
    RETURN_IF_ERROR(CheckIndexShape(changed));
    WriteSearchOptions(changed.vector, &changed.options);
    const VectorIndexOptions &a = d.vector, &b = changed.vector;
    const bool same = a.quantization == b.quantization && a.m == b.m && a.ef_construction == b.ef_construction &&
                      a.expansion_factor == b.expansion_factor;
    d = std::move(changed);
    return !same;
  }
  return RemoveIndex(schema, name, false);     // whose error it is that there is none
}

Result<bool> AddConstraint(SchemaVersion* schema, const Tokens& tokens, ConstraintDefinition d, bool if_not_exists) {
  RETURN_IF_ERROR(CheckNumbersLeft(*schema));
  if (d.properties.empty()) return Status(Code::kUsage, "a constraint needs a property");
  if (d.kind == ConstraintKind::kPropertyType) {
    ASSIGN_OR_RETURN(d.type.parsed, ParsePropertyType(d.type.text));
    d.type.text = d.type.parsed->ToString();
  }
  if (d.name.empty()) {
    d.name = MadeUpName("constraint_", std::to_string(static_cast<int>(d.kind)) + Place(tokens, d));
  }
  for (const ConstraintDefinition& other : schema->constraints) {
    if (!SamePlace(other, d) || (other.kind != d.kind && !(NeedsIndex(other.kind) && NeedsIndex(d.kind)))) continue;
    const bool equal = other.kind == d.kind && other.type.text == d.type.text;
    if (if_not_exists && equal) return false;
    if (!equal) {
      return Exists("a conflicting constraint already exists: " + RuleText(tokens, other), "ConflictingConstraintExists");
    }
    if (other.name == d.name) {
      return Exists("an equivalent constraint already exists: " + RuleText(tokens, other), "EquivalentConstraintAlreadyExists");
    }
    return Exists("constraint already exists: " + RuleText(tokens, other), "ConstraintAlreadyExists");
  }
  if (const std::string owner = OwnerOfName(*schema, d.name); !owner.empty()) {
    if (if_not_exists) return false;
    return Exists("there already exists " + owner + " called '" + d.name + "', on something else; choose another name or drop it",
                  owner == "an index" ? "IndexWithNameAlreadyExists" : "ConstraintWithNameAlreadyExists");
  }
  if (NeedsIndex(d.kind)) {
    IndexDefinition index;
    index.name = d.name;
    index.entity = d.entity;
    index.tokens = {d.token};
    index.properties = d.properties;
    for (const IndexDefinition& other : schema->indexes) {
      if (other.kind == IndexKind::kRange && SameSchema(other, index)) {
        return Exists("there already exists an index " + Place(tokens, index) + ", named '" + other.name +
                          "'; a constraint can't be created until it has been dropped",
                      "IndexAlreadyExists");
      }
    }
    index.id = d.index = IndexId(schema->next_id++);
    index.owner = d.id = ConstraintId(schema->next_id++);
    schema->indexes.push_back(std::move(index));
  } else {
    d.id = ConstraintId(schema->next_id++);
    d.index = IndexId();
  }
  schema->constraints.push_back(std::move(d));
  return true;
}

Result<bool> RemoveConstraint(SchemaVersion* schema, std::string_view name, bool if_exists) {
  const ConstraintDefinition* found = schema->FindConstraint(name);
  if (found == nullptr) {
    if (if_exists) return false;
    std::vector<std::string> names;
    for (const ConstraintDefinition& d : schema->constraints) names.push_back(d.name);
    return Status(Code::kSchemaNotFound, "there is no constraint called '" + std::string(name) + "'" + DidYouMeanOrAll(name, names))
        .Detail("ConstraintNotFound");
  }
  std::erase_if(schema->indexes, [id = found->id](const IndexDefinition& d) { return d.owner == id; });
  schema->constraints.erase(schema->constraints.begin() + (found - schema->constraints.data()));
  return true;
}

Status ReplaceGraphType(SchemaVersion* schema, const Tokens& tokens, GraphType type,
                        std::vector<ConstraintDefinition> constraints) {
  std::vector<std::string> old_names;
  for (const ConstraintDefinition& c : schema->constraints) {
    if (c.of_graph_type) old_names.push_back(c.name);
  }
  for (const std::string& name : old_names) RETURN_IF_ERROR(RemoveConstraint(schema, name, false).status());
  std::sort(type.labels.begin(), type.labels.end());
  std::sort(type.types.begin(), type.types.end());
  schema->graph_type = std::move(type);
  for (ConstraintDefinition& c : constraints) {
    c.of_graph_type = true;
    // A constraint that the user made by hand and that says the same stays the user's.
    RETURN_IF_ERROR(AddConstraint(schema, tokens, std::move(c), true).status());
  }
  return Status::Ok();
}

}  // namespace fornix::storage
