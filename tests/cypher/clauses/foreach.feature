Feature: FOREACH

  Scenario: writes for each element of a list
    Given an empty graph
    When executing query:
      """
      FOREACH (i IN [1, 2, 3] | CREATE (:N {i: i}))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: marks all nodes of a path
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:T]->(:B)-[:T]->(:C)
      """
    When executing query:
      """
      MATCH p = (:A)-[:T*]->(:C) FOREACH (n IN nodes(p) | SET n.marked = true)
      """
    Then the result should be empty
    And the side effects should be:
      | +properties | 3 |

  Scenario: a condition by a list of none or one
    Given an empty graph
    And having executed:
      """
      CREATE (:P {name: 'a', boss: 'z'}), (:P {name: 'b'})
      """
    When executing query:
      """
      MATCH (p:P)
      FOREACH (x IN CASE WHEN p.boss IS NOT NULL THEN [1] ELSE [] END |
        MERGE (b:Boss {name: p.boss}) ON CREATE SET b.new = true
        MERGE (p)-[:UNDER]->(b))
      RETURN p.name AS name ORDER BY name
      """
    Then the result should be, in order:
      | name |
      | 'a'  |
      | 'b'  |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |
      | +properties    | 2 |

  Scenario: null and empty lists do nothing
    Given any graph
    When executing query:
      """
      FOREACH (x IN null | CREATE (:N)) FOREACH (x IN [] | CREATE (:N))
      """
    Then the result should be empty
    And no side effects

  Scenario: nested, with deletes and removals
    Given an empty graph
    And having executed:
      """
      CREATE (:L {k: 1, v: 2})-[:T]->(:M), (:L {k: 3})
      """
    When executing query:
      """
      MATCH (l:L) WITH collect(l) AS ls
      FOREACH (l IN ls | REMOVE l.v FOREACH (i IN [1, 2] | SET l.k = l.k + i) DETACH DELETE l)
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 2 |
      | -relationships | 1 |
      | -labels        | 1 |
      | -properties    | 3 |

  Scenario: over what an optional match collected
    Given an empty graph
    And having executed:
      """
      CREATE (:P {n: 1})-[:K]->(:Q {n: 5}), (:P {n: 2})
      """
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:K]->(q) WITH p, collect(q) AS qs
      FOREACH (q IN qs | SET q.of = p.n)
      RETURN p.n AS n, size(qs) AS k ORDER BY n
      """
    Then the result should be, in order:
      | n | k |
      | 1 | 1 |
      | 2 | 0 |
    And the side effects should be:
      | +properties | 1 |

  Scenario: its variable ends with it
    Given any graph
    When executing query:
      """
      FOREACH (i IN [1] | CREATE (:N)) RETURN i
      """
    Then a SyntaxError should be raised at compile time: *

  Scenario: it only writes
    Given any graph
    When executing query:
      """
      FOREACH (i IN [1] | MATCH (n) SET n.x = i)
      """
    Then a SyntaxError should be raised at compile time: *

  Scenario: over what is no list
    Given any graph
    And parameters are:
      | wrong | 7 |
    When executing query:
      """
      FOREACH (i IN $wrong | CREATE (:N))
      """
    Then a TypeError should be raised at runtime: *
