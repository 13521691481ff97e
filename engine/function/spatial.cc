// Points in the plane, in space and on the globe (WGS 84), with the four reference systems of Cypher.
#include "engine/function/spatial.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/value_compare.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"

namespace fornix::engine {
namespace {

constexpr double kEarthRadiusMetres = 6'378'140.0;   // what Cypher's point.distance() is defined with
constexpr double kRadians = 3.14159265358979323846 / 180;

Result<std::optional<int32_t>> ReferenceSystem(const Map& map) {
  if (const Value* srid = map.Find("srid"); srid && !srid->is_null()) {
    if (srid->type() == Type::kInteger) {
      for (int32_t known : {kSridCartesian, kSridCartesian3D, kSridWgs84, kSridWgs84_3D}) {
        if (srid->AsInteger() == known) return std::optional<int32_t>(known);
      }
    }
    return BadArgument("point(): unknown srid " + ToShortText(*srid) + "; known are 7203, 9157, 4326 and 4979");
  }
  const Value* crs = map.Find("crs");
  if (!crs || crs->is_null()) return std::optional<int32_t>();
  if (crs->type() == Type::kString) {
    std::string name = crs->AsString();
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    for (int32_t known : {kSridCartesian, kSridCartesian3D, kSridWgs84, kSridWgs84_3D}) {
      if (name == CrsName(known)) return std::optional<int32_t>(known);
    }
  }
  return BadArgument("point(): unknown crs " + ToShortText(*crs) + "; known are cartesian, cartesian-3d, wgs-84 and wgs-84-3d");
}

Result<Value> MakePoint(FunctionContext&, std::span<const Value> a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kMap) return WrongType("point()", "a MAP", a[0]);
  const Map& map = a[0].AsMap();
  std::optional<double> x, y, z;
  bool geographic = false;
  struct Key {
    const char* name;
    std::optional<double>* target;
    bool geographic;
  };
  for (const Key& key : {Key{"longitude", &x, true}, Key{"latitude", &y, true}, Key{"height", &z, true}, Key{"x", &x, false},
                         Key{"y", &y, false}, Key{"z", &z, false}}) {
    const Value* v = map.Find(key.name);
    if (!v) continue;
    if (v->is_null()) return Value();                            // an unknown coordinate makes an unknown point
    if (!v->is_number()) return WrongType("point()", "numbers as coordinates", *v);
    *key.target = v->AsNumber();
    geographic |= key.geographic;
  }
  if (!x || !y) return BadArgument("point() needs x and y, or longitude and latitude");
  ASSIGN_OR_RETURN(std::optional<int32_t> srid, ReferenceSystem(map));
  Point p;
  p.x = *x;
  p.y = *y;
  p.z = z.value_or(0);
  p.srid = srid.value_or(geographic ? (z ? kSridWgs84_3D : kSridWgs84) : (z ? kSridCartesian3D : kSridCartesian));
  if (p.has_z() != z.has_value()) {
    return BadArgument("point(): " + std::string(CrsName(p.srid)) + " has " + (z ? "no third coordinate" : "three coordinates"));
  }
  if (geographic && !IsGeographic(p)) return BadArgument("point(): longitude and latitude don't go with " + std::string(CrsName(p.srid)));
  if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) return BadArgument("point(): coordinates must be finite");
  if (IsGeographic(p)) {
    if (p.y < -90 || p.y > 90) return OutOfRange("point(): latitude " + FormatFloat(p.y) + " is outside -90 to 90");
    if (p.x < -180 || p.x > 180) p.x = std::remainder(p.x, 360);   // once round the globe is the same place
  }
  return Value(p);
}

double Distance(const Point& a, const Point& b) {
  double height = a.has_z() ? a.z - b.z : 0;
  if (!IsGeographic(a)) return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + height * height);
  // Haversine: exact enough for near points, where the law of cosines loses all digits.
  double sin_y = std::sin((b.y - a.y) * kRadians / 2), sin_x = std::sin((b.x - a.x) * kRadians / 2);
  double h = sin_y * sin_y + std::cos(a.y * kRadians) * std::cos(b.y * kRadians) * sin_x * sin_x;
  double mean_height = a.has_z() ? (a.z + b.z) / 2 : 0;
  double ground = 2 * (kEarthRadiusMetres + mean_height) * std::asin(std::min(1.0, std::sqrt(h)));
  return std::sqrt(ground * ground + height * height);
}

Result<Value> PointDistance(FunctionContext&, std::span<const Value> a) {
  for (const Value& v : a) {
    if (v.is_null()) return Value();
    if (v.type() != Type::kPoint) return WrongType("point.distance()", "a POINT", v);
  }
  const Point &from = a[0].AsPoint(), &to = a[1].AsPoint();
  return from.srid == to.srid ? Value(Distance(from, to)) : Value();
}

Result<Value> PointWithinBox(FunctionContext&, std::span<const Value> a) {
  for (const Value& v : a) {
    if (v.is_null()) return Value();
    if (v.type() != Type::kPoint) return WrongType("point.withinBBox()", "a POINT", v);
  }
  const Point &p = a[0].AsPoint(), &low = a[1].AsPoint(), &high = a[2].AsPoint();
  if (p.srid != low.srid || p.srid != high.srid) return Value();
  // A box on the globe whose west side lies east of its east side goes across the 180th meridian.
  bool x = IsGeographic(p) && low.x > high.x ? p.x >= low.x || p.x <= high.x : p.x >= low.x && p.x <= high.x;
  return Value(x && p.y >= low.y && p.y <= high.y && (!p.has_z() || (p.z >= low.z && p.z <= high.z)));
}

}  // namespace

void AddSpatialFunctions(FunctionRegistry* r) {
  r->Category("Spatial");
  r->Scalar("point(input :: MAP) :: POINT", "A point from x, y, z or longitude, latitude, height, and crs or srid.", MakePoint);
  r->Scalar("point.distance(from :: POINT, to :: POINT) :: FLOAT",
            "The distance: metres on the globe, units in the plane; null between different reference systems.", PointDistance);
  r->Scalar("point.withinBBox(point :: POINT, lowerLeft :: POINT, upperRight :: POINT) :: BOOLEAN",
            "Whether a point lies in a box, borders included.", PointWithinBox);
}

}  // namespace fornix::engine
