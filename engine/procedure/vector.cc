// db.index.vector.* and db.create.set...VectorProperty.
//
// The query procedures are what CALL falls back to when the index name is known at run time only; with a literal name the planner
// makes a VectorSeed of them.
#include "engine/exec/context.h"
#include "engine/exec/vector_argument.h"
#include "engine/exec/vector_exact.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/signature.h"

namespace fornix::engine {
namespace {

Result<std::vector<List>> Query(ExecutionContext& context, std::span<const Value> arguments, storage::EntityKind entity) {
  std::vector<List> rows;
  if (arguments[0].is_null() || arguments[2].is_null()) return rows;
  ASSIGN_OR_RETURN(const storage::IndexDefinition* index, FindVectorIndex(context.view().schema(), arguments[0].AsString(), entity));
  ASSIGN_OR_RETURN(const size_t k, ReadHitCount(arguments[1]));
  std::vector<float> query;
  RETURN_IF_ERROR(ReadQueryVector(arguments[2], *index, &query));
  ASSIGN_OR_RETURN(const SearchOptions options, ReadSearchOptions(arguments[3]));
  if (k == 0) return rows;
  std::vector<storage::VectorHit> hits;
  storage::VectorSearchStats stats;
  if (options.exact) {
    RETURN_IF_ERROR(SearchExactly(context, *index, query, k, {}, &hits, &stats));
  } else {
    const storage::VectorQuery wanted{.vector = query, .k = k, .ef = options.ef, .filter = {}, .ids = {}, .cancel = [&] { return context.CheckInterrupt(); }};
    RETURN_IF_ERROR(context.view().SearchVector(index->id, wanted, &hits, &stats));
  }
  context.db_hits += stats.distance_computations;
  for (const storage::VectorHit& hit : hits) {
    rows.push_back({entity == storage::EntityKind::kNode ? Value::NodeRef(hit.id) : Value::RelationshipRef(hit.id),
                    Value(static_cast<double>(hit.score))});
  }
  return rows;
}

Result<std::vector<List>> QueryNodes(ExecutionContext& context, std::span<const Value> arguments) {
  return Query(context, arguments, storage::EntityKind::kNode);
}
Result<std::vector<List>> QueryRelationships(ExecutionContext& context, std::span<const Value> arguments) {
  return Query(context, arguments, storage::EntityKind::kRelationship);
}

// The vector is checked like a query and stored as a list of floats, which every client can read back.
Status SetVector(ExecutionContext& context, std::span<const Value> arguments) {
  const Value& element = arguments[0];
  if (element.is_null()) return Status::Ok();
  if (arguments[1].is_null() || arguments[2].is_null()) {
    return Status(Code::kTypeError, "a vector property needs a key and a vector, but one of them is null").Detail("InvalidArgumentType");
  }
  std::vector<float> checked;
  RETURN_IF_ERROR(ReadVector(arguments[2], "the vector", &checked));
  Value stored = arguments[2];
  if (stored.type() == Type::kList) {
    List floats;
    floats.reserve(checked.size());
    for (const Value& item : arguments[2].AsList()) floats.push_back(Value(item.AsNumber()));
    stored = Value(std::move(floats));
  }
  ASSIGN_OR_RETURN(const PropertyId key, context.transaction().InternProperty(arguments[1].AsString()));
  if (element.type() == Type::kRelationshipRef) return context.transaction().SetProperty(RelId(element.AsRelationshipRef()), key, std::move(stored));
  return context.transaction().SetProperty(NodeId(element.AsNodeRef()), key, std::move(stored));
}

}  // namespace

void AddVectorProcedures(ProcedureCatalog* catalog) {
  const planner::ProcedureField query = Field("query", kListType | kVectorType, "LIST<FLOAT>");
  const planner::ProcedureField options = Optional(MapField("options"));
  const planner::ProcedureField vector = Field("vector", kListType | kVectorType, "LIST<FLOAT>");
  catalog->AddBuiltin(Signature("db.index.vector.queryNodes", {StringField("indexName"), IntegerField("numberOfNearestNeighbours"), query, options},
                                {Field("node", kNodeType, "NODE"), FloatField("score")},
                                "Query a node vector index: the nearest nodes with their scores, best first. Options: ef, exact."),
                      std::make_unique<RowsProcedure>(QueryNodes));
  catalog->AddBuiltin(Signature("db.index.vector.queryRelationships", {StringField("indexName"), IntegerField("numberOfNearestNeighbours"), query, options},
                                {Field("relationship", kRelationshipType, "RELATIONSHIP"), FloatField("score")},
                                "Query a relationship vector index: the nearest relationships with their scores, best first. Options: ef, exact."),
                      std::make_unique<RowsProcedure>(QueryRelationships));
  planner::ProcedureSignature set_node = Signature("db.create.setNodeVectorProperty", {Field("node", kNodeType, "NODE"), StringField("key"), vector}, {},
                                                   "Set a vector property of a node.");
  set_node.writes = true;
  catalog->AddBuiltin(std::move(set_node), std::make_unique<VoidProcedure>(SetVector));
  planner::ProcedureSignature set_relationship =
      Signature("db.create.setRelationshipVectorProperty", {Field("relationship", kRelationshipType, "RELATIONSHIP"), StringField("key"), vector}, {},
                "Set a vector property of a relationship.");
  set_relationship.writes = true;
  catalog->AddBuiltin(std::move(set_relationship), std::make_unique<VoidProcedure>(SetVector));
}

}  // namespace fornix::engine
