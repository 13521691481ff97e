// A base made of maps: what a checkpoint would write, for tests of the layers above it. GraphModel is the plain state that
// both are compared with; ModelBase answers as Base does, each answer by a loop over the model.
#pragma once

#include <map>
#include <set>

#include "base/read_failure.h"
#include "storage/graph/base.h"
#include "storage/graph/stored_properties.h"
#include "storage/index/element_image.h"
#include "storage/index/tree/index_tree.h"

namespace fornix::storage {

struct ModelNode {
  std::set<LabelId> labels;
  PropertyList properties;
  std::vector<LabelId> label_list() const { return {labels.begin(), labels.end()}; }
};
struct ModelRelationship {
  RelationshipEnds ends;
  PropertyList properties;
};
struct GraphModel {
  std::map<uint64_t, ModelNode> nodes;
  std::map<uint64_t, ModelRelationship> relationships;

  // (neighbour, relationship) of one list, sorted.
  std::vector<std::pair<uint64_t, uint64_t>> List(NodeId id, TypeId type, bool incoming) const {
    std::vector<std::pair<uint64_t, uint64_t>> list;
    for (const auto& [rel, r] : relationships) {
      if (r.ends.type != type || (incoming ? r.ends.end : r.ends.start) != id) continue;
      list.emplace_back((incoming ? r.ends.start : r.ends.end).value, rel);
    }
    std::sort(list.begin(), list.end());
    return list;
  }
  // (key, id) of a range index, sorted.
  std::set<std::pair<std::string, uint64_t>> Keys(const IndexDefinition& index) const {
    std::set<std::pair<std::string, uint64_t>> keys;
    auto add = [&](uint64_t id, const std::vector<uint32_t>& tokens, const PropertyList& properties) {
      if (const auto key = KeyOf(index, {tokens, &properties})) keys.emplace(key->bytes, id);
    };
    if (index.entity == EntityKind::kNode) {
      for (const auto& [id, n] : nodes) add(id, TokensOf(n.label_list()), n.properties);
    } else {
      for (const auto& [id, r] : relationships) add(id, {r.ends.type.value}, r.properties);
    }
    return keys;
  }
};

class ModelTree final : public IndexTree {
 public:
  using Keys = std::set<std::pair<std::string, uint64_t>>;
  ModelTree(IndexId index, Keys keys) : IndexTree(nullptr, nullptr, index, RootOf(keys)), keys_(std::move(keys)) {}
  void Visit(std::string_view lower, uint64_t from_id, std::string_view upper,
             const std::function<bool(const TreeEntry&)>& visit) const override {
    for (auto it = keys_.lower_bound({std::string(lower), from_id}); it != keys_.end() && (upper.empty() || it->first < upper); ++it) {
      if (!visit({it->first, it->second})) return;
    }
  }
  void VisitDown(std::string_view lower, std::string_view upper, uint64_t before_id,
                 const std::function<bool(const TreeEntry&)>& visit) const override {
    auto it = upper.empty() ? keys_.end() : keys_.lower_bound({std::string(upper), before_id});
    while (it != keys_.begin()) {
      --it;
      if (it->first < lower || !visit({it->first, it->second})) return;
    }
  }

 private:
  static TreeRoot RootOf(const Keys& keys) {
    TreeRoot root;
    root.entries = root.distinct = keys.size();
    return root;
  }
  const Keys keys_;
};

class ModelBase final : public Base {
 public:
  ModelBase(GraphModel model, Timestamp timestamp, LabelSets* sets, const SchemaVersion& schema)
      : Base(false, timestamp), model_(std::move(model)) {
    for (const auto& [id, node] : model_.nodes) label_sets_[id] = sets->Intern(node.label_list());
    for (const IndexDefinition& index : schema.indexes) {
      if (index.kind == IndexKind::kRange) trees_[index.id] = std::make_unique<ModelTree>(index.id, model_.Keys(index));
    }
  }
  mutable bool fail = false;                   // reads of elements throw, as on a damaged disk

