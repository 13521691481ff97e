// Joins whose second side doesn't fit: the same pairs as in memory.
#include "tests/unit/engine/exec/spill/spill_test_util.h"

namespace fornix::engine {
namespace {

const std::vector<std::string> kSetUp{
    "UNWIND $rows AS r CREATE (:A {i: r.i, n: r.n, s: r.s})",
    "UNWIND $rows AS r CREATE (:B {i: r.i, n: CASE WHEN r.n % 5 = 0 THEN null ELSE r.n END, s: r.s})",
    "UNWIND $rows AS r WITH r WHERE r.i % 10 = 0 CREATE (:C {n: 7.0})",
};

}  // namespace

TEST_CASE("a join that spills gives the pairs of one in memory") {
  for (uint64_t seed : {uint64_t{1}, SystemRandom64()}) {
    INFO("seed=" << seed);
    const Map rows = RandomRows(seed, 1500, 900);
    CheckSpills("MATCH (a:A), (b:B) WHERE a.n = b.n RETURN a.i AS a, b.i AS b", rows, 64 << 10, 17, false, kSetUp);
    CheckSpills("MATCH (a:A), (b:B) WHERE a.n = b.n AND a.i < b.i RETURN a.i AS a, b.i AS b, b.s AS s", rows, 64 << 10, 17, false, kSetUp);
    CheckSpills("MATCH (a:A), (b:B) WHERE a.n = b.n AND a.i < b.i RETURN a.i AS a, b.i AS b ORDER BY a, b", rows, 64 << 10, 17, true, kSetUp);
  }
}

TEST_CASE("a part of one key is joined piece by piece") {
  // 300 rows of one key on the second side, against a few on the first; 7 and 7.0 agree.
  const Map rows = RandomRows(5, 3000, 100);
  CheckSpills("MATCH (a:A {n: 7}), (c:C) WHERE a.n = c.n RETURN a.i AS a, id(c) - id(c) AS c", rows, 24 << 10, 2, false, kSetUp);
}

TEST_CASE("a join that spills inside a subquery starts over for each row") {
  CheckSpills("UNWIND [1, 2] AS x CALL (x) { MATCH (a:A), (b:B) WHERE a.n = b.n AND a.i % x = 0 RETURN count(*) AS c } RETURN x, c",
              RandomRows(9, 1200, 600), 64 << 10, 34, true, kSetUp);
}

}  // namespace fornix::engine
