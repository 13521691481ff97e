// Properties as a version holds them: sorted by key, immutable, with long lists of floats packed.
//
// A list of Values costs 16 B an element; an embedding of 1,024 floats packed costs 4 KiB instead of 16. A list is packed
// if it has at least kPackedListMin elements, all floats: as 32-bit floats where every element survives the round trip,
// else as doubles. Reading gives back exactly the list that was stored.
#pragma once

#include <span>
#include <vector>

#include "base/limits.h"
#include "storage/graph/graph_view.h"

namespace fornix::storage {

enum class Packing : uint8_t { kPlain, kFloat32List, kFloat64List };

struct StoredProperty {
  PropertyId key;
  Packing packing = Packing::kPlain;
  Value value;                                // packed: BYTES of the numbers
};
using StoredProperties = std::vector<StoredProperty>;

StoredProperty PackProperty(PropertyId key, const Value& value);
Value UnpackProperty(const StoredProperty& property);
StoredProperties PackProperties(const PropertyList& properties);
void UnpackProperties(const StoredProperties& stored, PropertyList* out);   // replaces *out
const StoredProperty* FindStored(const StoredProperties& stored, PropertyId key);

// The numbers of a list of numbers or a VECTOR as floats; false for anything else. Values outside the range of a float
// become infinite, which vector/validate.h refuses.
bool FloatsOf(const Value& value, std::vector<float>* out);
bool FloatsOf(const StoredProperty& property, std::vector<float>* out);

// Helpers on sorted lists.
const Value* FindProperty(const PropertyList& properties, PropertyId key);
void SetInList(PropertyList* properties, PropertyId key, Value value);       // null removes

}  // namespace fornix::storage
