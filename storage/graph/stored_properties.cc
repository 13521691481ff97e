#include "storage/graph/stored_properties.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fornix::storage {
namespace {

bool SurvivesFloat(double d) {
  const double back = static_cast<double>(static_cast<float>(d));
  return std::memcmp(&back, &d, sizeof(d)) == 0;   // bits, so that -0.0 and every NaN come back as they were
}

template <typename T>
Value PackList(const List& list) {
  std::string bytes(list.size() * sizeof(T), '\0');
  for (size_t i = 0; i < list.size(); ++i) {
    const T element = static_cast<T>(list[i].AsFloat());
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return Value::Bytes(std::move(bytes));
}

template <typename T>
T ElementAt(const std::string& bytes, size_t i) {
  T element;
  std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
  return element;
}

template <typename T>
Value UnpackList(const std::string& bytes) {
  List list;
  list.reserve(bytes.size() / sizeof(T));
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) list.emplace_back(static_cast<double>(ElementAt<T>(bytes, i)));
  return Value(std::move(list));
}

}  // namespace

StoredProperty PackProperty(PropertyId key, const Value& value) {
  if (value.type() == Type::kList && value.AsList().size() >= kPackedListMin) {
    const List& list = value.AsList();
    const bool floats = std::all_of(list.begin(), list.end(), [](const Value& v) { return v.type() == Type::kFloat; });
    if (floats) {
      const bool narrow = std::all_of(list.begin(), list.end(), [](const Value& v) { return SurvivesFloat(v.AsFloat()); });
      if (narrow) return {key, Packing::kFloat32List, PackList<float>(list)};
      return {key, Packing::kFloat64List, PackList<double>(list)};
    }
  }
  return {key, Packing::kPlain, value};
}

Value UnpackProperty(const StoredProperty& property) {
  switch (property.packing) {
    case Packing::kPlain: return property.value;
    case Packing::kFloat32List: return UnpackList<float>(property.value.AsBytes());
    case Packing::kFloat64List: return UnpackList<double>(property.value.AsBytes());
  }
  return property.value;
}

StoredProperties PackProperties(const PropertyList& properties) {
  StoredProperties stored;
  stored.reserve(properties.size());
  for (const auto& [key, value] : properties) stored.push_back(PackProperty(key, value));
  return stored;
}

void UnpackProperties(const StoredProperties& stored, PropertyList* out) {
  out->clear();
  out->reserve(stored.size());
  for (const StoredProperty& property : stored) out->emplace_back(property.key, UnpackProperty(property));
}

const StoredProperty* FindStored(const StoredProperties& stored, PropertyId key) {
  // Nodes have a handful of properties: a walk beats a binary search.
  for (const StoredProperty& property : stored) {
    if (property.key == key) return &property;
  }
  return nullptr;
}

bool FloatsOf(const Value& value, std::vector<float>* out) {
  out->clear();
  if (value.type() == Type::kVector) {
    *out = value.AsVector();
    return true;
  }
  if (value.type() != Type::kList) return false;
  for (const Value& element : value.AsList()) {
    if (!element.is_number()) return false;
    out->push_back(static_cast<float>(element.AsNumber()));
  }
  return true;
}

bool FloatsOf(const StoredProperty& property, std::vector<float>* out) {
  if (property.packing == Packing::kPlain) return FloatsOf(property.value, out);
  const std::string& bytes = property.value.AsBytes();
  if (property.packing == Packing::kFloat32List) {
    out->resize(bytes.size() / sizeof(float));
    std::memcpy(out->data(), bytes.data(), bytes.size());
    return true;
  }
  out->resize(bytes.size() / sizeof(double));
  for (size_t i = 0; i < out->size(); ++i) (*out)[i] = static_cast<float>(ElementAt<double>(bytes, i));
  return true;
}

namespace {
auto LowerBound(auto& properties, PropertyId key) {
  return std::lower_bound(properties.begin(), properties.end(), key, [](const auto& p, PropertyId k) { return p.first < k; });
}
}  // namespace

const Value* FindProperty(const PropertyList& properties, PropertyId key) {
  auto it = LowerBound(properties, key);
  return it != properties.end() && it->first == key ? &it->second : nullptr;
}

void SetInList(PropertyList* properties, PropertyId key, Value value) {
  auto it = LowerBound(*properties, key);
  const bool found = it != properties->end() && it->first == key;
  if (value.is_null()) {
    if (found) properties->erase(it);
  } else if (found) {
    it->second = std::move(value);
  } else {
    properties->emplace(it, key, std::move(value));
  }
}

}  // namespace fornix::storage
