// `=~`: the whole text against an RE2 pattern. RE2 runs in linear time whatever the pattern, so a user's pattern can't
// hold up a server; the price is that back references and look-around don't exist.
#include <re2/re2.h>

#include <memory>
#include <unordered_map>

#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/function.h"

namespace fornix::engine {
namespace {

constexpr size_t kCachedPatternsMax = 64;    // a thread's; a statement has a handful, a column of patterns must not grow it

// A pattern compiles in about 10 us and matches in 0.1 us, so each thread keeps the ones it used lately.
const RE2& Compiled(const std::string& pattern) {
  thread_local std::unordered_map<std::string, std::unique_ptr<RE2>> cache;
  auto it = cache.find(pattern);
  if (it == cache.end()) {
    if (cache.size() >= kCachedPatternsMax) cache.clear();
    RE2::Options options;
    options.set_log_errors(false);
    it = cache.emplace(pattern, std::make_unique<RE2>(pattern, options)).first;
  }
  return *it->second;
}

}  // namespace

Result<Value> MatchesRegex(const Value& text, const Value& pattern) {
  if (text.type() != Type::kString || pattern.type() != Type::kString) return Value();
  const RE2& regex = Compiled(pattern.AsString());
  if (!regex.ok()) return BadArgument("the regular expression " + QuoteString(pattern.AsString()) + " is wrong: " + regex.error());
  return Value(RE2::FullMatch(text.AsString(), regex));
}

}  // namespace fornix::engine
