// The three ways in which Cypher compares values (openCypher CIP2016-06-14 "Comparability and equality").
//   Equals     `=`: true, false or unknown (null anywhere that matters; NaN = NaN is false); 1 = 1.0 is true.
//   Less/...   `<`: comparability; unknown between values of different kinds (numbers compare with numbers).
//   Order      ORDER BY: a total order over all values. Ascending order of kinds: MAP, NODE, RELATIONSHIP, LIST, PATH,
//              DATETIME, LOCAL DATETIME, DATE, TIME, LOCAL TIME, DURATION, POINT, STRING, BOOLEAN, NUMBER (NaN last
//              among numbers), VECTOR, BYTES, and null last of all.
//   Equivalent DISTINCT, grouping, map keys: null is null, NaN is NaN, 1 and 1.0 are the same; Hash agrees with it.
// Pure functions, but for Interruption in a long value (base/interrupt.h). Depth of nesting is bounded by the limit on input values.
#pragma once

#include <cstdint>

#include "fornix/value.h"

namespace fornix {

enum class Truth : uint8_t { kFalse, kTrue, kUnknown };
inline Truth TruthOf(bool b) { return b ? Truth::kTrue : Truth::kFalse; }
inline Value ValueOf(Truth t) { return t == Truth::kUnknown ? Value() : Value(t == Truth::kTrue); }

Truth Equals(const Value& a, const Value& b);
// `<`, `<=` as comparability: unknown when not comparable.
Truth LessThan(const Value& a, const Value& b);
Truth LessOrEqual(const Value& a, const Value& b);
// Negative, zero or positive.
int Order(const Value& a, const Value& b);
bool Equivalent(const Value& a, const Value& b);
uint64_t Hash(const Value& v);
// An integer against a float, exactly (no rounding of integers above 2^53). NaN compares as greater than all.
int CompareIntegerFloat(int64_t a, double b);

}  // namespace fornix
