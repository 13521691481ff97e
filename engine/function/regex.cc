// `=~`: the whole text against an RE2 pattern. RE2 runs in linear time whatever the pattern, so a user's pattern can't
// hold up a server; the price is that back references and look-around don't exist. But it can't be interrupted, and linear is pattern
// times text: both together are bounded, so that the longest match ends before a cancel would be missed.
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "base/interrupt.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/function.h"
#include "engine/function/limits.h"

namespace fornix::engine {
namespace {

constexpr size_t kCachedPatternsMax = 64;    // a thread's; a statement has a handful, a column of patterns must not grow it

struct Pattern {
  std::unique_ptr<RE2> regex;
  size_t steps = 0;                          // an upper bound of what a byte of text takes
};

// A pattern compiles in about 10 us and matches in 0.1 us, so each thread keeps the ones it used lately.
const Pattern& Compiled(const std::string& pattern) {
  thread_local std::unordered_map<std::string, Pattern> cache;
  auto it = cache.find(pattern);
  if (it == cache.end()) {
    if (cache.size() >= kCachedPatternsMax) cache.clear();
    RE2::Options options;
    options.set_log_errors(false);
    Pattern compiled{std::make_unique<RE2>(pattern, options), 0};
    // What a byte can keep alive is the program without the tables of Unicode's classes: a character is in one place of such a table.
    RE2::Options bytes = options;
    bytes.set_encoding(RE2::Options::EncodingLatin1);
    const RE2 small(pattern, bytes);
    compiled.steps = static_cast<size_t>(std::max(1, small.ok() ? small.ProgramSize() : compiled.regex->ProgramSize()));
    it = cache.emplace(pattern, std::move(compiled)).first;
  }
  return it->second;
}

}  // namespace

Result<Value> MatchesRegex(const Value& text, const Value& pattern) {
  if (text.type() != Type::kString || pattern.type() != Type::kString) return Value();
  const Pattern& compiled = Compiled(pattern.AsString());
  if (!compiled.regex->ok()) return BadArgument("the regular expression " + ToShortText(pattern) + " is wrong: " + compiled.regex->error());
  const size_t bytes = text.AsString().size();
  if (bytes > kRegexStepsMax / compiled.steps) {
    return Status(Code::kLimitExceeded, "=~: a text of " + std::to_string(bytes) + " bytes and a regular expression of " +
                                            std::to_string(compiled.steps) + " steps; their product may be at most " + std::to_string(kRegexStepsMax) +
                                            " (kRegexStepsMax); CONTAINS, STARTS WITH and ENDS WITH take any text");
  }
  CountWork(bytes * compiled.steps / kTextBytesAUnit);
  return Value(RE2::FullMatch(text.AsString(), *compiled.regex));
}

}  // namespace fornix::engine
