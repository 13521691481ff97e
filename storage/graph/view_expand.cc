// Scans and adjacency of View. Positions hold the next id (and the type) to look at, so others' commits between two
// calls change nothing, and nothing is kept alive.
#include <algorithm>

#include "storage/graph/view.h"

namespace fornix::storage {

size_t View::ScanInto(std::optional<LabelId> label, ScanPosition* position, NodeId* out, size_t max) const {
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

void View::ExpandType(NodeId id, TypeId type, Direction direction, uint64_t from, size_t max,
                      std::vector<Neighbour>* out) const {
  if (direction != Direction::kBoth) {
    overlay_.Neighbours(id, type, direction == Direction::kIncoming, from, max, out);
    return;
  }
  const size_t first = out->size();
  overlay_.Neighbours(id, type, false, from, max, out);
  const size_t middle = out->size();
  // Loops were listed by the outgoing side. At most max loops can stand among the incoming ones that matter, but they are
  // not known before; so the incoming side is read in rounds until it has max others or ends.
  uint64_t next = from;
  for (size_t left = max; left > 0;) {
    const size_t round = out->size();
    overlay_.Neighbours(id, type, true, next, left, out);
    const size_t got = out->size() - round;
    if (got == 0) break;
    next = out->back().relationship.value + 1;
    const bool ended = got < left;
    out->erase(std::remove_if(out->begin() + static_cast<ptrdiff_t>(round), out->end(),
                              [id](const Neighbour& n) { return n.node == id; }),
               out->end());
    left -= out->size() - round;
    if (ended) break;
  }
  std::inplace_merge(out->begin() + static_cast<ptrdiff_t>(first), out->begin() + static_cast<ptrdiff_t>(middle), out->end(),
                     [](const Neighbour& a, const Neighbour& b) { return a.relationship < b.relationship; });
  if (out->size() - first > max) out->resize(first + max);
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
  if (position->done) return true;
  if (max == 0) return false;
  std::vector<TypeId> buffer;
  size_t left = max;
  for (TypeId type : TypesToExpand(overlay_, id, types, &buffer)) {
    if (type.value < position->layer) continue;
    const uint64_t from = type.value == position->layer ? position->next : 0;
    const size_t before = out->size();
    ExpandType(id, type, direction, from, left, out);
    const size_t got = out->size() - before;
    if (got == left) {
      position->layer = type.value;
      position->next = out->back().relationship.value + 1;
      return false;
    }
    left -= got;
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
    nodes[i] = overlay_.delta().Find(ids[i]);
    __builtin_prefetch(nodes[i]);
  }
  for (size_t i = 0; i < n; ++i) {
    if (nodes[i] != nullptr) __builtin_prefetch(nodes[i]->adjacency.load(std::memory_order_relaxed));
  }
}

void View::ExpandBatch(std::span<const NodeId> ids, std::span<const TypeId> types, Direction direction,
                       std::vector<uint32_t>* parent, std::vector<Neighbour>* out) const {
  constexpr size_t kAhead = 16;
  std::vector<TypeId> buffer;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i % kAhead == 0) PrefetchAdjacency(ids.subspan(i));
    const size_t before = out->size();
    for (TypeId type : TypesToExpand(overlay_, ids[i], types, &buffer)) {
      ExpandType(ids[i], type, direction, 0, ~size_t{0}, out);
    }
    parent->insert(parent->end(), out->size() - before, static_cast<uint32_t>(i));
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
