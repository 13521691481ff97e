// The reference model's graph: maps, nothing else. Copying it is taking a snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/element_reader.h"
#include "grammar/ast/ast.h"

namespace fornix::model {

struct NodeData {
  std::set<std::string> labels;
  Map properties;
};
struct RelationshipData {
  std::string type;
  uint64_t start = 0, end = 0;
  Map properties;
};

struct Index {
  std::string name;
  ast::SchemaCommand::IndexKind kind = ast::SchemaCommand::IndexKind::kRange;
  bool on_relationship = false;
  std::set<std::string> labels;              // or types
  std::vector<std::string> properties;
  int64_t dimensions = 0;                    // vector indexes; 0: any
  std::string similarity = "cosine";
};
struct Constraint {
  std::string name;
  ast::SchemaCommand::ConstraintKind kind = ast::SchemaCommand::ConstraintKind::kUnique;
  bool on_relationship = false;
  std::string label;                         // or type
  std::vector<std::string> properties;
  std::string type_name;
};
// What a graph type allows: labels and types by name, and where a relationship may run.
struct Vocabulary {
  bool closed = false;
  std::set<std::string> labels, types;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> ends;  // by type: allowed (start, end), "" = any
  std::map<std::string, std::set<std::string>> implied;                          // by label
};

struct Graph {
  std::map<uint64_t, NodeData> nodes;
  std::map<uint64_t, RelationshipData> relationships;
  std::map<uint64_t, std::string> deleted_types;   // type() of a deleted relationship may still be asked
  uint64_t next_node = 0, next_relationship = 0;
  std::vector<Index> indexes;
  std::vector<Constraint> constraints;
  Vocabulary vocabulary;
};

// What functions ask about elements.
class GraphReader final : public ElementReader {
 public:
  explicit GraphReader(const Graph* graph) : graph_(graph) {}
  Result<std::vector<std::string>> NodeLabels(uint64_t node) override;
  Result<std::string> RelationshipType(uint64_t relationship) override;
  Result<std::pair<uint64_t, uint64_t>> RelationshipEnds(uint64_t relationship) override;
  Result<Map> NodeProperties(uint64_t node) override;
  Result<Map> RelationshipProperties(uint64_t relationship) override;
  Result<Value> NodeProperty(uint64_t node, std::string_view key) override;
  Result<Value> RelationshipProperty(uint64_t relationship, std::string_view key) override;

 private:
  const Graph* graph_;
};

// Every rule of the schema over the whole graph.
Status CheckSchema(const Graph& graph);
// True if the value is of a type as the parser writes it: "LIST<INTEGER NOT NULL> | STRING".
bool HasType(const Value& value, std::string_view type_name);
Status RunSchemaCommand(const ast::SchemaCommand& command, const Map& parameters, Graph* graph);

}  // namespace fornix::model
