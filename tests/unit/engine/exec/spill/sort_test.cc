// Sorts that don't fit: the same rows in the same order as in memory, ties included.
#include "tests/unit/engine/exec/spill/spill_test_util.h"

namespace fornix::engine {

TEST_CASE("a sort that spills gives the order of one in memory, ties included") {
  for (uint64_t seed : {uint64_t{1}, SystemRandom64()}) {
    INFO("seed=" << seed);
    const Map rows = RandomRows(seed, 4000, 200);
    CheckSpills("UNWIND $rows AS r RETURN r.k AS k, r.i AS i ORDER BY k", rows, 128 << 10, 2, true);
    CheckSpills("UNWIND $rows AS r RETURN r.n AS n, r.s AS s, r.i AS i ORDER BY n DESC, s", rows, 128 << 10, 2, true);
    CheckSpills("UNWIND $rows AS r WITH r.s AS s, r.i AS i ORDER BY r.n, r.k DESC RETURN i", rows, 128 << 10, 2, true);
    CheckSpills("UNWIND $rows AS r RETURN r.k AS k, r.i AS i ORDER BY k SKIP 100 LIMIT 4000", rows, 128 << 10, 2, true);
  }
}

TEST_CASE("more runs than are merged at once take another pass") {
  // Blocks of 4 KiB and 4 runs at a time.
  CheckSpills("UNWIND $rows AS r RETURN r.s AS s, r.i AS i ORDER BY s", RandomRows(7, 8000, 1000), 64 << 10, 8, true);
}

TEST_CASE("the first rows of a sort stay in memory, however many come") {
  SpillFolder folder(PosixFileSystem(), "");
  TestGraph g;
  g.options.spill = &folder;
  g.options.memory_bytes_max = 256 << 10;
  g.options.profile = true;
  CHECK(g.Run("UNWIND range(1, 100) AS a UNWIND range(1, 500) AS b RETURN a, b ORDER BY a DESC, b LIMIT 2") == Rows{"100 | 1", "100 | 2"});
  CHECK(SpilledRuns(g) == 0);
}

TEST_CASE("a sort that spills inside a subquery starts over for each row") {
  CheckSpills("UNWIND [1, 2, 3] AS x CALL (x) { UNWIND $rows AS r WITH r.s AS s, r.i AS i ORDER BY s, i RETURN collect(i)[x] AS i } RETURN x, i",
              RandomRows(3, 4000, 500), 700 << 10, 3, true);
}

}  // namespace fornix::engine
