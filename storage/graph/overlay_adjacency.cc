// Adjacency of an overlay. A list has two parts: what the base holds, in the base's order, and what is newer, by relationship.
//
//   base list (neighbour, relationship)   minus what ended in (C, S] and what is deleted here
//   frozen block + active block + own     merged by relationship, each judged by its own stamps
// A relationship of a lower layer that ended is found by its RelDelta in the generation that ended it; that is looked at only
// where the list of that generation counts such tombstones.
#include <algorithm>

#include "storage/graph/overlay.h"

namespace fornix::storage {
namespace {

const AdjacencyList* ListOf(const Delta* delta, NodeId id, TypeId type, bool incoming) {
  const NodeDelta* node = delta == nullptr ? nullptr : delta->Find(id);
  const AdjacencyTable* table = node == nullptr ? nullptr : node->adjacency.load(std::memory_order_acquire);
  return table == nullptr ? nullptr : table->Find(type, incoming);
}
bool HasEndedBelow(const AdjacencyList* list) { return list != nullptr && list->ended_below() != nullptr; }

bool EndedIn(const Delta& delta, uint64_t relationship, Timestamp s) {
  const RelDelta* rel = delta.Find(RelId(relationship));
  return rel != nullptr && rel->EndedAt(s);
}

}  // namespace

bool Overlay::OldNeighbours(NodeId id, TypeId type, bool incoming, uint64_t* at, size_t max, std::vector<Neighbour>* out) const {
  if (base_->empty()) return true;
  const bool active = HasEndedBelow(ListOf(active_, id, type, incoming));
  const bool frozen = HasEndedBelow(ListOf(frozen_, id, type, incoming));
  const bool own = own_->deletes_committed_relationships();
  const size_t limit = max < ~size_t{0} - out->size() ? out->size() + max : ~size_t{0};
  while (out->size() < limit) {
    const size_t first = out->size(), wanted = limit - first;
    base_->Neighbours(id, type, incoming, *at, wanted, out);
    const size_t got = out->size() - first;
    *at += got;
    if (active || frozen || own) {
      auto gone = [&](const Neighbour& n) {
        return (active && EndedIn(*active_, n.relationship.value, snapshot_)) ||
               (frozen && EndedIn(*frozen_, n.relationship.value, snapshot_)) || OwnDeleted(n.relationship);
      };
      out->erase(std::remove_if(out->begin() + static_cast<ptrdiff_t>(first), out->end(), gone), out->end());
    }
    if (got < wanted) return true;
  }
  return false;
}

bool Overlay::NewNeighbours(NodeId id, TypeId type, bool incoming, uint64_t* at, size_t max, std::vector<Neighbour>* out) const {
  const size_t first = out->size();
  const uint64_t from = *at;
  bool sorted = true, ended = true;
  auto take = [&](const AdjacencyBlock* block, bool test_active) {
    if (block == nullptr) return;
    const std::span<const AdjacencyEntry> entries = block->view();
    const bool in_order = block->sorted.load(std::memory_order_relaxed);
    const AdjacencyEntry* entry = entries.data();
    const AdjacencyEntry* end = entry + entries.size();
    if (in_order && from != 0) {
      entry = std::lower_bound(entry, end, from, [](const AdjacencyEntry& e, uint64_t rel) { return e.relationship < rel; });
    }
    size_t left = max;
    for (; entry != end; ++entry) {
      if (entry->relationship < from || !entry->LiveAt(snapshot_) || OwnDeleted(RelId(entry->relationship))) continue;
      if (test_active && EndedIn(*active_, entry->relationship, snapshot_)) continue;
      if (left == 0 && in_order) {             // more than asked for
        ended = false;
        return;
      }
      if (out->size() > first && entry->relationship < out->back().relationship.value) sorted = false;
      out->push_back({NodeId(entry->neighbour), RelId(entry->relationship)});
      if (in_order) --left;
    }
  };
  const AdjacencyList* active = ListOf(active_, id, type, incoming);
  if (frozen_ != nullptr) {
    if (const AdjacencyList* frozen = ListOf(frozen_, id, type, incoming)) take(frozen->block(), HasEndedBelow(active));
  }
  if (active != nullptr) take(active->block(), false);
  if (!own_->empty()) {
    if (const OwnNode* own = own_->Find(id)) {
      for (const OwnRelationship* rel : incoming ? own->in : own->out) {
        if (rel->deleted || rel->type != type || rel->id.value < from) continue;
        if (out->size() > first && rel->id < out->back().relationship) sorted = false;
        out->push_back({incoming ? rel->start : rel->end, rel->id});
      }
    }
  }
  if (!sorted) {
    std::sort(out->begin() + static_cast<ptrdiff_t>(first), out->end(),
              [](const Neighbour& a, const Neighbour& b) { return a.relationship < b.relationship; });
  }
  if (out->size() - first > max) {
    out->resize(first + max);
    ended = false;
  }
  if (out->size() > first) *at = out->back().relationship.value + 1;
  return ended;
}

bool Overlay::OnlyBaseNeighbours(NodeId id) const {
  if (own_->deletes_committed_relationships() || (!own_->empty() && own_->Find(id) != nullptr)) return false;
  for (const Delta* delta : {active_, frozen_}) {
    const NodeDelta* node = delta == nullptr ? nullptr : delta->Find(id);
    if (node != nullptr && node->adjacency.load(std::memory_order_acquire) != nullptr) return false;
  }
  return true;
}

void Overlay::Between(NodeId id, TypeId type, bool incoming, NodeId other, std::vector<RelId>* out) const {
  if (!base_->empty()) {
    const size_t first = out->size();
    base_->Between(id, type, incoming, other, out);
    out->erase(std::remove_if(out->begin() + static_cast<ptrdiff_t>(first), out->end(),
                              [&](RelId rel) { return SaidOf(rel) == Said::kGone || OwnDeleted(rel); }),
               out->end());
  }
  auto newer = [&](NodeId node, bool in) {
    size_t size = 0;
    for (const Delta* delta : {active_, frozen_}) {
      const AdjacencyList* list = ListOf(delta, node, type, in);
      const AdjacencyBlock* block = list == nullptr ? nullptr : list->block();
      if (block != nullptr) size += block->view().size();
    }
    const OwnNode* own = own_->empty() ? nullptr : own_->Find(node);
    return own == nullptr ? size : size + (in ? own->in : own->out).size();
  };
  const size_t here = newer(id, incoming), there = newer(other, !incoming);
  if (here == 0 || there == 0) return;
  const bool reversed = there < here;
  const NodeId target = reversed ? id : other;
  std::vector<Neighbour> found;
  uint64_t at = 0;
  NewNeighbours(reversed ? other : id, type, incoming != reversed, &at, ~size_t{0}, &found);
  for (const Neighbour& n : found) {
    if (n.node == target) out->push_back(n.relationship);
  }
}

Overlay::Degrees Overlay::DegreesOf(NodeId id, TypeId type, bool out, bool in) const {
  Degrees degrees;
  if (own_->deletes_committed_relationships()) {
    std::vector<Neighbour> all;
    for (const bool incoming : {false, true}) {
      if (!(incoming ? in : out)) continue;
      all.clear();
      uint64_t place = 0, relationship = 0;
      OldNeighbours(id, type, incoming, &place, ~size_t{0}, &all);
      NewNeighbours(id, type, incoming, &relationship, ~size_t{0}, &all);
      (incoming ? degrees.in : degrees.out) = all.size();
      if (incoming) continue;
      for (const Neighbour& n : all) degrees.loops += n.node == id;
    }
    return degrees;
  }
  for (const bool incoming : {false, true}) {
    if (!(incoming ? in : out)) continue;
    uint64_t& degree = incoming ? degrees.in : degrees.out;
    if (!base_->empty()) {
      degree = base_->Degree(id, type, incoming);
      if (!incoming && in && degree > 0) degrees.loops = base_->Loops(id, type);
    }
    for (const Delta* delta : {frozen_, active_}) {
      const AdjacencyList* list = ListOf(delta, id, type, incoming);
      if (list == nullptr) continue;
      if (const AdjacencyBlock* block = list->block()) {
        const AdjacencyBlock::Counts counts = block->CountAt(snapshot_, id.value);
        degree += counts.degree;
        if (!incoming) degrees.loops += counts.loops;
      }
      if (const AdjacencyBlock* block = list->ended_below()) {
        const AdjacencyBlock::Counts counts = block->CountAt(snapshot_, id.value);
        degree -= counts.degree;
        if (!incoming) degrees.loops -= counts.loops;
      }
    }
  }
  const OwnNode* own = own_->empty() ? nullptr : own_->Find(id);
  const OwnNode::Degree* mine = own == nullptr ? nullptr : own->FindDegree(type);
  if (mine != nullptr) {
    if (out) degrees.out += static_cast<uint64_t>(mine->out);
    if (in) degrees.in += static_cast<uint64_t>(mine->in);
    degrees.loops += static_cast<uint64_t>(mine->loops);
  }
  return degrees;
}

void Overlay::TypesOf(NodeId id, std::vector<TypeId>* out) const {
  out->clear();
  if (!base_->empty()) base_->Types(id, out);
  for (const Delta* delta : {frozen_, active_}) {
    const NodeDelta* node = delta == nullptr ? nullptr : delta->Find(id);
    const AdjacencyTable* table = node == nullptr ? nullptr : node->adjacency.load(std::memory_order_acquire);
    if (table == nullptr) continue;
    for (const AdjacencyTable::Item& item : table->items) out->push_back(TypeId(item.type));
  }
  if (!own_->empty()) {
    if (const OwnNode* own = own_->Find(id)) {
      for (const OwnRelationship* rel : own->out) out->push_back(rel->type);
      for (const OwnRelationship* rel : own->in) out->push_back(rel->type);
    }
  }
  std::sort(out->begin(), out->end());
  out->erase(std::unique(out->begin(), out->end()), out->end());
}

}  // namespace fornix::storage
