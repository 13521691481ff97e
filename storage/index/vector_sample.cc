#include "storage/index/vector_sample.h"

#include <algorithm>

#include "storage/index/vector_index.h"
#include "storage/index/vector_originals.h"
#include "vector/quantize/projection.h"

namespace fornix::storage {
namespace {

constexpr size_t kRun = 32, kRuns = 32;        // the mean of 1,000 is off by a thirtieth of the spread
constexpr size_t kSampleMin = 64;              // of fewer the mean says more about them than about what will come
constexpr size_t kSampleBytesMax = size_t{4} << 20;

// The ids of at most `max` elements from `from` on.
void TakeRun(const Overlay& head, EntityKind entity, uint32_t token, uint64_t from, size_t max, std::vector<uint64_t>* ids) {
  ids->clear();
  const auto take = [&](auto id) {
    ids->push_back(id.value);
    return ids->size() < max;
  };
  if (entity == EntityKind::kNode) return head.VisitNodes(LabelId(token), from, take);
  head.VisitRelationships(TypeId(token), from, take);
}

// A number at or above the last element's, within a sixteenth.
uint64_t EndOf(const Overlay& head, EntityKind entity, uint32_t token) {
  std::vector<uint64_t> one;
  uint64_t last = 0;
  for (uint64_t step = kIdsMax / 2; step > 0 && step * 16 > last; step /= 2) {
    TakeRun(head, entity, token, last + step, 1, &one);
    if (!one.empty()) last = one[0];
  }
  return last + last / 16 + 1;
}

}  // namespace

void BeginAtCentre(const VectorBinding& binding, const Overlay& head) {
  const IndexDefinition& definition = *binding.definition;
  VectorIndex& index = *binding.index;
  if (index.options().quantization == vector::Quantization::kNone || index.graph() != nullptr) return;
  uint32_t dimensions = index.dimensions();
  std::vector<float> sample;
  std::vector<uint64_t> ids;
  for (uint32_t token : definition.tokens) {
    const uint64_t end = EndOf(head, definition.entity, token);
    uint64_t next = 0;                         // runs don't meet
    for (size_t run = 0; run < kRuns && sample.size() * sizeof(float) < kSampleBytesMax; ++run) {
      TakeRun(head, definition.entity, token, std::max(next, end * run / kRuns), kRun, &ids);
      if (ids.empty()) break;
      next = ids.back() + 1;
      ReadVectors(head, definition.entity, definition.properties[0], ids, [&](size_t, std::span<const float> v) {
        if (v.empty() || !index.Validate(v, dimensions).ok()) return;
        dimensions = static_cast<uint32_t>(v.size());
        sample.insert(sample.end(), v.begin(), v.end());
      });
    }
  }
  if (dimensions == 0 || sample.size() / dimensions < kSampleMin) return;
  index.Begin(dimensions, vector::MeanOf(sample, dimensions, VectorMetric(definition.vector.metric)));
}

}  // namespace fornix::storage
