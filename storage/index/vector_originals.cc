#include "storage/index/vector_originals.h"

namespace fornix::storage {
namespace {

template <typename Id>
void ReadOf(const Overlay& overlay, PropertyId key, std::span<const uint64_t> ids, vector::TakeOriginal take) {
  static thread_local std::vector<float> numbers;
  static thread_local std::vector<Id> below;             // what only the base knows
  static thread_local std::vector<size_t> places;
  below.clear();
  places.clear();
  for (size_t i = 0; i < ids.size(); ++i) {
    bool is_vector = false;
    if (overlay.FloatsAbove(Id(ids[i]), key, &numbers, &is_vector)) {
      if (is_vector) take(i, numbers);
    } else {
      below.push_back(Id(ids[i]));
      places.push_back(i);
    }
  }
  if (below.empty() || overlay.base().empty()) return;
  overlay.base().GatherFloats(below, key, [&](size_t i, std::span<const float> v) { take(places[i], v); });
}

}  // namespace

void ReadVectors(const Overlay& overlay, EntityKind entity, PropertyId key, std::span<const uint64_t> ids, vector::TakeOriginal take) {
  if (entity == EntityKind::kNode) return ReadOf<NodeId>(overlay, key, ids, take);
  ReadOf<RelId>(overlay, key, ids, take);
}

}  // namespace fornix::storage
