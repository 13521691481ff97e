// `base.key` for everything that has keys: maps, elements (through the ElementReader), dates and times, durations, points.
#include "base/nearest.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/function.h"
#include "engine/function/spatial.h"
#include "engine/function/temporal/parts.h"

namespace fornix::engine {
namespace {

Value Lookup(const Map& map, std::string_view key) {
  const Value* found = map.Find(key);
  return found ? *found : Value();
}

}  // namespace

std::string_view CrsName(int32_t srid) {
  switch (srid) {
    case kSridCartesian3D: return "cartesian-3d";
    case kSridWgs84: return "wgs-84";
    case kSridWgs84_3D: return "wgs-84-3d";
    default: return "cartesian";
  }
}

Result<Value> PointComponent(const Point& p, std::string_view name) {
  if (name == "x" || (name == "longitude" && IsGeographic(p))) return Value(p.x);
  if (name == "y" || (name == "latitude" && IsGeographic(p))) return Value(p.y);
  if (p.has_z() && (name == "z" || (name == "height" && IsGeographic(p)))) return Value(p.z);
  if (name == "srid") return Value(int64_t{p.srid});
  if (name == "crs") return Value(CrsName(p.srid));
  std::vector<std::string> known = {"x", "y", "crs", "srid"};
  if (p.has_z()) known.insert(known.begin() + 2, "z");
  if (IsGeographic(p)) known.insert(known.begin(), {"longitude", "latitude"});
  if (IsGeographic(p) && p.has_z()) known.insert(known.begin() + 2, "height");
  return BadArgument("a " + std::string(CrsName(p.srid)) + " point has no component " + QuoteName(name) + DidYouMeanOrAll(name, known));
}

Result<Value> GetProperty(FunctionContext& context, const Value& base, std::string_view key) {
  switch (base.type()) {
    case Type::kNull: return Value();
    case Type::kMap: return Lookup(base.AsMap(), key);
    case Type::kNodeRef: return context.elements->NodeProperty(base.AsNodeRef(), key);
    case Type::kRelationshipRef: return context.elements->RelationshipProperty(base.AsRelationshipRef(), key);
    case Type::kNode: return Lookup(base.AsNode().properties, key);
    case Type::kRelationship: return Lookup(base.AsRelationship().properties, key);
    case Type::kPoint: return PointComponent(base.AsPoint(), key);
    case Type::kDuration: return TemporalComponent(base, key);
    default: break;
  }
  if (IsInstant(base)) return TemporalComponent(base, key);
  return Status(Code::kTypeError, Describe(base) + " has no properties, so " + QuoteName(key) + " can't be read from it")
      .Detail("InvalidArgumentType");
}

}  // namespace fornix::engine
