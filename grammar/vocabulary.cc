// Reads the generated parser's vocabulary.
#include "grammar/vocabulary.h"

#include "base/check.h"
#include "CypherParser.h"

namespace fornix::grammar {
namespace {
constexpr size_t kWordMax = 32;  // longer words are no keywords

bool IsUpperWord(std::string_view text) { return !text.empty() && text[0] >= 'A' && text[0] <= 'Z'; }
}  // namespace

const Vocabulary& Vocabulary::Get() {
  static const Vocabulary* const vocabulary = new Vocabulary;  // never destroyed: other threads may parse at exit
  return *vocabulary;
}

Vocabulary::Vocabulary() {
  parser::CypherParser probe(nullptr);
  const antlr4::dfa::Vocabulary& source = probe.getVocabulary();
  const size_t count = source.getMaxTokenType() + 1;
  is_keyword.resize(count);
  is_clause_word.resize(count);
  texts.resize(count);
  for (size_t type = 1; type < count; ++type) {
    std::string literal = source.getLiteralName(type);
    if (literal.size() > 2) {
      texts[type] = literal.substr(1, literal.size() - 2);
      if (IsUpperWord(texts[type])) {
        is_keyword[type] = true;
        keyword_texts.push_back(texts[type]);
      }
    } else {
      texts[type] = source.getSymbolicName(type);
    }
  }
  for (size_t type = 1; type < count; ++type) {
    by_text.emplace(texts[type], static_cast<TokenType>(type));
    if (texts[type].size() == 1 && !is_keyword[type]) signs[static_cast<unsigned char>(texts[type][0])] = static_cast<TokenType>(type);
  }
  auto need = [this](std::string_view text) {
    TokenType type = Find(text);
    CHECK(type != 0);
    return type;
  };
  identifier = need("IDENTIFIER"), string = need("STRING"), integer = need("INTEGER"), real = need("FLOAT");
  parameter = need("PARAMETER"), constant_list = need("CONSTANT_LIST"), pattern_open = need("PATTERN_OPEN");
  comprehension_open = need("COMPREHENSION_OPEN"), pattern_comprehension_open = need("PATTERN_COMPREHENSION_OPEN");
  bar = need("BAR");
  paren_open = need("("), paren_close = need(")"), bracket_open = need("["), bracket_close = need("]");
  brace_open = need("{"), brace_close = need("}"), comma = need(","), dot = need("."), dots = need(".."), colon = need(":");
  colons = need("::"), minus = need("-"), plus = need("+"), star = need("*"), less = need("<"), greater = need(">");
  equals = need("="), pipe = need("|"), ampersand = need("&"), exclamation = need("!"), percent = need("%"), dollar = need("$");
  as = need("AS"), in = need("IN"), is = need("IS"), where = need("WHERE"), case_ = need("CASE"), end = need("END");
  not_ = need("NOT"), reduce = need("REDUCE"), foreach = need("FOREACH"), null = need("NULL"), true_ = need("TRUE");
  false_ = need("FALSE"), typed = need("TYPED"), and_ = need("AND"), or_ = need("OR"), xor_ = need("XOR");
  when = need("WHEN"), then = need("THEN"), else_ = need("ELSE");
  both = need("BOTH"), leading = need("LEADING"), trailing = need("TRAILING");
  for (const char* word : {"MATCH", "CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "RETURN", "UNWIND", "UNION", "CALL",
                           "FOREACH"}) {
    is_clause_word[need(word)] = true;
  }
}

TokenType Vocabulary::Find(std::string_view literal) const {
  auto it = by_text.find(literal);
  return it == by_text.end() ? 0 : it->second;
}

TokenType Vocabulary::Word(std::string_view word) const {
  if (word.size() > kWordMax) return identifier;
  char upper[kWordMax];
  for (size_t i = 0; i < word.size(); ++i) {
    char c = word[i];
    upper[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  TokenType type = Find(std::string_view(upper, word.size()));
  return type != 0 && is_keyword[type] ? type : identifier;
}

std::string Vocabulary::Display(TokenType type) const {
  if (type == kEnd) return "the end of the text";
  if (type == identifier) return "a name";
  if (type == string) return "a string";
  if (type == integer || type == real) return "a number";
  if (type == parameter) return "a parameter";
  if (type == pattern_open) return "'('";
  if (type == constant_list || type == comprehension_open || type == pattern_comprehension_open) return "'['";
  if (type == bar) return "'|'";
  if (type >= texts.size()) return "something else";
  return is_keyword[type] ? texts[type] : "'" + texts[type] + "'";
}

}  // namespace fornix::grammar
