Feature: SEARCH with a filter inside of the index

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX emb FOR (n:Memory|Note) ON n.e WITH [n.tenant, n.created]
      OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}
      """
    And having executed:
      """
      CREATE INDEX memory_tenant FOR (n:Memory) ON (n.tenant)
      """
    And having executed:
      """
      UNWIND range(1, 40) AS i
      CREATE (:Memory {id: i, tenant: 't' + (i % 4), created: i, e: [1.0 * i, 0.0]})
      """
    And having executed:
      """
      UNWIND range(41, 44) AS i CREATE (:Note {id: i, tenant: 't1', e: [1.0 * i, 0.0]})
      """
    And having executed:
      """
      MATCH (m:Memory) WHERE m.id % 10 = 0 SET m:Pinned WITH m MERGE (t:Topic {name: 'x'}) CREATE (m)-[:ABOUT {w: m.id, e: [0.0, 1.0 * m.id]}]->(t)
      """

  Scenario: by a property, and all k rows if there are so many
    When executing query:
      """
      CYPHER 25 MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR [1.0, 0.0] WHERE m.tenant = 't3' LIMIT 4) SCORE AS score
      RETURN m.id AS id, round(score, 3) AS score
      """
    Then the result should be, in order:
      | id | score |
      | 3  | 0.2   |
      | 7  | 0.027 |
      | 11 | 0.01  |
      | 15 | 0.005 |

  Scenario Outline: <filter>
    Given parameters are:
      | t | 't2' |
    When executing query:
      """
      MATCH (m:Memory|Note) SEARCH m IN (VECTOR INDEX emb FOR [20.0, 0.0] WHERE <filter> LIMIT 3) RETURN collect(m.id) AS ids
      """
    Then the result should be, in any order:
      | ids   |
      | <ids> |

    Examples:
      | filter                                           | ids          |
      | m.tenant = $t                                    | [18, 22, 14] |
      | m.tenant = 't1' AND m.created > 30               | [33, 37]     |
      | m.created >= 10 AND m.created < 12               | [11, 10]     |
      | m.created <= 2                                   | [2, 1]       |
      | m.tenant IN ['t0', 't2'] AND m.id <> 20          | [18, 22, 16] |
      | m:Pinned                                         | [20, 10, 30] |
      | m:Note                                           | [41, 42, 43] |
      | NOT m:Note AND m.tenant STARTS WITH 't'          | [20, 19, 21] |
      | EXISTS { (m)-[:ABOUT]->(:Topic {name: 'x'}) }    | [20, 10, 30] |
      | EXISTS { MATCH (m)-[r:ABOUT]->() WHERE r.w > 25 } | [30, 40]    |
      | NOT EXISTS { (m)-[:ABOUT]->() } AND m.created > 19 | [21, 22, 23] |
      | id(m) IN [] OR m.id = 5                          | [5]          |
      | m.created IS NULL                                | [41, 42, 43] |
      | m.tenant = null                                  | []           |
      | m.tenant = 'nobody'                              | []           |

  Scenario: the other end of the pattern is bound, and comes from a row
    When executing query:
      """
      MATCH (t:Topic) UNWIND [9.0, 31.0] AS x
      MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR [x, 0.0] WHERE EXISTS { (m)-[:ABOUT]->(t) } AND m.created < 40 LIMIT 2)
      RETURN x, collect(m.id) AS ids ORDER BY x
      """
    Then the result should be, in order:
      | x    | ids      |
      | 9.0  | [10, 20] |
      | 31.0 | [30, 20] |

  Scenario: a label of the pattern that isn't all of the index filters the hits
    When executing query:
      """
      MATCH (m:Note) SEARCH m IN (VECTOR INDEX emb FOR [39.5, 0.0] LIMIT 4) RETURN collect(m.id) AS ids
      """
    Then the result should be, in any order:
      | ids  |
      | [41] |

  Scenario: own writes are found and filtered, what is deleted isn't
    Given a transaction is open
    And having executed:
      """
      CREATE (:Memory {id: 100, tenant: 't3', e: [1.5, 0.0]})
      """
    And having executed:
      """
      MATCH (m:Memory {id: 3}) DELETE m
      """
    When executing query:
      """
      MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR [1.0, 0.0] WHERE m.tenant = 't3' LIMIT 2) RETURN collect(m.id) AS ids
      """
    Then the result should be, in any order:
      | ids      |
      | [100, 7] |
    When the transaction is rolled back
    When executing query:
      """
      MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR [1.0, 0.0] WHERE m.tenant = 't3' LIMIT 2) RETURN collect(m.id) AS ids
      """
    Then the result should be, in any order:
      | ids    |
      | [3, 7] |

  Scenario: OPTIONAL MATCH gives a row of nulls, a null vector and LIMIT 0 none
    When executing query:
      """
      OPTIONAL MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR [1.0, 0.0] WHERE m.tenant = 'nobody' LIMIT 2) SCORE AS s RETURN m, s
      """
    Then the result should be, in any order:
      | m    | s    |
      | null | null |
    When executing query:
      """
      MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR null WHERE m.tenant = 't1' LIMIT 2) RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |
    When executing query:
      """
      MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR [1, 0] WHERE m.tenant = 't1' LIMIT 0) RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |

  Scenario: grouped
    When executing query:
      """
      MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR [40.0, 0.0] WHERE m.created > 20 LIMIT 10) SCORE AS s
      RETURN m.tenant AS tenant, count(*) AS n, max(m.id) AS id ORDER BY tenant
      """
    Then the result should be, in order:
      | tenant | n | id |
      | 't0'   | 3 | 40 |
      | 't1'   | 2 | 37 |
      | 't2'   | 2 | 38 |
      | 't3'   | 3 | 39 |

  Scenario Outline: <vector> is no query of this index
    When executing query:
      """
      MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR <vector> WHERE m.tenant = 't1' LIMIT 2) RETURN m
      """
    Then <error> should be raised at runtime: *

    Examples:
      | vector      | error            |
      | [1.0]       | an ArgumentError |
      | []          | an ArgumentError |
      | ['a', 'b']  | a TypeError      |
      | 'ab'        | a TypeError      |

  Scenario: a filter that is wrong for some says so
    When executing query:
      """
      MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR [1, 0] WHERE m.tenant LIMIT 2) RETURN m
      """
    Then a TypeError should be raised at runtime: *

  Scenario: relationships
    Given having executed:
      """
      CREATE VECTOR INDEX rel FOR ()-[r:ABOUT]-() ON (r.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}
      """
    And having executed:
      """
      CREATE INDEX about_w FOR ()-[r:ABOUT]-() ON (r.w)
      """
    When executing query:
      """
      MATCH (m)-[r:ABOUT]->(t) SEARCH r IN (VECTOR INDEX rel FOR [0.0, 1.0] WHERE r.w > 10 LIMIT 2) RETURN m.id AS id, t.name AS t
      """
    Then the result should be, in order:
      | id | t   |
      | 20 | 'x' |
      | 30 | 'x' |
