Feature: reports of MERGE, SET and DELETE

  Scenario: MERGE refuses a null property
    Given an empty graph
    When executing query:
      """
      MERGE (n:L {v: null}) RETURN n
      """
    Then a SemanticError should be raised at runtime: MergeReadOwnWrites
    When executing control query:
      """
      MATCH (n:L) RETURN count(n) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |

  Scenario: CREATE takes a null property as none
    Given an empty graph
    When executing query:
      """
      CREATE (n:L {v: null, w: 1}) RETURN keys(n) AS k
      """
    Then the result should be, in any order:
      | k     |
      | ['w'] |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: MERGE of one relationship three times sees what the rows before made
    Given an empty graph
    And having executed:
      """
      CREATE (:A {id: 1}), (:B {id: 1})
      """
    When executing query:
      """
      UNWIND [1, 1, 1] AS i
      MATCH (a:A {id: i}), (b:B {id: i})
      MERGE (a)-[r:R]->(b)
        ON CREATE SET r.n = 1
        ON MATCH SET r.n = r.n + 1
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 1 |
    When executing control query:
      """
      MATCH ()-[r:R]->() RETURN count(r) AS c, max(r.n) AS n
      """
    Then the result should be, in any order:
      | c | n |
      | 1 | 3 |

  Scenario: adding a map to a relationship keeps, adds and removes keys
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:E {keep: 1, gone: 2}]->(:B)
      """
    When executing query:
      """
      MATCH (:A)-[r:E]->(:B) SET r += {w: 2.5, d: 'x', gone: null}
      """
    Then the result should be empty
    And the side effects should be:
      | +properties | 2 |
      | -properties | 1 |
    When executing control query:
      """
      MATCH (:A)-[r:E]->(:B) RETURN r.keep AS k, r.w AS w, r.d AS d, r.gone AS g, size(keys(r)) AS n
      """
    Then the result should be, in any order:
      | k | w   | d   | g    | n |
      | 1 | 2.5 | 'x' | null | 3 |

  Scenario: a batch of relationships keeps every row
    Given an empty graph
    And having executed:
      """
      UNWIND range(1, 3) AS i CREATE (:F {id: i}), (:G {id: i})
      """
    When executing query:
      """
      UNWIND [{f: 1, g: 1}, {f: 1, g: 2}, {f: 2, g: 3}] AS row
      MATCH (f:F {id: row.f})
      MATCH (g:G {id: row.g})
      MERGE (f)-[:HAS]->(g)
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 3 |
    When executing control query:
      """
      MATCH (f:F)-[:HAS]->(g:G) RETURN f.id AS f, g.id AS g ORDER BY f, g
      """
    Then the result should be, in order:
      | f | g |
      | 1 | 1 |
      | 1 | 2 |
      | 2 | 3 |

  # 2,000 rows, of which 1,600 start at the same node.
  Scenario: a long batch with a shared end keeps every row
    Given an empty graph
    And having executed:
      """
      CREATE INDEX FOR (f:F) ON (f.id)
      """
    And having executed:
      """
      CREATE INDEX FOR (g:G) ON (g.id)
      """
    And having executed:
      """
      UNWIND range(1, 2000) AS i CREATE (:F {id: i}), (:G {id: i})
      """
    When executing query:
      """
      UNWIND range(1, 2000) AS i
      MATCH (f:F {id: CASE WHEN i <= 1600 THEN 1 ELSE i END})
      MATCH (g:G {id: i})
      MERGE (f)-[:HAS]->(g)
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 2000 |
    When executing control query:
      """
      MATCH (f:F)-[:HAS]->(g:G) RETURN count(*) AS all, count(DISTINCT f) AS starts, count(DISTINCT g) AS ends
      """
    Then the result should be, in any order:
      | all  | starts | ends |
      | 2000 | 401    | 2000 |

  Scenario: LIMIT cuts the answer and not the writes
    Given an empty graph
    When executing query:
      """
      UNWIND [100, 101, 102] AS v CREATE (a:P {id: v}) RETURN a.id AS id LIMIT 1
      """
    Then the result should be, in any order:
      | id  |
      | 100 |
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: a property of a node that this statement deleted
    Given an empty graph
    And having executed:
      """
      CREATE (:T {p: 1})
      """
    When executing query:
      """
      MATCH (n:T) DETACH DELETE n RETURN n.p AS p
      """
    Then an EntityNotFound should be raised at runtime: DeletedEntityAccess
    When executing control query:
      """
      MATCH (n:T) RETURN count(n) AS n
      """
    Then the result should be, in any order:
      | n |
      | 1 |

  Scenario Outline: <reader> of a node that this statement deleted
    Given an empty graph
    And having executed:
      """
      CREATE (:T {p: 1})
      """
    When executing query:
      """
      MATCH (n:T) DETACH DELETE n RETURN <reader> AS p
      """
    Then an EntityNotFound should be raised at runtime: DeletedEntityAccess

    Examples:
      | reader        |
      | n {.*}        |
      | n {.p, k: 1}  |
      | properties(n) |
      | keys(n)       |
      | labels(n)     |
      | n['p']        |

  Scenario: MERGE by list elements and values of functions
    Given an empty graph
    When executing query:
      """
      WITH ['jon', 'snow'] AS c MERGE (v:P {first: c[0], last: toUpper(c[1])}) RETURN v.first AS f, v.last AS l
      """
    Then the result should be, in any order:
      | f     | l      |
      | 'jon' | 'SNOW' |
    When executing query:
      """
      WITH ['jon', 'snow'] AS c MERGE (v:P {first: c[0], last: toUpper(c[1])}) WITH v MATCH (p:P) RETURN count(p) AS n
      """
    Then the result should be, in any order:
      | n |
      | 1 |
    And no side effects
