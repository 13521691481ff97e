// Expressions, through text, at all batch sizes; the operators of functions are tested beside them.
#include "tests/unit/engine/exec/test_graph.h"

namespace fornix::engine {

TEST_CASE("AND and OR have three truth values and spare decided rows the right side") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [true, false, null] AS a UNWIND [true, false, null] AS b RETURN a AND b, a OR b, a XOR b, NOT a") ==
          Rows{"true | true | false | false", "false | true | true | false", "null | true | null | false", "false | true | true | true",
               "false | false | false | true", "false | null | null | true", "null | true | null | null", "false | null | null | null",
               "null | null | null | null"});
    CHECK(g.Run("UNWIND [0, 1, 2] AS x RETURN x <> 0 AND 2 / x > 1") == Rows{"false", "true", "false"});
    CHECK(g.Run("UNWIND [0, 1, 2] AS x RETURN x = 0 OR 2 / x > 1") == Rows{"true", "true", "false"});
    CHECK(g.Run("UNWIND [0, 1] AS x RETURN CASE WHEN x = 0 THEN 'zero' WHEN 1 / x = 1 THEN 'one' END") == Rows{"'zero'", "'one'"});
    CHECK(g.Error("UNWIND [1, 0] AS x RETURN x <> 5 AND 2 / x > 1").code() == Code::kArithmeticError);
  });
}

TEST_CASE("comparisons mix kinds: numbers compare, other kinds are unknown, NaN is equal to nothing") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 1.0, 2, 'a', null] AS x RETURN x = 1, x < 2, x <> 1") ==
          Rows{"true | true | false", "true | true | false", "false | false | true", "false | null | true", "null | null | null"});
    CHECK(g.Run("UNWIND [1.0, 0.0 / 0.0] AS x RETURN x = x, x > 0, x <> x") == Rows{"true | true | false", "false | false | true"});
    CHECK(g.Run("UNWIND [1, 2, 3, 4] AS x RETURN 1 < x <= 3") == Rows{"false", "true", "true", "false"});
    CHECK(g.Run("UNWIND [9007199254740993] AS x RETURN x = 9007199254740992.0") == Rows{"false"});
    CHECK(g.Run("UNWIND [1, 2] AS x RETURN 1 < x < null, 5 < x < null") == Rows{"false | false", "null | false"});
  });
}

TEST_CASE("arithmetic keeps integers exact, promotes to floats, and names overflow") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 2, 3] AS x RETURN x + 1, x * 2 - 1, x / 2, x % 2, x ^ 2, -x, x + 0.5") ==
          Rows{"2 | 1 | 0 | 1 | 1.0 | -1 | 1.5", "3 | 3 | 1 | 0 | 4.0 | -2 | 2.5", "4 | 5 | 1 | 1 | 9.0 | -3 | 3.5"});
    CHECK(g.Run("UNWIND [1, null] AS x RETURN x + 1") == Rows{"2", "null"});
    CHECK(g.Error("UNWIND [1, 9223372036854775807] AS x RETURN x + 1").code() == Code::kArithmeticError);
    CHECK(g.Run("UNWIND ['a', 1] AS x RETURN x + 'b'") == Rows{"'ab'", "'1b'"});
  });
}

TEST_CASE("list comprehensions, quantifiers and reduce see outer variables and may be nested") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 2] AS k RETURN [x IN range(1, 4) WHERE x % 2 = 0 | x * k]") == Rows{"[2, 4]", "[4, 8]"});
    CHECK(g.Run("UNWIND [1, 2] AS k RETURN [x IN [1, 2] | [y IN [10, 20] | x * y + k]]") == Rows{"[[11, 21], [21, 41]]", "[[12, 22], [22, 42]]"});
    CHECK(g.Run("UNWIND [[1, 2], [2, 2], [], null, [null, 2]] AS l RETURN all(x IN l WHERE x = 2), any(x IN l WHERE x = 2), none(x IN l WHERE x = 2), single(x IN l WHERE x = 2)") ==
          Rows{"false | true | false | true", "true | true | false | false", "true | false | true | false", "null | null | null | null", "null | true | false | null"});
    CHECK(g.Run("UNWIND [1, 2] AS k RETURN reduce(a = k, x IN [1, 2, 3] | a + x * k), reduce(a = 0, x IN [] | a + x)") == Rows{"7 | 0", "14 | 0"});
    CHECK(g.Run("RETURN size([x IN range(1, 5000) WHERE x > 10]), reduce(a = 0, x IN range(1, 3000) | a + 1)") == Rows{"4990 | 3000"});
    CHECK(g.Run("UNWIND [null, 1] AS l RETURN [x IN CASE WHEN l IS NULL THEN null ELSE [l] END | x]") == Rows{"null", "[1]"});
  });
}

