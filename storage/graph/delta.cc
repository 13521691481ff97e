#include "storage/graph/delta.h"

#include <algorithm>

namespace fornix::storage {

NodeDelta::~NodeDelta() {
  FreeVersions(&state);
  FreeVersions(&properties);
  const AdjacencyTable* table = adjacency.load(std::memory_order_relaxed);
  if (table != nullptr) {
    for (const AdjacencyTable::Item& item : table->items) delete item.list;
    delete table;
  }
}

const CountVersion* Delta::LabelCountAt(LabelId label, Timestamp s) const {
  const VersionedCount* count = label_counts_.Find(label.value);
  return count == nullptr ? nullptr : VersionAt(count->head, s);
}
const CountVersion* Delta::TypeCountAt(TypeId type, Timestamp s) const {
  const VersionedCount* count = type_counts_.Find(type.value);
  return count == nullptr ? nullptr : VersionAt(count->head, s);
}

RangeIndex* Delta::ReserveRange(IndexId index) {
  RangeSlot* slot = ReserveRangeSlot(index);
  RangeIndex* list = slot->list.load(std::memory_order_relaxed);
  if (list == nullptr) slot->list.store(list = new RangeIndex, std::memory_order_release);
  return list;
}

AdjacencyList* Delta::ReserveAdjacency(NodeDelta* node, NodeId id, TypeId type, bool incoming, uint32_t n, uint32_t n_below,
                                       Timestamp floor, RetireList* retired) {
  AdjacencyTable* table = node->adjacency.load(std::memory_order_relaxed);
  AdjacencyList* list = nullptr;
  if (table != nullptr) list = const_cast<AdjacencyList*>(table->Find(type, incoming));
  if (list == nullptr) {
    auto grown = std::make_unique<AdjacencyTable>();
    if (table != nullptr) grown->items = table->items;
    auto made = std::make_unique<AdjacencyList>();
    const AdjacencyTable::Item item{type.value, incoming, made.get()};
    auto at = std::lower_bound(grown->items.begin(), grown->items.end(), item, [](const auto& a, const auto& b) {
      return std::pair(a.type, a.incoming) < std::pair(b.type, b.incoming);
    });
    grown->items.insert(at, item);
    if (table != nullptr) retired->ReserveOne();
    list = made.release();
    node->adjacency.store(grown.release(), std::memory_order_release);
    if (table != nullptr) retired->Add(table);
  }
  list->Reserve(id, n, n_below, floor, retired);
  return list;
}

}  // namespace fornix::storage
