Feature: label expressions, inline WHERE, dynamic labels and types

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A {n: 1}), (:B {n: 2}), (:A:B {n: 3}), (:C {n: 4}), ({n: 5}),
             (x:X)-[:R {w: 1}]->(y:Y)-[:S {w: 2}]->(z:Z), (x)-[:T {w: 3}]->(z)
      """

  Scenario Outline: nodes by <labels>
    When executing query:
      """
      MATCH (n <labels>) WHERE n.n IS NOT NULL RETURN collect(n.n) AS ns
      """
    Then the result should be (ignoring element order for lists):
      | ns   |
      | <ns> |

    Examples:
      | labels      | ns              |
      | :A          | [1, 3]          |
      | :A:B        | [3]             |
      | :A&B        | [3]             |
      | :A\|B       | [1, 2, 3]       |
      | :A\|:B      | [1, 2, 3]       |
      | :!A         | [2, 4, 5]       |
      | :A&!B       | [1]             |
      | :(A\|C)&!B  | [1, 4]          |
      | :%          | [1, 2, 3, 4]    |
      | :!%         | [5]             |
      | :!!A        | [1, 3]          |
      | :Nope       | []              |
      | :!Nope      | [1, 2, 3, 4, 5] |
      | :$('A')     | [1, 3]          |
      | :$(['A', 'B']) | [3]          |
      | :$all(['A', 'B']) | [3]       |
      | :$any(['A', 'C']) | [1, 3, 4] |
      | IS A\|C    | [1, 3, 4]       |

  Scenario Outline: the predicate <predicate>
    When executing query:
      """
      MATCH (n) WHERE n.n IS NOT NULL AND <predicate> RETURN collect(n.n) AS ns
      """
    Then the result should be (ignoring element order for lists):
      | ns   |
      | <ns> |

    Examples:
      | predicate       | ns           |
      | n:A             | [1, 3]       |
      | n:A:B           | [3]          |
      | n:A\|C          | [1, 3, 4]    |
      | NOT n:A         | [2, 4, 5]    |
      | n:!A&%          | [2, 4]       |
      | n IS A          | [1, 3]       |
      | n IS NOT A      | [2, 4, 5]    |
      | n:$('A')        | [1, 3]       |
      | n:$any(labels(n)) OR n:C | [1, 2, 3, 4] |

  Scenario Outline: relationships by <types>
    When executing query:
      """
      MATCH ()-[r<types>]->() RETURN collect(r.w) AS ws
      """
    Then the result should be (ignoring element order for lists):
      | ws   |
      | <ws> |

    Examples:
      | types        | ws        |
      | :R           | [1]       |
      | :R\|S        | [1, 2]    |
      | :R\|:S       | [1, 2]    |
      | :!R          | [2, 3]    |
      | :!R&!S       | [3]       |
      | :%           | [1, 2, 3] |
      | :R&S         | []        |
      | :$('R')      | [1]       |
      | :$any(['R', 'T']) | [1, 3] |

  Scenario: a label test on null is null
    When executing query:
      """
      OPTIONAL MATCH (n:Nobody) RETURN n:A AS a, n:!A AS b, n IS A AS c
      """
    Then the result should be, in any order:
      | a    | b    | c    |
      | null | null | null |

  Scenario: a label test on no element
    Given parameters are:
      | wrong | 7 |
    When executing query:
      """
      WITH $wrong AS n RETURN n:A AS a
      """
    Then a TypeError should be raised at runtime: *

  Scenario: inline WHERE of nodes and relationships
    When executing query:
      """
      MATCH (a WHERE a:X)-[r WHERE r.w < 3]->(b:Y|Z WHERE b:Y) RETURN r.w AS w
      """
    Then the result should be, in any order:
      | w |
      | 1 |

  Scenario: inline WHERE of a variable length, and beside a map
    When executing query:
      """
      MATCH (:X)-[r*1..3 WHERE r.w < 3]->(b) RETURN size(r) AS n
      """
    Then the result should be, in any order:
      | n |
      | 1 |
      | 2 |
    When executing query:
      """
      MATCH (a:A {n: 3} WHERE a:B) RETURN a.n AS n
      """
    Then the result should be, in any order:
      | n |
      | 3 |

  Scenario: inline WHERE in an optional match, counted
    When executing query:
      """
      MATCH (a WHERE a.n < 4) OPTIONAL MATCH (b:C WHERE b.n = a.n + 1) RETURN a.n AS n, count(b) AS c ORDER BY n
      """
    Then the result should be, in order:
      | n | c |
      | 1 | 0 |
      | 2 | 0 |
      | 3 | 1 |

  Scenario: inline WHERE in a comprehension and in EXISTS
    When executing query:
      """
      MATCH (x:X)
      RETURN [(x)-[r WHERE r.w > 1]->(b) | r.w] AS ws, EXISTS { (x)-[r WHERE r.w > 3]->() } AS e, COUNT { (x)-->(b WHERE b:Z) } AS c
      """
    Then the result should be, in any order:
      | ws  | e     | c |
      | [3] | false | 1 |

  Scenario Outline: refused: <query>
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: *

    Examples:
      | query                          |
      | CREATE (n:A\|B)                |
      | CREATE (n:!A)                  |
      | CREATE (n:%)                   |
      | CREATE ()-[:R\|S]->()          |
      | MERGE (n:A\|B)                 |
      | CREATE (n WHERE n.x = 1)       |
      | MATCH (n) SET n:A\|B           |
      | MATCH (a)-[r WHERE b.x]->(c) RETURN a |
