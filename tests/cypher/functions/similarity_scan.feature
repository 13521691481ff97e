Feature: sorts by similarity, from a vector index or from all rows

  # Which of both it was is asked in tests/api/similarity_scan_test.cc: here the answers, the same under every configuration.

  Background:
    Given an empty graph
    And having executed:
      """
      UNWIND range(1, 6000) AS i
      CREATE (:Entity {id: i, group_id: 'g' + (i % 3), e: [1.0 * i, 100.0], f: [1.0, 1.0 * i]})
      """
    And having executed:
      """
      CREATE (:Entity {id: 0, group_id: 'g0'}), (:Other {id: -1, e: [0.0, 1.0]})
      """
    And having executed:
      """
      CREATE VECTOR INDEX emb FOR (n:Entity) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.quantization.type`: 'none', `vector.similarity_function`: 'cosine'}}
      """
    And having executed:
      """
      CREATE VECTOR INDEX far FOR (n:Entity|Other) ON (n.f) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.quantization.type`: 'none', `vector.similarity_function`: 'euclidean'}}
      """
    And parameters are:
      | v     | [50.0, 100.0] |
      | w     | [1.0, 70.2]   |
      | group | 'g2'          |
      | limit | 3             |

  Scenario Outline: <what>
    When executing query:
      """
      <query>
      """
    Then the result should be, in order:
      | id |
      | 50 |
      | 53 |
      | 47 |

    Examples:
      | what                  | query |
      | with the score        | MATCH (n:Entity) WHERE n.group_id = $group AND n.e IS NOT NULL WITH n, vector.similarity.cosine(n.e, $v) AS score RETURN n.id AS id ORDER BY score DESC LIMIT $limit |
      | a score above a bound | MATCH (n:Entity) WHERE n.group_id IN [$group] WITH n, vector.similarity.cosine(n.e, $v) AS score WHERE score > 0.1 RETURN n.id AS id ORDER BY score DESC LIMIT $limit |
      | sorted by the call    | MATCH (n:Entity) WHERE n.group_id = 'g2' AND n.e IS NOT NULL RETURN n.id AS id ORDER BY vector.similarity.cosine($v, n.e) DESC LIMIT 3 |
      | the bare cosine       | MATCH (n:Entity {group_id: $group}) WHERE size(n.e) = 2 RETURN n.id AS id ORDER BY gds.similarity.cosine(n.e, $v) DESC LIMIT toInteger($limit) |
      | in a subquery         | CALL () { MATCH (n:Entity) WHERE n.group_id = $group AND n.e IS NOT NULL RETURN n.id AS id ORDER BY vector.similarity.cosine(n.e, $v) DESC LIMIT 3 } RETURN id |
      | then something else   | MATCH (n:Entity) WHERE n.e IS NOT NULL AND n.group_id = $group WITH n ORDER BY vector.similarity.cosine(n.e, $v) DESC LIMIT 3 OPTIONAL MATCH (n)-->(m) RETURN n.id AS id |

  Scenario: scores are those of the function, SKIP counts
    When executing query:
      """
      MATCH (n:Entity) WHERE n.f IS NOT NULL
      WITH n, vector.similarity.euclidean(n.f, $w) AS score
      RETURN n.id AS id, score = vector.similarity.euclidean([1.0, 1.0 * n.id], $w) AS same ORDER BY score DESC SKIP 1 LIMIT 2
      """
    Then the result should be, in order:
      | id | same |
      | 71 | true |
      | 69 | true |

  Scenario: one search for each row of a subquery
    When executing query:
      """
      UNWIND [[30.0, 100.0], [40.0, 100.0]] AS q
      CALL (q) { MATCH (n:Entity) WHERE n.e IS NOT NULL RETURN n.id AS id ORDER BY vector.similarity.cosine(n.e, q) DESC LIMIT 1 }
      RETURN q[0] AS q, id
      """
    Then the result should be, in any order:
      | q    | id |
      | 30.0 | 30 |
      | 40.0 | 40 |

  Scenario: every row is compared when the statement says so
    When executing query:
      """
      CYPHER vectorSearch=exact MATCH (n:Entity) WHERE n.e IS NOT NULL RETURN n.id AS id ORDER BY vector.similarity.cosine(n.e, $v) DESC LIMIT 1
      """
    Then the result should be, in order:
      | id |
      | 50 |
    And there should be no notifications
    When executing query:
      """
      CYPHER vectorSearch=quick RETURN 1
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax

  # Rows without a score come first in descending order, so no index can tell what is first.
  Scenario: rows without a vector
    When executing query:
      """
      MATCH (n:Entity) RETURN n.id AS id, vector.similarity.cosine(n.e, $v) AS score ORDER BY score DESC LIMIT 1
      """
    Then the result should be, in order:
      | id | score |
      | 0  | null  |
    And there should be no notifications

  Scenario: nearest last is no search
    When executing query:
      """
      MATCH (n:Entity) WHERE n.f IS NOT NULL RETURN n.id AS id ORDER BY vector.similarity.euclidean(n.f, $w) LIMIT 1
      """
    Then the result should be, in order:
      | id   |
      | 6000 |
    And there should be no notifications

  Scenario: few of an index on more labels
    When executing query:
      """
      MATCH (n:Other) WHERE n.e IS NOT NULL RETURN n.id AS id ORDER BY vector.similarity.cosine(n.e, $v) DESC LIMIT 2
      """
    Then the result should be, in order:
      | id |
      | -1 |
    And there should be no notifications

  Scenario Outline: <v> gives what the function gives: <error>
    Given parameters are:
      | v | <v> |
    When executing query:
      """
      MATCH (n:Entity) WHERE n.e IS NOT NULL RETURN n.id AS id ORDER BY vector.similarity.cosine(n.e, $v) DESC LIMIT 2
      """
    Then <error> should be raised at runtime: *

    Examples:
      | v            | error            |
      | [1.0]        | an ArgumentError |
      | [0.0, 0.0]   | an ArgumentError |
      | 'x'          | a TypeError      |
      | ['x', 'y']   | a TypeError      |

  Scenario: a null query leaves the order open, and nothing is an error
    Given parameters are:
      | v | null |
    When executing query:
      """
      MATCH (n:Entity) WHERE n.e IS NOT NULL WITH n ORDER BY vector.similarity.cosine(n.e, $v) DESC LIMIT 2 RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 2 |

  Scenario: own writes and deletions
    Given a transaction is open
    And having executed:
      """
      MATCH (n:Entity {id: 50}) DELETE n
      """
    And having executed:
      """
      CREATE (:Entity {id: 7000, e: [50.0, 100.001]})
      """
    When executing query:
      """
      MATCH (n:Entity) WHERE n.e IS NOT NULL RETURN n.id AS id ORDER BY vector.similarity.cosine(n.e, $v) DESC LIMIT 1
      """
    Then the result should be, in order:
      | id   |
      | 7000 |
    When the transaction is rolled back

  Scenario: a scan of many rows without an index names the one to create
    Given having executed:
      """
      UNWIND range(1, 10001) AS i CREATE (:Big {e: [1.0 * i, 1.0]})
      """
    When executing query:
      """
      MATCH (n:Big) WHERE n.e IS NOT NULL RETURN n.e[0] AS x ORDER BY vector.similarity.euclidean(n.e, [5.2, 1.0]) DESC LIMIT 2
      """
    Then the result should be, in order:
      | x   |
      | 5.0 |
      | 6.0 |

  Scenario: relationships
    Given having executed:
      """
      MATCH (a:Entity {id: 1}), (b:Entity {id: 2}) UNWIND range(1, 5000) AS i CREATE (a)-[:R {i: i, e: [1.0 * i, 100.0]}]->(b)
      """
    And having executed:
      """
      CREATE VECTOR INDEX rel FOR ()-[r:R]-() ON (r.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.quantization.type`: 'none'}}
      """
    When executing query:
      """
      MATCH (a)-[r:R]->(b) WHERE r.i % 2 = 0 WITH a, r, b, vector.similarity.cosine(r.e, $v) AS score WHERE score >= 0.2
      RETURN a.id AS a, r.i AS i, b.id AS b ORDER BY score DESC LIMIT 2
      """
    Then the result should be, in order:
      | a | i  | b |
      | 1 | 50 | 2 |
      | 1 | 52 | 2 |
