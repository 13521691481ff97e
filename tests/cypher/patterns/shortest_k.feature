Feature: several shortest paths, and SHORTEST before any pattern

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:S {n: 'a'}), (b:M {n: 'b'}), (c:M {n: 'c'}), (t:T {n: 't'}), (d:D {n: 'd'}),
             (a)-[:K {w: 1}]->(t), (a)-[:K {w: 2}]->(b), (b)-[:K {w: 2}]->(t), (a)-[:K {w: 2}]->(c), (c)-[:K {w: 2}]->(t), (b)-[:K {w: 3}]->(c),
             (x:C {n: 'x'})-[:C]->(:C {n: 'y'})-[:C]->(:C {n: 'z'})-[:C]->(x)
      """

  Scenario Outline: <selector> over <hops>
    When executing query:
      """
      MATCH p = <selector> (a:S)-[:K]-><hops>(t:T) WITH length(p) AS l ORDER BY l RETURN collect(l) AS ls
      """
    Then the result should be, in any order:
      | ls   |
      | <ls> |
    # The same where the match comes first and the shortest are kept.
    When executing query:
      """
      MATCH p = <selector> ((a:S)-[:K]-><hops>(t:T) WHERE a.n = 'a') WITH length(p) AS l ORDER BY l RETURN collect(l) AS ls
      """
    Then the result should be, in any order:
      | ls   |
      | <ls> |

    Examples:
      | selector               | hops  | ls           |
      | SHORTEST 1             | +     | [1]          |
      | SHORTEST 2             | +     | [1, 2]       |
      | SHORTEST 3 PATHS       | +     | [1, 2, 2]    |
      | SHORTEST 4             | +     | [1, 2, 2, 3] |
      | SHORTEST 9             | +     | [1, 2, 2, 3] |
      | SHORTEST 1 GROUP       | +     | [1]          |
      | SHORTEST 2 GROUPS      | +     | [1, 2, 2]    |
      | SHORTEST 3 PATH GROUPS | +     | [1, 2, 2, 3] |
      | SHORTEST 7 GROUPS      | +     | [1, 2, 2, 3] |
      | ANY 2                  | +     | [1, 2]       |
      | ANY 2 PATHS            | +     | [1, 2]       |
      | ANY 9                  | +     | [1, 2, 2, 3] |
      | SHORTEST 1             | {2,}  | [2]          |
      | ANY SHORTEST           | {2,}  | [2]          |
      | ALL SHORTEST           | {2,}  | [2, 2]       |
      | SHORTEST 3             | {2,}  | [2, 2, 3]    |
      | SHORTEST 2 GROUPS      | {2,3} | [2, 2, 3]    |
      | SHORTEST 2 GROUPS      | {2}   | [2, 2]       |
      | SHORTEST 3             | {,2}  | [1, 2, 2]    |
      | SHORTEST 3             | {4,9} | []           |

  Scenario Outline: the other way and without a direction: <pattern>
    When executing query:
      """
      MATCH p = SHORTEST 3 <pattern> WITH [n IN nodes(p) | n.n] AS names, length(p) AS l ORDER BY l, names RETURN collect(names) AS ns, collect(l) AS ls
      """
    Then the result should be, in any order:
      | ns   | ls   |
      | <ns> | <ls> |

    Examples:
      | pattern                        | ns                                             | ls        |
      | (t:T)<-[:K]-{2,}(a:S)          | [['t', 'b', 'a'], ['t', 'c', 'a'], ['t', 'c', 'b', 'a']] | [2, 2, 3] |
      | (x:C {n: 'x'})-[:C]->+(y:C {n: 'y'}) | [['x', 'y']]                             | [1]       |
      | (x:C {n: 'x'})-[:C]-+(y:C {n: 'y'})  | [['x', 'y'], ['x', 'z', 'y']]            | [1, 2]    |

  Scenario: from a node back to itself
    When executing query:
      """
      MATCH p = SHORTEST 2 (x:C {n: 'x'})-[:C]->+(x) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 3 |
    When executing query:
      """
      MATCH p = SHORTEST 2 (x:C {n: 'x'})-[:C]->*(x) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 0 |
      | 3 |

  Scenario: each pair of ends has its own
    When executing query:
      """
      MATCH SHORTEST 2 (s)-[:K]->+(t:T) RETURN s.n AS s, count(*) AS n
      """
    Then the result should be, in any order:
      | s   | n |
      | 'a' | 2 |
      | 'b' | 2 |
      | 'c' | 1 |
    When executing query:
      """
      UNWIND [1, 2] AS i MATCH SHORTEST 2 (a:S)-[:K]->+(t:T) RETURN i, count(*) AS n
      """
    Then the result should be, in any order:
      | i | n |
      | 1 | 2 |
      | 2 | 2 |

  Scenario: WHERE behind the pattern is asked of what was selected, WHERE inside it selects
    When executing query:
      """
      MATCH p = SHORTEST 2 (a:S)-[:K]->+(t:T) WHERE length(p) > 1 RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 2 |
    When executing query:
      """
      MATCH p = SHORTEST 2 ((a:S)-[r:K]->+(t:T) WHERE size(r) > 1 AND r[0].w = 2) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 2 |
      | 2 |
    When executing query:
      """
      MATCH p = SHORTEST 2 (a:S)-[:K WHERE true]->+(t:T) WHERE length(p) > 7 RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |

  Scenario: over several relationships
    When executing query:
      """
      MATCH p = SHORTEST 1 (a:S)-[:K]->(m)-[:K]->+(t:T) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 2 |
    When executing query:
      """
      MATCH p = SHORTEST 2 GROUPS (a:S)-[:K]->(m:M)-[r:K]->+(t:T) RETURN m.n AS m, size(r) AS r, length(p) AS l
      """
    Then the result should be, in any order:
      | m   | r | l |
      | 'b' | 1 | 2 |
      | 'b' | 2 | 3 |
      | 'c' | 1 | 2 |

  Scenario: over a repeated pattern
    When executing query:
      """
      MATCH p = SHORTEST 2 (a:S) ((x)-[k:K]->(y)){1,3} (t:T) RETURN size(x) AS x, [r IN k | r.w] AS w
      """
    Then the result should be, in any order:
      | x | w      |
      | 1 | [1]    |
      | 2 | [2, 2] |

  Scenario: over one relationship that isn't quantified
    When executing query:
      """
      MATCH SHORTEST 1 (a:S)-[r:K]->(x) RETURN type(r) AS t, x.n AS x
      """
    Then the result should be, in any order:
      | t   | x   |
      | 'K' | 't' |
      | 'K' | 'b' |
      | 'K' | 'c' |

  Scenario Outline: with OPTIONAL MATCH: <pattern>
    When executing query:
      """
      MATCH (a:S) OPTIONAL MATCH p = SHORTEST 2 <pattern> WHERE length(p) > 1 RETURN a.n AS a, length(p) AS l
      """
    Then the result should be, in any order:
      | a   | l   |
      | 'a' | <l> |

    Examples:
      | pattern                    | l    |
      | (a)-[:K]->+(:T)            | 2    |
      | (a)-[:K]->+(:D)            | null |
      | (a)-[:K]->(:M)-[:K]->+(:D) | null |
      | ((a)-[r:K]->+(:T) WHERE size(r) = 3) | 3 |

  Scenario: null at an end finds nothing
    When executing query:
      """
      OPTIONAL MATCH (n:Nope) OPTIONAL MATCH SHORTEST 2 (n)-[:K]->+(t:T) RETURN n, t
      """
    Then the result should be, in any order:
      | n    | t    |
      | null | null |
    When executing query:
      """
      OPTIONAL MATCH (n:Nope) MATCH SHORTEST 2 (n)-[:K]->()-[:K]->+(t:T) RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |

  Scenario Outline: a count that is none: <count>
    When executing query:
      """
      MATCH SHORTEST <count> (a:S)-[:K]->+(t:T) RETURN a
      """
    Then a SyntaxError should be raised at compile time: <detail>

    Examples:
      | count    | detail              |
      | 0        | InvalidArgumentType |
      | 0 GROUPS | InvalidArgumentType |
      | 1 2      | UnexpectedSyntax    |

  Scenario: inside EXISTS and COUNT
    When executing query:
      """
      MATCH (s) WHERE EXISTS { MATCH SHORTEST 1 (s)-[:K]->()-[:K]->+(t:T) RETURN 1 } RETURN s.n AS s, COUNT { SHORTEST 2 (s)-[:K]->+(:T) } AS n
      """
    Then the result should be, in any order:
      | s   | n |
      | 'a' | 2 |
      | 'b' | 2 |

  Scenario Outline: what isn't there is refused by name: <pattern>
    When executing query:
      """
      MATCH <pattern> RETURN 1 AS x
      """
    Then a NotAvailable should be raised at compile time: *

    Examples:
      | pattern                                                          |
      | SHORTEST 1 (a:S)-[:K]->()-[:K]->(b), (c)                         |
      | SHORTEST 1 (a:S) ((x)-[:K]->(y))+ (t:T), (c)                     |
      | SHORTEST 1 ((a:S)-[:K]->+(b) WHERE b:T), (c)                     |
      | (s) WHERE EXISTS { SHORTEST 1 (s)-[:K]->()-[:K]->(t:T) }         |
