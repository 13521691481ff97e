// TypeSet: which types an expression may have, as far as that is known before it runs. One bit for each Type.
#pragma once

#include <cstdint>

#include "fornix/value.h"

namespace fornix {

struct TypeSet {
  uint32_t bits = 0;
  constexpr bool Has(Type t) const { return bits & (1u << static_cast<int>(t)); }
  // True when no value of `other` (null apart) can be one of this set.
  constexpr bool Excludes(TypeSet other) const { return (bits & other.bits & ~1u) == 0; }
  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) { return {a.bits | b.bits}; }
  friend constexpr TypeSet operator&(TypeSet a, TypeSet b) { return {a.bits & b.bits}; }
  friend constexpr bool operator==(TypeSet a, TypeSet b) { return a.bits == b.bits; }
};
// Every set holds null (bit 0) unless built otherwise: null is a legal argument nearly everywhere.
constexpr TypeSet Only(Type t) { return {1u | (1u << static_cast<int>(t))}; }
inline constexpr TypeSet kAnyType{(1u << 19) - 1};
inline constexpr TypeSet kNullType{1u};
inline constexpr TypeSet kBooleanType = Only(Type::kBoolean);
inline constexpr TypeSet kIntegerType = Only(Type::kInteger);
inline constexpr TypeSet kFloatType = Only(Type::kFloat);
inline constexpr TypeSet kNumberType = kIntegerType | kFloatType;
inline constexpr TypeSet kStringType = Only(Type::kString);
inline constexpr TypeSet kListType = Only(Type::kList);
inline constexpr TypeSet kMapType = Only(Type::kMap);
inline constexpr TypeSet kNodeType = Only(Type::kNode);
inline constexpr TypeSet kRelationshipType = Only(Type::kRelationship);
inline constexpr TypeSet kPathType = Only(Type::kPath);
inline constexpr TypeSet kDurationType = Only(Type::kDuration);
inline constexpr TypeSet kInstantType = Only(Type::kDate) | Only(Type::kLocalTime) | Only(Type::kTime) |
                                        Only(Type::kLocalDateTime) | Only(Type::kDateTime);
inline constexpr TypeSet kTemporalType = kInstantType | kDurationType;
inline constexpr TypeSet kPointType = Only(Type::kPoint);
inline constexpr TypeSet kVectorType = Only(Type::kVector);

}  // namespace fornix
