Feature: EXISTS, COUNT and COLLECT

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:P {n: 1})-[:K {w: 1}]->(b:P {n: 2})-[:K {w: 2}]->(:P {n: 3}), (a)-[:K {w: 3}]->(:Q {n: 4})
      """

  Scenario: EXISTS of a pattern, with WHERE, negated
    When executing query:
      """
      MATCH (p:P)
      RETURN p.n AS n, EXISTS { (p)-[:K]->() } AS any, EXISTS { (p)-[:K]->(q) WHERE q:Q } AS toQ, NOT EXISTS { (p)<--() } AS first
      ORDER BY n
      """
    Then the result should be, in order:
      | n | any   | toQ   | first |
      | 1 | true  | true  | true  |
      | 2 | true  | false | false |
      | 3 | false | false | false |

  Scenario: EXISTS of a whole query, of a union, in WHERE
    When executing query:
      """
      MATCH (p:P)
      WHERE EXISTS { MATCH (p)-[k:K]->(q) WITH q, k.w AS w WHERE w > 1 RETURN q } OR EXISTS { MATCH (p) WHERE p.n = 9 RETURN p UNION MATCH (p)<-[:K {w: 2}]-() RETURN p }
      RETURN p.n AS n ORDER BY n
      """
    Then the result should be, in order:
      | n |
      | 1 |
      | 2 |
      | 3 |

  Scenario: COUNT of patterns and queries
    When executing query:
      """
      MATCH (p:P)
      RETURN p.n AS n, COUNT { (p)--() } AS all, COUNT { MATCH (p)-[:K]->(q:P) RETURN q } AS toP, COUNT { MATCH (p)-->(q) RETURN DISTINCT 1 } AS one
      ORDER BY n
      """
    Then the result should be, in order:
      | n | all | toP | one |
      | 1 | 2   | 1   | 1   |
      | 2 | 2   | 1   | 1   |
      | 3 | 1   | 0   | 0   |

  Scenario: COLLECT, with order, limit and union
    When executing query:
      """
      MATCH (p:P)
      RETURN p.n AS n, COLLECT { MATCH (p)-[:K]->(q) RETURN q.n ORDER BY q.n DESC LIMIT 1 } AS best,
             COLLECT { MATCH (p)-->(q) RETURN q.n AS x UNION MATCH (p)<--(q) RETURN q.n AS x } AS both
      ORDER BY n
      """
    Then the result should be (ignoring element order for lists):
      | n | best | both   |
      | 1 | [4]  | [2, 4] |
      | 2 | [3]  | [1, 3] |
      | 3 | []   | [2]    |

  Scenario: COLLECT keeps nulls
    When executing query:
      """
      RETURN COLLECT { UNWIND [1, null] AS x RETURN x } AS xs
      """
    Then the result should be, in any order:
      | xs        |
      | [1, null] |

  Scenario: of nodes that an optional match didn't find
    When executing query:
      """
      OPTIONAL MATCH (p:Nobody)
      RETURN EXISTS { (p)-->() } AS e, COUNT { (p)-->() } AS c, COLLECT { MATCH (p)-->(q) RETURN q } AS l
      """
    Then the result should be, in any order:
      | e     | c | l  |
      | false | 0 | [] |

  Scenario: nested, and inside aggregation and ORDER BY
    When executing query:
      """
      MATCH (p:P)
      WITH p ORDER BY COUNT { (p)-[:K]->() } DESC, p.n
      RETURN collect(p.n) AS ns, sum(COUNT { (p)-->() }) AS s, count(CASE WHEN EXISTS { (p)-->(q) WHERE EXISTS { (q)-->() } } THEN 1 END) AS two
      """
    Then the result should be, in any order:
      | ns        | s | two |
      | [1, 2, 3] | 3 | 1   |

  Scenario: in SET and CREATE
    When executing query:
      """
      MATCH (p:P) SET p.deg = COUNT { (p)-->() } WITH p WHERE p.deg > 1 CREATE (:Log {has: EXISTS { (p)-->(:Q) }})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 4 |

  Scenario: pattern predicates and exists(pattern)
    When executing query:
      """
      MATCH (p:P) WHERE (p)-[:K]->(:P) AND NOT (p)<-[:K]-() RETURN p.n AS n, exists((p)-[:K]->(:Q {n: 4})) AS e, size([(p)-[k]->(q) WHERE k.w > 1 | q]) AS c
      """
    Then the result should be, in any order:
      | n | e    | c |
      | 1 | true | 1 |

  Scenario Outline: refused: <query>
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: *

    Examples:
      | query                                                   |
      | RETURN EXISTS { CREATE (:A) }                           |
      | RETURN COUNT { MATCH (n) SET n.x = 1 RETURN n }         |
      | RETURN COLLECT { MATCH (n) RETURN n, n.x }              |
      | RETURN COLLECT { MATCH (n) }                            |
