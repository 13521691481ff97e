// Values and results as JSON, and JSON as parameters.
//
// Nodes are {"~node": id, "labels": [...], "properties": {...}}, relationships {"~relationship": id, "type", "start", "end",
// "properties"}, paths {"~path": [node, relationship, node, ...]}. Temporal values are ISO text; NaN and the infinities are "NaN", "Infinity", "-Infinity";
// bytes {"~bytes": hex}; points {"~point": srid, "x", "y"[, "z"]}; vectors lists of numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "fornix/result.h"

namespace fornix::shell {

nlohmann::ordered_json ToJson(const Value& value);
nlohmann::ordered_json ToJson(const Summary& summary);
nlohmann::ordered_json ToJson(const Status& error);   // {"error": {"code", "gql_status", "message", "line", "column"}}
// Numbers without '.' and exponent become integers, {"~bytes": hex} bytes. Error: what and where in the text.
Result<Value> FromJson(std::string_view text);
// One line, invalid UTF-8 replaced.
std::string Dump(const nlohmann::ordered_json& json);

}  // namespace fornix::shell
