// The few functions of the APOC library that agents' programs call by name. Their behaviour is APOC's where a client can
// see it; everything else of that library is left to procedures or not there.
#include <algorithm>
#include <bit>

#include "base/interrupt.h"
#include "base/value_compare.h"
#include "engine/function/errors.h"
#include "engine/function/json.h"
#include "engine/function/registry.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

Result<Value> ToSet(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kList) return WrongType("apoc.coll.toSet()", "a LIST", a[0]);
  const List& list = a[0].AsList();
  List distinct;
  std::vector<uint64_t> hashes;                // of `distinct`
  std::vector<uint32_t> places(std::bit_ceil(2 * list.size() + 1), 0);   // by hash, the next free one behind; a place in `distinct` and 1
  for (const Value& v : list) {
    CountWork(8);
    const uint64_t hash = Hash(v);
    size_t at = hash % places.size();
    while (places[at] != 0 && (hashes[places[at] - 1] != hash || !Equivalent(distinct[places[at] - 1], v))) at = (at + 1) % places.size();
    if (places[at] != 0) continue;
    distinct.push_back(v);
    hashes.push_back(hash);
    places[at] = static_cast<uint32_t>(distinct.size());
  }
  return Value(std::move(distinct));
}

Result<Value> MergeMaps(FunctionContext&, Arguments a) {
  std::vector<Map::Entry> entries;
  for (const Value& v : a) {                   // the second map wins; a null counts as an empty map
    if (v.is_null()) continue;
    if (v.type() != Type::kMap) return WrongType("apoc.map.merge()", "a MAP", v);
    entries.insert(entries.end(), v.AsMap().begin(), v.AsMap().end());
  }
  return Value(Map::FromEntries(std::move(entries)));
}

Result<Value> CleanMap(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kMap) return WrongType("apoc.map.clean()", "a MAP", a[0]);
  static const List kNone;
  for (const Value& v : a.subspan(1)) {
    if (!v.is_null() && v.type() != Type::kList) return WrongType("apoc.map.clean()", "a LIST", v);
  }
  const List& keys = a[1].is_null() ? kNone : a[1].AsList();
  const List& values = a[2].is_null() ? kNone : a[2].AsList();
  auto holds = [](const List& list, const Value& v) {
    return std::any_of(list.begin(), list.end(), [&](const Value& item) { return Equivalent(item, v); });
  };
  std::vector<Map::Entry> kept;
  for (const auto& [key, value] : a[0].AsMap()) {
    CountWork(keys.size() + values.size());
    if (!value.is_null() && !holds(keys, Value(key)) && !holds(values, value)) kept.emplace_back(key, value);
  }
  return Value(Map::FromEntries(std::move(kept)));
}

Result<Value> FromPairs(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kList) return WrongType("apoc.map.fromPairs()", "a LIST of [key, value]", a[0]);
  std::vector<Map::Entry> entries;
  for (const Value& pair : a[0].AsList()) {
    if (pair.is_null()) continue;
    const bool fits = pair.type() == Type::kList && pair.AsList().size() == 2 && pair.AsList()[0].type() == Type::kString;
    if (!fits) return WrongType("apoc.map.fromPairs()", "a LIST of [key, value], each key a STRING", pair);
    entries.emplace_back(pair.AsList()[0].AsString(), pair.AsList()[1]);
  }
  return Value(Map::FromEntries(std::move(entries)));
}

// Also of the labels' graph that apoc.meta.graph gives.
Result<Value> AnyProperty(FunctionContext& context, Arguments a) {
  if (a[0].is_null() || a[1].is_null()) return Value();
  if (a[1].type() != Type::kString) return WrongType("apoc.any.property()", "a STRING as the key", a[1]);
  return GetProperty(context, a[0], a[1].AsString());
}

Result<Value> ConvertToJson(FunctionContext& context, Arguments a) {
  if (a[0].is_null()) return Value("null");
  ASSIGN_OR_RETURN(std::string json, ToJson(context, a[0]));
  return Value(std::move(json));
}

template <Type kWanted>
Result<Value> ConvertFromJson(FunctionContext&, Arguments a) {
  constexpr std::string_view kName = kWanted == Type::kMap ? "apoc.convert.fromJsonMap()" : "apoc.convert.fromJsonList()";
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kString) return WrongType(kName, "a STRING", a[0]);
  ASSIGN_OR_RETURN(Value v, FromJson(a[0].AsString()));
  if (v.is_null() || v.type() == kWanted) return v;
  return WrongType(kName, kWanted == Type::kMap ? "a JSON object" : "a JSON array", v);
}

}  // namespace

void AddApocFunctions(FunctionRegistry* r) {
  r->Category("APOC");
  r->Scalar("apoc.coll.toSet(list :: LIST<ANY>) :: LIST<ANY>", "The distinct items, in the order of their first appearance.", ToSet);
  r->Scalar("apoc.map.merge(first :: MAP, second :: MAP) :: MAP", "Both maps as one; the second wins.", MergeMaps);
  r->Scalar("apoc.map.clean(map :: MAP, keys :: LIST<STRING>, values :: LIST<ANY>) :: MAP",
            "The map without nulls, the given keys and the given values.", CleanMap);
  r->Scalar("apoc.map.fromPairs(pairs :: LIST<LIST<ANY>>) :: MAP", "The map of [key, value] lists.", FromPairs);
  r->Scalar("apoc.any.property(thing :: ANY, key :: STRING) :: ANY", "The property of a node, a relationship or a map.", AnyProperty,
            {FunctionTrait::kReadsGraph});
  r->Scalar("apoc.convert.toJson(value :: ANY) :: STRING", "The value as JSON text.", ConvertToJson, {FunctionTrait::kReadsGraph});
  r->Scalar("apoc.convert.fromJsonMap(json :: STRING) :: MAP", "The map that JSON text says.", ConvertFromJson<Type::kMap>);
  r->Scalar("apoc.convert.fromJsonList(json :: STRING) :: LIST<ANY>", "The list that JSON text says.", ConvertFromJson<Type::kList>);
}

}  // namespace fornix::engine