TEST_CASE("maps, projections of maps, subscripts and slices") {
  EachBatchSize([](TestGraph& g) {
    g.Run("CREATE (:M {a: 1, b: 'x'})");
    CHECK(g.Run("MATCH (n:M) RETURN n {.*, c: 3}, n {.b}, n['a'], {x: n.a}.x") == Rows{"{a: 1, b: 'x', c: 3} | {b: 'x'} | 1 | 1"});
    CHECK(g.Run("UNWIND [0, 1, -1, 5, null] AS i RETURN [10, 20, 30][i]") == Rows{"10", "20", "30", "null", "null"});
    CHECK(g.Run("RETURN [1, 2, 3, 4][1..3], [1, 2, 3][..-1], [1, 2, 3][2..]") == Rows{"[2, 3] | [1, 2] | [3]"});
    CHECK(g.Run("OPTIONAL MATCH (n:None) RETURN n {.*}, n.a") == Rows{"null | null"});
  });
}

TEST_CASE("CASE with and without an operand; null matches no branch") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 2, null, 3] AS x RETURN CASE x WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'other' END") ==
          Rows{"'one'", "'two'", "'other'", "'other'"});
    CHECK(g.Run("UNWIND [1, null] AS x RETURN CASE WHEN x > 0 THEN x END") == Rows{"1", "null"});
  });
}

TEST_CASE("types of values are tested by name") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND [1, 1.5, 'a', null, [1], [1, 'a']] AS x RETURN x IS :: INTEGER, x IS :: INTEGER | STRING NOT NULL, x IS :: LIST<INTEGER>, x IS NOT :: FLOAT") ==
          Rows{"true | true | false | true", "false | false | false | false", "false | true | false | true", "true | true | true | false",
               "false | false | true | true", "false | false | false | true"});
  });
}

TEST_CASE("labels and types are tested on nodes and relationships, with expressions over names") {
  EachBatchSize([](TestGraph& g) {
    g.Run("CREATE (:A:B {n: 1})-[:R]->(:B {n: 2})-[:S]->({n: 3})");
    CHECK(g.Run("MATCH (x) RETURN x:A, x:B, x:A&B, x:!B, x:A|Nope, x:% ORDER BY x.n") ==
          Rows{"true | true | true | false | true | true", "false | true | false | false | false | true", "false | false | false | true | false | false"});
    CHECK(g.Run("MATCH (x)-[r]->() RETURN r:R, r:R|S ORDER BY x.n") == Rows{"true | true", "false | true"});
    CHECK(g.Run("OPTIONAL MATCH (x:None) RETURN x:A") == Rows{"null"});
  });
}

TEST_CASE("a condition that gives no boolean is a type error") {
  TestGraph g;
  const Status status = g.Error("WITH $x AS x WHERE x RETURN x", Map{{"x", Value(1)}});
  CHECK(status.code() == Code::kTypeError);
}

TEST_CASE("wide chains and long lists need no recursion and can be cancelled") {
  TestGraph g;
  std::string sum = "RETURN 1";
  for (int i = 0; i < 3000; i++) sum += " + 1";
  CHECK(g.Run(sum) == Rows{"3001"});
  std::atomic<bool> cancel{true};
  g.options.cancel = &cancel;
  CHECK(g.Error("RETURN size([x IN range(1, 100000) | x])").code() == Code::kCancelled);
  g.options.cancel = nullptr;
  g.options.deadline_ns = 1;
  CHECK(g.Error("UNWIND range(1, 10) AS x RETURN x").code() == Code::kDeadlineExceeded);
}

}  // namespace fornix::engine
