// The words and signs of the grammar and their numbers, read once from the generated parser, so that no list of keywords
// stands anywhere but in Cypher.g4. The lexer and the search for shapes know the parser through this alone.
// Threads: immutable after the first call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fornix::grammar {

using TokenType = uint16_t;

struct Vocabulary {
  static const Vocabulary& Get();

  // The type of a quoted literal of the grammar: a sign as it is, a keyword in capitals; 0 if there is none.
  TokenType Find(std::string_view literal) const;
  // The type of a word of any case; `identifier` if it isn't a keyword.
  TokenType Word(std::string_view word) const;
  // A keyword or an identifier, the tokens that can be names.
  bool IsWord(TokenType type) const { return type == identifier || is_keyword[type]; }
  bool IsKeyword(TokenType type) const { return is_keyword[type]; }
  // What a person calls it: "RETURN", "')'", "a name".
  std::string Display(TokenType type) const;
  // Every keyword in capitals.
  const std::vector<std::string>& keywords() const { return keyword_texts; }

  static constexpr TokenType kEnd = 0xFFFF;  // the end of the text
  TokenType identifier, string, integer, real, parameter, constant_list;
  TokenType pattern_open, comprehension_open, pattern_comprehension_open, bar;
  TokenType paren_open, paren_close, bracket_open, bracket_close, brace_open, brace_close;
  TokenType comma, dot, dots, colon, colons, minus, plus, star, less, greater, equals, pipe, ampersand, exclamation, percent, dollar;
  TokenType as, in, is, where, case_, end, not_, reduce, foreach, null, true_, false_, typed, and_, or_, xor_, when, then, else_;
  TokenType both, leading, trailing;

  TokenType signs[128] = {};          // by character: signs of one character; 0 if there is none
  std::vector<bool> is_keyword;       // by type
  std::vector<bool> is_clause_word;   // MATCH, SET, ...: by type, words that begin a clause and can't be a variable
  std::vector<std::string> texts;     // by type
  std::vector<std::string> keyword_texts;
  std::unordered_map<std::string_view, TokenType> by_text;

 private:
  Vocabulary();
};

}  // namespace fornix::grammar
