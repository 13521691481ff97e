#include "storage/catalog/catalog.h"

#include <algorithm>

#include "storage/catalog/property_type.h"

namespace fornix::storage {

bool PropertyTypeRule::Accepts(const Value& v) const {
  if (v.is_null()) return true;
  if (parsed != nullptr) return parsed->Accepts(v);
  auto now = ParsePropertyType(text);
  return now.ok() && (*now)->Accepts(v);
}

namespace {
template <typename Items, typename Matches>
auto* FindIn(Items& items, Matches&& matches) {
  auto it = std::find_if(items.begin(), items.end(), matches);
  return it == items.end() ? nullptr : &*it;
}
}  // namespace

const IndexDefinition* SchemaVersion::FindIndex(std::string_view name) const {
  return FindIn(indexes, [name](const IndexDefinition& d) { return d.name == name; });
}
const IndexDefinition* SchemaVersion::FindIndex(IndexId id) const {
  return FindIn(indexes, [id](const IndexDefinition& d) { return d.id == id; });
}
const ConstraintDefinition* SchemaVersion::FindConstraint(std::string_view name) const {
  return FindIn(constraints, [name](const ConstraintDefinition& d) { return d.name == name; });
}

std::vector<const IndexDefinition*> SchemaVersion::RangeIndexes(EntityKind entity, uint32_t token) const {
  std::vector<const IndexDefinition*> found;
  for (const IndexDefinition& d : indexes) {
    if (d.kind == IndexKind::kRange && d.online && d.entity == entity && d.tokens[0] == token) found.push_back(&d);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* a, const auto* b) { return a->properties.size() > b->properties.size(); });
  return found;
}

}  // namespace fornix::storage
