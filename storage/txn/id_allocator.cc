#include "storage/txn/id_allocator.h"

#include <algorithm>

#include "storage/graph/directory.h"

namespace fornix::storage {

Result<uint64_t> IdAllocator::Take(Range* range, uint64_t* chunks, const char* what) {
  if (range->next == range->end) {
    if (*chunks == kIdsMax / kChunkElements) {
      return Status(Code::kLimitExceeded, std::string("all 2^40 ids of ") + what + " have been handed out");
    }
    range->next = *chunks * kChunkElements;
    range->end = range->next + kChunkElements;
    ++*chunks;
  }
  return range->next++;
}

Result<NodeId> IdAllocator::NewNode(const std::vector<LabelId>& labels) {
  std::lock_guard lock(mutex_);
  NodeSet& set = node_sets_[labels];
  Range* range = set.count < kOwnChunkNodes ? &shared_ : &set.own;
  ASSIGN_OR_RETURN(uint64_t id, Take(range, &node_chunks_, "nodes"));
  ++set.count;
  return NodeId(id);
}

Result<RelId> IdAllocator::NewRelationship(TypeId type) {
  std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(uint64_t id, Take(&types_[type], &relationship_chunks_, "relationships"));
  return RelId(id);
}

// The open chunk of a range is the newest one in which an id of it was seen; what lies behind the newest id is free.
void IdAllocator::Observe(Range* range, uint64_t id) {
  const uint64_t end = (ChunkOf(id) + 1) * kChunkElements;
  if (end < range->end) return;
  range->next = end > range->end ? id + 1 : std::max(range->next, id + 1);
  range->end = end;
}

void IdAllocator::ObserveNode(NodeId id, const std::vector<LabelId>& labels) {
  std::lock_guard lock(mutex_);
  NodeSet& set = node_sets_[labels];
  // Which kind of chunk an id came from follows from the range it falls into, else from the rule of NewNode. Were the
  // guess wrong, an own chunk would be taken for the shared one: a matter of place, never of uniqueness, because a
  // chunk that one range holds open is never opened as another's.
  auto holds = [&](const Range& range) { return range.end != 0 && ChunkOf(range.end - 1) == ChunkOf(id.value); };
  Range* range = holds(shared_) ? &shared_ : holds(set.own) ? &set.own : nullptr;
  if (range == nullptr && ChunkOf(id.value) >= node_chunks_) {
    range = set.count < kOwnChunkNodes ? &shared_ : &set.own;
  }
  ++set.count;
  node_chunks_ = std::max(node_chunks_, ChunkOf(id.value) + 1);
  if (range != nullptr) {
    Observe(range, id.value);
    return;
  }
  // In a chunk that some other set holds open: that range must step over the id.
  for (auto& [other_labels, other] : node_sets_) {
    if (holds(other.own)) Observe(&other.own, id.value);
  }
}

void IdAllocator::ObserveRelationship(RelId id, TypeId type) {
  std::lock_guard lock(mutex_);
  relationship_chunks_ = std::max(relationship_chunks_, ChunkOf(id.value) + 1);
  Observe(&types_[type], id.value);
}

IdAllocator::Snapshot IdAllocator::Save() const {
  std::lock_guard lock(mutex_);
  Snapshot s;
  s.node_chunks = node_chunks_;
  s.relationship_chunks = relationship_chunks_;
  s.shared_next = shared_.next;
  s.shared_end = shared_.end;
  for (const auto& [labels, set] : node_sets_) s.node_sets.push_back({labels, set.count, set.own.next, set.own.end});
  for (const auto& [type, range] : types_) s.types.push_back({type, range.next, range.end});
  return s;
}

void IdAllocator::Restore(const Snapshot& s) {
  std::lock_guard lock(mutex_);
  node_chunks_ = s.node_chunks;
  relationship_chunks_ = s.relationship_chunks;
  shared_ = {s.shared_next, s.shared_end};
  node_sets_.clear();
  for (const Snapshot::NodeSet& set : s.node_sets) node_sets_[set.labels] = {set.count, {set.next, set.end}};
  types_.clear();
  for (const Snapshot::TypeRange& range : s.types) types_[range.type] = {range.next, range.end};
}

}  // namespace fornix::storage
