Feature: variable lengths as clients write them

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (e:Ep {uuid: 'x'})-[:RELATES_TO {f: 1}]->(:Entity {n: 1})-[:MENTIONS {f: 2}]->(:Entity {n: 2})-[:RELATES_TO {f: 3}]->(:Entity {n: 3})
      """

  Scenario: types of either kind from a start without a label
    When executing query:
      """
      UNWIND ['x', 'none'] AS uuid
      MATCH path = (origin {uuid: uuid})-[:RELATES_TO|MENTIONS*1..3]->(n:Entity)
      UNWIND relationships(path) AS rel
      RETURN n.n AS n, collect(rel.f) AS fs, startNode(rel).uuid IS NOT NULL AS fromStart ORDER BY n, fromStart
      """
    Then the result should be (ignoring element order for lists):
      | n | fs     | fromStart |
      | 1 | [1]    | true      |
      | 2 | [2]    | false     |
      | 2 | [1]    | true      |
      | 3 | [2, 3] | false     |
      | 3 | [1]    | true      |

  Scenario: undirected and unbounded, filtered by their types
    When executing query:
      """
      MATCH p = (:Entity {n: 3})-[r*]-(m) WHERE all(x IN relationships(p) WHERE type(x) IN ['RELATES_TO', 'MENTIONS'])
      RETURN length(p) AS l, m.n AS n ORDER BY l
      """
    Then the result should be, in order:
      | l | n    |
      | 1 | 2    |
      | 2 | 1    |
      | 3 | null |

  Scenario: length 0 with an optional match
    When executing query:
      """
      MATCH (n:Entity {n: 3}) OPTIONAL MATCH p = (n)-[:RELATES_TO*0..]->(m) RETURN length(p) AS l, reverse(nodes(p))[0].n AS n, count(m) AS c
      """
    Then the result should be, in any order:
      | l | n | c |
      | 0 | 3 | 1 |

  Scenario: a bound list of relationships
    When executing query:
      """
      MATCH (:Ep)-[r*2]->(m) WITH r MATCH (a)-[r*]->(b) RETURN a.uuid AS a, b.n AS b
      """
    Then the result should be, in any order:
      | a   | b |
      | 'x' | 2 |

  Scenario: no relationship of the type
    When executing query:
      """
      MATCH (e:Ep)-[r:NOPE*]->(m) RETURN count(m) AS c
      """
    Then the result should be, in any order:
      | c |
      | 0 |
