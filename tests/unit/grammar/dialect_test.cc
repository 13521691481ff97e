// Ways of writing that drivers, frameworks and people use: each must be read, whatever it means later.
#include <catch2/catch.hpp>

#include "grammar/parse.h"

using namespace fornix;

TEST_CASE("texts as clients write them are read") {
  for (const char* text : {
           "CALL db.index.fulltext.queryNodes(\"names\", $query, {limit: $limit})YIELD node AS n, score WHERE n.group = $g "
           "RETURN n",
           "CALL apoc.meta.data({sample: $n}) yield label, other, elementType RETURN *",
           "CALL db.labels",
           "CALL dbms.components() YIELD *",
           "MATCH (n:Entity) WHERE any(k in $keys WHERE n[k] IS NOT null) RETURN n {.*, `text`: Null, _embedding_: n.e} AS node, "
           "elementId(n)",
           "MATCH (c :`__Entity__`) CALL { WITH c MATCH (c)-->(d) RETURN d UNION ALL WITH c MATCH (c)<--(d) RETURN d } RETURN d",
           "UNWIND $rows AS row CALL (row) { MERGE (c:L {id: row.id}) WITH c, row CALL db.create.setNodeVectorProperty(c, 'k', "
           "row.e) SET c.text = row.t SET c += row.m } IN TRANSACTIONS OF 1000 ROWS",
           "MATCH (n:L) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS;",
           "UNWIND $nodes AS node MERGE (n:Entity {uuid: node.uuid}) SET n:$(node.labels) SET n = node WITH n, node CALL "
           "db.create.setNodeVectorProperty(n, \"e\", node.e) RETURN n.uuid AS uuid",
           "MATCH (source {id: $a}) WITH source CALL apoc.merge.relationship(source, $type, {}, $p, source) YIELD rel RETURN rel",
           "MATCH p = (origin {uuid: $u})-[:A|B*1..3]->(:L) UNWIND relationships(p) AS rel RETURN startNode(rel).uuid, "
           "collect({a: 1})[..$limit] LIMIT toInteger($limit)",
           "MATCH (n) WHERE n:A|B AND $a <= n.x <= $b AND NOT n.p IN $list AND n.when IS NOT NULL RETURN DISTINCT n ORDER BY "
           "n.uuid DESC SKIP $s LIMIT $l",
           "MERGE (a:X {id: 1})-[r:`has part`]->(b:Y) ON CREATE SET r.t = timestamp(), a:`Some Label` ON MATCH SET r.x = null "
           "RETURN round(2 * 0.5 - 1, 4) AS s // comment",
           "FOREACH (_ IN CASE WHEN $x THEN [1] ELSE [] END | MERGE (n:A {id: $id}) SET n.x = $x)",
           "CYPHER runtime = parallel parallelRuntimeSupport=all MATCH (n) RETURN n",
           "CYPHER 25 MATCH (node:`L`) SEARCH node IN (VECTOR INDEX `i` FOR $query_vector LIMIT $top_k * $ratio) SCORE AS score "
           "RETURN node, score",
           "MATCH (a)-[:NEXT*0..]-(b) WITH *, size([x IN labels(a) WHERE NOT x IN ['A']]) AS c WHERE c > 0 RETURN *, c * 2 AS d",
           "MATCH (n) RETURN n.name as first, n.type",
           "WITH $entity AS entity MERGE (e:Memory {name: entity.name}) SET e += entity {.type, .observations} SET e:`Dyn`",
           "RETURN reduce(s = '', k IN $props | s + '\\n' + k + ':' + coalesce($m[k], '')) AS text",
           "RETURN EXISTS { MATCH (a)-->(b) } AS x;",
           "MATCH (n) WHERE COUNT { MATCH (n)--() } = 1 AND NOT EXISTS { (n)-->(m) WHERE m.x = 1 } RETURN COLLECT { MATCH "
           "(n)-->(m) RETURN m.name } AS names",
           "MATCH (n WHERE n.age > 3)-[r:R WHERE r.since < date()]->(m:(A|B)&!C) RETURN n",
           "MATCH (n) SET n['key' + $x] = 1, (n).y = 2 REMOVE n:A:B, n.z",
           "MATCH (n) RETURN CASE n.x WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN n.x > 1 THEN 1 ELSE 0 END",
           "MATCH (a), (b), p = shortestPath((a)-[:T*..10]-(b)) RETURN p, [x IN nodes(p) | x.name], "
           "length(shortestPath((a)-[*]-(b)))",
           "MATCH p = (a) ((x)-[r:T]->(y) WHERE x.k < y.k){1,3} (b)-[:T WHERE true]->+(c)<-[s]-{,2}(d) RETURN p, [n IN x | n.k], s",
           "MATCH ((a)-->(b)-[:T|U]-(c)){2} ((d)--(e))* RETURN *",
           "MATCH p = ANY SHORTEST (a)-[:T]->+(b), q = ALL SHORTEST (a)-[:U]-{1,5}(b), SHORTEST 1 PATH GROUP (a)-->*(c) RETURN p, q",
           "MATCH (path), (shortest)-->(any), all = (group)-->(paths) RETURN path, shortest, group, both",
           "RETURN trim(BOTH 'x' FROM $s), trim(LEADING FROM $s), trim('x' FROM $s), trim($s), trim(both), trim(leading, 'x')",
           "MATCH (n) WHERE n IS A AND n.s IS NFC NORMALIZED AND NOT n.s IS NOT NORMALIZED RETURN normalize(n.s, NFD)",
           "INSERT (a:A)-[:T {x: 1}]->(b:B&C) RETURN a",
           "MATCH (n) CALL (n) { SET n.x = 1 } IN 4 CONCURRENT TRANSACTIONS OF 10 ROWS REPORT STATUS AS s ON ERROR BREAK RETURN s",
           "MATCH (n) USING INDEX n:L(p) WHERE n.p = 1 RETURN n",
           "RETURN 1 IS :: INTEGER, $x IS NOT TYPED LIST<STRING NOT NULL>, [1,2] || [3], 2 ^ 3 ^ 2, 'a' =~ 'b.*'",
           "RETURN all(x IN [1] WHERE x > 0) AND none(x IN [] WHERE x) XOR single(x IN [1] WHERE x = 1)",
           "MATCH (n) WITH n ORDER BY n.x ASCENDING, n.y DESCENDING OFFSET 1 LIMIT 2 RETURN n UNION DISTINCT MATCH (n) RETURN n",
           "OPTIONAL CALL (*) { RETURN 1 AS one } RETURN one",
           "MATCH (n) DETACH DELETE n FINISH",
           "PROFILE EXPLAIN RETURN 1",
           "RETURN {`a b`: 1, c: [{d: null}]}.`a b`[0].e AS `quoted name`",
       }) {
    auto result = grammar::Parse(text);
    INFO(text);
    INFO(result.status().ToString());
    CHECK(result.ok());
  }
}
