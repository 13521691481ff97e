// From text to tokens. Bytes are read once; every token knows its line and column (code points, from 1), so that spans
// cost nothing later. Escapes are checked here and decoded by Unescape* when the tree is built.
//
// Numbers are cut out as long as letters and digits go on; what isn't a number then is marked `malformed` and refused
// by the builder, so that the parser can still say that no number belongs there at all.
// Threads: no shared state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"
#include "grammar/vocabulary.h"

namespace fornix::grammar {

struct Token {
  uint32_t offset = 0, length = 0;   // bytes
  uint32_t line = 1, column = 1;
  uint32_t constant = 0;             // CONSTANT_LIST: index into TokenList::constants
  TokenType type = Vocabulary::kEnd;
  bool malformed = false;            // a number that isn't one
  SourcePosition position() const { return {line, column, offset}; }
  std::string_view text(std::string_view source) const { return source.substr(offset, length); }
};

struct TokenList {
  std::vector<Token> tokens;         // the last one is the end of the text
  std::vector<Value> constants;
};

// Refuses what no token begins with, unterminated strings, names and comments, NUL and bytes that aren't UTF-8.
Result<TokenList> Tokenize(std::string_view text);

// The content of a string token (with its quotes), of a name token (perhaps in backticks) and of a parameter token.
std::string UnescapeString(std::string_view token);
std::string UnescapeName(std::string_view token);
std::string ParameterName(std::string_view token);

// A number token to its value; detail words InvalidNumberLiteral, IntegerOverflow, FloatingPointOverflow. `negative`: a
// minus sign stands directly before it, which makes 2^63 legal.
Result<Value> ParseNumber(std::string_view token, bool negative);

}  // namespace fornix::grammar
