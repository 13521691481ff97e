// Functions whose results may be far larger than their arguments: what the result will take, told before it is made. A
// statement with a small limit must not allocate a gigabyte only to learn that it may not.
#pragma once

#include <span>
#include <string_view>

#include "fornix/value.h"

namespace fornix::engine {

// Bytes, at least about what the result takes; 0 where the arguments are wrong (the function says so).
using Growth = size_t (*)(std::span<const Value> arguments);

// Null for functions whose result is no larger than a few times their arguments.
Growth GrowthOf(std::string_view function);

// What a + b and a || b take: strings and lists are joined.
size_t JoinedBytes(const Value& a, const Value& b);

}  // namespace fornix::engine
