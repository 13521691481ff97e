// Property values in log records: a type byte (its numbers never change), then the value. docs/format.md, "Values".
// Reading believes nothing: a value that no property can have is Corruption. Pure.
#pragma once

#include "base/bytes.h"
#include "storage/graph/stored_properties.h"

namespace fornix::storage {

void EncodeValue(const Value& value, ByteWriter* out);   // REQUIRES: storable, or null
Result<Value> DecodeValue(ByteReader* in);
// Long lists of floats are written packed, as versions hold them.
void EncodeProperties(const PropertyList& properties, ByteWriter* out);
Result<PropertyList> DecodeProperties(ByteReader* in);   // nulls allowed; sorted by key, none twice

}  // namespace fornix::storage
