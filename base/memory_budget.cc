// MemoryBudget's charge that may be refused, and how much one database takes by default.
#include "base/memory_budget.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace fornix {
namespace {

constexpr uint64_t kFallbackBytes = uint64_t{1} << 30;   // for a machine that doesn't say how much it has
constexpr uint64_t kLeastBytes = uint64_t{64} << 20;     // docs/testing.md: everything works from here on

// "1048576", "64MiB", "2 GiB"; nothing if it is neither.
std::optional<uint64_t> ParseBytes(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  int shift = 0;
  if (text == "KiB") shift = 10;
  else if (text == "MiB") shift = 20;
  else if (text == "GiB") shift = 30;
  else if (!text.empty()) return std::nullopt;
  if (number > std::numeric_limits<uint64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

// The number in a file of the control groups; nothing if there is none ("max", no such file).
std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream in(path);
  std::string word;
  if (!(in >> word)) return std::nullopt;
  return ParseBytes(word);
}

uint64_t PhysicalBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) : kFallbackBytes;
}

// The least limit of our control group and those above it: "0::/a/b" in version 2, "4:memory:/a/b" in version 1. In a container
// the path may be of a tree that isn't ours to see, so the top is always asked too.
uint64_t ControlGroupBytes() {
  uint64_t least = std::numeric_limits<uint64_t>::max();
  const auto ask = [&least](const std::string& root, std::string path, const char* name) {
    for (;;) {
      if (path == "/") path.clear();
      if (const auto limit = NumberIn(root + path + name)) least = std::min(least, *limit);
      if (path.empty()) return;
      path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
    }
  };
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) ask("/sys/fs/cgroup", line.substr(second + 1), "/memory.max");
    if (controllers == "memory") ask("/sys/fs/cgroup/memory", line.substr(second + 1), "/memory.limit_in_bytes");
  }
  return least;
}

// "delta 12 MiB, queries 3 MiB": those that hold a MiB or more.
std::string Holders(const MemoryBudget& budget) {
  static constexpr std::array<const char*, kMemoryUses> kNames{"cache", "delta", "write sets", "indexes", "queries", "checkpoint"};
  std::string text;
  for (size_t use = 0; use < kMemoryUses; ++use) {
    const uint64_t held = budget.used(static_cast<MemoryUse>(use));
    if (held < (uint64_t{1} << 20)) continue;
    text += (text.empty() ? "" : ", ") + std::string(kNames[use]) + " " + std::to_string(held >> 20) + " MiB";
  }
  return text.empty() ? "by many, below 1 MiB each" : text;
}

}  // namespace

Status MemoryBudget::TryCharge(MemoryUse use, uint64_t bytes, std::string_view what) {
  RETURN_IF_ERROR(CountForTest(what));
  uint64_t beyond = 0;   // what reclaiming has promised
  for (int attempt = 0;; ++attempt) {
    uint64_t all = total_.load(std::memory_order_relaxed);
    while (all + bytes <= limit_ + beyond && all + bytes >= all) {
      if (total_.compare_exchange_weak(all, all + bytes, std::memory_order_relaxed)) {
        used_[Place(use)].fetch_add(bytes, std::memory_order_relaxed);
        return Status::Ok();
      }
    }
    // Twice, because another thread may take what was freed for this one.
    if (attempt == 2 || !reclaim_ || bytes > limit_) break;
    beyond = reclaim_(all + bytes - limit_);
  }
  return Status(Code::kResourceExhausted, "out of memory: " + std::string(what) + " needs " + std::to_string(bytes) + " bytes, " +
                                              std::to_string(total()) + " of the database's " + std::to_string(limit_) +
                                              " bytes are in use (" + Holders(*this) + ")");
}

Status MemoryBudget::CountSlow(std::string_view what) {
  const int64_t left = countdown_.load(std::memory_order_relaxed);
  if (left > 0) {
    countdown_.store(left - 1, std::memory_order_relaxed);
    return Status::Ok();
  }
  if (left == 0 && !for_ever_.load(std::memory_order_relaxed)) StopRefusing();
  return {Code::kResourceExhausted, "out of memory: " + std::string(what) + " was refused (injected)"};
}

uint64_t DefaultMemoryBudget() {
  if (const char* text = std::getenv("FORNIX_MEMORY_BYTES")) {
    if (const auto bytes = ParseBytes(text)) return *bytes;   // what can't be read is as if it weren't set: a library is silent
  }
  return std::max(kLeastBytes, std::min(PhysicalBytes(), ControlGroupBytes()) / 2);
}

}  // namespace fornix
