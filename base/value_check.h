// Whether a value that came from outside (a parameter, a driver, bytes of a file) keeps what its type promises: dates in
// Cypher's range, nanoseconds below a second, offsets of at most 18 hours, known reference systems. Code behind this
// check computes without looking again. Nested values are the caller's walk; zone names are the engine's to know.
#pragma once

#include <string>

#include "fornix/value.h"

namespace fornix {

inline constexpr int32_t kOffsetSecondsMax = 18 * 3600;   // ISO profile of Cypher: +-18:00

// What is wrong with it, as a clause ("its offset is more than 18 hours"); empty if nothing is.
std::string WhatIsWrong(const Value& v);

}  // namespace fornix
