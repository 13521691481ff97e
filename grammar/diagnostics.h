// What errors in a text have in common: a sentence, then the line of text with a caret under the place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"

namespace fornix::grammar {

// "\n  MATCH (n) RETRUN n\n            ^"; at most about 80 characters of the line; empty if the position is outside.
std::string Excerpt(std::string_view text, SourcePosition position);

// A compile-time SyntaxError at the position, with the excerpt.
Status SyntaxErrorAt(std::string_view text, SourcePosition position, std::string message, std::string detail);
Status LimitErrorAt(std::string_view text, SourcePosition position, std::string message);
Status NestingError(std::string_view text, SourcePosition position);

// The candidate nearest to the word without regard to case, if it is near enough to be a slip of the finger; else empty.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace fornix::grammar
