// The values of tokens: strings, names, numbers.
#include <utf8proc.h>

#include <charconv>
#include <cmath>

#include "grammar/lexer.h"

namespace fornix::grammar {
namespace {

uint32_t Hex(std::string_view digits) {
  uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

void AppendCodePoint(std::string* out, uint32_t code_point) {
  uint8_t bytes[4];
  auto length = utf8proc_encode_char(static_cast<int32_t>(code_point), bytes);
  out->append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length));
}

std::string Unquote(std::string_view quoted, char quote) {
  std::string out;
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    out += quoted[i];
    if (quoted[i] == quote) ++i;
  }
  return out;
}

Status NumberError(std::string message, const char* detail) {
  return Status(Code::kSyntaxError, std::move(message)).Detail(detail).CompileTime();
}

}  // namespace

std::string UnescapeString(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (size_t i = 1; i + 1 < token.size(); ++i) {
    char c = token[i];
    if (c != '\\') {
      out += c;
      continue;
    }
    switch (c = token[++i]) {
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        uint32_t code_point = Hex(token.substr(i + 1, 4));
        i += 4;
        if (code_point >= 0xD800 && code_point < 0xDC00) {  // the lexer saw that its other half follows
          code_point = 0x10000 + ((code_point - 0xD800) << 10) + (Hex(token.substr(i + 3, 4)) - 0xDC00);
          i += 6;
        }
        AppendCodePoint(&out, code_point);
        break;
      }
      case 'U':
        AppendCodePoint(&out, Hex(token.substr(i + 1, 8)));
        i += 8;
        break;
      default: out += c;
    }
  }
  return out;
}

std::string UnescapeName(std::string_view token) { return token.starts_with('`') ? Unquote(token, '`') : std::string(token); }

std::string ParameterName(std::string_view token) { return UnescapeName(token.substr(1)); }

Result<Value> ParseNumber(std::string_view token, bool negative) {
  std::string digits;
  for (char c : token) {
    if (c != '_') digits += c;
  }
  const bool hex = digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X');
  const bool octal = digits.size() > 1 && (digits[1] == 'o' || digits[1] == 'O');
  if (!hex && !octal && digits.find_first_of(".eE") != std::string::npos) {
    double value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) {  // says nothing about the direction: too small reads as zero
      const bool tiny = digits.find("e-") != std::string::npos || digits.find("E-") != std::string::npos || digits[0] == '0' ||
                        digits[0] == '.';
      value = tiny ? 0.0 : HUGE_VAL;
    }
    if (!std::isfinite(value)) {
      return NumberError(std::string(token.substr(0, 40)) + " is too large for a FLOAT (the largest is 1.7976931348623157e308)",
                         "FloatingPointOverflow");
    }
    return Value(negative ? -value : value);
  }
  const char* begin = digits.data() + (hex || octal ? 2 : 0);
  uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(begin, digits.data() + digits.size(), magnitude, hex ? 16 : octal ? 8 : 10);
  constexpr uint64_t kLargest = uint64_t{1} << 63;
  if (error == std::errc::result_out_of_range || magnitude > kLargest || (magnitude == kLargest && !negative)) {
    return NumberError(
        std::string(token.substr(0, 40)) + " is too large for an INTEGER (from -9223372036854775808 to 9223372036854775807)",
        "IntegerOverflow");
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return NumberError("'" + std::string(token.substr(0, 40)) + "' is no number", "InvalidNumberLiteral");
  }
  return Value(static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
}

}  // namespace fornix::grammar
