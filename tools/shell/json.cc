// JSON of values; see json.h.
#include "tools/shell/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/value_format.h"

namespace fornix::shell {
namespace {

using Json = nlohmann::ordered_json;

Json MapToJson(const Map& map) {
  Json out = Json::object();
  for (const auto& [key, value] : map) out[key] = ToJson(value);
  return out;
}

Json PlanToJson(const PlanNode& node, bool profiled) {
  Json out = {{"operator", node.op}, {"details", node.details}, {"estimated_rows", node.estimated_rows}};
  if (profiled) {
    out["rows"] = node.rows;
    out["db_hits"] = node.db_hits;
    out["time_ns"] = node.time_ns;
    out["distance_computations"] = node.distance_computations;
    out["memory_bytes"] = node.memory_bytes;
    out["spilled_bytes"] = node.spilled_bytes;
    out["spilled_runs"] = node.spilled_runs;
  }
  out["children"] = Json::array();
  for (const PlanNode& child : node.children) out["children"].push_back(PlanToJson(child, profiled));
  return out;
}

constexpr int kJsonNestingMax = 512;   // nlohmann's parser is iterative, ours below recurses

// The one type that statements have no literal for.
Result<Value> BytesOf(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    int byte = 0;
    const auto [end, error] = std::from_chars(hex.data() + i, hex.data() + std::min(i + 2, hex.size()), byte, 16);
    if (error != std::errc() || end != hex.data() + i + 2 || hex[i] == '-') {
      return Status(Code::kParameterInvalid, "\"~bytes\" is followed by pairs of hexadecimal digits");
    }
    bytes.push_back(static_cast<char>(byte));
  }
  return Value::Bytes(std::move(bytes));
}

Result<Value> Convert(const nlohmann::json& json, int depth) {
  if (depth > kJsonNestingMax) return Status(Code::kParameterInvalid, "the JSON value is nested more than 512 levels deep");
  switch (json.type()) {
    case nlohmann::json::value_t::boolean: return Value(json.get<bool>());
    case nlohmann::json::value_t::number_integer: return Value(json.get<int64_t>());
    case nlohmann::json::value_t::number_unsigned:
      if (json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
        return Status(Code::kParameterInvalid, "the integer " + json.dump() + " does not fit in 64 bits with a sign");
      }
      return Value(static_cast<int64_t>(json.get<uint64_t>()));
    case nlohmann::json::value_t::number_float: return Value(json.get<double>());
    case nlohmann::json::value_t::string: return Value(json.get<std::string>());
    case nlohmann::json::value_t::array: {
      List list;
      for (const auto& item : json) {
        ASSIGN_OR_RETURN(Value v, Convert(item, depth + 1));
        list.push_back(std::move(v));
      }
      return Value(std::move(list));
    }
    case nlohmann::json::value_t::object: {
      if (json.size() == 1 && json.begin().key() == "~bytes" && json.begin()->is_string()) return BytesOf(json.begin()->get<std::string>());
      Map map;
      for (const auto& [key, item] : json.items()) {
        ASSIGN_OR_RETURN(Value v, Convert(item, depth + 1));
        map.Set(key, std::move(v));
      }
      return Value(std::move(map));
    }
    default: return Value();
  }
}

}  // namespace

