// apoc.meta.data, apoc.meta.schema, apoc.schema.nodes and db.schema.*Properties: the schema that the data has, in the forms that clients ask for at
// start. Read from the graph itself (graph_profile.h), so what is told is there.
#include <algorithm>

#include "base/value_compare.h"
#include "base/value_format.h"
#include "engine/exec/expression.h"
#include "engine/procedure/graph_profile.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/schema_text.h"
#include "engine/procedure/signature.h"

namespace fornix::engine {
namespace {

using storage::ConstraintKind;
using storage::EntityKind;

std::string MetaType(Type type) {
  switch (type) {
    case Type::kInteger: return "INTEGER";
    case Type::kFloat: return "FLOAT";
    case Type::kString: return "STRING";
    case Type::kBoolean: return "BOOLEAN";
    case Type::kList: return "LIST";
    case Type::kDate: return "DATE";
    case Type::kTime: return "TIME";
    case Type::kLocalTime: return "LOCAL_TIME";
    case Type::kDateTime: return "DATE_TIME";
    case Type::kLocalDateTime: return "LOCAL_DATE_TIME";
    case Type::kDuration: return "DURATION";
    case Type::kPoint: return "POINT";
    case Type::kVector: return "VECTOR";
    default: return "ANY";
  }
}

// As db.schema.nodeTypeProperties names them.
std::string JavaType(Type type) {
  switch (type) {
    case Type::kInteger: return "Long";
    case Type::kFloat: return "Double";
    case Type::kString: return "String";
    case Type::kBoolean: return "Boolean";
    case Type::kDate: return "Date";
    case Type::kTime: return "Time";
    case Type::kLocalTime: return "LocalTime";
    case Type::kDateTime: return "DateTime";
    case Type::kLocalDateTime: return "LocalDateTime";
    case Type::kDuration: return "Duration";
    case Type::kPoint: return "Point";
    case Type::kVector: return "Vector";
    default: return "";
  }
}

Value Names(const std::set<std::string>& names) {
  List list;
  for (const std::string& name : names) list.emplace_back(name);
  return Value(std::move(list));
}
Value Names(const std::map<std::string, uint64_t>& names) {
  List list;
  for (const auto& [name, count] : names) list.emplace_back(name);
  return Value(std::move(list));
}

// What indexes and constraints say of a property of a label or type.
struct Rules {
  bool unique = false, indexed = false, exists = false;
};
Rules RulesOf(ExecutionContext& context, EntityKind entity, const std::string& name, const std::string& property) {
  Rules rules;
  const storage::SchemaVersion& schema = context.view().schema();
  const storage::Tokens& tokens = context.tokens();
  const auto holds = [&](const std::vector<PropertyId>& properties) {
    return std::any_of(properties.begin(), properties.end(), [&](PropertyId p) { return tokens.properties.Name(p) == property; });
  };
  for (const auto& index : schema.indexes) {
    const std::vector<std::string> names = TokenNames(tokens, index.entity, index.tokens);
    if (index.entity == entity && std::find(names.begin(), names.end(), name) != names.end() && holds(index.properties)) rules.indexed = true;
  }
  for (const auto& constraint : schema.constraints) {
    if (constraint.entity != entity || TokenNames(tokens, entity, {constraint.token})[0] != name || !holds(constraint.properties)) continue;
    const bool key = constraint.kind == ConstraintKind::kKey;
    rules.unique = rules.unique || ((key || constraint.kind == ConstraintKind::kUnique) && constraint.properties.size() == 1);
    rules.exists = rules.exists || key || constraint.kind == ConstraintKind::kExistence;
  }
  return rules;
}

List PropertyRow(ExecutionContext& context, EntityKind entity, const std::string& name, const ElementProfile& element, const std::string& property,
                 const PropertyProfile& profile) {
  const Rules rules = RulesOf(context, entity, name, property);
  const Type type = profile.MostOften();
  return {Value(name), Value(property), Value(0), Value(rules.unique), Value(rules.indexed), Value(rules.exists), Value(MetaType(type)),
          Value(type == Type::kList), Value(), Value(0), Value(0), Value(List()), Names(element.other_labels),
          Value(entity == EntityKind::kNode ? "node" : "relationship")};
}

List JoinRow(const std::string& label, const std::string& property, const JoinProfile& join, const Value& other_labels, const char* element) {
  const auto share = [&](uint64_t sum) { return Value(static_cast<int64_t>(sum / std::max<uint64_t>(1, join.count))); };
  return {Value(label), Value(property), Value(static_cast<int64_t>(join.count)), Value(false), Value(false), Value(false), Value("RELATIONSHIP"),
          Value(join.several), Value(), share(join.left), share(join.right), Names(join.others), other_labels, Value(element)};
}

Status ProfileLabelsAndTypes(ExecutionContext& context, const Value& config, ProfileWanted* wanted, ScratchCharge* charge, GraphProfile* graph) {
  wanted->labels = wanted->types = true;
  RETURN_IF_ERROR(ReadProfileOptions(config, wanted));
  return ProfileGraph(context, *wanted, charge, graph);
}

Result<std::vector<List>> MetaData(ExecutionContext& context, std::span<const Value> arguments) {
  ScratchCharge charge(context, "a profile of the graph");
  ProfileWanted wanted;
  GraphProfile graph;
  RETURN_IF_ERROR(ProfileLabelsAndTypes(context, arguments[0], &wanted, &charge, &graph));
  std::vector<List> rows;
  for (const auto& [label, profile] : graph.labels) {
    RETURN_IF_ERROR(context.CheckInterrupt());
    for (const auto& [property, seen] : profile.properties) rows.push_back(PropertyRow(context, EntityKind::kNode, label, profile, property, seen));
    for (auto it = graph.out.lower_bound({label, ""}); it != graph.out.end() && it->first.first == label; ++it) {
      rows.push_back(JoinRow(label, it->first.second, it->second, Names(profile.other_labels), "node"));
    }
  }
  for (const auto& [type, profile] : graph.types) {
    RETURN_IF_ERROR(context.CheckInterrupt());
    for (const auto& [property, seen] : profile.properties) rows.push_back(PropertyRow(context, EntityKind::kRelationship, type, profile, property, seen));
    for (const auto& [key, join] : graph.out) {
      if (key.second == type && wanted.Label(key.first)) rows.push_back(JoinRow(type, key.first, join, Value(List()), "relationship"));
    }
  }
  for (const List& row : rows) {
    for (const Value& v : row) RETURN_IF_ERROR(charge.Add(v));
  }
  return rows;
}

Map PropertiesOf(ExecutionContext& context, EntityKind entity, const std::string& name, const ElementProfile& profile) {
  Map properties;
  for (const auto& [property, seen] : profile.properties) {
    const Rules rules = RulesOf(context, entity, name, property);
    const Type type = seen.MostOften();
    Map described{{"type", Value(MetaType(type))}, {"existence", Value(rules.exists)}};
    if (entity == EntityKind::kNode) {
      described.Set("indexed", Value(rules.indexed));
      described.Set("unique", Value(rules.unique));
    } else {
      described.Set("array", Value(type == Type::kList));
    }
    properties.Set(property, Value(std::move(described)));
  }
  return properties;
}

Result<std::vector<List>> MetaSchema(ExecutionContext& context, std::span<const Value> arguments) {
  ScratchCharge charge(context, "a profile of the graph");
  ProfileWanted wanted;
  GraphProfile graph;
  RETURN_IF_ERROR(ProfileLabelsAndTypes(context, arguments[0], &wanted, &charge, &graph));
  Map schema, of_types;
  for (const auto& [type, profile] : graph.types) {
    RETURN_IF_ERROR(context.CheckInterrupt());
    Map properties = PropertiesOf(context, EntityKind::kRelationship, type, profile);
    const auto id = context.tokens().types.Find(type);
    schema.Set(graph.labels.count(type) > 0 ? type + " (RELATIONSHIP)" : type,
               Value(Map{{"type", Value("relationship")}, {"count", Value(static_cast<int64_t>(context.view().CountRelationships(id)))},
                         {"properties", Value(properties)}}));
    of_types.Set(type, Value(std::move(properties)));
  }
  for (const auto& [label, profile] : graph.labels) {
    RETURN_IF_ERROR(context.CheckInterrupt());
    Map relationships;
    // What leaves the nodes of the label is told before what comes in, if a type does both.
    for (const auto* joins : {&graph.in, &graph.out}) {
      for (auto it = joins->lower_bound({label, ""}); it != joins->end() && it->first.first == label; ++it) {
        relationships.Set(it->first.second, Value(Map{{"direction", Value(joins == &graph.out ? "out" : "in")},
                                                      {"count", Value(static_cast<int64_t>(it->second.count))},
                                                      {"labels", Names(it->second.others)},
                                                      {"properties", *of_types.Find(it->first.second)}}));
      }
    }
    const auto id = context.tokens().labels.Find(label);
    schema.Set(label, Value(Map{{"type", Value("node")}, {"count", Value(static_cast<int64_t>(context.view().CountLabel(*id)))},
                                {"labels", Names(profile.other_labels)}, {"properties", Value(PropertiesOf(context, EntityKind::kNode, label, profile))},
                                {"relationships", Value(std::move(relationships))}}));
  }
  return std::vector<List>{{Value(std::move(schema))}};
}

// How many keys an index of one label holds, and how many of them differ.
Status CountKeys(ExecutionContext& context, const storage::IndexDefinition& index, uint64_t* size, uint64_t* distinct) {
  storage::SeekPosition position;
  std::vector<uint64_t> ids;
  List last;
  while (!position.done) {
    RETURN_IF_ERROR(context.CheckInterrupt());
    ids.clear();
    RETURN_IF_ERROR(context.view().SeekIndex(index.id, {}, false, &position, 1024, &ids));
    for (uint64_t id : ids) {
      List key;
      for (PropertyId p : index.properties) key.push_back(context.view().Property(NodeId(id), p));
      ++*size;
      if (*size == 1 || !Equivalent(Value(key), Value(last))) ++*distinct;
      last = std::move(key);
    }
  }
  return Status::Ok();
}

Result<std::vector<List>> SchemaNodes(ExecutionContext& context, std::span<const Value> arguments) {
  ProfileWanted wanted;
  RETURN_IF_ERROR(ReadProfileOptions(arguments[0], &wanted));
  const storage::SchemaVersion& schema = context.view().schema();
  const storage::Tokens& tokens = context.tokens();
  std::vector<List> rows;
  const auto add = [&](const std::vector<std::string>& labels, const std::vector<std::string>& properties, const std::string& type, bool online,
                       uint64_t size, double selectivity, std::string description) {
    if (std::none_of(labels.begin(), labels.end(), [&](const std::string& l) { return wanted.Label(l); })) return;
    std::string name = ":", keys;
    for (const std::string& l : labels) name += (name.size() > 1 ? "|" : "") + l;
    List key_list, label_list;
    for (const std::string& p : properties) {
      keys += (keys.empty() ? "" : ",") + p;
      key_list.emplace_back(p);
    }
    for (const std::string& l : labels) label_list.emplace_back(l);
    rows.push_back({Value(name + "(" + keys + ")"), labels.size() == 1 ? Value(labels[0]) : Value(std::move(label_list)), Value(std::move(key_list)),
                    Value(online ? "ONLINE" : "POPULATING"), Value(type), Value("NO FAILURE"), Value(online ? 100.0 : 0.0),
                    Value(static_cast<int64_t>(size)), Value(selectivity), Value(std::move(description))});
  };
  for (const auto& index : schema.indexes) {
    if (index.entity != EntityKind::kNode) continue;
    std::string type = IndexTypeName(index.kind);
    for (const auto& constraint : schema.constraints) {
      if (index.owner.valid() && constraint.id == index.owner) type = ConstraintTypeName(constraint);
    }
    uint64_t size = 0, distinct = 0;
    if (index.kind == storage::IndexKind::kRange && index.online) RETURN_IF_ERROR(CountKeys(context, index, &size, &distinct));
    std::vector<std::string> properties;
    for (PropertyId p : index.properties) properties.push_back(tokens.properties.Name(p));
    add(TokenNames(tokens, index.entity, index.tokens), properties, type, index.online, size,
        size == 0 ? 0.0 : static_cast<double>(distinct) / static_cast<double>(size), CreateStatement(tokens, index));
  }
  for (const auto& constraint : schema.constraints) {
    if (constraint.entity != EntityKind::kNode || constraint.index.valid()) continue;
    std::vector<std::string> properties;
    for (PropertyId p : constraint.properties) properties.push_back(tokens.properties.Name(p));
    add(TokenNames(tokens, EntityKind::kNode, {constraint.token}), properties, ConstraintTypeName(constraint), true, 0, 0.0,
        CreateStatement(tokens, constraint));
  }
  std::sort(rows.begin(), rows.end(), [](const List& a, const List& b) { return a[0].AsString() < b[0].AsString(); });
  return rows;
}

// The types of a property, a list's with the type of its items: "String", "LongArray".
Value TypeNames(const PropertyProfile& profile) {
  std::set<std::string> names;
  for (const auto& [type, n] : profile.types) {
    if (type != Type::kList) names.insert(JavaType(type));
  }
  for (const auto& [item, n] : profile.items) names.insert((item == Type::kNull ? "String" : JavaType(item)) + "Array");
  return Names(names);
}

Result<std::vector<List>> NodeTypeProperties(ExecutionContext& context, std::span<const Value>) {
  ScratchCharge charge(context, "a profile of the graph");
  ProfileWanted wanted;
  wanted.label_sets = true;
  wanted.sample = 0;
  GraphProfile graph;
  RETURN_IF_ERROR(ProfileGraph(context, wanted, &charge, &graph));
  std::vector<List> rows;
  for (const auto& [labels, profile] : graph.label_sets) {
    std::string name;
    List list;
    for (const std::string& label : labels) {
      name += ":`" + label + "`";
      list.emplace_back(label);
    }
    if (profile.properties.empty()) rows.push_back({Value(name), Value(list), Value(), Value(), Value(false)});
    for (const auto& [property, seen] : profile.properties) {
      rows.push_back({Value(name), Value(list), Value(property), TypeNames(seen), Value(seen.seen == profile.read)});
    }
  }
  return rows;
}

Result<std::vector<List>> RelationshipTypeProperties(ExecutionContext& context, std::span<const Value>) {
  ScratchCharge charge(context, "a profile of the graph");
  ProfileWanted wanted;
  wanted.types = true;
  GraphProfile graph;
  RETURN_IF_ERROR(ProfileGraph(context, wanted, &charge, &graph));
  std::vector<List> rows;
  for (const auto& [type, profile] : graph.types) {
    const std::string name = ":`" + type + "`";
    if (profile.properties.empty()) rows.push_back({Value(name), Value(), Value(), Value(false)});
    for (const auto& [property, seen] : profile.properties) {
      rows.push_back({Value(name), Value(property), TypeNames(seen), Value(seen.seen == profile.read)});
    }
  }
  return rows;
}

}  // namespace

void AddMetaProcedures(ProcedureCatalog* catalog) {
  auto add = [&](const char* name, std::vector<planner::ProcedureField> inputs, std::vector<planner::ProcedureField> outputs, const char* description,
                 RowsProcedure::Function function) {
    catalog->AddBuiltin(Signature(name, std::move(inputs), std::move(outputs), description), std::make_unique<RowsProcedure>(function));
  };
  const planner::ProcedureField config = Optional(MapField("config"));
  add("apoc.meta.data", {config},
      {StringField("label"), StringField("property"), IntegerField("count"), BooleanField("unique"), BooleanField("index"), BooleanField("existence"),
       StringField("type"), BooleanField("array"), Field("sample", kAnyType, "LIST<ANY>"), IntegerField("left"), IntegerField("right"), ListField("other"),
       ListField("otherLabels"), StringField("elementType")},
      "Tell the properties of labels and types and what the types join, a row each.", MetaData);
  add("apoc.meta.schema", {config}, {MapField("value")}, "Tell the properties of labels and types and what the types join, as a map.", MetaSchema);
  add("apoc.schema.nodes", {config},
      {StringField("name"), Field("label", kAnyType, "STRING | LIST<STRING>"), ListField("properties"), StringField("status"), StringField("type"),
       StringField("failure"), FloatField("populationProgress"), IntegerField("size"), FloatField("valuesSelectivity"), StringField("userDescription")},
      "List indexes and constraints of nodes.", SchemaNodes);
  add("db.schema.nodeTypeProperties", {},
      {StringField("nodeType"), ListField("nodeLabels"), StringField("propertyName"), ListField("propertyTypes"), BooleanField("mandatory")},
      "Tell the properties of the nodes of each set of labels.", NodeTypeProperties);
  add("db.schema.relTypeProperties", {}, {StringField("relType"), StringField("propertyName"), ListField("propertyTypes"), BooleanField("mandatory")},
      "Tell the properties of the relationships of each type.", RelationshipTypeProperties);
}

}  // namespace fornix::engine
