// Points: their reference systems and components (in property.cc). The functions on points are in spatial.cc.
#pragma once

#include <string_view>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

inline constexpr int32_t kSridCartesian = 7203, kSridCartesian3D = 9157, kSridWgs84 = 4326, kSridWgs84_3D = 4979;
inline bool IsGeographic(const Point& p) { return p.srid == kSridWgs84 || p.srid == kSridWgs84_3D; }

std::string_view CrsName(int32_t srid);                  // "wgs-84"
// x, y, z, srid, crs; longitude, latitude and height of geographic points. An error if the point doesn't have it.
Result<Value> PointComponent(const Point& p, std::string_view name);

}  // namespace fornix::engine
