// Scans and adjacency of View. Positions hold the next id (or the type, part and place of a list) to look at, so others' commits between two
// calls change nothing, and nothing is kept alive.
#include <algorithm>

#include "storage/graph/view.h"

namespace fornix::storage {

size_t View::ScanInto(std::optional<LabelId> label, ScanPosition* position, NodeId* out, size_t max) const {
  CheckAge();
  if (position->done || max == 0) return 0;
  size_t n = 0;
  overlay_.VisitNodes(label, position->next, [&](NodeId id) {
    out[n++] = id;
    return n < max;
  });
  position->done = n < max;
  if (n > 0) position->next = out[n - 1].value + 1;
  return n;
}

size_t View::ScanNodes(ScanPosition* position, NodeId* out, size_t max) const {
  return ScanInto(std::nullopt, position, out, max);
}
size_t View::ScanLabel(LabelId label, ScanPosition* position, NodeId* out, size_t max) const {
  return ScanInto(label, position, out, max);
}

size_t View::ScanRelationships(std::optional<TypeId> type, ScanPosition* position, RelId* out, size_t max) const {
  CheckAge();
  if (position->done || max == 0) return 0;
  size_t n = 0;
  overlay_.VisitRelationships(type, position->next, [&](RelId id) {
    out[n++] = id;
    return n < max;
  });
  position->done = n < max;
  if (n > 0) position->next = out[n - 1].value + 1;
  return n;
}

bool View::ExpandType(NodeId id, TypeId type, Direction direction, ScanPosition* position, size_t max,
                      std::vector<Neighbour>* out) const {
  const size_t limit = max < ~size_t{0} - out->size() ? out->size() + max : ~size_t{0};
  for (; position->part < 4; ++position->part, position->next = 0) {
    const bool incoming = position->part >= 2, old = position->part % 2 == 0;
    if (direction == (incoming ? Direction::kOutgoing : Direction::kIncoming)) continue;
    for (bool ended = false; !ended;) {
      if (out->size() >= limit) return false;
      const size_t first = out->size();
      ended = old ? overlay_.OldNeighbours(id, type, incoming, &position->next, limit - first, out)
                  : overlay_.NewNeighbours(id, type, incoming, &position->next, limit - first, out);
      if (!incoming || direction != Direction::kBoth) continue;
      // Loops were listed by the outgoing side.
      out->erase(std::remove_if(out->begin() + static_cast<ptrdiff_t>(first), out->end(),
                                [id](const Neighbour& n) { return n.node == id; }),
                 out->end());
    }
  }
  return true;
}

namespace {
// The types to expand, sorted; most callers give one.
std::span<const TypeId> TypesToExpand(const Overlay& overlay, NodeId id, std::span<const TypeId> types,
                                      std::vector<TypeId>* buffer) {
  if (types.size() == 1) return types;
  if (types.empty()) {
    overlay.TypesOf(id, buffer);
  } else {
    buffer->assign(types.begin(), types.end());
    std::sort(buffer->begin(), buffer->end());
    buffer->erase(std::unique(buffer->begin(), buffer->end()), buffer->end());
  }
  return *buffer;
}
}  // namespace

bool View::Expand(NodeId id, std::span<const TypeId> types, Direction direction, ScanPosition* position, size_t max,
                  std::vector<Neighbour>* out) const {
  CheckAge();
  if (position->done) return true;
  if (max == 0) return false;
  std::vector<TypeId> buffer;
  const size_t limit = max < ~size_t{0} - out->size() ? out->size() + max : ~size_t{0};
  for (TypeId type : TypesToExpand(overlay_, id, types, &buffer)) {
    if (type.value < position->layer) continue;
    if (type.value > position->layer) *position = {0, type.value, 0, false};
    if (!ExpandType(id, type, direction, position, limit - out->size(), out)) return false;
  }
  position->done = true;
  return true;
}

// Starts the loads that expanding these nodes will need, level by level, so that the misses of all overlap.
void View::PrefetchAdjacency(std::span<const NodeId> ids) const {
  constexpr size_t kAhead = 16;                // what the memory system keeps in flight
  const NodeDelta* nodes[kAhead];
  const size_t n = std::min(ids.size(), kAhead);
  for (size_t i = 0; i < n; ++i) {
    nodes[i] = overlay_.active().Find(ids[i]);
    __builtin_prefetch(nodes[i]);
  }
  for (size_t i = 0; i < n; ++i) {
    if (nodes[i] != nullptr) __builtin_prefetch(nodes[i]->adjacency.load(std::memory_order_relaxed));
  }
}

void View::ExpandClean(std::span<const NodeId> ids, std::span<const TypeId> types, Direction direction, uint32_t first,
                       std::vector<uint32_t>* parent, std::vector<Neighbour>* out) const {
  const Base& base = overlay_.base();
  std::vector<TypeId> buffer, of_node;
  if (types.empty()) {
    for (NodeId id : ids) {
      base.Types(id, &of_node);
      buffer.insert(buffer.end(), of_node.begin(), of_node.end());
      of_node.clear();
    }
  } else {
    buffer.assign(types.begin(), types.end());
  }
  std::sort(buffer.begin(), buffer.end());
  buffer.erase(std::unique(buffer.begin(), buffer.end()), buffer.end());
  std::vector<uint32_t> ends;
  if (buffer.size() == 1 && direction != Direction::kBoth) {
    uint32_t before = static_cast<uint32_t>(out->size());
    base.NeighboursOf(ids, buffer[0], direction == Direction::kIncoming, &ends, out);
    for (size_t i = 0; i < ids.size(); before = ends[i++]) parent->insert(parent->end(), ends[i] - before, first + static_cast<uint32_t>(i));
    return;
  }
  // Several lists a node: each is read for all nodes, then they are put together node by node.
  struct Lists {
    bool incoming;
    std::vector<uint32_t> ends;
    std::vector<Neighbour> neighbours;
  };
  std::vector<Lists> all;
  for (TypeId type : buffer) {
    for (const bool incoming : {false, true}) {
      if (direction == (incoming ? Direction::kOutgoing : Direction::kIncoming)) continue;
      Lists& lists = all.emplace_back(Lists{incoming, {}, {}});
      base.NeighboursOf(ids, type, incoming, &lists.ends, &lists.neighbours);
    }
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const size_t before = out->size();
    for (const Lists& lists : all) {
      const bool skip_loops = lists.incoming && direction == Direction::kBoth;
      for (uint32_t at = i == 0 ? 0 : lists.ends[i - 1]; at < lists.ends[i]; ++at) {
        if (!skip_loops || lists.neighbours[at].node != ids[i]) out->push_back(lists.neighbours[at]);
      }
    }
    parent->insert(parent->end(), out->size() - before, first + static_cast<uint32_t>(i));
  }
}

void View::ExpandBatch(std::span<const NodeId> ids, std::span<const TypeId> types, Direction direction,
                       std::vector<uint32_t>* parent, std::vector<Neighbour>* out) const {
  CheckAge();
  constexpr size_t kAhead = 16;
  const bool has_base = !overlay_.base().empty();
  std::vector<TypeId> buffer;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i % kAhead == 0) PrefetchAdjacency(ids.subspan(i));
    if (has_base) {
      size_t end = i;
      while (end < ids.size() && overlay_.OnlyBaseNeighbours(ids[end])) ++end;
      if (end > i) ExpandClean(ids.subspan(i, end - i), types, direction, static_cast<uint32_t>(i), parent, out);
      if ((i = end) == ids.size()) return;
    }
    const size_t before = out->size();
    for (TypeId type : TypesToExpand(overlay_, ids[i], types, &buffer)) {
      ScanPosition position;
      ExpandType(ids[i], type, direction, &position, ~size_t{0}, out);
    }
    parent->insert(parent->end(), out->size() - before, static_cast<uint32_t>(i));
  }
}

void View::Between(NodeId id, std::span<const TypeId> types, Direction direction, NodeId other, std::vector<RelId>* out) const {
  std::vector<TypeId> buffer;
  for (TypeId type : TypesToExpand(overlay_, id, types, &buffer)) {
    if (direction != Direction::kIncoming) overlay_.Between(id, type, false, other, out);
    // A loop was listed by the outgoing side.
    if (direction == Direction::kIncoming || (direction == Direction::kBoth && id != other)) {
      overlay_.Between(id, type, true, other, out);
    }
  }
}

uint64_t View::Degree(NodeId id, std::span<const TypeId> types, Direction direction) const {
  std::vector<TypeId> buffer;
  uint64_t degree = 0;
  for (TypeId type : TypesToExpand(overlay_, id, types, &buffer)) {
    const Overlay::Degrees d =
        overlay_.DegreesOf(id, type, direction != Direction::kIncoming, direction != Direction::kOutgoing);
    degree += d.out + d.in - (direction == Direction::kBoth ? d.loops : 0);
  }
  return degree;
}

}  // namespace fornix::storage
