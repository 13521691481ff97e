// apoc.refactor.mergeNodes: nodes that stand for one thing become the first of them, with all labels, properties and relationships.
//
// A relationship can't change its ends, so those of the other nodes are made anew and get new ids. `properties` says what becomes of values
// that differ: discard (the first stays), overwrite (the last wins) or combine (a list of them), for all or by name, where a name may be a
// pattern of RE2; what a map doesn't name is overwritten. `mergeRels` makes one of relationships of one type between the same two nodes in the
// same direction; loops that were there before are left alone unless `preserveExistingSelfRels` is false. `produceSelfRel: false` drops
// relationships between two of the nodes.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/value_compare.h"
#include "base/value_format.h"
#include "engine/exec/context.h"
#include "engine/exec/expression.h"
#include "engine/exec/write.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/signature.h"

namespace fornix::engine {
namespace {

using storage::PropertyList;

constexpr size_t kRelationshipBytes = 128;       // of one that is moved: its place in lists, sets and maps here

enum class Mode : uint8_t { kDiscard, kOverwrite, kCombine };

class Config {
 public:
  Status Read(const Value& config) {
    if (config.type() != Type::kMap) return Status::Ok();
    RETURN_IF_ERROR(Flag(config.AsMap(), "mergeRels", &merge_relationships));
    RETURN_IF_ERROR(Flag(config.AsMap(), "produceSelfRel", &make_loops));
    RETURN_IF_ERROR(Flag(config.AsMap(), "preserveExistingSelfRels", &keep_loops));
    RETURN_IF_ERROR(Flag(config.AsMap(), "singleElementAsArray", &single_as_list));
    const Value* properties = config.AsMap().Find("properties");
    if (properties == nullptr || properties->is_null()) return Status::Ok();
    if (properties->type() != Type::kMap) return Named(*properties, &all_);
    all_ = Mode::kOverwrite;
    for (const auto& [name, mode] : properties->AsMap()) {
      modes_.emplace_back(name, Mode::kOverwrite);
      RETURN_IF_ERROR(Named(mode, &modes_.back().second));
    }
    return Status::Ok();
  }

  Result<Mode> Of(const std::string& property) const {
    for (const auto& [name, mode] : modes_) {
      if (name == property) return mode;
    }
    for (const auto& [name, mode] : modes_) {
      ASSIGN_OR_RETURN(const Value fits, MatchesRegex(Value(property), Value(name)));
      if (fits.type() == Type::kBoolean && fits.AsBoolean()) return mode;
    }
    return all_;
  }

  bool merge_relationships = false, make_loops = true, keep_loops = true, single_as_list = false;

 private:
  static Status Flag(const Map& config, const char* name, bool* flag) {
    const Value* value = config.Find(name);
    if (value == nullptr || value->is_null()) return Status::Ok();
    if (value->type() != Type::kBoolean) {
      return Status(Code::kTypeError, "the option `" + std::string(name) + "` is true or false, not " + Shown(*value)).Detail("InvalidArgumentType");
    }
    *flag = value->AsBoolean();
    return Status::Ok();
  }
  static Status Named(const Value& value, Mode* mode) {
    std::string word = value.type() == Type::kString ? value.AsString() : "";
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word == "discard") {
      *mode = Mode::kDiscard;
    } else if (word == "overwrite" || word == "override") {
      *mode = Mode::kOverwrite;
    } else if (word == "combine") {
      *mode = Mode::kCombine;
    } else {
      return Status(Code::kArgumentError, "the option `properties` is 'discard', 'overwrite' or 'combine', or a map of these by property, not " + Shown(value))
          .Detail("InvalidArgumentValue");
    }
    return Status::Ok();
  }

