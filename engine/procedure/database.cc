// db.* and dbms.*: what the database holds and is.
#include "engine/exec/context.h"
#include "base/nearest.h"
#include "base/value_format.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/signature.h"

namespace fornix::engine {
namespace {

// Labels and types that something visible has; names that were only ever used in the past are left out.
Result<std::vector<List>> Labels(ExecutionContext& context, std::span<const Value>) {
  std::vector<List> rows;
  const std::vector<std::string> names = context.tokens().labels.Names();
  for (uint32_t i = 0; i < names.size(); i++) {
    CountWork(64);
    if (!names[i].empty() && context.view().CountLabel(LabelId(i)) > 0) rows.push_back({Value(names[i])});
  }
  return rows;
}

Result<std::vector<List>> RelationshipTypes(ExecutionContext& context, std::span<const Value>) {
  std::vector<List> rows;
  const std::vector<std::string> names = context.tokens().types.Names();
  for (uint32_t i = 0; i < names.size(); i++) {
    CountWork(64);
    if (!names[i].empty() && context.view().CountRelationships(TypeId(i)) > 0) rows.push_back({Value(names[i])});
  }
  return rows;
}

Result<std::vector<List>> PropertyKeys(ExecutionContext& context, std::span<const Value>) {
  std::vector<List> rows;
  for (const std::string& name : context.tokens().properties.Names()) {
    if (!name.empty()) rows.push_back({Value(name)});
  }
  return rows;
}

// What clients of Neo4j look at to learn which Cypher they may send.
Result<std::vector<List>> Components(ExecutionContext&, std::span<const Value>) {
  return std::vector<List>{{Value("Neo4j Kernel"), Value(List{Value("5.26.0")}), Value("community")}};
}

Result<std::vector<List>> Ping(ExecutionContext&, std::span<const Value>) { return std::vector<List>{{Value(true)}}; }

Result<std::vector<List>> Info(ExecutionContext& context, std::span<const Value>) {
  return std::vector<List>{{Value("fornix"), Value("neo4j"), Value(static_cast<int64_t>(context.view().CountNodes())),
                            Value(static_cast<int64_t>(context.view().CountRelationships(std::nullopt)))}};
}

Status AwaitIndexes(ExecutionContext& context, std::span<const Value>) {
  return context.store() != nullptr ? context.store()->AwaitIndexes() : Status::Ok();
}

Status AwaitIndex(ExecutionContext& context, std::span<const Value> arguments) {
  if (arguments[0].type() != Type::kString || context.view().schema().FindIndex(arguments[0].AsString()) == nullptr) {
    std::string name = arguments[0].type() == Type::kString ? arguments[0].AsString() : "null";
    if (name.size() > 200) name = ToShortText(arguments[0], 200);
    std::vector<std::string> names;
    for (const auto& known : context.view().schema().indexes) names.push_back(known.name);
    return {Code::kSchemaNotFound, "There is no such index: " + name + DidYouMeanOrAll(name, names)};
  }
  return AwaitIndexes(context, arguments);
}

}  // namespace

void AddDatabaseProcedures(ProcedureCatalog* catalog) {
  auto rows = [](RowsProcedure::Function f) { return std::make_unique<RowsProcedure>(f); };
  catalog->AddBuiltin(Signature("db.labels", {}, {StringField("label")}, "List all labels that a node has."), rows(Labels));
  catalog->AddBuiltin(Signature("db.relationshipTypes", {}, {StringField("relationshipType")}, "List all types that a relationship has."),
                      rows(RelationshipTypes));
  catalog->AddBuiltin(Signature("db.propertyKeys", {}, {StringField("propertyKey")}, "List all property keys."), rows(PropertyKeys));
  catalog->AddBuiltin(Signature("dbms.components", {}, {StringField("name"), ListField("versions"), StringField("edition")},
                                "List components and their versions."),
                      rows(Components));
  catalog->AddBuiltin(Signature("db.ping", {}, {BooleanField("success")}, "Answer: for tests of the connection."), rows(Ping));
  catalog->AddBuiltin(Signature("db.info", {}, {StringField("id"), StringField("name"), IntegerField("nodes"), IntegerField("relationships")},
                                "Tell what this database is called and how much it holds."),
                      rows(Info));
  catalog->AddBuiltin(Signature("db.awaitIndexes", {Optional(IntegerField("timeOutSeconds"))}, {}, "Wait until all indexes are filled."),
                      std::make_unique<VoidProcedure>(AwaitIndexes));
  catalog->AddBuiltin(Signature("db.awaitIndex", {StringField("indexName"), Optional(IntegerField("timeOutSeconds"))}, {},
                                "Wait until an index is filled."),
                      std::make_unique<VoidProcedure>(AwaitIndex));
}

}  // namespace fornix::engine
