// Keys: property values as bytes whose order (memcmp) is the order of base/value_compare within one kind of value.
//
//   part    = kind byte, then by kind:
//     NUMBER   8 B the greatest double <= the number, sign-flipped big endian; 2 B big endian: number minus that double
//              (an integer above 2^53 differs from its double by less than 1,024), so 1 = 1.0 and all order is exact
//     STRING, BYTES   the bytes with 00 -> 00 FF, ended by 00 01: a prefix of a string is a prefix of its key
//     LIST, VECTOR    parts (VECTOR: 4 B count, 4 B floats), a list ended by 00
//     temporal, POINT, BOOLEAN   fixed-width big endian, signs flipped, most significant first
//   key     = the parts of all properties, one after the other: no part is a prefix of another, so composite keys order
//             by the first difference.
// Kind bytes follow the ascending order of kinds, so an index is in ORDER BY order as a whole.
// Equal values have equal keys, and different ones different keys, with one exception: NaN equals nothing but has a key.
#pragma once

#include <string>

#include "storage/graph/graph_view.h"

namespace fornix::storage {

// False (and *key unchanged) if the value has no key: null, maps, elements, paths.
bool AppendKey(const Value& value, std::string* key);
// Both have a key and it is the same, and no NaN is in them: `=` is true.
bool SameKey(const Value& a, const Value& b);
bool HoldsNaN(const Value& value);

// The byte that all keys of this value's kind begin with; 0 if it has no key.
unsigned char KindByte(const Value& value);

// [lower, upper) of the keys that a range admits; false if nothing can be in it. `upper` empty: no end.
struct KeyInterval {
  std::string lower, upper;
};
bool IntervalOf(const KeyRange& range, KeyInterval* interval);

}  // namespace fornix::storage
