// See lift_literals.h. The tokens are read once, with the clause at hand and a stack of open brackets; whatever isn't understood takes
// nothing, which is always right.
#include "grammar/lift_literals.h"

#include <algorithm>

#include "grammar/lexer.h"
#include "grammar/shapes.h"

namespace fornix::grammar {
namespace {

enum class Place : uint8_t { kOther, kPattern, kMatchPattern, kWhere, kSet, kCall };

struct Words {
  static const Words& Get() {
    static const Words words;
    return words;
  }
  TokenType match, create, merge, set, call, with, starts, ends, contains, on, explain, profile, unequal, less_equal, greater_equal, semicolon;
  std::vector<bool> begins_clause;               // by type
  bool complete;

 private:
  Words() {
    const Vocabulary& v = Vocabulary::Get();
    match = v.Find("MATCH");
    create = v.Find("CREATE");
    merge = v.Find("MERGE");
    set = v.Find("SET");
    call = v.Find("CALL");
    with = v.Find("WITH");
    starts = v.Find("STARTS");
    ends = v.Find("ENDS");
    contains = v.Find("CONTAINS");
    on = v.Find("ON");
    explain = v.Find("EXPLAIN");
    profile = v.Find("PROFILE");
    unequal = v.Find("<>");
    less_equal = v.Find("<=");
    greater_equal = v.Find(">=");
    semicolon = v.Find(";");
    begins_clause.resize(v.texts.size());
    complete = true;
    for (const char* word : {"MATCH", "OPTIONAL", "CREATE", "MERGE", "SET", "REMOVE", "DELETE", "DETACH", "NODETACH", "RETURN", "WITH", "UNWIND",
                             "FOREACH", "CALL", "LOAD", "FINISH", "UNION", "USING", "SEARCH", "WHERE", "ON", "ORDER", "SKIP", "OFFSET", "LIMIT",
                             "YIELD"}) {
      const TokenType type = v.Find(word);
      if (type == 0) {
        complete = false;
        continue;
      }
      begins_clause[type] = true;
    }
    for (TokenType t : {match, create, merge, set, call, with, starts, ends, contains, on, explain, profile, unequal, less_equal, greater_equal,
                        semicolon}) {
      complete &= t != 0;
    }
  }
};

class Lifter {
 public:
  Lifter(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

  LiftedText Run() {
    LiftedText out;
    if (tokens_.size() < 2 || !w_.complete || Is(0, w_.explain) || Is(0, w_.profile)) return out;
    size_t copied = 0;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      Follow(i);
      if (!Fits(i)) continue;
      const bool string = token.type == v_.string;
      Value value;
      if (string) {
        value = Value(UnescapeString(token.text(text_)));
      } else {
        Result<Value> number = token.malformed ? Result<Value>(Status(Code::kSyntaxError, "")) : ParseNumber(token.text(text_), false);
        if (!number.ok()) return {};             // the parser has something to say
        value = std::move(*number);
      }
      out.key.append(text_.substr(copied, token.offset - copied));
      out.key += '\0';
      out.key += string ? 's' : value.type() == Type::kInteger ? 'i' : 'f';
      copied = token.offset + token.length;
      out.spans.push_back({token.offset, token.length});
      out.values.push_back(std::move(value));
    }
    if (!out.values.empty()) out.key.append(text_.substr(copied));
    return out;
  }

 private:
  struct Frame {
    Place outside;                               // what goes on when it closes
    bool sealed_outside;
    TokenType bracket;
    bool of_pattern;                             // a node's or a relationship's, or the property map in it
  };

  TokenType Type(size_t i) const { return i < tokens_.size() ? tokens_[i].type : Vocabulary::kEnd; }
  bool Is(size_t i, TokenType type) const { return Type(i) == type; }
  bool Before(size_t i, size_t back, TokenType type) const { return i >= back && Is(i - back, type); }
  bool WordBefore(size_t i, size_t back) const { return i >= back && Type(i - back) != Vocabulary::kEnd && v_.IsWord(Type(i - back)); }
  bool BeginsClause(size_t i) const { return Type(i) < w_.begins_clause.size() && w_.begins_clause[Type(i)]; }
  bool Opens(TokenType t) const {
    return t == v_.paren_open || t == v_.bracket_open || t == v_.brace_open || t == v_.pattern_open || t == v_.comprehension_open ||
           t == v_.pattern_comprehension_open;
  }
  bool InPattern() const { return place_ == Place::kPattern || place_ == Place::kMatchPattern; }

