// Joins whose second side doesn't fit: the same pairs as in memory.
#include "tests/unit/engine/exec/spill/spill_test_util.h"

namespace fornix::engine {
namespace {

const std::vector<std::string> kSetUp{
    "UNWIND $rows AS r CREATE (:A {i: r.i, n: r.n, s: r.s})",
    "UNWIND $rows AS r CREATE (:B {i: r.i, n: CASE WHEN r.n % 5 = 0 THEN null ELSE r.n END, s: r.s})",
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
  // All rows of C have the same key, which a few of A have; 7 and 7.0 agree.
  const Map rows = RandomRows(5, 600, 50);
  CheckSpills("MATCH (a:A), (c:C) WHERE a.n = c.n RETURN a.i AS a, c.i AS c", rows, 16 << 10, 2, false,
              {kSetUp[0], "UNWIND $rows AS r CREATE (:C {n: 7.0, i: r.i})"});
}

TEST_CASE("a join that spills inside a subquery starts over for each row") {
  CheckSpills("UNWIND [1, 2] AS x CALL (x) { MATCH (a:A), (b:B) WHERE a.n = b.n AND a.i % x = 0 RETURN count(*) AS c } RETURN x, c",
              RandomRows(9, 1200, 600), 64 << 10, 34, true, kSetUp);
}

}  // namespace fornix::engine
