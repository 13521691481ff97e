// See nearest.h. Three rows of the usual table (Damerau-Levenshtein, optimal string alignment); words longer than
// kWordBytesMax are not compared, so that a hostile text of long names can't cost quadratic time.
#include "base/nearest.h"

#include <algorithm>
#include <cstdlib>

namespace fornix {
namespace {

constexpr size_t kWordBytesMax = 64;  // longer names are not slips of a finger but other names

constexpr size_t kBeginningMin = 4;    // "substr" is meant to go on, "n" is not

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool BeginsWith(std::string_view text, std::string_view word) {
  return std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return Lower(a) == Lower(b); });
}

}  // namespace

int EditDistance(std::string_view a, std::string_view b, int bound) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  if (std::abs(n - m) > bound) return bound + 1;
  std::vector<int> before(m + 1), last(m + 1), now(m + 1);
  for (int j = 0; j <= m; ++j) last[j] = j;
  for (int i = 1; i <= n; ++i) {
    now[0] = i;
    int best = i;
    for (int j = 1; j <= m; ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) && Lower(a[i - 2]) == Lower(b[j - 1])) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
      best = std::min(best, now[j]);
    }
    if (best > bound) return bound + 1;
    std::swap(before, last);
    std::swap(last, now);
  }
  return std::min(last[m], bound + 1);
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kWordBytesMax) return "";
  int bound = std::max<int>(1, static_cast<int>(word.size()) / 3);
  std::string nearest;
  for (const auto& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kWordBytesMax || bound < 0) continue;
    const int distance = EditDistance(word, candidate, bound);
    // One letter for another is no slip: `a` is not meant when `b` is written.
    if (distance > bound || distance >= static_cast<int>(std::max(word.size(), candidate.size()))) continue;
    nearest = candidate;
    bound = distance - 1;
  }
  if (nearest.empty() && word.size() >= kBeginningMin) {
    for (const auto& candidate : candidates) {
      if (candidate.size() <= word.size() || candidate.size() > kWordBytesMax || !BeginsWith(candidate, word)) continue;
      if (nearest.empty() || candidate.size() < nearest.size()) nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = Nearest(word, candidates);
  return nearest.empty() ? "" : "; did you mean `" + nearest + "`?";
}

std::string DidYouMeanOrAll(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr size_t kListedMax = 12;             // what a person still reads
  const std::string nearest = DidYouMean(word, candidates);
  if (!nearest.empty() || candidates.empty() || candidates.size() > kListedMax) return nearest;
  std::string all = candidates.size() == 1 ? "; there is " : "; there are ";
  for (size_t i = 0; i < candidates.size(); ++i) {
    all += (i == 0 ? "`" : i + 1 < candidates.size() ? ", `" : " and `") + candidates[i] + "`";
  }
  return all;
}

}  // namespace fornix
