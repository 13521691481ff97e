// Functions on nodes, relationships and paths. Inside the engine elements are references and are read through the
// ElementReader, which knows the snapshot and the transaction's own writes; elements of results carry all with them.
#include "base/element_id.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

bool IsNode(const Value& v) { return v.type() == Type::kNode || v.type() == Type::kNodeRef; }
bool IsRelationship(const Value& v) { return v.type() == Type::kRelationship || v.type() == Type::kRelationshipRef; }

uint64_t IdOf(const Value& v) {
  switch (v.type()) {
    case Type::kNode: return v.AsNode().id;
    case Type::kNodeRef: return v.AsNodeRef();
    case Type::kRelationship: return v.AsRelationship().id;
    default: return v.AsRelationshipRef();
  }
}

Result<Value> Id(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (!IsNode(a[0]) && !IsRelationship(a[0])) return WrongType("id()", "a NODE or a RELATIONSHIP", a[0]);
  return Value(static_cast<int64_t>(IdOf(a[0])));
}

Result<Value> ElementId(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (IsNode(a[0])) return Value(NodeElementId(IdOf(a[0])));
  if (IsRelationship(a[0])) return Value(RelationshipElementId(IdOf(a[0])));
  return WrongType("elementId()", "a NODE or a RELATIONSHIP", a[0]);
}

// A file holds one database, and clients know it by this name; what is no elementId() names none.
Result<Value> DatabaseName(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kString) return WrongType("db.nameFromElementId()", "a STRING", a[0]);
  const std::string_view id = a[0].AsString();
  const bool is_id = id.size() > 2 && (id.starts_with("n:") || id.starts_with("r:")) && id.find_first_not_of("0123456789", 2) == id.npos;
  if (!is_id) return BadArgument("db.nameFromElementId(): " + ToShortText(a[0]) + " is no elementId()");
  return Value("neo4j");
}

Result<Value> Labels(FunctionContext& context, Arguments a) {
  if (a[0].is_null()) return Value();
  if (!IsNode(a[0])) return WrongType("labels()", "a NODE", a[0]);
  std::vector<std::string> names;
  if (a[0].type() == Type::kNode) {
    names = a[0].AsNode().labels;
  } else {
    ASSIGN_OR_RETURN(names, context.elements->NodeLabels(a[0].AsNodeRef()));
  }
  List labels;
  labels.reserve(names.size());
  for (std::string& name : names) labels.emplace_back(std::move(name));
  return Value(std::move(labels));
}

Result<Value> TypeOf(FunctionContext& context, Arguments a) {
  if (a[0].is_null()) return Value();
  if (!IsRelationship(a[0])) return WrongType("type()", "a RELATIONSHIP", a[0]);
  if (a[0].type() == Type::kRelationship) return Value(a[0].AsRelationship().type);
  ASSIGN_OR_RETURN(std::string name, context.elements->RelationshipType(a[0].AsRelationshipRef()));
  return Value(std::move(name));
}

Result<Map> PropertiesOf(FunctionContext& context, std::string_view function, const Value& v) {
  switch (v.type()) {
    case Type::kMap: return v.AsMap();
    case Type::kNode: return v.AsNode().properties;
    case Type::kRelationship: return v.AsRelationship().properties;
    case Type::kNodeRef: return context.elements->NodeProperties(v.AsNodeRef());
    case Type::kRelationshipRef: return context.elements->RelationshipProperties(v.AsRelationshipRef());
    default: return WrongType(function, "a MAP, a NODE or a RELATIONSHIP", v);
  }
}

Result<Value> Properties(FunctionContext& context, Arguments a) {
  if (a[0].is_null() || a[0].type() == Type::kMap) return a[0];
  ASSIGN_OR_RETURN(Map map, PropertiesOf(context, "properties()", a[0]));
  return Value(std::move(map));
}

Result<Value> Keys(FunctionContext& context, Arguments a) {
  if (a[0].is_null()) return Value();
  ASSIGN_OR_RETURN(Map map, PropertiesOf(context, "keys()", a[0]));
  List keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.emplace_back(key);
  return Value(std::move(keys));
}

template <bool kStart>
Result<Value> EndOf(FunctionContext& context, Arguments a) {
  if (a[0].is_null()) return Value();
  if (!IsRelationship(a[0])) return WrongType(kStart ? "startNode()" : "endNode()", "a RELATIONSHIP", a[0]);
  if (a[0].type() == Type::kRelationship) return Value::NodeRef(kStart ? a[0].AsRelationship().start : a[0].AsRelationship().end);
  ASSIGN_OR_RETURN(auto ends, context.elements->RelationshipEnds(a[0].AsRelationshipRef()));
  return Value::NodeRef(kStart ? ends.first : ends.second);
}

Result<Value> Nodes(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kPath) return WrongType("nodes()", "a PATH", a[0]);
  return Value(a[0].AsPath().nodes);
}

Result<Value> Relationships(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kPath) return WrongType("relationships()", "a PATH", a[0]);
  return Value(a[0].AsPath().relationships);
}

Result<Value> Length(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kPath) return WrongType("length()", "a PATH", a[0]);
  return Value(static_cast<int64_t>(a[0].AsPath().relationships.size()));
}

}  // namespace

void AddGraphFunctions(FunctionRegistry* r) {
  constexpr FunctionTrait kReads = FunctionTrait::kReadsGraph;
  r->Category("Scalar");
  r->Scalar("id(input :: NODE | RELATIONSHIP) :: INTEGER", "The number of an element; it may be given again after a deletion.", Id);
  r->Scalar("elementId(input :: NODE | RELATIONSHIP) :: STRING", "The name of an element, unique among nodes and relationships.",
      ElementId);
  r->Scalar("db.nameFromElementId(name :: STRING) :: STRING", "The name of the database that an elementId() is of.", DatabaseName);
  r->Scalar("type(input :: RELATIONSHIP) :: STRING", "The name of a relationship's type.", TypeOf, {kReads});
  r->Scalar("properties(input :: NODE | RELATIONSHIP | MAP) :: MAP", "All properties as a map.", Properties, {kReads});
  r->Scalar("startNode(input :: RELATIONSHIP) :: NODE", "The node where a relationship starts.", EndOf<true>, {kReads});
  r->Scalar("endNode(input :: RELATIONSHIP) :: NODE", "The node where a relationship ends.", EndOf<false>, {kReads});
  r->Scalar("length(input :: PATH) :: INTEGER", "The number of relationships of a path.", Length);
  r->Category("List");
  r->Scalar("labels(input :: NODE) :: LIST<STRING>", "The names of a node's labels.", Labels, {kReads});
  r->Scalar("keys(input :: NODE | RELATIONSHIP | MAP) :: LIST<STRING>", "The names of the properties or keys.", Keys, {kReads});
  r->Scalar("nodes(input :: PATH) :: LIST<NODE>", "The nodes of a path.", Nodes);
  for (const char* name : {"relationships", "rels"}) {
    r->Scalar(std::string(name) + "(input :: PATH) :: LIST<RELATIONSHIP>", "The relationships of a path.", Relationships);
  }
}

}  // namespace fornix::engine
