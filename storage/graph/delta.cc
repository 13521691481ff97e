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

void PropertyVersion::Measure() {
  bytes = sizeof(PropertyVersion) + 2 * kAllocationBytes + properties.capacity() * sizeof(StoredProperty);
  for (const StoredProperty& p : properties) bytes += p.value.MemoryBytes() - sizeof(Value);
}

void Delta::AddMemory(int64_t change) {
  constexpr uint64_t kStep = 64 * 1024;        // so that a commit of a few rows touches the budget seldom
  inner_bytes_ += change;
  const size_t tables = sizeof(Delta) + nodes_.memory_bytes() + relationships_.memory_bytes() + label_bits_.memory_bytes() +
                        type_bits_.memory_bytes() + ranges_.memory_bytes() + label_counts_.memory_bytes() + type_counts_.memory_bytes();
  const size_t bytes = tables + static_cast<size_t>(std::max<int64_t>(inner_bytes_, 0));
  bytes_.store(bytes, std::memory_order_relaxed);
  if (budget_ == nullptr) return;
  const uint64_t wanted = (bytes + kStep - 1) / kStep * kStep;
  if (wanted > charged_) budget_->Add(MemoryUse::kDelta, wanted - charged_);
  if (wanted < charged_) budget_->Release(MemoryUse::kDelta, charged_ - wanted);
  charged_ = wanted;
}

RangeIndex* Delta::ReserveRange(IndexId index) {
  RangeSlot* slot = ReserveRangeSlot(index);
  RangeIndex* list = slot->list.load(std::memory_order_relaxed);
  if (list == nullptr) {
    slot->list.store(list = new RangeIndex, std::memory_order_release);
    inner_bytes_ += sizeof(RangeIndex);
  }
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
    inner_bytes_ += static_cast<int64_t>(sizeof(AdjacencyList) + sizeof(AdjacencyTable::Item) + 3 * kAllocationBytes);
    list = made.release();
    node->adjacency.store(grown.release(), std::memory_order_release);
    if (table != nullptr) retired->Add(table);
  }
  inner_bytes_ += list->Reserve(id, n, n_below, floor, retired);
  return list;
}

}  // namespace fornix::storage
