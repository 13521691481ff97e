// Typed JSON: values of properties as `fornix export` writes them, back into values.
//
// Numbers with '.' or exponent are floats, others integers; strings, booleans, arrays as they are; everything else is an object
// with one word that begins with '~': {"~date": "2020-02-29"}, "~localtime", "~time", "~localdatetime", "~datetime", "~duration",
// {"~point": srid, "x": 1.0, "y": 2.0, "z": 3.0}, {"~vector": [...]}, {"~bytes": "00ff"}, {"~float": "NaN" | "Infinity" | "-Infinity"}. Pure.
#pragma once

#include <string_view>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

Result<Value> FromTypedJson(std::string_view text);
// The same for what the JSON reader made of it.
Result<Value> FromTyped(const Value& plain);
// "00ff" -> two bytes.
Result<std::string> FromHex(std::string_view text);

}  // namespace fornix::engine
