#include "storage/index/own_keys.h"

#include "storage/index/element_image.h"

namespace fornix::storage {

SeenImage ImageOf(const Overlay& overlay, EntityKind entity, uint64_t id) {
  SeenImage seen;
  if (entity == EntityKind::kNode) {
    const LabelsSeen labels = overlay.LabelsOf(NodeId(id));
    if (!labels.exists) return seen;
    seen.tokens = TokensOf(labels.labels);
    overlay.Properties(NodeId(id), &seen.properties);
  } else if (overlay.StateOf(RelId(id)) == ElementState::kVisible) {
    seen.tokens = {overlay.EndsOf(RelId(id))->type.value};
    overlay.Properties(RelId(id), &seen.properties);
  }
  return seen;
}

bool TouchedHere(const WriteSet& own, EntityKind entity, uint64_t id) {
  if (own.empty()) return false;
  if (entity == EntityKind::kNode) {
    const OwnNode* node = own.Find(NodeId(id));
    return node != nullptr && (node->created || node->deleted || node->labels_changed || node->properties_changed);
  }
  const OwnRelationship* rel = own.Find(RelId(id));
  return rel != nullptr && (rel->created || rel->deleted || rel->properties_changed);
}

const OwnKeys::Keys& OwnKeys::Of(const RangeBinding& binding, const Overlay& overlay) {
  static const Keys kNone;
  const IndexDefinition& definition = *binding.definition;
  auto it = indexes_.find(definition.id);
  if (it != indexes_.end()) return it->second.keys;
  if (overlay.own().empty()) return kNone;
  PerIndex& index = indexes_[definition.id];
  index.definition = &definition;
  if (definition.entity == EntityKind::kNode) {
    for (const auto& node : overlay.own().nodes()) UpdateOne(&index, node->id.value, overlay);
  } else {
    for (const auto& rel : overlay.own().relationships()) UpdateOne(&index, rel->id.value, overlay);
  }
  return index.keys;
}

void OwnKeys::Update(EntityKind entity, uint64_t id, const Overlay& overlay) {
  for (auto& [index_id, index] : indexes_) {
    if (index.definition->entity == entity) UpdateOne(&index, id, overlay);
  }
}

void OwnKeys::UpdateOne(PerIndex* index, uint64_t id, const Overlay& overlay) {
  if (auto old = index->key_of.find(id); old != index->key_of.end()) {
    index->keys.erase({old->second, id});
    index->key_of.erase(old);
  }
  if (!TouchedHere(overlay.own(), index->definition->entity, id)) return;
  const SeenImage seen = ImageOf(overlay, index->definition->entity, id);
  std::optional<IndexKey> key = KeyOf(*index->definition, seen.image());
  if (!key) return;
  index->keys.emplace(key->bytes, id);
  index->key_of.emplace(id, std::move(key->bytes));
}

}  // namespace fornix::storage
