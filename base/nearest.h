// "Did you mean ...?": the candidate nearest to a misspelt word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fornix {

// The least number of single-character insertions, deletions, replacements and swaps of neighbours between the two, any case
// of ASCII letters counting as the same; stops counting above `bound` and then returns bound + 1.
int EditDistance(std::string_view a, std::string_view b, int bound);
// The nearest candidate, or "" when none is near enough to be a slip (a third of the length, at least 1). The first of equals wins.
// Where none is, the shortest that begins with the word: `substr` means `substring`.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);
// "; did you mean `name`?" or "".
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);
// The same, or where nothing is near enough all there is: "; there are `a`, `b` and `c`". "" beyond a dozen.
std::string DidYouMeanOrAll(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace fornix
