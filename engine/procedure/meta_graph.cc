// db.schema.visualization, apoc.meta.graph and apoc.meta.graphSample: a node for each label and a relationship for each (label, type, label).
// They are no elements of the graph: their ids count down from the end, and no MATCH finds them; their properties and labels can be
// read like others. apoc.schema.properties.distinct: the values that a property has.
#include <algorithm>
#include <unordered_set>

#include "base/value_compare.h"
#include "engine/procedure/graph_profile.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/schema_text.h"
#include "engine/procedure/signature.h"

namespace fornix::engine {
namespace {

using storage::EntityKind;

struct LabelGraph {
  std::map<std::string, Node> nodes;             // by label
  List relationships;
};

// `properties_of` gives those of a relationship by its type, its count and whether they have several at the start.
template <typename PropertiesOf>
Status MakeLabelGraph(ExecutionContext& context, const Value& config, ScratchCharge* charge, const PropertiesOf& properties_of, LabelGraph* out) {
  ProfileWanted wanted;
  wanted.labels = wanted.types = true;
  RETURN_IF_ERROR(ReadProfileOptions(config, &wanted));
  GraphProfile graph;
  RETURN_IF_ERROR(ProfileGraph(context, wanted, charge, &graph));
  for (const auto& [label, profile] : graph.labels) {
    Node node;
    node.id = ~uint64_t{0} - out->nodes.size();
    node.labels = {label};
    node.properties = Map{{"name", Value(label)}};
    out->nodes.emplace(label, std::move(node));
  }
  for (const auto& [key, join] : graph.out) {
    for (const auto& [other, count] : join.others) {
      const auto start = out->nodes.find(key.first), end = out->nodes.find(other);
      if (start == out->nodes.end() || end == out->nodes.end()) continue;
      RETURN_IF_ERROR(charge->Add(sizeof(Relationship) + 256));
      Relationship relationship;
      relationship.id = ~uint64_t{0} - out->relationships.size();
      relationship.type = key.second;
      relationship.start = start->second.id;
      relationship.end = end->second.id;
      relationship.properties = properties_of(key.second, count, join);
      out->relationships.emplace_back(std::move(relationship));
    }
  }
  return Status::Ok();
}

std::vector<List> RowOf(LabelGraph graph) {
  List nodes;
  for (auto& [label, node] : graph.nodes) nodes.emplace_back(std::move(node));
  return {{Value(std::move(nodes)), Value(std::move(graph.relationships))}};
}

Result<std::vector<List>> Visualization(ExecutionContext& context, std::span<const Value>) {
  ScratchCharge charge(context, "a profile of the graph");
  LabelGraph graph;
  const auto named = [](const std::string& type, uint64_t, const JoinProfile&) { return Map{{"name", Value(type)}}; };
  RETURN_IF_ERROR(MakeLabelGraph(context, Value(), &charge, named, &graph));
  const storage::SchemaVersion& schema = context.view().schema();
  for (auto& [label, node] : graph.nodes) {
    List indexes, constraints;
    for (const auto& index : schema.indexes) {
      const std::vector<std::string> names = TokenNames(context.tokens(), index.entity, index.tokens);
      if (index.entity != EntityKind::kNode || index.owner.valid() || std::find(names.begin(), names.end(), label) == names.end()) continue;
      std::string keys;
      for (PropertyId p : index.properties) keys += (keys.empty() ? "" : ",") + context.tokens().properties.Name(p);
      indexes.emplace_back(keys);
    }
    for (const auto& constraint : schema.constraints) {
      if (constraint.entity == EntityKind::kNode && TokenNames(context.tokens(), EntityKind::kNode, {constraint.token})[0] == label) {
        constraints.emplace_back(CreateStatement(context.tokens(), constraint));
      }
    }
    node.properties.Set("indexes", Value(std::move(indexes)));
    node.properties.Set("constraints", Value(std::move(constraints)));
  }
  return RowOf(std::move(graph));
}

Result<std::vector<List>> MetaGraph(ExecutionContext& context, std::span<const Value> arguments) {
  ScratchCharge charge(context, "a profile of the graph");
  LabelGraph graph;
  const auto counted = [](const std::string& type, uint64_t count, const JoinProfile& join) {
    const auto share = [&](uint64_t sum) { return Value(static_cast<int64_t>(sum / std::max<uint64_t>(1, join.count))); };
    return Map{{"type", Value(type)}, {"count", Value(static_cast<int64_t>(count))}, {"out", share(join.left)}, {"in", share(join.right)}};
  };
  RETURN_IF_ERROR(MakeLabelGraph(context, arguments[0], &charge, counted, &graph));
  for (auto& [label, node] : graph.nodes) {
    node.properties.Set("count", Value(static_cast<int64_t>(context.view().CountLabel(*context.tokens().labels.Find(label)))));
  }
  return RowOf(std::move(graph));
}

struct ValueHash {
  size_t operator()(const Value& v) const { return Hash(v); }
};
struct ValueEquivalent {
  bool operator()(const Value& a, const Value& b) const { return Equivalent(a, b); }
};

// label, property
Result<std::vector<List>> DistinctValues(ExecutionContext& context, std::span<const Value> arguments) {
  std::unordered_set<Value, ValueHash, ValueEquivalent> seen;
  ScratchCharge charge(context, "the values of a property");
  const bool named = arguments[0].type() == Type::kString && arguments[1].type() == Type::kString;
  const auto label = named ? context.tokens().labels.Find(arguments[0].AsString()) : std::nullopt;
  const auto property = named ? context.tokens().properties.Find(arguments[1].AsString()) : std::nullopt;
  if (label && property) {
    storage::ScanPosition position;
    std::vector<NodeId> ids(1024);
    std::vector<Value> values(ids.size());
    while (const size_t n = context.view().ScanLabel(*label, &position, ids.data(), ids.size())) {
      RETURN_IF_ERROR(context.CheckInterrupt());
      context.view().GatherProperty(std::span(ids.data(), n), *property, values.data());
      for (size_t i = 0; i < n; i++) {
        if (values[i].is_null() || !seen.insert(values[i]).second) continue;
        RETURN_IF_ERROR(charge.Add(values[i].MemoryBytes() + 64));
      }
    }
  }
  List distinct(seen.begin(), seen.end());
  std::sort(distinct.begin(), distinct.end(), [](const Value& a, const Value& b) { return Order(a, b) < 0; });
  return std::vector<List>{{Value(std::move(distinct))}};
}

}  // namespace

void AddMetaGraphProcedures(ProcedureCatalog* catalog) {
  auto add = [&](const char* name, std::vector<planner::ProcedureField> inputs, std::vector<planner::ProcedureField> outputs, const char* description,
                 RowsProcedure::Function function) {
    catalog->AddBuiltin(Signature(name, std::move(inputs), std::move(outputs), description), std::make_unique<RowsProcedure>(function));
  };
  const std::vector<planner::ProcedureField> graph = {Field("nodes", kListType, "LIST<NODE>"), Field("relationships", kListType, "LIST<RELATIONSHIP>")};
  add("db.schema.visualization", {}, graph, "Tell which types join which labels, as a graph of labels.", Visualization);
  add("apoc.meta.graph", {Optional(MapField("config"))}, graph, "Tell which types join which labels and how often, as a graph of labels.", MetaGraph);
  add("apoc.meta.graphSample", {Optional(MapField("config"))}, graph, "The same as apoc.meta.graph.", MetaGraph);
  add("apoc.schema.properties.distinct", {StringField("label"), StringField("key")}, {Field("value", kListType, "LIST<ANY>")},
      "List the different values of a property of a label's nodes.", DistinctValues);
}

}  // namespace fornix::engine
