// Ids as types, so that none is taken for another. All are plain numbers of 64 or 32 bits; the value ~0 means "none".
#pragma once

#include <cstdint>
#include <functional>

namespace fornix {

template <typename Tag, typename Rep>
struct Id {
  using rep = Rep;
  Rep value = static_cast<Rep>(~Rep{0});
  constexpr Id() = default;
  constexpr explicit Id(Rep v) : value(v) {}
  constexpr bool valid() const { return value != static_cast<Rep>(~Rep{0}); }
  friend constexpr bool operator==(Id a, Id b) { return a.value == b.value; }
  friend constexpr auto operator<=>(Id a, Id b) { return a.value <=> b.value; }
};

using NodeId = Id<struct NodeTag, uint64_t>;          // 40 bits used: chunk = id >> 12, slot = id & 4095
using RelId = Id<struct RelTag, uint64_t>;            // 40 bits used, chunks of 4,096 hold one type each
using LabelId = Id<struct LabelTag, uint32_t>;        // a token of the catalog
using TypeId = Id<struct TypeTag, uint32_t>;          // a relationship type's token
using PropertyId = Id<struct PropertyTag, uint32_t>;  // a property key's token
using IndexId = Id<struct IndexTag, uint32_t>;
using ConstraintId = Id<struct ConstraintTag, uint32_t>;
using Timestamp = uint64_t;                           // of a commit; 0 = before the first, see kNever
using Lsn = uint64_t;                                 // of a log record; the first is 1
inline constexpr Timestamp kNever = ~uint64_t{0};     // an end that hasn't come

}  // namespace fornix

template <typename Tag, typename Rep>
struct std::hash<fornix::Id<Tag, Rep>> {
  size_t operator()(fornix::Id<Tag, Rep> id) const noexcept {
    return static_cast<size_t>(id.value * 0x9E3779B97F4A7C15ull);
  }
};