Json ToJson(const Value& v) {
  switch (v.type()) {
    case Type::kNull: return nullptr;
    case Type::kBoolean: return v.AsBoolean();
    case Type::kInteger: return v.AsInteger();
    case Type::kFloat:
      if (!std::isfinite(v.AsFloat())) return FormatFloat(v.AsFloat());
      return v.AsFloat();
    case Type::kString: return v.AsString();
    case Type::kBytes: {
      static constexpr char kHex[] = "0123456789abcdef";
      std::string hex;
      for (unsigned char c : v.AsBytes()) hex += {kHex[c >> 4], kHex[c & 15]};
      return Json{{"~bytes", hex}};
    }
    case Type::kList: {
      Json out = Json::array();
      for (const Value& item : v.AsList()) out.push_back(ToJson(item));
      return out;
    }
    case Type::kMap: return MapToJson(v.AsMap());
    case Type::kNode: {
      const Node& n = v.AsNode();
      return Json{{"~node", n.id}, {"labels", n.labels}, {"properties", MapToJson(n.properties)}};
    }
    case Type::kRelationship: {
      const Relationship& r = v.AsRelationship();
      return Json{{"~relationship", r.id}, {"type", r.type}, {"start", r.start}, {"end", r.end}, {"properties", MapToJson(r.properties)}};
    }
    case Type::kPath: {
      Json steps = Json::array();
      const Path& p = v.AsPath();
      for (size_t i = 0; i < p.nodes.size(); ++i) {
        steps.push_back(ToJson(p.nodes[i]));
        if (i < p.relationships.size()) steps.push_back(ToJson(p.relationships[i]));
      }
      Json out;
      out["~path"] = std::move(steps);
      return out;
    }
    case Type::kPoint: {
      const Point& p = v.AsPoint();
      Json out = {{"~point", p.srid}, {"x", p.x}, {"y", p.y}};
      if (p.has_z()) out["z"] = p.z;
      return out;
    }
    case Type::kVector: return v.AsVector();
    default: return ToDisplay(v);   // temporal values
  }
}

Json ToJson(const Summary& s) {
  Json out;
  out["query_type"] = QueryTypeName(s.query_type);
  Json counters = Json::object();
  auto add = [&](const char* name, uint64_t n) { if (n) counters[name] = n; };
  const Counters& c = s.counters;
  add("nodes_created", c.nodes_created);
  add("nodes_deleted", c.nodes_deleted);
  add("relationships_created", c.relationships_created);
  add("relationships_deleted", c.relationships_deleted);
  add("properties_set", c.properties_set);
  add("labels_added", c.labels_added);
  add("labels_removed", c.labels_removed);
  add("indexes_added", c.indexes_added);
  add("indexes_removed", c.indexes_removed);
  add("constraints_added", c.constraints_added);
  add("constraints_removed", c.constraints_removed);
  out["counters"] = std::move(counters);
  out["notifications"] = Json::array();
  for (const Notification& n : s.notifications) {
    out["notifications"].push_back({{"code", n.code}, {"title", n.title}, {"description", n.description}, {"severity", n.severity},
                                    {"line", n.position.line}, {"column", n.position.column}});
  }
  out["rows"] = s.rows;
  out["compile_ms"] = static_cast<double>(s.compile_ns) / 1e6;
  out["run_ms"] = static_cast<double>(s.run_ns) / 1e6;
  out["plan_cached"] = s.plan_cached;
  if (s.plan) {
    out["plan"] = PlanToJson(*s.plan, s.profiled);
    out["plan_text"] = s.plan_text;
  }
  return out;
}

Json ToJson(const Status& error) {
  return Json{{"error",
               {{"code", error.neo4j_code()},
                {"gql_status", error.gql_status()},
                {"message", error.message()},
                {"line", error.position().line},
                {"column", error.position().column}}}};
}

Result<Value> FromJson(std::string_view text) {
  // Nesting is bounded before the tree is built, since freeing a nested tree recurses too.
  int depth = 0;
  bool too_deep = false;
  auto watch = [&](int level, nlohmann::json::parse_event_t, nlohmann::json&) {
    depth = std::max(depth, level);
    too_deep |= level > kJsonNestingMax;
    return !too_deep;
  };
  try {
    nlohmann::json json = nlohmann::json::parse(text, watch);
    if (too_deep) return Status(Code::kParameterInvalid, "the JSON value is nested more than 512 levels deep");
    return Convert(json, 0);
  } catch (const nlohmann::json::exception& e) {
    return Status(Code::kParameterInvalid, std::string("not JSON: ") + e.what());
  }
}

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

}  // namespace fornix::shell
