#include "storage/index/element_image.h"

#include "storage/graph/stored_properties.h"
#include "storage/index/key.h"

namespace fornix::storage {

std::optional<IndexKey> KeyOf(const IndexDefinition& index, const ElementImage& image) {
  if (!image.HasAny(index.tokens)) return std::nullopt;
  IndexKey key;
  for (PropertyId property : index.properties) {
    const Value* value = FindProperty(*image.properties, property);
    if (value == nullptr || !AppendKey(*value, &key.bytes)) return std::nullopt;
    key.nan = key.nan || HoldsNaN(*value);
  }
  return key;
}

}  // namespace fornix::storage
