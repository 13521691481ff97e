// Values as bytes of a spilled run: every kind, elements by id as batches hold them and whole nodes as results hold them.
//
// A byte for the type, then numbers as varints, floats as eight bytes, texts with their length. The bytes never outlive the process
// that wrote them, so there is no version; they are read with checks all the same, because they have been on a disk.
#pragma once

#include "base/bytes.h"
#include "engine/exec/batch.h"
#include "fornix/value.h"

namespace fornix::engine {

void WriteValue(const Value& value, ByteWriter* out);
Result<Value> ReadValue(ByteReader* in);

// One entry of a column; the reader appends it. Typed columns are not boxed on the way.
void WriteEntry(const Column& column, size_t row, ByteWriter* out);
Status ReadEntry(ByteReader* in, Column* column);

}  // namespace fornix::engine
