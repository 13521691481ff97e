#include "grammar/parameters.h"

#include "grammar/lexer.h"

namespace fornix::grammar {

SourcePosition FindMissingParameter(std::string_view text, const Map& given) {
  Result<TokenList> list = Tokenize(text);
  if (!list.ok()) return {};
  for (const Token& token : list->tokens) {
    const std::string_view written = token.text(text);
    if (written.starts_with('$') && written.size() > 1 && given.Find(ParameterName(written)) == nullptr) return token.position();
  }
  return {};
}

}  // namespace fornix::grammar
