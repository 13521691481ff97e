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

namespace {
constexpr std::string_view kConfig = "indexConfig", kModel = "vector.model", kExpansion = "vector.default_search_expansion_factor";

bool SameWord(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return (x | 32) == (y | 32); });
}
}  // namespace

void ReadSearchOptions(const Map& options, VectorIndexOptions* out) {
  const Value* config = options.Find(kConfig);
  if (config == nullptr || config->type() != Type::kMap) return;
  for (const auto& [key, value] : config->AsMap()) {
    if (SameWord(key, kModel) && value.type() == Type::kString) out->model = value.AsString();
    if (SameWord(key, kExpansion) && value.is_number()) out->expansion_factor = value.AsNumber();
  }
}

void WriteSearchOptions(const VectorIndexOptions& vector, Map* options) {
  Map config;
  const Value* given = options->Find(kConfig);
  if (given != nullptr && given->type() == Type::kMap) {
    for (const auto& [key, value] : given->AsMap()) {
      if (!SameWord(key, kModel) && !SameWord(key, kExpansion)) config.Set(key, value);
    }
  }
  if (!vector.model.empty()) config.Set(std::string(kModel), Value(vector.model));
  if (vector.expansion_factor > 0) config.Set(std::string(kExpansion), Value(vector.expansion_factor));
  if (given != nullptr || !config.empty()) options->Set(std::string(kConfig), Value(std::move(config)));
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
