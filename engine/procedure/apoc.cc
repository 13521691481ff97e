// The procedures of APOC that clients can't write without: merging a relationship or a node whose type, labels and keys are values, and
// adding labels.
//
// They mean what the MERGE would mean that one would write if names could be parameters: every match is given, each call sees what the
// calls before it made, and what was looked for in vain is told to the transaction, so that the commit looks again.
#include <algorithm>

#include "base/value_compare.h"
#include "engine/exec/context.h"
#include "engine/exec/write.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/signature.h"

namespace fornix::engine {
namespace {

constexpr size_t kNodesAtOnce = 1024;

const Map& MapOrEmpty(const Value& value) {
  static const Map empty;
  return value.type() == Type::kMap ? value.AsMap() : empty;
}

Status Bad(std::string message) { return Status(Code::kArgumentError, std::move(message)).Detail("InvalidArgumentValue"); }

// The properties that identify; null can neither be found nor made.
Status Identity(ExecutionContext& context, const Map& map, storage::PropertyList* out) {
  for (const auto& [key, value] : map) {
    if (!value.is_null()) continue;
    return Status(Code::kSemanticError, "Cannot merge because property `" + key + "` is null: null never equals anything, so it could neither be found nor made")
        .Detail("MergeReadOwnWrites");
  }
  return PropertiesFromMap(context, map, out);
}

// Sets what the map says; a null removes.
template <typename Id>
Status SetAll(ExecutionContext& context, Id id, const Map& map) {
  for (const auto& [key, value] : map) {
    if (Status status = storage::CheckStorable(value); !value.is_null() && !status.ok()) {
      return Status(status.code(), "property `" + key + "`: " + status.message()).Detail(status.detail());
    }
    ASSIGN_OR_RETURN(const PropertyId property, context.transaction().InternProperty(key));
    RETURN_IF_ERROR(context.transaction().SetProperty(id, property, value));
  }
  return Status::Ok();
}

template <typename Id>
bool HasAll(ExecutionContext& context, Id id, const storage::PropertyList& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return Equals(context.view().Property(id, entry.first), entry.second) == Truth::kTrue;
  });
}

