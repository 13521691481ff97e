Feature: shortest paths

  # From s to t: two ways of two steps, one of three; u stands alone.
  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (s:P {n: 's'})-[:K {w: 1}]->(a:P {n: 'a'})-[:K {w: 1}]->(t:P {n: 't'}),
             (s)-[:K {w: 5}]->(b:P {n: 'b'})-[:K {w: 5}]->(t),
             (s)-[:L]->(c:P {n: 'c'})-[:L]->(d:P {n: 'd'})-[:L]->(t), (:P {n: 'u'})
      """

  Scenario: shortestPath finds one
    When executing query:
      """
      MATCH (s:P {n: 's'}), (t:P {n: 't'}), p = shortestPath((s)-[:K*]->(t)) RETURN length(p) AS l, count(*) AS n
      """
    Then the result should be, in any order:
      | l | n |
      | 2 | 1 |

  Scenario: allShortestPaths finds all
    When executing query:
      """
      MATCH p = allShortestPaths((s:P {n: 's'})-[:K|L*..5]->(t:P {n: 't'})) RETURN [n IN nodes(p) | n.n] AS ns ORDER BY ns
      """
    Then the result should be, in order:
      | ns              |
      | ['s', 'a', 't'] |
      | ['s', 'b', 't'] |

  Scenario Outline: <selector>
    When executing query:
      """
      MATCH p = <selector> (s:P {n: 's'})-[:K|L]->+(t:P {n: 't'}) RETURN length(p) AS l, count(*) AS n
      """
    Then the result should be, in any order:
      | l | n   |
      | 2 | <n> |

    Examples:
      | selector             | n |
      | ANY SHORTEST         | 1 |
      | SHORTEST 1           | 1 |
      | SHORTEST 1 PATH      | 1 |
      | ALL SHORTEST         | 2 |
      | ALL SHORTEST PATHS   | 2 |
      | SHORTEST 1 GROUP     | 2 |
      | SHORTEST 1 PATH GROUP | 2 |

  Scenario: another type, against the arrow, undirected
    When executing query:
      """
      MATCH (s:P {n: 's'}), (t:P {n: 't'})
      RETURN length(shortestPath((s)-[:L*]->(t))) AS l, length(shortestPath((t)<-[:K*]-(s))) AS k, length(shortestPath((t)-[*]-(s))) AS u
      """
    Then the result should be, in any order:
      | l | k | u |
      | 3 | 2 | 2 |

  Scenario: conditions on all its relationships and nodes
    When executing query:
      """
      MATCH (s:P {n: 's'}), (t:P {n: 't'})
      MATCH p = shortestPath((s)-[r:K*]->(t)) WHERE all(x IN r WHERE x.w = 5)
      RETURN [n IN nodes(p) | n.n] AS ns
      """
    Then the result should be, in any order:
      | ns              |
      | ['s', 'b', 't'] |

  Scenario: no way, a bound that is too low, and nothing at the end
    When executing query:
      """
      MATCH (s:P {n: 's'}), (u:P {n: 'u'}) OPTIONAL MATCH p = shortestPath((s)-[*]-(u)) RETURN p, length(p) AS l
      """
    Then the result should be, in any order:
      | p    | l    |
      | null | null |
    When executing query:
      """
      MATCH (s:P {n: 's'}), (t:P {n: 't'}) MATCH p = shortestPath((s)-[*..1]->(t)) RETURN p
      """
    Then the result should be, in any order:
      | p |
    When executing query:
      """
      MATCH (s:P {n: 's'}) OPTIONAL MATCH (x:Nobody) OPTIONAL MATCH p = shortestPath((s)-[*]->(x)) RETURN p
      """
    Then the result should be, in any order:
      | p    |
      | null |

  Scenario: aggregated over all pairs
    When executing query:
      """
      MATCH (a:P), (b:P) WHERE a <> b
      OPTIONAL MATCH p = shortestPath((a)-[:K*]->(b))
      RETURN length(p) AS l, count(*) AS n ORDER BY l
      """
    Then the result should be, in order:
      | l    | n  |
      | 1    | 4  |
      | 2    | 1  |
      | null | 37 |

  Scenario Outline: refused: <query>
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: *

    Examples:
      | query                                                       |
      | MATCH p = shortestPath((a)-[*]->(b)-[*]->(c)) RETURN p      |
      | MATCH p = shortestPath((a)) RETURN p                        |
      | CREATE p = shortestPath((a)-[:T*]->(b)) RETURN p            |
      | MATCH p = SHORTER 1 (a)-[:T]->+(b) RETURN p                 |

  # s, a and b, c as before; a ring of three beside a back and forth of two, and a loop.
  Scenario Outline: <selector> from a node back to itself, <arrow>
    Given having executed:
      """
      CREATE (x:R {n: 'x'})-[:O]->(:R {n: 'y'})-[:O]->(:R {n: 'z'})-[:O]->(x), (v:R {n: 'v'})-[:O]->(:R {n: 'w'}), (:R {n: 'l'})-[:O]->(:R {n: 'm'}),
             (x)-[:O]->(:R {n: 'q'})-[:O]->(:R {n: 'p'})-[:O]->(x)
      """
    And having executed:
      """
      MATCH (l:R {n: 'l'}) CREATE (l)-[:O]->(l)
      """
    When executing query:
      """
      MATCH p = <selector> (a:R)<arrow>(a) RETURN a.n AS n, length(p) AS l, count(*) AS c
      """
    Then the result should be, in any order:
      | n   | l | c       |
      | 'x' | 3 | <x>     |
      | 'y' | 3 | <other> |
      | 'z' | 3 | <other> |
      | 'q' | 3 | <other> |
      | 'p' | 3 | <other> |
      | 'l' | 1 | 1       |

    Examples:
      | selector     | arrow      | x | other |
      | ANY SHORTEST | -[:O]->+   | 1 | 1     |
      | ALL SHORTEST | -[:O]->+   | 2 | 1     |
      | ANY SHORTEST | <-[:O]-+   | 1 | 1     |
      | ANY SHORTEST | -[:O]-+    | 1 | 1     |
      | ALL SHORTEST | -[:O]-+    | 4 | 2     |

  Scenario: a shortest path of no length, and shortestPath() of a node to itself
    When executing query:
      """
      MATCH p = ANY SHORTEST (a:P {n: 's'})-[:K]->*(a) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 0 |
    When executing query:
      """
      MATCH p = shortestPath((a:P {n: 's'})-[:K*]->(a)) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |

  Scenario: a condition inside the parentheses of SHORTEST says which paths count
    When executing query:
      """
      MATCH p = ANY SHORTEST ((s:P {n: 's'})-[r:K]->+(t:P {n: 't'}) WHERE all(x IN r WHERE x.w = 5)) RETURN [n IN nodes(p) | n.n] AS ns
      """
    Then the result should be, in any order:
      | ns              |
      | ['s', 'b', 't'] |
