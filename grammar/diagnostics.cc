#include "grammar/diagnostics.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace fornix::grammar {
namespace {
constexpr size_t kExcerptHalf = 40;  // bytes of the line shown on either side of the place

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment: a swap of neighbours (RETRUN) counts as one change.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) && Lower(a[i - 2]) == Lower(b[j - 1])) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}
// A message is UTF-8 even where the text is not: bytes of no character are shown as '?'.
void MendUtf8(std::string* text) {
  for (size_t i = 0; i < text->size();) {
    const unsigned char c = static_cast<unsigned char>((*text)[i]);
    const size_t length = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    size_t found = 1;
    while (found < length && i + found < text->size() && IsContinuation((*text)[i + found])) ++found;
    if (found < length || length == 0) (*text)[i] = '?';
    i += found < length || length == 0 ? 1 : length;
  }
}
}  // namespace

std::string Excerpt(std::string_view text, SourcePosition position) {
  if (position.line == 0 || position.offset > text.size()) return {};
  size_t place = position.offset;
  size_t begin = place, end = place;
  while (begin > 0 && text[begin - 1] != '\n' && place - begin < kExcerptHalf) --begin;
  while (begin < place && IsContinuation(text[begin])) ++begin;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r' && end - place < kExcerptHalf) ++end;
  while (end > place && end < text.size() && IsContinuation(text[end])) --end;
  std::string out = "\n  ";
  size_t caret = 0;
  if (begin > 0 && text[begin - 1] != '\n') {
    out += "...";
    caret = 3;
  }
  for (size_t i = begin; i < end; ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    out += c < 0x20 || c == 0x7F ? ' ' : text[i];
    if (i < place && !IsContinuation(text[i])) ++caret;
  }
  if (end < text.size() && text[end] != '\n' && text[end] != '\r') out += "...";
  MendUtf8(&out);
  return out + "\n  " + std::string(caret, ' ') + "^";
}

Status SyntaxErrorAt(std::string_view text, SourcePosition position, std::string message, std::string detail) {
  return Status(Code::kSyntaxError, std::move(message) + Excerpt(text, position)).At(position).Detail(std::move(detail)).CompileTime();
}

Status LimitErrorAt(std::string_view text, SourcePosition position, std::string message) {
  return Status(Code::kLimitExceeded, std::move(message) + Excerpt(text, position)).At(position).Detail("StatementTooLarge").CompileTime();
}

Status NestingError(std::string_view text, SourcePosition position) {
  return LimitErrorAt(
      text, position,
      "nesting deeper than " + std::to_string(kNestingMax) + " levels; split the expression with WITH or parameters");
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() < 2 || word.size() > 32) return {};
  const size_t allowed = word.size() <= 3 ? 1 : word.size() <= 6 ? 2 : 3;
  size_t best = allowed + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() + allowed < word.size() || candidate.size() > word.size() + allowed) continue;
    size_t distance = Distance(word, candidate);
    if (distance == 0) return {};                // the word itself: it is right, and in the wrong place
    if (distance < best && distance < candidate.size() - 1) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace fornix::grammar
