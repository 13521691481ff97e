// Where a statement names its parameters, for errors about them. Threads: no shared state.
#pragma once

#include <string_view>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::grammar {

// Where the statement first names a parameter that isn't among the given ones; line 0 if it names none.
SourcePosition FindMissingParameter(std::string_view text, const Map& given);

}  // namespace fornix::grammar
