#include "engine/exec/materialize.h"

#include <algorithm>

namespace fornix::engine {
namespace {

Map NamedProperties(ExecutionContext& context, storage::PropertyList& list) {
  std::vector<Map::Entry> entries;
  entries.reserve(list.size());
  for (auto& [key, value] : list) entries.emplace_back(context.tokens().properties.Name(key), std::move(value));
  return Map::FromEntries(std::move(entries));
}

// An element that this transaction deleted comes out bare: it still has an id, a relationship also its type and ends.
Value MakeNode(ExecutionContext& context, NodeId id) {
  Node node;
  node.id = id.value;
  if (!context.has_deletes() || context.view().StateOf(id) == storage::ElementState::kVisible) {
    std::vector<LabelId> labels;
    context.view().Labels(id, &labels);
    for (LabelId label : labels) node.labels.push_back(context.tokens().labels.Name(label));
    std::sort(node.labels.begin(), node.labels.end());
    storage::PropertyList list;
    context.view().Properties(id, &list);
    node.properties = NamedProperties(context, list);
  }
  return Value(std::move(node));
}

Value MakeRelationship(ExecutionContext& context, RelId id) {
  Relationship relationship;
  relationship.id = id.value;
  const storage::RelationshipEnds ends = context.view().Ends(id);
  relationship.start = ends.start.value;
  relationship.end = ends.end.value;
  relationship.type = context.tokens().types.Name(ends.type);
  if (!context.has_deletes() || context.view().StateOf(id) == storage::ElementState::kVisible) {
    storage::PropertyList list;
    context.view().Properties(id, &list);
    relationship.properties = NamedProperties(context, list);
  }
  return Value(std::move(relationship));
}

bool HoldsElements(const Value& value) {
  switch (value.type()) {
    case Type::kNodeRef:
    case Type::kRelationshipRef:
    case Type::kPath: return true;
    case Type::kList:
      CountWork(value.AsList().size());
      for (const Value& item : value.AsList()) {
        if (HoldsElements(item)) return true;
      }
      return false;
    case Type::kMap:
      CountWork(value.AsMap().size());
      for (const auto& [key, item] : value.AsMap()) {
        if (HoldsElements(item)) return true;
      }
      return false;
    default: return false;
  }
}

Result<Value> Charged(Value element, ScratchCharge* charge) {
  RETURN_IF_ERROR(charge->Add(element.MemoryBytes()));
  return element;
}

Result<Value> Materialize(ExecutionContext& context, const Value& value, ScratchCharge* charge) {
  switch (value.type()) {
    case Type::kNodeRef:
      CountWork(32);
      return Charged(MakeNode(context, NodeId(value.AsNodeRef())), charge);
    case Type::kRelationshipRef:
      CountWork(32);
      return Charged(MakeRelationship(context, RelId(value.AsRelationshipRef())), charge);
    case Type::kPath: {
      Path path;
      for (const Value& node : value.AsPath().nodes) {
        ASSIGN_OR_RETURN(Value made, Materialize(context, node, charge));
        path.nodes.push_back(std::move(made));
      }
      for (const Value& relationship : value.AsPath().relationships) {
        ASSIGN_OR_RETURN(Value made, Materialize(context, relationship, charge));
        path.relationships.push_back(std::move(made));
      }
      return Value(std::move(path));
    }
    case Type::kList: {
      if (!HoldsElements(value)) return value;
      List list;
      list.reserve(value.AsList().size());
      for (const Value& item : value.AsList()) {
        ASSIGN_OR_RETURN(Value made, Materialize(context, item, charge));
        list.push_back(std::move(made));
      }
      return Value(std::move(list));
    }
    case Type::kMap: {
      if (!HoldsElements(value)) return value;
      std::vector<Map::Entry> entries;
      for (const auto& [key, item] : value.AsMap()) {
        ASSIGN_OR_RETURN(Value made, Materialize(context, item, charge));
        entries.emplace_back(key, std::move(made));
      }
      return Value(Map::FromEntries(std::move(entries)));
    }
    default: return value;
  }
}

}  // namespace

Result<Value> MaterializeAt(ExecutionContext& context, const Column& column, size_t row, ScratchCharge* charge) {
  if (!column.filled()) return Status(Code::kInternal, "a result column is not filled by the plan");
  if (column.IsNull(row)) return Value();
  switch (column.kind()) {
    case ColumnKind::kNode: return Charged(MakeNode(context, NodeId(column.word(row))), charge);
    case ColumnKind::kRelationship: return Charged(MakeRelationship(context, RelId(column.word(row))), charge);
    case ColumnKind::kBoxed: return Materialize(context, column.boxed_at(row), charge);
    default: return column.ValueAt(row);
  }
}

}  // namespace fornix::engine
