// WriteSet: what one transaction has written and nobody else can see.
//
// It holds post-images: an element's labels or properties as they will be once something of them was touched. It never
// looks at the store (the transaction hands the pre-image in), so recovery fills it from log records as a transaction
// does from statements, and one piece of code (txn/commit_plan.cc) turns it into changes of the delta.
// Order of the vectors = order of first touch, which makes the log the same for the same statements.
// Threads: one at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "storage/graph/graph_view.h"

namespace fornix::storage {

// Ids in any order in, ascending and without repetition out.
class SortedIds {
 public:
  void Add(uint64_t id) {
    if (sorted_ == ids_.size() && (ids_.empty() || ids_.back() < id)) ++sorted_;
    ids_.push_back(id);
  }
  // A pointer to the first id >= from, or null.
  const uint64_t* From(uint64_t from) const;
  const uint64_t* end() const { return ids_.data() + ids_.size(); }
  bool empty() const { return ids_.empty(); }

 private:
  mutable std::vector<uint64_t> ids_;
  mutable size_t sorted_ = 0;
};

struct OwnElement {
  bool created = false;
  bool deleted = false;
  bool properties_changed = false;             // or created: `properties` is the whole post-image
  PropertyList properties;
  std::vector<PropertyId> changed_keys;        // of an element that was there before
};
struct OwnRelationship : OwnElement {
  RelId id;
  NodeId start, end;
  TypeId type;
};
struct OwnNode : OwnElement {
  NodeId id;
  bool labels_changed = false;                 // or created: `labels` is the whole post-image
  std::vector<LabelId> labels;                 // sorted
  std::vector<const OwnRelationship*> out, in; // created here, deleted ones included
  struct Degree {                              // of those that weren't deleted
    TypeId type;
    int64_t out = 0, in = 0, loops = 0;
  };
  std::vector<Degree> degrees;                 // a handful of types, in no order
  Degree* DegreeOf(TypeId type);
  const Degree* FindDegree(TypeId type) const;
};

class WriteSet {
 public:
  bool empty() const { return nodes_.empty() && relationships_.empty(); }
  const OwnNode* Find(NodeId id) const {
    auto it = node_at_.find(id);
    return it == node_at_.end() ? nullptr : it->second;
  }
  const OwnRelationship* Find(RelId id) const {
    auto it = relationship_at_.find(id);
    return it == relationship_at_.end() ? nullptr : it->second;
  }
  OwnNode* Mutable(NodeId id) { return const_cast<OwnNode*>(Find(id)); }
  OwnRelationship* Mutable(RelId id) { return const_cast<OwnRelationship*>(Find(id)); }
  const std::vector<std::unique_ptr<OwnNode>>& nodes() const { return nodes_; }
  const std::vector<std::unique_ptr<OwnRelationship>>& relationships() const { return relationships_; }

  OwnNode* CreateNode(NodeId id, std::vector<LabelId> labels, PropertyList properties);
  OwnRelationship* CreateRelationship(RelId id, NodeId start, TypeId type, NodeId end, PropertyList properties);
  // The entry of an element, made if it is touched for the first time.
  OwnNode* Touch(NodeId id);
  OwnRelationship* Touch(RelId id, const RelationshipEnds& ends);
  // The first change hands in the pre-image; later ones ignore it.
  void SetLabels(OwnNode* node, std::vector<LabelId> before, std::vector<LabelId> after);
  void SetProperty(OwnElement* element, PropertyId key, Value value);
  void DeleteNode(OwnNode* node, const std::vector<LabelId>& before);
  void DeleteRelationship(OwnRelationship* relationship);

  // Candidates of scans: the element's entry decides.
  const SortedIds& created_nodes() const { return created_nodes_; }
  const SortedIds& created_relationships() const { return created_relationships_; }
  const SortedIds* WithLabel(LabelId label) const;      // nodes whose labels were written here and held it at some time
  const SortedIds* OfType(TypeId type) const;           // relationships created here

  bool deletes_committed_relationships() const { return deletes_committed_relationships_; }
  int64_t node_delta() const { return node_delta_; }
  int64_t relationship_delta() const { return relationship_delta_; }
  int64_t LabelDelta(LabelId label) const;
  int64_t TypeDelta(TypeId type) const;
  const std::map<LabelId, int64_t>& label_deltas() const { return label_deltas_; }
  const std::map<TypeId, int64_t>& type_deltas() const { return type_deltas_; }
  size_t memory_bytes() const { return memory_bytes_; }

 private:
  void CountEnds(const OwnRelationship& relationship, int64_t change);

  std::vector<std::unique_ptr<OwnNode>> nodes_;
  std::vector<std::unique_ptr<OwnRelationship>> relationships_;
  std::unordered_map<NodeId, OwnNode*> node_at_;
  std::unordered_map<RelId, OwnRelationship*> relationship_at_;
  SortedIds created_nodes_, created_relationships_;
  std::map<LabelId, SortedIds> with_label_;
  std::map<TypeId, SortedIds> of_type_;
  bool deletes_committed_relationships_ = false;
  int64_t node_delta_ = 0, relationship_delta_ = 0;
  std::map<LabelId, int64_t> label_deltas_;
  std::map<TypeId, int64_t> type_deltas_;
  size_t memory_bytes_ = 0;
};

}  // namespace fornix::storage