Result<std::vector<LabelId>> LabelsNamed(ExecutionContext& context, const Value& names) {
  std::vector<LabelId> labels;
  if (names.type() != Type::kList) return labels;
  for (const Value& name : names.AsList()) {
    if (name.type() != Type::kString || name.AsString().empty()) return Bad("labels are strings that aren't empty, not " + Shown(name));
    ASSIGN_OR_RETURN(const LabelId label, context.transaction().InternLabel(name.AsString()));
    labels.push_back(label);
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

// An end of a relationship, given as a node.
Result<NodeId> End(ExecutionContext& context, const Value& node, std::string_view which) {
  if (node.type() != Type::kNodeRef) {
    return Status(Code::kSemanticError, "Failed to merge a relationship: its " + std::string(which) + " node is null; skip such rows with WHERE ... IS NOT NULL");
  }
  RETURN_IF_ERROR(CheckWritable(context, node));
  return NodeId(node.AsNodeRef());
}

// relationship: start, type, identity, on create, end, on match
Result<std::vector<List>> MergeRelationship(ExecutionContext& context, std::span<const Value> a) {
  ASSIGN_OR_RETURN(const NodeId start, End(context, a[0], "start"));
  ASSIGN_OR_RETURN(const NodeId end, End(context, a[4], "end"));
  if (a[1].type() != Type::kString || a[1].AsString().empty()) return Bad("a relationship's type is a string that isn't empty, not " + Shown(a[1]));
  ASSIGN_OR_RETURN(const TypeId type, context.transaction().InternType(a[1].AsString()));
  storage::PropertyList identity;
  RETURN_IF_ERROR(Identity(context, MapOrEmpty(a[2]), &identity));
  std::vector<RelId> between;
  context.view().Between(start, std::span(&type, 1), storage::Direction::kOutgoing, end, &between);
  std::erase_if(between, [&](RelId id) { return !HasAll(context, id, identity); });
  std::vector<List> rows;
  for (RelId id : between) {
    RETURN_IF_ERROR(SetAll(context, id, MapOrEmpty(a[5])));
    rows.push_back({Value::RelationshipRef(id.value)});
  }
  if (!rows.empty()) return rows;
  storage::MergeMiss miss;
  miss.relationship = true;
  miss.start = start;
  miss.end = end;
  miss.type = type;
  miss.properties = identity;
  context.transaction().RecordMergeMiss(std::move(miss));
  ASSIGN_OR_RETURN(const RelId made, context.transaction().CreateRelationship(start, type, end, std::move(identity)));
  RETURN_IF_ERROR(SetAll(context, made, MapOrEmpty(a[3])));
  return std::vector<List>{{Value::RelationshipRef(made.value)}};
}

// Ids that may fit, from a range index over one of the properties, or by label, or all.
Status Candidates(ExecutionContext& context, const std::vector<LabelId>& labels, const storage::PropertyList& identity, std::vector<NodeId>* out) {
  const storage::GraphView& view = context.view();
  for (const storage::IndexDefinition& index : view.schema().indexes) {
    if (index.kind != storage::IndexKind::kRange || index.entity != storage::EntityKind::kNode || !index.online || index.properties.size() != 1) continue;
    if (std::none_of(labels.begin(), labels.end(), [&](LabelId l) { return l.value == index.tokens[0]; })) continue;
    for (const auto& [property, value] : identity) {
      if (property != index.properties[0]) continue;
      storage::SeekPosition position;
      std::vector<uint64_t> ids;
      while (!position.done) {
        RETURN_IF_ERROR(context.CheckInterrupt());
        RETURN_IF_ERROR(view.SeekIndex(index.id, storage::ExactKey({value}), false, &position, kNodesAtOnce, &ids));
      }
      for (uint64_t id : ids) out->push_back(NodeId(id));
      return Status::Ok();
    }
  }
  storage::ScanPosition position;
  std::vector<NodeId> some(kNodesAtOnce);
  while (true) {
    RETURN_IF_ERROR(context.CheckInterrupt());
    const size_t n = labels.empty() ? view.ScanNodes(&position, some.data(), some.size()) : view.ScanLabel(labels[0], &position, some.data(), some.size());
    if (n == 0) return Status::Ok();
    for (size_t i = 0; i < n; i++) {
      if (HasAll(context, some[i], identity)) out->push_back(some[i]);
    }
  }
}

// labels, identity, on create, on match
Result<std::vector<List>> MergeNode(ExecutionContext& context, std::span<const Value> a) {
  ASSIGN_OR_RETURN(const std::vector<LabelId> labels, LabelsNamed(context, a[0]));
  if (MapOrEmpty(a[1]).empty()) return Bad("apoc.merge.node() needs at least one property that identifies the node");
  storage::PropertyList identity;
  RETURN_IF_ERROR(Identity(context, MapOrEmpty(a[1]), &identity));
  std::vector<NodeId> found;
  RETURN_IF_ERROR(Candidates(context, labels, identity, &found));
  std::vector<List> rows;
  for (NodeId id : found) {
    const bool fits = std::all_of(labels.begin(), labels.end(), [&](LabelId l) { return context.view().HasLabel(id, l); });
    if (!fits || !HasAll(context, id, identity)) continue;
    RETURN_IF_ERROR(SetAll(context, id, MapOrEmpty(a[3])));
    rows.push_back({Value::NodeRef(id.value)});
  }
  if (!rows.empty()) return rows;
  storage::MergeMiss miss;
  miss.labels = labels;
  miss.properties = identity;
  context.transaction().RecordMergeMiss(std::move(miss));
  ASSIGN_OR_RETURN(const NodeId made, context.transaction().CreateNode(labels, std::move(identity)));
  RETURN_IF_ERROR(SetAll(context, made, MapOrEmpty(a[2])));
  return std::vector<List>{{Value::NodeRef(made.value)}};
}

// a node or a list of nodes, labels
Result<std::vector<List>> AddLabels(ExecutionContext& context, std::span<const Value> a) {
  ASSIGN_OR_RETURN(const std::vector<LabelId> labels, LabelsNamed(context, a[1]));
  const List one{a[0]};
  std::vector<List> rows;
  for (const Value& node : a[0].type() == Type::kList ? a[0].AsList() : one) {
    if (node.is_null()) continue;
    if (node.type() != Type::kNodeRef) {
      return Status(Code::kTypeError, "apoc.create.addLabels() takes a node or a list of nodes, not " + Shown(node)).Detail("InvalidArgumentType");
    }
    RETURN_IF_ERROR(CheckWritable(context, node));
    for (LabelId label : labels) RETURN_IF_ERROR(context.transaction().AddLabel(NodeId(node.AsNodeRef()), label));
    rows.push_back({node});
  }
  return rows;
}

}  // namespace

void AddApocProcedures(ProcedureCatalog* catalog) {
  auto add = [&](planner::ProcedureSignature signature, RowsProcedure::Function function) {
    signature.writes = true;
    catalog->AddBuiltin(std::move(signature), std::make_unique<RowsProcedure>(function));
  };
  const planner::ProcedureField node = Field("node", kNodeType, "NODE"), labels = ListField("labels");
  add(Signature("apoc.merge.relationship",
                {Field("startNode", kNodeType, "NODE"), StringField("relType"), MapField("identProps"), MapField("onCreateProps"),
                 Field("endNode", kNodeType, "NODE"), Optional(MapField("onMatchProps"))},
                {Field("rel", kRelationshipType, "RELATIONSHIP")}, "Merge a relationship whose type is a value."),
      MergeRelationship);
  add(Signature("apoc.merge.node", {labels, MapField("identProps"), Optional(MapField("onCreateProps")), Optional(MapField("onMatchProps"))}, {node},
                "Merge a node whose labels are values."),
      MergeNode);
  add(Signature("apoc.create.addLabels", {Field("nodes", kNodeType | kListType, "NODE | LIST<NODE>"), labels}, {node},
                "Add labels, which are values, to nodes."),
      AddLabels);
}

}  // namespace fornix::engine
