Feature: CALL {...}

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:P {n: 1})-[:K]->(b:P {n: 2})-[:K]->(c:P {n: 3}), (a)-[:K]->(c)
      """

  Scenario: once for each row, with a scope
    When executing query:
      """
      MATCH (p:P)
      CALL (p) { MATCH (p)-[:K]->(q) RETURN count(q) AS out }
      RETURN p.n AS n, out ORDER BY n
      """
    Then the result should be, in order:
      | n | out |
      | 1 | 2   |
      | 2 | 1   |
      | 3 | 0   |

  Scenario: once for each row, with an importing WITH
    When executing query:
      """
      MATCH (p:P)
      CALL { WITH p MATCH (p)-[:K]->(q) RETURN max(q.n) AS far }
      RETURN p.n AS n, far ORDER BY n
      """
    Then the result should be, in order:
      | n | far  |
      | 1 | 3    |
      | 2 | 3    |
      | 3 | null |

  Scenario: a row for which the subquery finds nothing is dropped
    When executing query:
      """
      MATCH (p:P) CALL (p) { MATCH (p)-[:K]->(q) RETURN q } RETURN p.n AS n, q.n AS q ORDER BY n, q
      """
    Then the result should be, in order:
      | n | q |
      | 1 | 2 |
      | 1 | 3 |
      | 2 | 3 |

  Scenario: OPTIONAL CALL keeps it with nulls
    When executing query:
      """
      MATCH (p:P) OPTIONAL CALL (p) { MATCH (p)-[:K]->(q) RETURN q } RETURN p.n AS n, q.n AS q ORDER BY n, q
      """
    Then the result should be, in order:
      | n | q    |
      | 1 | 2    |
      | 1 | 3    |
      | 2 | 3    |
      | 3 | null |

  Scenario: a scope of everything and one of nothing
    When executing query:
      """
      MATCH (p:P {n: 1})
      CALL (*) { RETURN p.n + 1 AS x }
      CALL () { MATCH (p:P) RETURN count(p) AS all }
      RETURN x, all
      """
    Then the result should be, in any order:
      | x | all |
      | 2 | 3   |

  Scenario: a null imported
    When executing query:
      """
      OPTIONAL MATCH (p:Nobody)
      CALL (p) { RETURN p.n AS x }
      RETURN p, x
      """
    Then the result should be, in any order:
      | p    | x    |
      | null | null |

  Scenario: no row, no subquery
    When executing query:
      """
      MATCH (p:Nobody) CALL (p) { CREATE (:Made) } RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |
    And no side effects

  Scenario: UNION inside, with a scope and with importing WITHs
    When executing query:
      """
      MATCH (p:P {n: 1})
      CALL (p) { RETURN p.n AS x UNION ALL RETURN p.n AS x UNION ALL MATCH (p)-->(q) RETURN q.n AS x }
      RETURN collect(x) AS xs
      """
    Then the result should be (ignoring element order for lists):
      | xs           |
      | [1, 1, 2, 3] |
    When executing query:
      """
      MATCH (p:P {n: 2})
      CALL { WITH p MATCH (p)-[:K]->(q) RETURN q.n AS x UNION WITH p MATCH (p)<-[:K]-(q) RETURN q.n AS x }
      RETURN x ORDER BY x
      """
    Then the result should be, in order:
      | x |
      | 1 |
      | 3 |

  Scenario: UNION drops doubles inside the subquery
    When executing query:
      """
      CALL () { RETURN 1 AS x UNION RETURN 1 AS x UNION RETURN 2 AS x } RETURN sum(x) AS s
      """
    Then the result should be, in any order:
      | s |
      | 3 |

  Scenario: a unit subquery keeps the number of rows
    When executing query:
      """
      MATCH (p:P)
      CALL (p) { UNWIND [1, 2] AS i CREATE (:Log {of: p.n, i: i}) }
      RETURN count(*) AS rows
      """
    Then the result should be, in any order:
      | rows |
      | 3    |
    And the side effects should be:
      | +nodes      | 6  |
      | +labels     | 1  |
      | +properties | 12 |

  Scenario: a unit subquery at the end of a query
    When executing query:
      """
      MATCH (p:P) CALL { WITH p SET p.seen = true }
      """
    Then the result should be empty
    And the side effects should be:
      | +properties | 3 |

  Scenario: a filter in the subquery doesn't drop rows when it aggregates
    When executing query:
      """
      MATCH (p:P)
      CALL (p) { WITH p WHERE p.n > 2 SET p.big = true RETURN count(*) AS c }
      RETURN p.n AS n, c ORDER BY n
      """
    Then the result should be, in order:
      | n | c |
      | 1 | 0 |
      | 2 | 0 |
      | 3 | 1 |
    And the side effects should be:
      | +properties | 1 |

  Scenario: each run sees what the runs before it wrote
    When executing query:
      """
      UNWIND [1, 2, 3] AS i
      CALL (i) { MERGE (c:Counter) ON CREATE SET c.v = i ON MATCH SET c.v = c.v * 10 + i RETURN c.v AS v }
      RETURN collect(v) AS vs
      """
    Then the result should be, in any order:
      | vs           |
      | [1, 12, 123] |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: subqueries inside a subquery
    When executing query:
      """
      MATCH (p:P {n: 1})
      CALL (p) {
        MATCH (p)-->(q)
        CALL (q) { OPTIONAL MATCH (q)-->(r) RETURN count(r) AS inner }
        RETURN sum(inner) AS total
      }
      RETURN total
      """
    Then the result should be, in any order:
      | total |
      | 1     |

  Scenario: ORDER BY and LIMIT belong to each run
    When executing query:
      """
      MATCH (p:P)
      CALL (p) { MATCH (p)-->(q) RETURN q.n AS q ORDER BY q DESC LIMIT 1 }
      RETURN p.n AS n, q ORDER BY n
      """
    Then the result should be, in order:
      | n | q |
      | 1 | 3 |
      | 2 | 3 |

  Scenario: what a search of two kinds looks like
    When executing query:
      """
      CALL () {
        MATCH (p:P) WITH collect({node: p, score: toFloat(p.n)}) AS nodes, max(toFloat(p.n)) AS m
        UNWIND nodes AS x RETURN x.node AS node, x.score / m AS score
        UNION
        MATCH (p:P {n: 1}) RETURN p AS node, 2.0 AS score
      }
      WITH node, max(score) AS score ORDER BY score DESC, elementId(node) LIMIT 2
      RETURN node {.n}.n AS n, score
      """
    Then the result should be, in order:
      | n | score |
      | 1 | 2.0   |
      | 3 | 1.0   |

  Scenario Outline: refused: <query>
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>

    Examples:
      | query                                                              | detail               |
      | MATCH (p:P) CALL (q) { RETURN 1 AS x } RETURN x                    | UndefinedVariable    |
      | MATCH (p:P) CALL () { RETURN p.n AS x } RETURN x                   | UndefinedVariable    |
      | MATCH (p:P) CALL { RETURN p.n AS x } RETURN x                      | UndefinedVariable    |
      | MATCH (p:P) CALL (p) { RETURN 1 AS p } RETURN p                    | VariableAlreadyBound |
      | MATCH (p:P) CALL (p) { MATCH (p)-->(q) } RETURN p                  | UnexpectedSyntax |
      | CALL () { RETURN 1 AS x UNION RETURN 2 AS y } RETURN x             | DifferentColumnsInUnion |
      | CALL () { RETURN 1 } RETURN 2                                      | NoExpressionAlias    |
