// Statements that want too much memory or time end with an error that says so, and the next one works.
#include "base/clock.h"
#include "tests/unit/engine/exec/test_graph.h"

namespace fornix::engine {

TEST_CASE("lists, strings, sorts and writes without bound meet the memory limit") {
  TestGraph g;
  g.options.memory_bytes_max = 8 << 20;
  for (const char* text : {"RETURN size([x IN range(1, 100000) | [y IN range(1, 100000) | 1]])",
                           "RETURN size(reduce(s = 'a', x IN range(1, 40) | s + s))",
                           "UNWIND range(1, 1000) AS x RETURN sum(size(range(1, 1000000 + x)))",
                           "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c CREATE ()",
                           "UNWIND range(1, 1000) AS a UNWIND range(1, 10000) AS b RETURN DISTINCT a, b",
                           "UNWIND range(1, 1000) AS a UNWIND range(1, 10000) AS b RETURN a, b ORDER BY a",
                           "UNWIND range(1, 1000) AS a UNWIND range(1, 10000) AS b WITH collect([a, b]) AS l RETURN l LIMIT 1"}) {
    CAPTURE(text);
    CHECK(g.Error(text).code() == Code::kResourceExhausted);
    CHECK(g.Run("RETURN 1") == Rows{"1"});
  }
  // What fits row by row is not refused for being many rows.
  CHECK(g.Run("RETURN size([x IN range(1, 300) | size([y IN range(1, 5000) | y])])") == Rows{"300"});
}

TEST_CASE("a deadline ends walks of dense graphs, products and sorts") {
  TestGraph g;
  g.Run("UNWIND range(1, 12) AS i CREATE (:K {i: i})");
  g.Run("MATCH (a:K), (b:K) WHERE a <> b CREATE (a)-[:R]->(b)");
  for (const char* text : {"MATCH (a:K)-[:R*1..30]->(b) RETURN count(*)", "MATCH (a:K)-[:R*]->(b) WHERE a.i + b.i < 0 RETURN b",
                           "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)",
                           "MATCH (a), (b), (c), (d), (e), (f), (h) WHERE a.i + b.i + c.i + d.i + e.i + f.i + h.i = 0 RETURN count(*)",
                           "RETURN size([x IN range(1, 100000) WHERE any(y IN range(1, 100000) WHERE y = -x)])"}) {
    CAPTURE(text);
    const uint64_t start = MonotonicNanos();
    g.options.deadline_ns = start + 100'000'000;
    CHECK(g.Error(text).code() == Code::kDeadlineExceeded);
    CHECK(MonotonicNanos() - start < 5'000'000'000);   // far above what it takes, so that a busy machine doesn't fail it
    g.options.deadline_ns = 0;
    CHECK(g.Run("RETURN 1") == Rows{"1"});
  }
}

TEST_CASE("sorting more than a block keeps ties in the order they came") {
  EachBatchSize([](TestGraph& g) {
    CHECK(g.Run("UNWIND range(1, 20000) AS x WITH x, x % 3 AS k ORDER BY k WITH k, collect(x) AS l RETURN k, l[0], l[1], l[-1], size(l)") ==
          Rows{"0 | 3 | 6 | 19998 | 6666", "1 | 1 | 4 | 19999 | 6667", "2 | 2 | 5 | 20000 | 6667"});
  });
}

}  // namespace fornix::engine