  const LabelSet* Labels(NodeId id) const override {
    Test();
    auto it = label_sets_.find(id.value);
    return it == label_sets_.end() ? nullptr : it->second;
  }
  bool Has(RelId id) const override { return Test(), model_.relationships.count(id.value) != 0; }
  std::optional<RelationshipEnds> Ends(RelId id) const override {
    auto it = model_.relationships.find(id.value);
    return it == model_.relationships.end() ? std::nullopt : std::optional(it->second.ends);
  }
  Value Property(NodeId id, PropertyId key) const override { return Find(Of(model_.nodes, id.value), key); }
  Value Property(RelId id, PropertyId key) const override { return Find(Of(model_.relationships, id.value), key); }
  void Properties(NodeId id, PropertyList* out) const override { *out = Of(model_.nodes, id.value); }
  void Properties(RelId id, PropertyList* out) const override { *out = Of(model_.relationships, id.value); }
  void Gather(std::span<const NodeId> ids, PropertyId key, Value* out) const override {
    for (NodeId id : ids) *out++ = Property(id, key);
  }
  void Gather(std::span<const RelId> ids, PropertyId key, Value* out) const override {
    for (RelId id : ids) *out++ = Property(id, key);
  }
  void GatherLabels(std::span<const NodeId> ids, const LabelSet** out) const override {
    for (NodeId id : ids) *out++ = Labels(id);
  }

  size_t Nodes(std::optional<LabelId> label, uint64_t from, uint64_t* out, size_t max) const override {
    size_t n = 0;
    for (auto it = model_.nodes.lower_bound(from); it != model_.nodes.end() && n < max; ++it) {
      if (!label || it->second.labels.count(*label) != 0) out[n++] = it->first;
    }
    return n;
  }
  size_t Relationships(std::optional<TypeId> type, uint64_t from, uint64_t* out, size_t max) const override {
    size_t n = 0;
    for (auto it = model_.relationships.lower_bound(from); it != model_.relationships.end() && n < max; ++it) {
      if (!type || it->second.ends.type == *type) out[n++] = it->first;
    }
    return n;
  }
  void Neighbours(NodeId id, TypeId type, bool incoming, uint64_t at, size_t max, std::vector<Neighbour>* out) const override {
    const auto list = model_.List(id, type, incoming);
    for (size_t i = at; i < list.size() && i - at < max; ++i) out->push_back({NodeId(list[i].first), RelId(list[i].second)});
  }
  void NeighboursOf(std::span<const NodeId> ids, TypeId type, bool incoming, std::vector<uint32_t>* ends,
                    std::vector<Neighbour>* out) const override {
    for (NodeId id : ids) {
      Neighbours(id, type, incoming, 0, ~size_t{0}, out);
      ends->push_back(static_cast<uint32_t>(out->size()));
    }
  }
  void Between(NodeId id, TypeId type, bool incoming, NodeId neighbour, std::vector<RelId>* out) const override {
    for (const auto& [node, rel] : model_.List(id, type, incoming)) {
      if (node == neighbour.value) out->push_back(RelId(rel));
    }
  }
  uint64_t Degree(NodeId id, TypeId type, bool incoming) const override { return model_.List(id, type, incoming).size(); }
  uint64_t Loops(NodeId id, TypeId type) const override {
    std::vector<RelId> loops;
    Between(id, type, false, id, &loops);
    return loops.size();
  }
  void Types(NodeId id, std::vector<TypeId>* out) const override {
    for (const auto& [rel, r] : model_.relationships) {
      if (r.ends.start == id || r.ends.end == id) out->push_back(r.ends.type);
    }
  }

  uint64_t NodeCount() const override { return model_.nodes.size(); }
  uint64_t RelationshipCount() const override { return model_.relationships.size(); }
  uint64_t LabelCount(LabelId label) const override {
    uint64_t n = 0;
    for (const auto& [id, node] : model_.nodes) n += node.labels.count(label);
    return n;
  }
  uint64_t TypeCount(TypeId type) const override {
    uint64_t n = 0;
    for (const auto& [id, r] : model_.relationships) n += r.ends.type == type;
    return n;
  }
  const IndexTree* Tree(IndexId index) const override {
    auto it = trees_.find(index);
    return it == trees_.end() ? nullptr : it->second.get();
  }

 private:
  void Test() const {
    if (fail) throw ReadFailure(Status(Code::kIoError, "the disk fails"));
  }
  template <typename Map>
  PropertyList Of(const Map& elements, uint64_t id) const {
    Test();
    auto it = elements.find(id);
    return it == elements.end() ? PropertyList() : it->second.properties;
  }
  static Value Find(const PropertyList& properties, PropertyId key) {
    const Value* found = FindProperty(properties, key);
    return found == nullptr ? Value() : *found;
  }

  const GraphModel model_;
  std::map<uint64_t, const LabelSet*> label_sets_;
  std::map<IndexId, std::unique_ptr<ModelTree>> trees_;
};

}  // namespace fornix::storage
