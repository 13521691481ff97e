#include "storage/checkpoint/merge.h"

#include <algorithm>

#include "base/check.h"
#include "base/errors.h"

namespace fornix::storage {
namespace {

template <typename V>
const V* Newest(const std::atomic<V*>& head) {
  return head.load(std::memory_order_acquire);
}

// Edits of adjacency lists by the chunk of the node that has the list.
struct PlacedEdit {
  uint64_t chunk;
  AdjacencyEdit edit;
  friend auto operator<=>(const PlacedEdit& a, const PlacedEdit& b) {
    return std::tuple(a.chunk, a.edit) <=> std::tuple(b.chunk, b.edit);
  }
};
void Place(NodeId owner, NodeId neighbour, TypeId type, bool incoming, uint64_t relationship, bool removed,
           std::vector<PlacedEdit>* out) {
  out->push_back({ChunkOf(owner.value), {type.value, incoming, removed, static_cast<uint32_t>(SlotOf(owner.value)), neighbour.value, relationship}});
}

}  // namespace

Status MergeRelationships(const Delta& frozen, const Base& base, BaseWriter* writer, std::vector<NodeChunkEdit>* adjacency) {
  std::vector<PlacedEdit> placed;
  RelChunkEdit chunk;
  Status status;
  auto flush = [&] {
    if (!chunk.relationships.empty()) status = writer->Apply(chunk);
    chunk.relationships.clear();
    return status.ok();
  };
  frozen.relationships().VisitFrom(0, [&](uint64_t id, const RelDelta* rel) {
    const Timestamp begin = rel->begin.load(std::memory_order_acquire), end = rel->end.load(std::memory_order_acquire);
    const PropertyVersion* properties = Newest(rel->properties);
    RelEdit edit;
    edit.slot = static_cast<uint32_t>(SlotOf(id));
    const TypeId type = rel->type;
    if (begin != kNever) {
      if (end != kNever) return true;          // came and went in this generation
      edit.created = true;
      edit.start = rel->start.value;
      edit.end = rel->end_node.value;
      if (properties != nullptr) edit.properties = &properties->properties;
    } else if (end != kNever) {
      edit.deleted = true;
    } else {
      if (properties == nullptr) return true;  // reserved by a commit that didn't come
      edit.properties = &properties->properties;
      CHECK(base.Has(RelId(id)));
    }
    if (ChunkOf(id) != chunk.chunk && !flush()) return false;
    if (!chunk.relationships.empty() && chunk.type != type.value) {   // the ids of the catalog and its base contradict each other
      status = Corruption(base.path() + ": relationship " + std::to_string(id) + " is of another type than the rest of its chunk");
      return false;
    }
    chunk.chunk = ChunkOf(id);
    chunk.type = type.value;
    chunk.relationships.push_back(edit);
    if (edit.created || edit.deleted) {
      Place(rel->start, rel->end_node, type, false, id, edit.deleted, &placed);
      Place(rel->end_node, rel->start, type, true, id, edit.deleted, &placed);
    }
    return true;
  });
  if (!status.ok() || !flush()) return status;
  std::sort(placed.begin(), placed.end());
  adjacency->clear();
  for (const PlacedEdit& p : placed) {
    if (adjacency->empty() || adjacency->back().chunk != p.chunk) {
      adjacency->emplace_back();
      adjacency->back().chunk = p.chunk;
    }
    adjacency->back().adjacency.push_back(p.edit);
  }
  return Status::Ok();
}

Status MergeNodes(const Delta& frozen, const Base& base, std::vector<NodeChunkEdit>* adjacency, BaseWriter* writer) {
  NodeChunkEdit chunk;
  auto lists = adjacency->begin();
  Status status;
  auto apply = [&](const NodeChunkEdit& edit) {
    status = writer->Apply(edit);
    return status.ok();
  };
  // Chunks of which only lists change come between those with changed nodes.
  auto flush = [&](uint64_t next_chunk) {
    for (; lists != adjacency->end() && lists->chunk < chunk.chunk; ++lists) {
      if (!apply(*lists)) return false;
    }
    if (!chunk.nodes.empty()) {
      if (lists != adjacency->end() && lists->chunk == chunk.chunk) chunk.adjacency = std::move((lists++)->adjacency);
      if (!apply(chunk)) return false;
    }
    chunk.nodes.clear();
    chunk.adjacency.clear();
    chunk.chunk = next_chunk;
    return true;
  };
  frozen.nodes().VisitFrom(0, [&](uint64_t id, const NodeDelta* node) {
    const NodeState* state = Newest(node->state);
    const PropertyVersion* properties = Newest(node->properties);
    NodeEdit edit;
    edit.slot = static_cast<uint32_t>(SlotOf(id));
    if (state != nullptr && state->labels == nullptr) {
      if (base.Labels(NodeId(id)) == nullptr) return true;   // came and went in this generation
      edit.deleted = true;
    } else {
      if (state != nullptr) edit.labels = state->labels;
      if (properties != nullptr) edit.properties = &properties->properties;
    }
    if (!edit.deleted && edit.labels == nullptr && edit.properties == nullptr) return true;   // only lists
    if (ChunkOf(id) != chunk.chunk && !flush(ChunkOf(id))) return false;
    chunk.nodes.push_back(edit);
    return true;
  });
  if (!status.ok() || !flush(~uint64_t{0})) return status;
  for (; lists != adjacency->end(); ++lists) {
    if (!apply(*lists)) return status;
  }
  adjacency->clear();
  return Status::Ok();
}

std::vector<TreeChange> NetChanges(const Delta& frozen, IndexId index) {
  std::vector<TreeChange> changes;
  const RangeIndex* list = frozen.RangeOf(index);
  if (list == nullptr) return changes;
  list->VisitChanges(kNever - 1, [&](std::string_view key, uint64_t id, bool remove) { changes.push_back({key, id, remove}); });
  return changes;
}

}  // namespace fornix::storage