  Mode all_ = Mode::kCombine;
  std::vector<std::pair<std::string, Mode>> modes_;
};

// Both values, those of lists one by one, each once. What can't stand in one list stands there as text.
Value Combined(const Value& first, const Value& second, bool single_as_list) {
  List all;
  for (const Value* v : {&first, &second}) {
    const List one{*v};
    for (const Value& item : v->type() == Type::kList ? v->AsList() : one) {
      if (std::none_of(all.begin(), all.end(), [&](const Value& known) { return Equivalent(known, item); })) all.push_back(item);
    }
  }
  if (all.size() == 1 && !(single_as_list && (first.type() == Type::kList || second.type() == Type::kList))) return all[0];
  Value combined(all);
  if (storage::CheckStorable(combined).ok()) return combined;
  for (Value& item : all) {
    if (item.type() != Type::kString) item = Value(ToText(item));
  }
  return Value(std::move(all));
}

// `from`'s properties into those of `into`.
Status MergeProperties(ExecutionContext& context, const Config& config, const PropertyList& from, PropertyList* into) {
  for (const auto& [key, value] : from) {
    const auto place = std::find_if(into->begin(), into->end(), [k = key](const auto& entry) { return entry.first == k; });
    if (place == into->end()) {
      into->emplace_back(key, value);
      continue;
    }
    ASSIGN_OR_RETURN(const Mode mode, config.Of(context.tokens().properties.Name(key)));
    if (mode == Mode::kOverwrite) place->second = value;
    if (mode == Mode::kCombine) place->second = Combined(place->second, value, config.single_as_list);
  }
  std::sort(into->begin(), into->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return Status::Ok();
}

template <typename Id>
Status SetAll(ExecutionContext& context, Id id, const PropertyList& properties) {
  for (const auto& [key, value] : properties) RETURN_IF_ERROR(context.transaction().SetProperty(id, key, value));
  return Status::Ok();
}

Result<std::vector<RelId>> RelationshipsOf(ExecutionContext& context, NodeId node, ScratchCharge* charge) {
  RETURN_IF_ERROR(charge->Add(context.view().Degree(node, {}, storage::Direction::kBoth) * kRelationshipBytes));
  std::vector<storage::Neighbour> neighbours;
  std::vector<uint32_t> parents;
  context.view().ExpandBatch({&node, 1}, {}, storage::Direction::kBoth, &parents, &neighbours);
  std::vector<RelId> ids;
  for (const storage::Neighbour& n : neighbours) ids.push_back(n.relationship);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// What the other nodes have goes to the target. `loops`: those that were loops already.
Status MoveRelationships(ExecutionContext& context, const Config& config, NodeId target, const std::vector<NodeId>& others, ScratchCharge* charge,
                         std::set<RelId>* loops) {
  std::set<NodeId> merged(others.begin(), others.end());
  merged.insert(target);
  ASSIGN_OR_RETURN(const std::vector<RelId> own, RelationshipsOf(context, target, charge));
  for (RelId id : own) {
    const storage::RelationshipEnds ends = context.view().Ends(id);
    if (ends.start == ends.end) loops->insert(id);
  }
  for (NodeId other : others) {
    // One between two of the others is the target's by the time of the second.
    ASSIGN_OR_RETURN(const std::vector<RelId> moved, RelationshipsOf(context, other, charge));
    for (RelId id : moved) {
      RETURN_IF_ERROR(context.CheckInterrupt());
      const storage::RelationshipEnds ends = context.view().Ends(id);
      const NodeId start = merged.count(ends.start) > 0 ? target : ends.start, end = merged.count(ends.end) > 0 ? target : ends.end;
      const bool was_loop = ends.start == ends.end;
      PropertyList properties;
      context.view().Properties(id, &properties);
      RETURN_IF_ERROR(context.transaction().DeleteRelationship(id));
      if (start == end && !was_loop && !config.make_loops) continue;
      ASSIGN_OR_RETURN(const RelId made, context.transaction().CreateRelationship(start, ends.type, end, std::move(properties)));
      if (was_loop) loops->insert(made);
    }
  }
  return Status::Ok();
}

Status MergeRelationships(ExecutionContext& context, const Config& config, NodeId target, const std::set<RelId>& loops, ScratchCharge* charge) {
  std::map<std::tuple<NodeId, TypeId, NodeId>, RelId> kept;
  ASSIGN_OR_RETURN(const std::vector<RelId> all, RelationshipsOf(context, target, charge));
  for (RelId id : all) {
    RETURN_IF_ERROR(context.CheckInterrupt());
    if (config.keep_loops && loops.count(id) > 0) continue;
    const storage::RelationshipEnds ends = context.view().Ends(id);
    const auto [it, is_first] = kept.try_emplace({ends.start, ends.type, ends.end}, id);
    if (is_first) continue;
    PropertyList into, from;
    context.view().Properties(it->second, &into);
    context.view().Properties(id, &from);
    RETURN_IF_ERROR(MergeProperties(context, config, from, &into));
    RETURN_IF_ERROR(SetAll(context, it->second, into));
    RETURN_IF_ERROR(context.transaction().DeleteRelationship(id));
  }
  return Status::Ok();
}

Result<std::vector<List>> MergeNodes(ExecutionContext& context, std::span<const Value> arguments) {
  Config config;
  RETURN_IF_ERROR(config.Read(arguments[1]));
  std::vector<NodeId> nodes;
  if (arguments[0].type() == Type::kList) {
    for (const Value& node : arguments[0].AsList()) {
      if (node.is_null()) continue;
      if (node.type() != Type::kNodeRef) {
        return Status(Code::kTypeError, "apoc.refactor.mergeNodes() takes a list of nodes, which holds " + Shown(node)).Detail("InvalidArgumentType");
      }
      RETURN_IF_ERROR(CheckWritable(context, node));
      const NodeId id(node.AsNodeRef());
      if (std::find(nodes.begin(), nodes.end(), id) == nodes.end()) nodes.push_back(id);
    }
  }
  if (nodes.empty()) return std::vector<List>();
  const NodeId target = nodes[0];
  const std::vector<NodeId> others(nodes.begin() + 1, nodes.end());
  PropertyList properties;
  context.view().Properties(target, &properties);
  std::vector<LabelId> labels;
  for (NodeId other : others) {
    PropertyList more;
    context.view().Properties(other, &more);
    RETURN_IF_ERROR(MergeProperties(context, config, more, &properties));
    context.view().Labels(other, &labels);
    for (LabelId label : labels) RETURN_IF_ERROR(context.transaction().AddLabel(target, label));
  }
  std::set<RelId> loops;
  ScratchCharge charge(context, "the relationships of nodes that are merged");
  RETURN_IF_ERROR(MoveRelationships(context, config, target, others, &charge, &loops));
  for (NodeId other : others) RETURN_IF_ERROR(context.transaction().DeleteNode(other, true));
  RETURN_IF_ERROR(SetAll(context, target, properties));
  if (config.merge_relationships) RETURN_IF_ERROR(MergeRelationships(context, config, target, loops, &charge));
  return std::vector<List>{{Value::NodeRef(target.value)}};
}

}  // namespace

void AddRefactorProcedures(ProcedureCatalog* catalog) {
  planner::ProcedureSignature signature = Signature("apoc.refactor.mergeNodes", {Field("nodes", kListType, "LIST<NODE>"), Optional(MapField("config"))},
                                                    {Field("node", kNodeType, "NODE")}, "Merge nodes into the first of them.");
  signature.writes = true;
  catalog->AddBuiltin(std::move(signature), std::make_unique<RowsProcedure>(MergeNodes));
}

}  // namespace fornix::engine
