// Scripts: several statements in one text, separated by ';'.
#pragma once

#include <cstddef>
#include <string_view>

namespace fornix {

// The length in bytes of the first statement of `text`, its ';' included, or 0 if none is complete yet. A ';' inside
// a string, a comment or a backticked name doesn't end a statement. Any thread.
size_t FirstStatementLength(std::string_view text);

}  // namespace fornix
