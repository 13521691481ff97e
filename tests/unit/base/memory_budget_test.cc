// The budget: charges pass the limit for nobody, the cache gives way, and the environment sets the default.
#include "base/memory_budget.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace fornix {
namespace {

TEST_CASE("a charge over the limit is refused by name and changes nothing") {
  MemoryBudget budget(1000);
  CHECK(budget.TryCharge(MemoryUse::kQueries, 600, "a sort").ok());
  const Status status = budget.TryCharge(MemoryUse::kQueries, 401, "a hash join");
  CHECK(status.code() == Code::kResourceExhausted);
  CHECK(status.message().find("a hash join") != std::string::npos);
  CHECK(budget.total() == 600);
  CHECK(budget.TryCharge(MemoryUse::kWriteSets, ~uint64_t{0} - 10, "too much").code() == Code::kResourceExhausted);
  CHECK(budget.TryCharge(MemoryUse::kWriteSets, 400, "a write set").ok());
  budget.Release(MemoryUse::kQueries, 600);
  budget.Release(MemoryUse::kWriteSets, 400);
  CHECK(budget.total() == 0);
}

TEST_CASE("the cache gives way to a charge, at once or when the calls underway have ended") {
  for (const bool waiting : {false, true}) {
    MemoryBudget budget(1000);
    budget.Add(MemoryUse::kCache, 900);
    budget.set_reclaim([&](uint64_t bytes) -> uint64_t {
      const uint64_t n = std::min(bytes, budget.used(MemoryUse::kCache));
      if (waiting) return n;
      budget.Release(MemoryUse::kCache, n);
      return 0;
    });
    CHECK(budget.TryCharge(MemoryUse::kQueries, 500, "a sort").ok());
    CHECK(budget.used(MemoryUse::kCache) == (waiting ? 900 : 500));
    CHECK(!budget.TryCharge(MemoryUse::kQueries, 501, "a sort").ok());
    CHECK(budget.TryCharge(MemoryUse::kQueries, 500, "a sort").ok());
    CHECK(!budget.TryCharge(MemoryUse::kQueries, 1001, "a sort").ok());
  }
}

TEST_CASE("the cache has what the others leave, and always a sixteenth") {
  MemoryBudget budget(1600);
  CHECK(budget.cache_room() == 1600);
  budget.Add(MemoryUse::kCache, 300);
  budget.Add(MemoryUse::kDelta, 600);
  CHECK(budget.cache_room() == 1000);
  budget.Add(MemoryUse::kDelta, 1000);
  CHECK(budget.cache_room() == 100);
}

TEST_CASE("the environment's bytes are the default, and what can't be read is ignored") {
  const auto with = [](const char* text) {
    setenv("FORNIX_MEMORY_BYTES", text, 1);
    const uint64_t bytes = DefaultMemoryBudget();
    unsetenv("FORNIX_MEMORY_BYTES");
    return bytes;
  };
  const char* const ours = std::getenv("FORNIX_MEMORY_BYTES");
  const std::string before = ours == nullptr ? "" : ours;
  unsetenv("FORNIX_MEMORY_BYTES");
  const uint64_t machine = DefaultMemoryBudget();
  CHECK(machine >= uint64_t{64} << 20);
  CHECK(with("12345678") == 12345678);
  CHECK(with("64MiB") == uint64_t{64} << 20);
  CHECK(with("64 KiB") == uint64_t{64} << 10);
  CHECK(with("2GiB") == uint64_t{2} << 30);
  for (const char* bad : {"", "0", "x", "-5", "12x", "12 MB", "99999999999GiB", "1.5GiB", "99999999999999999999999"}) CHECK(with(bad) == machine);
  if (ours != nullptr) setenv("FORNIX_MEMORY_BYTES", before.c_str(), 1);
}

}  // namespace
}  // namespace fornix
