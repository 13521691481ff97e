// A list of constants of some length, such as an embedding or the rows of an UNWIND, needs no parser: it is read here
// into one value (lists, maps and plain constants inside). Anything unexpected leaves the list to the parser, which
// knows what to say about it. A hundred thousand numbers would cost the parser 100 MB.
#include "base/limits.h"
#include "grammar/diagnostics.h"
#include "grammar/shapes.h"

namespace fornix::grammar {
namespace {
constexpr size_t kFoldTokensMin = 32;  // shorter lists go the general way, so that both ways stay in daily use

class Reader {
 public:
  Reader(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens), words_(Vocabulary::Get()) {}
  size_t position() const { return i_; }
  void set_position(size_t i) { i_ = i; }

  // False when what stands there is no constant. Nesting is bounded: the tokens were counted before.
  bool Read(Value* out) {
    const Token& token = tokens_[i_];
    if (token.type == words_.bracket_open) return ReadList(out);
    if (token.type == words_.brace_open) return ReadMap(out);
    bool negative = token.type == words_.minus;
    if (negative) ++i_;
    const Token& literal = tokens_[i_];
    if (literal.type == words_.integer || literal.type == words_.real) {
      if (literal.malformed) return false;
      Result<Value> number = ParseNumber(literal.text(text_), negative);
      if (!number.ok()) return false;
      *out = std::move(*number);
    } else if (negative) {
      return false;
    } else if (literal.type == words_.string) {
      *out = Value(UnescapeString(literal.text(text_)));
    } else if (literal.type == words_.true_ || literal.type == words_.false_) {
      *out = Value(literal.type == words_.true_);
    } else if (literal.type == words_.null) {
      *out = Value();
    } else {
      return false;
    }
    ++i_;
    return true;
  }

 private:
  bool ReadList(Value* out) {
    List list;
    ++i_;
    while (tokens_[i_].type != words_.bracket_close) {
      if (!list.empty() && !Comma()) return false;
      Value element;
      if (!Read(&element)) return false;
      list.push_back(std::move(element));
    }
    ++i_;
    *out = Value(std::move(list));
    return true;
  }
  bool ReadMap(Value* out) {
    std::vector<Map::Entry> entries;
    ++i_;
    while (tokens_[i_].type != words_.brace_close) {
      if (!entries.empty() && !Comma()) return false;
      if (!words_.IsWord(tokens_[i_].type) || tokens_[i_ + 1].type != words_.colon) return false;
      std::string key = UnescapeName(tokens_[i_].text(text_));
      i_ += 2;
      Value element;
      if (!Read(&element)) return false;
      entries.emplace_back(std::move(key), std::move(element));
    }
    ++i_;
    *out = Value(Map::FromEntries(std::move(entries)));
    return true;
  }
  bool Comma() {
    if (tokens_[i_].type != words_.comma) return false;
    ++i_;
    return true;
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  const Vocabulary& words_;
  size_t i_ = 0;
};
}  // namespace

Status FoldConstantLists(std::string_view text, const std::vector<uint32_t>& match, TokenList* list) {
  const Vocabulary& words = Vocabulary::Get();
  std::vector<Token>& tokens = list->tokens;
  Reader reader(text, tokens);
  size_t to = 0;
  size_t unfoldable_until = 0;  // nested lists of one that failed aren't tried again, which keeps time linear
  for (size_t i = 0; i < tokens.size(); ++i, ++to) {
    const bool candidate = tokens[i].type == words.bracket_open && match[i] >= i + kFoldTokensMin && i >= unfoldable_until && i > 0;
    // An operand before it would make it x[..]; the inner tokens then can't be a list of constants anyway but for one.
    Value value;
    reader.set_position(i);
    if (candidate && reader.Read(&value)) {
      if (value.AsList().size() > kListLiteralMax) {
        return LimitErrorAt(
            text, tokens[i].position(),
            "a list literal holds more than " + std::to_string(kListLiteralMax) + " elements; pass it as a parameter");
      }
      Token folded = tokens[i];
      const Token& last = tokens[match[i]];
      folded.type = words.constant_list;
      folded.length = last.offset + last.length - folded.offset;
      folded.constant = static_cast<uint32_t>(list->constants.size());
      list->constants.push_back(std::move(value));
      i = match[i];
      tokens[to] = folded;
      continue;
    }
    if (candidate) unfoldable_until = reader.position();
    tokens[to] = tokens[i];
  }
  tokens.resize(to);
  if (tokens.size() > kQueryTokensMax) {
    return LimitErrorAt(text, tokens[kQueryTokensMax].position(),
                        "the statement has more than " + std::to_string(kQueryTokensMax) +
                            " words and signs; split it, or pass data as parameters");
  }
  return Status::Ok();
}

}  // namespace fornix::grammar
