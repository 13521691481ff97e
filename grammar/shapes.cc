#include "grammar/shapes.h"

#include <algorithm>

#include "base/limits.h"
#include "grammar/diagnostics.h"

namespace fornix::grammar {
namespace {

class Shapes {
 public:
  Shapes(std::string_view text, TokenList* list)
      : text_(text), words_(Vocabulary::Get()), list_(list), tokens_(list->tokens), match_(tokens_.size()), comma_(tokens_.size()) {}

  Status Run() {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) ResolveWord(i);
    RETURN_IF_ERROR(MatchBrackets());
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (Is(i, words_.paren_open) && BeginsPattern(i)) patterns_.push_back(i);
    }
    for (size_t i : patterns_) tokens_[i].type = words_.pattern_open;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (Is(i, words_.bracket_open) && match_[i] != 0 && !AfterOperand(i)) MarkComprehension(i);
      if (i > 0 && Is(i, words_.paren_open) && (Is(i - 1, words_.reduce) || Is(i - 1, words_.foreach))) bar_owner_.push_back(i);
    }
    MarkBars();
    return FoldConstantLists(text_, match_, list_);
  }

 private:
  TokenType Type(size_t i) const { return i < tokens_.size() ? tokens_[i].type : Vocabulary::kEnd; }
  bool Is(size_t i, TokenType type) const { return Type(i) == type; }
  bool IsWord(size_t i) const { return Type(i) != Vocabulary::kEnd && words_.IsWord(Type(i)); }
  bool IsOneOf(size_t i, std::initializer_list<TokenType> types) const {
    for (TokenType type : types) {
      if (Type(i) == type) return true;
    }
    return false;
  }
  bool IsParen(size_t i) const { return Is(i, words_.paren_open) || Is(i, words_.pattern_open); }

  void ResolveWord(size_t i) {
    const TokenType type = tokens_[i].type;
    if (type == words_.identifier || !words_.IsKeyword(type)) return;
    const TokenType before = i == 0 ? Vocabulary::kEnd : tokens_[i - 1].type;
    bool is_name = before == words_.dot || before == words_.as;
    if (IsOneOf(i, {words_.both, words_.leading, words_.trailing})) is_name |= !FollowsTrim(i) || IsOneOf(i + 1, {words_.comma, words_.paren_close});
    if (before == words_.brace_open || before == words_.comma) is_name |= Is(i + 1, words_.colon);
    if (words_.is_clause_word[type]) {
      is_name |= before == words_.paren_open || before == words_.bracket_open;
      is_name |= IsOneOf(i + 1, {words_.comma, words_.paren_close, words_.bracket_close, words_.brace_close, words_.dot,
                                 words_.colon, words_.equals, words_.as});
    }
    if (is_name) tokens_[i].type = words_.identifier;
  }

  // trim ( BOTH: elsewhere these words are names.
  bool FollowsTrim(size_t i) const {
    if (i < 2 || !Is(i - 1, words_.paren_open)) return false;
    const std::string_view name = tokens_[i - 2].text(text_);
    static constexpr std::string_view kTrim = "trim";
    return std::equal(name.begin(), name.end(), kTrim.begin(), kTrim.end(), [](char a, char b) { return (a | 0x20) == b; });
  }

  // An operand ends at i - 1, so that a bracket at i reads an element and a sign at i has two operands.
  bool AfterOperand(size_t i) const {
    if (i == 0) return false;
    return IsOneOf(i - 1, {words_.identifier, words_.parameter, words_.paren_close, words_.bracket_close, words_.brace_close,
                           words_.integer, words_.real, words_.string, words_.end, words_.null, words_.true_, words_.false_});
  }

  Status MatchBrackets() {
    struct Open {
      size_t index;
      size_t depth_outside;  // what the depth falls back to when it closes
      TokenType closer;      // 0: CASE
    };
    std::vector<Open> open;
    size_t depth = 0, base = 0;  // base: depth of the innermost open bracket; signs and NOT raise depth until an operand ends
    size_t steps = 0;            // of one chain x.a[0].b
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const TokenType type = tokens_[i].type;
      TokenType closer = type == words_.paren_open     ? words_.paren_close
                         : type == words_.bracket_open ? words_.bracket_close
                         : type == words_.brace_open   ? words_.brace_close
                                                       : 0;
      if (closer != 0 || type == words_.case_) {
        steps = AfterOperand(i) && closer == words_.bracket_close ? steps + 1 : 0;
        open.push_back({i, base, closer});
        base = ++depth;
      } else if (type == words_.paren_close || type == words_.bracket_close || type == words_.brace_close || type == words_.end) {
        if (type != words_.end) {
          while (!open.empty() && open.back().closer == 0) Close(&open, &base);
        }
        if (!open.empty() && open.back().closer == (type == words_.end ? 0 : type)) {
          const size_t index = open.back().index;
          match_[index] = static_cast<uint32_t>(i);
          Close(&open, &base);
        }
        depth = base;
      } else if (type == words_.not_ || ((type == words_.minus || type == words_.plus) && !AfterOperand(i))) {
        ++depth;
      } else {
        if (type == words_.comma && !open.empty()) comma_[open.back().index] = true;
        if (type == words_.pipe && !open.empty()) bars_.push_back({open.back().index, i});
        if (type == words_.dot) {
          ++steps;
        } else if (!words_.IsWord(type) || !(i > 0 && Is(i - 1, words_.dot))) {
          steps = 0;
        }
        if (type != words_.greater && type != words_.less) depth = base;
      }
      if (depth > kNestingMax || steps > kNestingMax) {
        return NestingError(text_, tokens_[i].position());
      }
    }
    return Status::Ok();
  }
  template <typename Stack>
  static void Close(Stack* open, size_t* base) {
    *base = open->back().depth_outside;
    open->pop_back();
  }

  // ( [name] [:labels] [{..} | $p] [WHERE ..] )
  bool LooksLikeNode(size_t i) const {
    if (!IsParen(i) || match_[i] == 0) return false;
    size_t k = i + 1;
    if (IsWord(k) && !Is(k, words_.where) && !Is(k, words_.case_) && !Is(k, words_.not_)) ++k;
    if (k == match_[i]) return true;
    if (Is(k, words_.is)) return !IsOneOf(k + 1, {words_.null, words_.not_, words_.colons, words_.typed});
    return IsOneOf(k, {words_.colon, words_.brace_open, words_.where}) || (Is(k, words_.parameter) && k + 1 == match_[i]);
  }

  // The parenthesis of the node behind the relationship that follows the node at i; 0 if no relationship follows.
  size_t NextNode(size_t i) const {
    size_t k = match_[i] + 1;
    if (Is(k, words_.less)) ++k;
    if (!Is(k, words_.minus)) return 0;
    ++k;
    if (Is(k, words_.bracket_open)) {
      if (match_[k] == 0) return 0;
      if (!IsWord(k + 1) &&
          !IsOneOf(k + 1, {words_.colon, words_.star, words_.brace_open, words_.bracket_close, words_.parameter}))
        return 0;
      k = match_[k] + 1;
    }
    if (!Is(k, words_.minus)) return 0;
    ++k;
    if (Is(k, words_.greater)) ++k;
    return LooksLikeNode(k) ? k : 0;
  }
  bool BeginsPattern(size_t i) const { return !FollowsCallName(i) && LooksLikeNode(i) && NextNode(i) != 0; }
  bool FollowsCallName(size_t i) const { return i > 0 && Is(i - 1, words_.identifier); }

  void MarkComprehension(size_t i) {
    if (IsWord(i + 1) && Is(i + 2, words_.in) && !comma_[i]) {
      tokens_[i].type = words_.comprehension_open;
      bar_owner_.push_back(i);
      return;
    }
    size_t k = i + 1;
    if (IsWord(k) && Is(k + 1, words_.equals)) k += 2;
    if (!Is(k, words_.pattern_open)) return;
    while (size_t next = NextNode(k)) k = next;
    k = match_[k] + 1;
    if (!Is(k, words_.where) && !Is(k, words_.pipe)) return;
    tokens_[i].type = words_.pattern_comprehension_open;
    bar_owner_.push_back(i);
  }

  // Of the bars directly inside each owner, the one that divides it: the first that can't join two labels, or the last.
  void MarkBars() {
    std::vector<bool> owns(tokens_.size());
    for (size_t i : bar_owner_) owns[i] = true;
    std::vector<uint32_t> last(tokens_.size());
    for (auto [owner, bar] : bars_) last[owner] = static_cast<uint32_t>(bar);
    for (auto [owner, bar] : bars_) {
      if (!owns[owner] || (bar != last[owner] && JoinsLabels(bar))) continue;
      tokens_[bar].type = words_.bar;
      owns[owner] = false;
    }
  }
  bool JoinsLabels(size_t bar) const {
    const bool after_label =
        bar >= 2 && (Is(bar - 1, words_.percent) || Is(bar - 1, words_.paren_close) ||
                     (IsWord(bar - 1) && IsOneOf(bar - 2, {words_.colon, words_.pipe, words_.ampersand, words_.exclamation})));
    if (!after_label) return false;
    if (IsOneOf(bar + 1, {words_.exclamation, words_.percent, words_.colon})) return true;
    return IsWord(bar + 1) && !IsOneOf(bar + 2, {words_.dot, words_.paren_open, words_.pattern_open, words_.bracket_open,
                                                 words_.brace_open, words_.colon});
  }

  std::string_view text_;
  const Vocabulary& words_;
  TokenList* list_;
  std::vector<Token>& tokens_;
  std::vector<uint32_t> match_;
  std::vector<bool> comma_;                          // by bracket: a comma stands directly inside
  std::vector<std::pair<size_t, size_t>> bars_;      // (innermost bracket, bar)
  std::vector<size_t> patterns_;
  std::vector<size_t> bar_owner_;
};

}  // namespace

Status FindShapes(std::string_view text, TokenList* list) { return Shapes(text, list).Run(); }

}  // namespace fornix::grammar
