// Groupings and DISTINCT that don't fit: the same rows as in memory, with the values of a group in the order they came.
#include "tests/unit/engine/exec/spill/spill_test_util.h"

namespace fornix::engine {

TEST_CASE("a grouping that spills gives the groups of one in memory") {
  for (uint64_t seed : {uint64_t{1}, SystemRandom64()}) {
    INFO("seed=" << seed);
    // Many groups of a few rows each, keys of mixed kinds.
    const Map many = RandomRows(seed, 5000, 3000);
    CheckSpills("UNWIND $rows AS r RETURN r.s AS s, count(*) AS c, sum(r.n) AS sum, min(r.i) AS first, max(r.k) AS most", many, 192 << 10, 16, false);
    CheckSpills("UNWIND $rows AS r RETURN r.n % 1500 AS n, r.k = 3 AS k, count(r.k) AS c, avg(r.n * 0.1) AS a, stDev(r.n) AS d", many, 128 << 10, 16,
                false);
  }
}

TEST_CASE("lists, percentiles and DISTINCT of many groups spill with what they have gathered") {
  for (uint64_t seed : {uint64_t{1}, SystemRandom64()}) {
    INFO("seed=" << seed);
    const Map rows = RandomRows(seed, 6000, 400);
    CheckSpills("UNWIND $rows AS r RETURN r.n AS n, collect(r.i) AS l, collect(DISTINCT r.s) AS d", rows, 192 << 10, 16, false);
    CheckSpills("UNWIND $rows AS r RETURN r.n AS n, percentileDisc(r.i, 0.5) AS p, percentileCont(r.i, 0.9) AS q, sum(DISTINCT r.i % 7) AS s, "
                "count(DISTINCT r.k) AS c, stDevP(DISTINCT r.i % 100) AS sd", rows, 256 << 10, 16, false);
  }
}

TEST_CASE("parts that are still too large are divided again") {
  const Map rows = RandomRows(11, 9000, 1000000);
  CheckSpills("UNWIND $rows AS r RETURN r.s AS s, count(*) AS c, collect(r.i) AS l", rows, 64 << 10, 100, false);
  CheckSpills("UNWIND $rows AS r RETURN DISTINCT r.s AS s, r.n AS n", rows, 48 << 10, 100, false);
}

TEST_CASE("DISTINCT that spills keeps one row of each combination") {
  for (uint64_t seed : {uint64_t{1}, SystemRandom64()}) {
    INFO("seed=" << seed);
    const Map rows = RandomRows(seed, 6000, 3000);
    CheckSpills("UNWIND $rows AS r RETURN DISTINCT r.s AS s", rows, 128 << 10, 10, false);
    CheckSpills("UNWIND $rows AS r WITH DISTINCT r.k AS k, r.n % 1000 AS n RETURN k, n", rows, 128 << 10, 10, false);
    CheckSpills("UNWIND $rows AS r RETURN r.s AS s UNION UNWIND $rows AS r RETURN r.s AS s", rows, 128 << 10, 10, false);
  }
}

TEST_CASE("a single group that doesn't fit fails by the name of what it gathers") {
  SpillFolder folder(PosixFileSystem(), "");
  TestGraph g;
  g.options.spill = &folder;
  g.options.memory_bytes_max = 1 << 20;
  for (const auto& [text, name] : {std::pair{"RETURN size(collect(a * b)) AS n", "collect() of one group"},
                                   std::pair{"RETURN a % 1 AS k, count(DISTINCT a * 1000 + b) AS n", "count(DISTINCT ...) of one group"},
                                   std::pair{"RETURN percentileDisc(a * b, 0.5) AS n", "percentileDisc() of one group"}}) {
    const Status status = g.Error(std::string("UNWIND range(1, 300) AS a UNWIND range(1, 300) AS b ") + text);
    INFO(status.ToString());
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().find(name) != std::string::npos);
    CHECK(g.Run("RETURN 1") == Rows{"1"});
  }
  // An average of as many needs next to nothing.
  CHECK(g.Run("UNWIND range(1, 300) AS a UNWIND range(1, 300) AS b RETURN count(a * b), min(a * b)") == Rows{"90000 | 1"});
}

}  // namespace fornix::engine
