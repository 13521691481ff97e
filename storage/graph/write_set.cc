#include "storage/graph/write_set.h"

#include <algorithm>

#include "base/check.h"
#include "storage/graph/stored_properties.h"

namespace fornix::storage {
namespace {
// What a touched element costs beside its values: entry, map node and places in lists as they are laid out, rounded up.
constexpr size_t kOwnNodeBytes = 320;
constexpr size_t kOwnRelationshipBytes = 320;

size_t BytesOf(const PropertyList& properties) {
  size_t bytes = 0;
  for (const auto& [key, value] : properties) bytes += 8 + value.MemoryBytes();
  return bytes;
}
}  // namespace

const uint64_t* SortedIds::From(uint64_t from) const {
  if (sorted_ != ids_.size()) {
    const auto middle = ids_.begin() + static_cast<ptrdiff_t>(sorted_);
    std::sort(middle, ids_.end());
    std::inplace_merge(ids_.begin(), middle, ids_.end());
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    sorted_ = ids_.size();
  }
  auto it = std::lower_bound(ids_.begin(), ids_.end(), from);
  return it == ids_.end() ? nullptr : &*it;
}

const OwnNode::Degree* OwnNode::FindDegree(TypeId type) const {
  auto it = std::find_if(degrees.begin(), degrees.end(), [type](const Degree& d) { return d.type == type; });
  return it == degrees.end() ? nullptr : &*it;
}
OwnNode::Degree* OwnNode::DegreeOf(TypeId type) {
  if (const Degree* found = FindDegree(type)) return const_cast<Degree*>(found);
  return &degrees.emplace_back(Degree{type});
}

void WriteSet::CountEnds(const OwnRelationship& rel, int64_t change) {
  OwnNode::Degree* start = Mutable(rel.start)->DegreeOf(rel.type);
  start->out += change;
  if (rel.start == rel.end) start->loops += change;
  Mutable(rel.end)->DegreeOf(rel.type)->in += change;
}

OwnNode* WriteSet::Touch(NodeId id) {
  if (OwnNode* found = Mutable(id)) return found;
  auto made = std::make_unique<OwnNode>();
  made->id = id;
  OwnNode* node = made.get();
  nodes_.push_back(std::move(made));
  node_at_.emplace(id, node);
  memory_bytes_ += kOwnNodeBytes;
  return node;
}

OwnRelationship* WriteSet::Touch(RelId id, const RelationshipEnds& ends) {
  if (OwnRelationship* found = Mutable(id)) return found;
  auto made = std::make_unique<OwnRelationship>();
  made->id = id;
  made->start = ends.start;
  made->end = ends.end;
  made->type = ends.type;
  OwnRelationship* relationship = made.get();
  relationships_.push_back(std::move(made));
  relationship_at_.emplace(id, relationship);
  memory_bytes_ += kOwnRelationshipBytes;
  return relationship;
}

OwnNode* WriteSet::CreateNode(NodeId id, std::vector<LabelId> labels, PropertyList properties) {
  CHECK(Find(id) == nullptr);
  OwnNode* node = Touch(id);
  node->created = true;
  node->labels = std::move(labels);
  node->properties = std::move(properties);
  created_nodes_.Add(id.value);
  ++node_delta_;
  for (LabelId label : node->labels) {
    with_label_[label].Add(id.value);
    ++label_deltas_[label];
  }
  memory_bytes_ += BytesOf(node->properties);
  return node;
}

OwnRelationship* WriteSet::CreateRelationship(RelId id, NodeId start, TypeId type, NodeId end, PropertyList properties) {
  CHECK(Find(id) == nullptr);
  OwnRelationship* relationship = Touch(id, {start, end, type});
  relationship->created = true;
  relationship->properties = std::move(properties);
  Touch(start)->out.push_back(relationship);
  Touch(end)->in.push_back(relationship);
  CountEnds(*relationship, 1);
  created_relationships_.Add(id.value);
  of_type_[type].Add(id.value);
  ++relationship_delta_;
  ++type_deltas_[type];
  memory_bytes_ += BytesOf(relationship->properties);
  return relationship;
}

void WriteSet::SetLabels(OwnNode* node, std::vector<LabelId> before, std::vector<LabelId> after) {
  if (node->created || node->labels_changed) before = node->labels;
  for (LabelId label : before) {
    if (!std::binary_search(after.begin(), after.end(), label)) --label_deltas_[label];
  }
  for (LabelId label : after) {
    const bool is_new = !std::binary_search(before.begin(), before.end(), label);
    if (is_new) ++label_deltas_[label];
    // A label that stays must be listed too: once the labels were written here, scans ask only this list.
    if (is_new || (!node->created && !node->labels_changed)) with_label_[label].Add(node->id.value);
  }
  node->labels_changed = true;
  node->labels = std::move(after);
}

void WriteSet::SetProperty(OwnElement* element, PropertyId key, Value value) {
  memory_bytes_ += 8 + value.MemoryBytes();
  element->properties_changed = true;
  if (!element->created) {
    auto at = std::lower_bound(element->changed_keys.begin(), element->changed_keys.end(), key);
    if (at == element->changed_keys.end() || *at != key) element->changed_keys.insert(at, key);
  }
  SetInList(&element->properties, key, std::move(value));
}

void WriteSet::DeleteNode(OwnNode* node, const std::vector<LabelId>& before) {
  CHECK(!node->deleted);
  node->deleted = true;
  --node_delta_;
  for (LabelId label : node->created || node->labels_changed ? node->labels : before) --label_deltas_[label];
}

void WriteSet::DeleteRelationship(OwnRelationship* relationship) {
  CHECK(!relationship->deleted);
  relationship->deleted = true;
  if (relationship->created) {
    CountEnds(*relationship, -1);
  } else {
    deletes_committed_relationships_ = true;
  }
  --relationship_delta_;
  --type_deltas_[relationship->type];
}

const SortedIds* WriteSet::WithLabel(LabelId label) const {
  auto it = with_label_.find(label);
  return it == with_label_.end() ? nullptr : &it->second;
}
const SortedIds* WriteSet::OfType(TypeId type) const {
  auto it = of_type_.find(type);
  return it == of_type_.end() ? nullptr : &it->second;
}
int64_t WriteSet::LabelDelta(LabelId label) const {
  auto it = label_deltas_.find(label);
  return it == label_deltas_.end() ? 0 : it->second;
}
int64_t WriteSet::TypeDelta(TypeId type) const {
  auto it = type_deltas_.find(type);
  return it == type_deltas_.end() ? 0 : it->second;
}

}  // namespace fornix::storage
