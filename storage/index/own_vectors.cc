#include "storage/index/own_vectors.h"

#include "storage/graph/stored_properties.h"

namespace fornix::storage {

bool VectorOf(const IndexDefinition& definition, const ElementImage& image, std::vector<float>* out) {
  if (!image.HasAny(definition.tokens)) return false;
  const Value* value = FindProperty(*image.properties, definition.properties[0]);
  return value != nullptr && FloatsOf(*value, out) && !out->empty();
}

void OwnVectors::UpdateOne(PerIndex* index, uint64_t id, const Overlay& overlay) {
  const IndexDefinition& definition = *index->binding->definition;
  index->row_of.erase(id);
  if (!TouchedHere(overlay.own(), definition.entity, id)) return;
  const SeenImage seen = ImageOf(overlay, definition.entity, id);
  std::vector<float> v;
  if (!VectorOf(definition, seen.image(), &v)) return;
  if (index->rows == nullptr) {
    const uint32_t fixed = index->binding->index->dimensions();
    index->rows = std::make_unique<vector::VectorStore>(fixed != 0 ? fixed : static_cast<uint32_t>(v.size()),
                                                        VectorMetric(definition.vector.metric), vector::BestKernels());
    index->dimensions = fixed != 0 ? fixed : static_cast<uint32_t>(v.size());
  }
  // One that doesn't fit will fail the commit; until then it is not found.
  if (!index->binding->index->Validate(v, index->dimensions).ok()) return;
  index->row_of[id] = index->rows->size();
  index->rows->Append(v);
}

void OwnVectors::Update(EntityKind entity, uint64_t id, const Overlay& overlay) {
  for (auto& [index_id, index] : indexes_) {
    if (index.binding->definition->entity == entity) UpdateOne(&index, id, overlay);
  }
}

Status OwnVectors::Search(const VectorBinding& binding, const Overlay& overlay, std::span<const float> query,
                          const std::function<bool(uint64_t id)>& accept, const CancelCheck& cancel,
                          std::vector<VectorIndex::Hit>* out, VectorSearchStats* stats) {
  if (overlay.own().empty()) return Status::Ok();
  auto it = indexes_.find(binding.definition->id);
  if (it == indexes_.end()) {
    it = indexes_.emplace(binding.definition->id, PerIndex{&binding, nullptr, 0, {}}).first;
    if (binding.definition->entity == EntityKind::kNode) {
      for (const auto& node : overlay.own().nodes()) UpdateOne(&it->second, node->id.value, overlay);
    } else {
      for (const auto& rel : overlay.own().relationships()) UpdateOne(&it->second, rel->id.value, overlay);
    }
  }
  PerIndex& index = it->second;
  if (index.row_of.empty() || query.size() != index.dimensions) return Status::Ok();
  vector::PreparedQuery prepared;
  index.rows->Prepare(query, &prepared);
  constexpr size_t kGroup = 256;               // rows between two looks at `cancel`
  std::vector<uint32_t> rows;
  std::vector<float> distances;
  for (auto at = index.row_of.begin(); at != index.row_of.end();) {
    if (cancel) RETURN_IF_ERROR(cancel());
    rows.clear();
    const size_t first = out->size();
    for (; at != index.row_of.end() && rows.size() < kGroup; ++at) {
      if (accept && !accept(at->first)) {
        ++stats->candidates_rejected;
        continue;
      }
      rows.push_back(at->second);
      out->push_back({at->first, 0});
    }
    distances.resize(rows.size());
    index.rows->Distances(prepared, rows, distances.data());
    for (size_t i = 0; i < rows.size(); ++i) (*out)[first + i].distance = distances[i];
    stats->distance_computations += rows.size();
  }
  return Status::Ok();
}

}  // namespace fornix::storage
