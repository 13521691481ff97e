// elementId(): how a node or relationship is named to the outside, as an opaque string. "n:12" and "r:12" never collide.
#pragma once

#include <cstdint>
#include <string>

namespace fornix {

inline std::string NodeElementId(uint64_t id) { return "n:" + std::to_string(id); }
inline std::string RelationshipElementId(uint64_t id) { return "r:" + std::to_string(id); }

}  // namespace fornix
