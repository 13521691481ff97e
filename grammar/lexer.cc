#include "grammar/lexer.h"

#include <utf8proc.h>

#include <cstring>

#include "base/limits.h"
#include "grammar/diagnostics.h"
#include "grammar/parse.h"

namespace fornix::grammar {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsAsciiBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }
bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

enum class Unicode { kBlank, kStart, kPart, kOther };
Unicode Classify(int32_t code_point) {
  if (code_point == 0xFEFF) return Unicode::kOther;
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_ZS: case UTF8PROC_CATEGORY_ZL: case UTF8PROC_CATEGORY_ZP:
      return Unicode::kBlank;
    case UTF8PROC_CATEGORY_LU: case UTF8PROC_CATEGORY_LL: case UTF8PROC_CATEGORY_LT: case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: case UTF8PROC_CATEGORY_NL: case UTF8PROC_CATEGORY_PC:
      return Unicode::kStart;
    case UTF8PROC_CATEGORY_MN: case UTF8PROC_CATEGORY_MC: case UTF8PROC_CATEGORY_ND: case UTF8PROC_CATEGORY_SC:
      return Unicode::kPart;
    default:
      return Unicode::kOther;
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text), words_(Vocabulary::Get()) {}

  Result<TokenList> Run() {
    if (text_.starts_with("\xEF\xBB\xBF")) pos_ = 3;  // editors put a byte order mark in front; it says nothing
    TokenList list;
    list.tokens.reserve(text_.size() / 4 + 2);
    for (;;) {
      RETURN_IF_ERROR(SkipBlanks());
      Token token;
      token.offset = static_cast<uint32_t>(pos_);
      token.line = line_;
      token.column = column_;
      if (pos_ >= text_.size()) {
        list.tokens.push_back(token);
        return list;
      }
      after_operand_ = !list.tokens.empty() && EndsAtOperand(list.tokens.back());
      RETURN_IF_ERROR(Next(&token));
      token.length = static_cast<uint32_t>(pos_ - token.offset);
      list.tokens.push_back(token);
    }
  }

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  SourcePosition Here() const { return {line_, column_, static_cast<uint32_t>(pos_)}; }

  // Moves to `end`, counting lines and columns, and finds bytes that no text may hold.
  Status Advance(size_t end) {
    while (pos_ < end) {
      unsigned char c = static_cast<unsigned char>(text_[pos_]);
      if (c == '\n') {
        ++line_, ++pos_, column_ = 1;
      } else if (c == 0) {
        return SyntaxErrorAt(text_, Here(), "a NUL byte stands in the text; write it as \\u0000 inside a string",
                             "InvalidUnicodeCharacter");
      } else if (c < 0x80) {
        ++pos_, ++column_;
      } else {
        ASSIGN_OR_RETURN(int32_t code_point, CodePoint());
        (void)code_point;
      }
    }
    return Status::Ok();
  }

  // Reads one code point that isn't ASCII and moves behind it.
  Result<int32_t> CodePoint() {
    int32_t code_point = -1;
    auto length = utf8proc_iterate(reinterpret_cast<const uint8_t*>(text_.data()) + pos_,
                                   static_cast<utf8proc_ssize_t>(text_.size() - pos_), &code_point);
    if (length <= 0) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned char>(text_[pos_]));
      return Status(Code::kSyntaxError, "byte " + std::string(byte) + " at offset " + std::to_string(pos_) +
                                            " isn't UTF-8; statements are UTF-8 text")
          .At(Here())
          .Detail("InvalidUnicodeCharacter")
          .CompileTime();
    }
    pos_ += static_cast<size_t>(length);
    ++column_;
    return code_point;
  }

  Status SkipBlanks() {
    while (pos_ < text_.size()) {
      char c = text_[pos_];
      if (c == '\n') {
        ++line_, ++pos_, column_ = 1;
      } else if (IsAsciiBlank(c)) {
        ++pos_, ++column_;
      } else if (c == '/' && At(pos_ + 1) == '/') {
        size_t end = text_.find('\n', pos_);
        RETURN_IF_ERROR(Advance(end == std::string_view::npos ? text_.size() : end));
      } else if (c == '/' && At(pos_ + 1) == '*') {
        size_t end = text_.find("*/", pos_ + 2);
        if (end == std::string_view::npos) {
          return SyntaxErrorAt(text_, Here(), "the comment that begins here has no end; close it with */", "UnexpectedSyntax");
        }
        RETURN_IF_ERROR(Advance(end + 2));
      } else if (!IsAscii(c)) {
        size_t before = pos_;
        uint32_t column = column_;
        ASSIGN_OR_RETURN(int32_t code_point, CodePoint());
        if (Classify(code_point) != Unicode::kBlank) {
          pos_ = before, column_ = column;
          return Status::Ok();
        }
      } else {
        return Status::Ok();
      }
    }
    return Status::Ok();
  }

  // After these, a '.' before digits reads a property and no fraction.
  bool EndsAtOperand(const Token& token) const {
    return token.offset + token.length == pos_ && (words_.IsWord(token.type) || token.type == words_.paren_close ||
           token.type == words_.bracket_close || token.type == words_.brace_close || token.type == words_.parameter);
  }

  Status Next(Token* token) {
    char c = text_[pos_];
    if (IsAsciiLetter(c)) return Word(token);
    if (IsDigit(c) || (c == '.' && IsDigit(At(pos_ + 1)) && !after_operand_)) return Number(token);
    if (c == '\'' || c == '"') return String(token);
    if (c == '`') return Backticks(token, words_.identifier);
    if (c == '$') return ParameterOrDollar(token);
    if (!IsAscii(c)) {
      size_t before = pos_;
      uint32_t column = column_;
      ASSIGN_OR_RETURN(int32_t code_point, CodePoint());
      pos_ = before, column_ = column;
      if (Classify(code_point) == Unicode::kStart) return Word(token);
      return StrangeCharacter(code_point);
    }
    return Sign(token);
  }

  Status WordEnd() {
    while (pos_ < text_.size()) {
      char c = text_[pos_];
      if (IsAsciiLetter(c) || IsDigit(c)) {
        ++pos_, ++column_;
      } else if (IsAscii(c)) {
        break;
      } else {
        size_t before = pos_;
        uint32_t column = column_;
        ASSIGN_OR_RETURN(int32_t code_point, CodePoint());
        Unicode kind = Classify(code_point);
        if (kind != Unicode::kStart && kind != Unicode::kPart) {
          pos_ = before, column_ = column;
          break;
        }
      }
    }
    return Status::Ok();
  }

  Status Word(Token* token) {
    RETURN_IF_ERROR(WordEnd());
    token->type = words_.Word(text_.substr(token->offset, pos_ - token->offset));
    return CountNesting(*token);
  }

  Status Number(Token* token) {
    size_t p = pos_;
    token->type = words_.integer;
    char second = At(p + 1);
    if (text_[p] == '0' && (second == 'x' || second == 'X' || second == 'o' || second == 'O')) {
      const bool hex = second == 'x' || second == 'X';
      p += 2;
      size_t digits = 0;
      for (; hex ? IsHexDigit(At(p)) : (At(p) >= '0' && At(p) <= '7'); ++p) ++digits;
      token->malformed = digits == 0;
    } else {
      while (IsDigit(At(p)) || (At(p) == '_' && IsDigit(At(p + 1)))) ++p;
      if (At(p) == '.' && IsDigit(At(p + 1))) {
        token->type = words_.real;
        ++p;
        while (IsDigit(At(p)) || (At(p) == '_' && IsDigit(At(p + 1)))) ++p;
      }
      if (At(p) == 'e' || At(p) == 'E') {
        size_t q = p + 1;
        if (At(q) == '+' || At(q) == '-') ++q;
        if (IsDigit(At(q))) {
          token->type = words_.real;
          while (IsDigit(At(q))) ++q;
          p = q;
        }
      }
    }
    column_ += static_cast<uint32_t>(p - pos_);
    pos_ = p;
    RETURN_IF_ERROR(WordEnd());
    if (pos_ != p) token->malformed = true;
    return Status::Ok();
  }

  Status String(Token* token) {
    token->type = words_.string;
    const char quote = text_[pos_];
    const SourcePosition start = Here();
    size_t p = pos_ + 1;
    for (;; ++p) {
      if (p >= text_.size()) {
        return SyntaxErrorAt(text_, start, "the string that begins here has no end; close it with " + std::string(1, quote),
                             "UnexpectedSyntax");
      }
      if (text_[p] == quote) break;
      if (text_[p] == '\\') {
        RETURN_IF_ERROR(Advance(p));
        RETURN_IF_ERROR(CheckEscape(p));
        ++p;
      }
    }
    return Advance(p + 1);
  }

  Status CheckEscape(size_t p) {
    char c = At(p + 1);
    if (p + 1 >= text_.size()) return Status::Ok();  // the string has no end, which is said there
    if (std::strchr("\\'\"bfnrt`", c) != nullptr && c != '\0') return Status::Ok();
    if (c != 'u' && c != 'U') {
      return SyntaxErrorAt(text_, Here(),
                           "\\" + std::string(IsAscii(c) && c >= ' ' ? 1 : 0, c) +
                               " is no escape; a backslash is written \\\\ (escapes: \\\\ \\' \\\" \\b \\f \\n \\r \\t \\uXXXX)",
                           "UnexpectedSyntax");
    }
    const size_t digits = c == 'u' ? 4 : 8;
    uint32_t code_point = 0;
    if (!HexAt(p + 2, digits, &code_point)) {
      return SyntaxErrorAt(text_, Here(), std::string("\\") + c + " needs " + std::to_string(digits) + " hexadecimal digits",
                           "InvalidUnicodeLiteral");
    }
    if (code_point >= 0xD800 && code_point < 0xE000) {
      uint32_t low = 0;
      bool pair = c == 'u' && code_point < 0xDC00 && At(p + 6) == '\\' && At(p + 7) == 'u' && HexAt(p + 8, 4, &low) &&
                  low >= 0xDC00 && low < 0xE000;
      bool second_half = code_point >= 0xDC00 && p >= 6 && text_[p - 6] == '\\' && text_[p - 5] == 'u' && HexAt(p - 4, 4, &low) &&
                         low >= 0xD800 && low < 0xDC00;
      if (!pair && !second_half)
        return SyntaxErrorAt(text_, Here(), "half of a surrogate pair; write the character itself, or both halves",
                             "InvalidUnicodeLiteral");
    } else if (code_point > 0x10FFFF) {
      return SyntaxErrorAt(text_, Here(), "no character has that number; the last is \\U0010FFFF", "InvalidUnicodeLiteral");
    }
    return Status::Ok();
  }
  bool HexAt(size_t p, size_t digits, uint32_t* value) const {
    *value = 0;
    for (size_t i = 0; i < digits; ++i) {
      char c = At(p + i);
      if (!IsHexDigit(c)) return false;
      *value = *value * 16 + static_cast<uint32_t>(IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return true;
  }

  Status Backticks(Token* token, TokenType type) {
    token->type = type;
    const SourcePosition start = Here();
    size_t p = pos_ + 1;
    for (;; ++p) {
      if (p >= text_.size())
        return SyntaxErrorAt(text_, start, "the name that begins here has no end; close it with `", "UnexpectedSyntax");
      if (text_[p] != '`') continue;
      if (At(p + 1) != '`') break;
      ++p;
    }
    return Advance(p + 1);
  }

  Status ParameterOrDollar(Token* token) {
    char c = At(pos_ + 1);
    if (c == '`') {
      RETURN_IF_ERROR(Advance(pos_ + 1));
      return Backticks(token, words_.parameter);
    }
    RETURN_IF_ERROR(Advance(pos_ + 1));
    const size_t before = pos_;
    RETURN_IF_ERROR(WordEnd());
    token->type = pos_ == before ? words_.dollar : words_.parameter;
    return Status::Ok();
  }

  Status Sign(Token* token) {
    const unsigned char c = static_cast<unsigned char>(text_[pos_]);
    if (std::strchr("()[]{},-*", c) != nullptr && c != 0) {  // these begin no pair
      token->type = words_.signs[c];
      ++pos_, ++column_;
      return CountNesting(*token);
    }
    static constexpr std::string_view kPairs[] = {"<=", ">=", "<>", "=~", "+=", "||", "..", "::", "=>"};
    static constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
        {"!=", "unequal is written <>"}, {"==", "equal is written ="}, {"&&", "both is written AND"}};
    std::string_view pair = text_.substr(pos_, 2);
    for (auto [sign, hint] : kForeign) {
      if (pair == sign)
        return SyntaxErrorAt(text_, Here(), "unexpected '" + std::string(sign) + "': " + std::string(hint), "UnexpectedSyntax");
    }
    for (std::string_view sign : kPairs) {
      if (pair != sign) continue;
      token->type = words_.Find(sign);
      return Advance(pos_ + 2);
    }
    token->type = words_.signs[c];
    if (token->type == 0) {
      std::string shown(1, text_[pos_]);
      if (text_[pos_] == '\0') return Advance(pos_ + 1);
      if (text_[pos_] < ' ' || text_[pos_] == 0x7F) shown = "control character " + std::to_string(static_cast<int>(text_[pos_]));
      return SyntaxErrorAt(text_, Here(), "unexpected '" + shown + "'; names with such characters are written in backticks",
                           "UnexpectedSyntax");
    }
    return Advance(pos_ + 1);
  }

  // An early end for texts that are nothing but nesting: shapes.cc counts exactly, but only after all tokens are there.
  Status CountNesting(const Token& token) {
    const TokenType type = token.type;
    if (type == words_.paren_open || type == words_.bracket_open || type == words_.brace_open) {
      ++open_;
    } else if (type == words_.paren_close || type == words_.bracket_close || type == words_.brace_close) {
      open_ -= open_ > 0 ? 1 : 0;
    }
    run_ = type == words_.minus || type == words_.not_ ? run_ + 1 : 0;
    if (open_ > kNestingMax || run_ > kNestingMax) return NestingError(text_, token.position());
    return Status::Ok();
  }

  Status StrangeCharacter(int32_t code_point) {
    char number[16];
    std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(code_point));
    std::string hint;
    if (code_point >= 0x2010 && code_point <= 0x2015) hint = "; minus and arrows are written with -";
    if (code_point == 0x2212) hint = "; minus is written -";
    if (code_point >= 0x2018 && code_point <= 0x201F) hint = "; quotes are written ' or \"";
    return SyntaxErrorAt(text_, Here(), "unexpected character " + std::string(number) + hint, "InvalidUnicodeCharacter");
  }

  std::string_view text_;
  const Vocabulary& words_;
  size_t pos_ = 0;
  uint32_t line_ = 1, column_ = 1;
  bool after_operand_ = false;
  size_t open_ = 0, run_ = 0;  // see CountNesting
};

}  // namespace

Result<TokenList> Tokenize(std::string_view text) { return Lexer(text).Run(); }

size_t FirstStatementLength(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == ';') return i + 1;
    if (c == '\'' || c == '"' || c == '`') {
      size_t p = i + 1;
      while (p < text.size() && text[p] != c) p += text[p] == '\\' && c != '`' ? 2 : 1;
      if (p >= text.size()) return 0;
      i = p;  // a doubled backtick reads as two names side by side, which cuts at the same place
    } else if (c == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*')) {
      size_t end = text[i + 1] == '/' ? text.find('\n', i) : text.find("*/", i + 2);
      if (end == std::string_view::npos) return 0;
      i = text[i + 1] == '/' ? end : end + 1;
    }
  }
  return 0;
}

}  // namespace fornix::grammar
