// Changes of a SchemaVersion, as pure functions: a transaction runs them on its own copy when the statement runs, and
// the commit runs the same ones again on the newest version, so IF [NOT] EXISTS is judged by what is there then.
// Each returns true if it changed something, false where IF [NOT] EXISTS made it a no-op, else an error whose detail is
// the rule of Neo4j that it breaks (EquivalentSchemaRuleAlreadyExists, IndexAlreadyExists, ...).
#pragma once

#include <functional>

#include "storage/catalog/catalog.h"

namespace fornix::storage {

Result<bool> AddIndex(SchemaVersion* schema, const Tokens& tokens, IndexDefinition definition, bool if_not_exists);
Result<bool> RemoveIndex(SchemaVersion* schema, std::string_view name, bool if_exists);
// Other codes, links or search defaults of a vector index; `change` judges what it is to be.
using VectorChange = std::function<Status(VectorIndexOptions*)>;
Result<bool> ChangeVectorIndex(SchemaVersion* schema, std::string_view name, const VectorChange& change);
Result<bool> AddConstraint(SchemaVersion* schema, const Tokens& tokens, ConstraintDefinition definition, bool if_not_exists);
Result<bool> RemoveConstraint(SchemaVersion* schema, std::string_view name, bool if_exists);
Status ReplaceGraphType(SchemaVersion* schema, const Tokens& tokens, GraphType type,
                        std::vector<ConstraintDefinition> constraints);

}  // namespace fornix::storage
