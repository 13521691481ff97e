// Reads what a vector search is called with: the index by name, the query vector, the number of hits, options. Shared by the
// VectorSeed operator and the procedures.
#pragma once

#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"
#include "storage/catalog/catalog.h"

namespace fornix::engine {

// SchemaNotFound if there is no such vector index, ArgumentError if it indexes the other kind of element.
Result<const storage::IndexDefinition*> FindVectorIndex(const storage::SchemaVersion& schema, std::string_view name, storage::EntityKind entity);

// A VECTOR or a list of numbers as floats.
Status ReadVector(const Value& value, std::string_view what, std::vector<float>* out);
// The same, with the index's dimensions checked: the error names both numbers.
Status ReadQueryVector(const Value& value, const storage::IndexDefinition& index, std::vector<float>* out);

// A number of hits, at least 0.
Result<size_t> ReadHitCount(const Value& value);

// The map behind the vector: {ef: candidates looked at, exact: true}. Null: the defaults.
struct SearchOptions {
  size_t ef = 0;
  bool exact = false;
};
Result<SearchOptions> ReadSearchOptions(const Value& value);

}  // namespace fornix::engine
