// The graph that the hostile statements run on, in memory: a dense one, a grid, a hub, parallel relationships, vectors.
#pragma once

#include "tests/api/api_test_util.h"

namespace fornix::test {

inline void MakeHostileGraph(Session& s) {
  s.Run("UNWIND range(1, 60) AS i CREATE (:K {i: i})");
  s.Run("MATCH (a:K), (b:K) WHERE a <> b CREATE (a)-[:R]->(b)");
  s.Run("UNWIND range(0, 39) AS x UNWIND range(0, 39) AS y CREATE (:G {x: x, y: y})");
  s.Run("MATCH (a:G), (b:G {x: a.x + 1, y: a.y}) CREATE (a)-[:D]->(b)");
  s.Run("MATCH (a:G), (b:G {x: a.x, y: a.y + 1}) CREATE (a)-[:D]->(b)");
  s.Run("CREATE (h:Hub) WITH h UNWIND range(1, 50000) AS i CREATE (h)-[:H]->(:Leaf {n: i, text: 'some text of a leaf'})");
  s.Run("CREATE (a:A), (b:B), (c:C), (a)-[:L]->(b) WITH a, b, c UNWIND range(1, 5000) AS i CREATE (a)-[:PAR]->(c), (b)-[:PAR]->(c)");
  s.Run("CREATE INDEX leaf FOR (l:Leaf) ON (l.n)");
  s.Run("CREATE VECTOR INDEX emb FOR (v:V) ON (v.e) OPTIONS {indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}}");
  s.Run("UNWIND range(1, 2000) AS i CREATE (:V {e: [1.0, sin(i), cos(i), sin(i * 0.1)]})");
  s.Run("CALL db.awaitIndexes()");
}

}  // namespace fornix::test
