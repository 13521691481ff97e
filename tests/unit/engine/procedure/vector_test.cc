// Vector search and vector properties, through text.
#include "tests/unit/engine/exec/test_graph.h"

namespace fornix::engine {

TEST_CASE("vector properties are set by procedure, found by search, and wrong dimensions name both numbers") {
  for (size_t batch : {size_t{0}, size_t{1}, size_t{1024}}) {
    TestGraph g(batch);
    g.Run("CREATE VECTOR INDEX v FOR (n:M) ON (n.emb) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}");
    g.Run("UNWIND [[1, 0, 'a'], [0, 1, 'b'], [1, 1, 'c']] AS r CREATE (n:M {k: r[2]}) WITH n, r CALL db.create.setNodeVectorProperty(n, 'emb', [r[0], r[1]])");
    CHECK(g.Run("MATCH (n:M {k: 'a'}) RETURN n.emb") == Rows{"[1.0, 0.0]"});
    CHECK(g.Run("CALL db.index.vector.queryNodes('v', 2, [1.0, 0.1]) YIELD node, score RETURN node.k") == Rows{"'a'", "'c'"});
    CHECK(g.Run("CALL db.index.vector.queryNodes($i, 2, [1.0, 0.1]) YIELD node RETURN node.k", Map{{"i", Value("v")}}) == Rows{"'a'", "'c'"});
    CHECK(g.Run("MATCH (m:M) SEARCH m IN (VECTOR INDEX v FOR $q LIMIT 3) SCORE AS s RETURN m.k", Map{{"q", Value(List{Value(0.0), Value(1.0)})}}) ==
          Rows{"'b'", "'c'", "'a'"});
    CHECK(g.Run("MATCH (m:M) SEARCH m IN (VECTOR INDEX v FOR $q LIMIT 3) SCORE AS s RETURN m.k", Map{{"q", Value()}}).empty());
    const Status wrong = g.Error("CALL db.index.vector.queryNodes('v', 2, [1.0, 0.1, 3.0]) YIELD node RETURN node");
    CHECK(wrong.message().find("3 dimensions") != std::string::npos);
    CHECK(wrong.message().find("2") != std::string::npos);
  }
}

}  // namespace fornix::engine