  // Which clause the token at i stands in, and in which brackets.
  void Follow(size_t i) {
    const TokenType type = tokens_[i].type;
    if (Opens(type)) {
      const bool paren = type == v_.paren_open || type == v_.pattern_open;
      const bool plain = paren || type == v_.bracket_open || type == v_.brace_open;
      const bool in_map = !frames_.empty() && frames_.back().bracket == v_.brace_open;
      const bool part = InPattern() && plain && (type == v_.brace_open ? !frames_.empty() && frames_.back().of_pattern && !in_map : !in_map);
      frames_.push_back({place_, sealed_, type == v_.pattern_open ? v_.paren_open : type, part});
      // A subquery of CALL and of WHERE begins anew. What is inside of anything else that isn't known is left alone.
      if (place_ == Place::kOther || (place_ == Place::kCall && type != v_.brace_open)) sealed_ = true;
      if (place_ == Place::kCall) place_ = Place::kOther;
      return;
    }
    if (type == v_.paren_close || type == v_.bracket_close || type == v_.brace_close) {
      if (frames_.empty()) {
        sealed_ = true;                          // no statement: nothing is taken from here on
        return;
      }
      place_ = frames_.back().outside;
      sealed_ = frames_.back().sealed_outside;
      frames_.pop_back();
      return;
    }
    if (!BeginsClause(i) || IsName(i)) return;
    if (type == v_.where) {
      place_ = place_ == Place::kMatchPattern ? Place::kWhere : Place::kOther;
    } else if (type == w_.match) {
      place_ = Place::kMatchPattern;
    } else if (type == w_.create || type == w_.merge) {
      // CREATE INDEX and its like aren't patterns.
      const bool pattern = Is(i + 1, v_.paren_open) || Is(i + 1, v_.pattern_open) || Is(i + 2, v_.equals);
      place_ = pattern ? Place::kPattern : Place::kOther;
    } else if (type == w_.set) {
      place_ = Place::kSet;
    } else if (type == w_.call) {
      place_ = Place::kCall;
    } else {
      place_ = Place::kOther;
    }
  }

  // A word of a clause that is a label, a type, a key or an alias, or part of STARTS WITH.
  bool IsName(size_t i) const {
    if (tokens_[i].type == w_.with && (Before(i, 1, w_.starts) || Before(i, 1, w_.ends))) return true;
    for (TokenType sign : {v_.dot, v_.colon, v_.pipe, v_.ampersand, v_.exclamation, v_.as}) {
      if (Before(i, 1, sign)) return true;
    }
    return Is(i + 1, v_.colon);
  }

  bool Fits(size_t i) const {
    const TokenType type = tokens_[i].type;
    if (sealed_ || (type != v_.integer && type != v_.real && type != v_.string)) return false;
    switch (place_) {
      case Place::kPattern:
      case Place::kMatchPattern: return FitsMap(i);
      case Place::kWhere: return FitsTerm(i);
      case Place::kSet: return FitsSet(i);
      default: return false;
    }
  }
  bool FitsMap(size_t i) const {
    if (frames_.empty() || frames_.back().bracket != v_.brace_open || !frames_.back().of_pattern) return false;
    if (!Before(i, 1, v_.colon) || !WordBefore(i, 2) || !(Before(i, 3, v_.brace_open) || Before(i, 3, v_.comma))) return false;
    return Is(i + 1, v_.comma) || Is(i + 1, v_.brace_close);
  }
  bool EndsTerm(size_t i) const {
    return Is(i, Vocabulary::kEnd) || Is(i, w_.semicolon) || Is(i, v_.paren_close) || Is(i, v_.brace_close) || BeginsClause(i);
  }
  bool FitsTerm(size_t i) const {
    const TokenType next = Type(i + 1);
    if (!EndsTerm(i + 1) && next != v_.and_ && next != v_.or_ && next != v_.xor_) return false;
    size_t operators = 1;
    if (tokens_[i].type == v_.string && Before(i, 1, w_.with) && (Before(i, 2, w_.starts) || Before(i, 2, w_.ends))) {
      operators = 2;
    } else if (tokens_[i].type == v_.string && Before(i, 1, w_.contains)) {
      operators = 1;
    } else {
      bool compares = false;
      for (TokenType op : {v_.equals, w_.unequal, v_.less, w_.less_equal, v_.greater, w_.greater_equal}) compares |= Before(i, 1, op);
      if (!compares) return false;
    }
    if (Before(i, operators + 1, v_.paren_close)) return true;
    return WordBefore(i, operators + 1) && Before(i, operators + 2, v_.dot);
  }
  bool FitsSet(size_t i) const {
    if (!frames_.empty() && frames_.back().outside != Place::kCall) return false;
    if (!Before(i, 1, v_.equals) || !WordBefore(i, 2) || !Before(i, 3, v_.dot)) return false;
    return Is(i + 1, v_.comma) || EndsTerm(i + 1);
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  const Vocabulary& v_ = Vocabulary::Get();
  const Words& w_ = Words::Get();
  std::vector<Frame> frames_;
  Place place_ = Place::kOther;
  bool sealed_ = false;
};

}  // namespace

LiftedText LiftLiterals(std::string_view text) {
  Result<TokenList> list = Tokenize(text);
  if (!list.ok() || !FindShapes(text, &*list).ok()) return {};
  return Lifter(text, list->tokens).Run();
}

SourcePosition MovePosition(SourcePosition position, const std::vector<LiteralSpan>& there, const std::vector<LiteralSpan>& here,
                            std::string_view text) {
  if (position.line == 0 || there.size() != here.size()) return position;
  int64_t offset = position.offset;
  for (size_t i = 0; i < there.size() && there[i].offset < position.offset; ++i) {
    offset += static_cast<int64_t>(here[i].length) - there[i].length;
  }
  SourcePosition moved{1, 1, static_cast<uint32_t>(std::clamp<int64_t>(offset, 0, static_cast<int64_t>(text.size())))};
  for (char c : text.substr(0, moved.offset)) {
    if (c == '\n') {
      ++moved.line;
      moved.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++moved.column;
    }
  }
  return moved;
}

}  // namespace fornix::grammar
