// The catalog: names of labels, types and property keys (tokens), indexes, constraints and the graph type.
//
// Tokens only grow and are shared by all snapshots; a name keeps its number for the life of the database. Everything else is a
// SchemaVersion, immutable, replaced as a whole by a commit of DDL, and held by a transaction for its snapshot. `epoch`
// rises with every change and is part of the key of cached plans.
// Thread safety: Tokens is internally synchronised (readers don't block); a SchemaVersion never changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "fornix/status.h"
#include "fornix/value.h"
#include "vector/quantization.h"

namespace fornix::storage {

template <typename TokenId>
class TokenTable {
 public:
  TokenTable();
  ~TokenTable();
  std::optional<TokenId> Find(std::string_view name) const;
  const std::string& Name(TokenId id) const;       // stays valid as long as the table
  size_t size() const;
  Result<TokenId> Intern(std::string_view name);   // LimitExceeded above kTokensMax
  std::vector<std::string> Names() const;          // by id; "" for a number that no commit ever used
  // Recovery: gives `name` this number; false if either belongs to another already.
  bool Place(TokenId id, std::string_view name);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct Tokens {
  TokenTable<LabelId> labels;
  TokenTable<TypeId> types;
  TokenTable<PropertyId> properties;
};

enum class EntityKind : uint8_t { kNode, kRelationship };
enum class IndexKind : uint8_t { kRange, kVector, kText, kFulltext, kPoint, kLookup };
enum class Metric : uint8_t { kCosine, kEuclidean, kDot };

struct VectorIndexOptions {
  uint32_t dimensions = 0;                          // 0: taken from the first vector
  Metric metric = Metric::kCosine;
  uint32_t m = 16;
  uint32_t ef_construction = 100;
  vector::Quantization quantization = vector::Quantization::kNone;
  // Of what follows the record of the schema has IndexDefinition::options alone; see ReadSearchOptions.
  double expansion_factor = 0;                      // candidates that a search looks at for each that it is asked for; 0: not said
  std::string model;                                // what made the vectors; "": not said
};

struct IndexDefinition {
  IndexId id;
  std::string name;
  IndexKind kind = IndexKind::kRange;
  EntityKind entity = EntityKind::kNode;
  std::vector<uint32_t> tokens;                     // LabelId or TypeId values, sorted; a range index has exactly one
  std::vector<PropertyId> properties;               // in the order of the key
  std::vector<PropertyId> filter_properties;        // of a vector index
  VectorIndexOptions vector;
  ConstraintId owner;                               // the constraint it backs; invalid if none
  bool online = true;                               // false while it is being filled
  Map options;                                      // as given, for SHOW
};

// What of a vector index is in the record of the schema only as its OPTIONS, {indexConfig: {`vector.model`: ...}}: out of them, and into
// them where they don't say so yet.
void ReadSearchOptions(const Map& options, VectorIndexOptions* out);
void WriteSearchOptions(const VectorIndexOptions& vector, Map* options);

enum class ConstraintKind : uint8_t { kUnique, kKey, kExistence, kPropertyType };

// "STRING", "LIST<INTEGER NOT NULL>", "INTEGER | FLOAT": as a predicate over values. Parsed once.
struct ParsedType;                                  // catalog/property_type.h
struct PropertyTypeRule {
  std::string text;                                 // as given; once the constraint exists, in the normal spelling
  std::shared_ptr<const ParsedType> parsed;         // made by CreateConstraint
  bool Accepts(const Value& v) const;               // null is accepted: existence is another rule
};

struct ConstraintDefinition {
  ConstraintId id;
  std::string name;
  ConstraintKind kind = ConstraintKind::kUnique;
  EntityKind entity = EntityKind::kNode;
  uint32_t token = 0;                               // LabelId or TypeId value
  std::vector<PropertyId> properties;
  PropertyTypeRule type;                            // kPropertyType
  IndexId index;                                    // kUnique, kKey
  bool of_graph_type = false;                       // came with the graph type, and goes with it
};

// ALTER CURRENT GRAPH TYPE SET {...} [CLOSED]. What its element types say beyond names is kept as constraints.
struct GraphType {
  bool declared = false;
  bool closed = false;
  std::vector<std::string> labels;                  // sorted
  std::vector<std::string> types;                   // sorted
  struct Endpoint {                                 // empty label: any
    std::string type, start_label, end_label;
    bool operator==(const Endpoint&) const = default;
  };
  std::vector<Endpoint> endpoints;
  std::string text;                                 // as written, for SHOW
  bool operator==(const GraphType&) const = default;
};

struct SchemaVersion {
  uint64_t epoch = 0;
  uint32_t next_id = 1;                             // of indexes and constraints, never used twice
  std::vector<IndexDefinition> indexes;             // by id
  std::vector<ConstraintDefinition> constraints;    // by id
  GraphType graph_type;

  const IndexDefinition* FindIndex(std::string_view name) const;
  const IndexDefinition* FindIndex(IndexId id) const;
  const ConstraintDefinition* FindConstraint(std::string_view name) const;
  // Online range indexes (those of constraints included) of one label or type, first the ones with more properties.
  std::vector<const IndexDefinition*> RangeIndexes(EntityKind entity, uint32_t token) const;
};

}  // namespace fornix::storage
