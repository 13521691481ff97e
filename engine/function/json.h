// JSON text from values and back. Integers and floats stay apart (1 and 1.0); what JSON has no word for becomes text
// (dates, durations, points) or null (NaN, infinities). Depth is bounded by kParameterNestingMax on the way in.
#pragma once

#include <string>
#include <string_view>

#include "engine/function/function.h"

namespace fornix::engine {

// Elements become maps: {"id": "n:1", "type": "node", "labels": [...], "properties": {...}}.
Result<std::string> ToJson(FunctionContext& context, const Value& v);
Result<Value> FromJson(std::string_view text);

}  // namespace fornix::engine
