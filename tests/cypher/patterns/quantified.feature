Feature: quantified path patterns

  # 1 -> 2 -> 3 -> 4 by A, each with a B to a node of its own (11, 12, 13), and 4 -> 1 closes the ring by A.
  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (n1:N {i: 1})-[:A {w: 1}]->(n2:N {i: 2})-[:A {w: 2}]->(n3:N {i: 3})-[:A {w: 3}]->(n4:N {i: 4})-[:A {w: 4}]->(n1),
             (n1)-[:B]->(:X {i: 11}), (n2)-[:B]->(:X {i: 12}), (n3)-[:B]->(:X {i: 13})
      """

  Scenario Outline: the quantifier <quantifier> on a relationship
    When executing query:
      """
      MATCH (a:N {i: 1})-[:A]-><quantifier>(b) RETURN collect(b.i) AS ends
      """
    Then the result should be (ignoring element order for lists):
      | ends   |
      | <ends> |

    Examples:
      | quantifier | ends            |
      | {2}        | [3]             |
      | {1,3}      | [2, 3, 4]       |
      | {3,}       | [4, 1]          |
      | {,2}       | [1, 2, 3]       |
      | {0,1}      | [1, 2]          |
      | +          | [2, 3, 4, 1]    |
      | *          | [1, 2, 3, 4, 1] |
      | {5}        | []              |
      | {5,9}      | []              |

  Scenario Outline: the quantifier <quantifier> on a part
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)-[:A]->(y))<quantifier> (b) RETURN collect(b.i) AS ends
      """
    Then the result should be (ignoring element order for lists):
      | ends   |
      | <ends> |

    Examples:
      | quantifier | ends            |
      | {2}        | [3]             |
      | {1,3}      | [2, 3, 4]       |
      | {3,}       | [4, 1]          |
      | {,2}       | [1, 2, 3]       |
      | +          | [2, 3, 4, 1]    |
      | *          | [1, 2, 3, 4, 1] |
      | {5}        | []              |

  Scenario: directions, either way and backwards
    When executing query:
      """
      MATCH (a:N {i: 1})<-[:A]-{2}(b) RETURN b.i AS b
      """
    Then the result should be, in any order:
      | b |
      | 3 |
    When executing query:
      """
      MATCH (a:N {i: 1})-[:A]-{2}(b) RETURN b.i AS b
      """
    Then the result should be, in any order:
      | b |
      | 3 |
      | 3 |
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)<-[:A]-(y)){1,2} (b) RETURN b.i AS b
      """
    Then the result should be, in any order:
      | b |
      | 4 |
      | 3 |

  Scenario: a relationship variable is a group
    When executing query:
      """
      MATCH (a:N {i: 1})-[r:A]->{1,2}(b) RETURN b.i AS b, [x IN r | x.w] AS ws, size(r) AS n
      """
    Then the result should be, in any order:
      | b | ws     | n |
      | 2 | [1]    | 1 |
      | 3 | [1, 2] | 2 |

  Scenario: group variables list what each time found
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)-[r:A]->(y)){1,2} (b)
      RETURN b.i AS b, [n IN x | n.i] AS xs, [n IN r | n.w] AS rs, [n IN y | n.i] AS ys
      """
    Then the result should be, in any order:
      | b | xs     | rs     | ys     |
      | 2 | [1]    | [1]    | [2]    |
      | 3 | [1, 2] | [1, 2] | [2, 3] |

  Scenario: group variables of no time are empty lists
    When executing query:
      """
      MATCH (a:N {i: 2}) ((x)-[r:B]->(y)){0} (b) RETURN x, r, y, a = b AS same
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax
    When executing query:
      """
      MATCH (a:N {i: 4}) ((x)-[r:B]->(y))* (b) RETURN x, r, y, a = b AS same
      """
    Then the result should be, in any order:
      | x  | r  | y  | same |
      | [] | [] | [] | true |

  Scenario: the groups come in the order written when the walk goes backwards
    When executing query:
      """
      MATCH ((x)-[r:A]->(y)){2} (b:N {i: 4}) RETURN [n IN x | n.i] AS xs, [n IN r | n.w] AS rs, [n IN y | n.i] AS ys
      """
    Then the result should be, in any order:
      | xs     | rs     | ys     |
      | [2, 3] | [2, 3] | [3, 4] |

  Scenario: a part of two relationships
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)-[:A]->(m)-[:A]->(y)){1,2} (b) RETURN b.i AS b, [n IN m | n.i] AS ms
      """
    Then the result should be, in any order:
      | b | ms     |
      | 3 | [2]    |
      | 1 | [2, 4] |

  Scenario: a part that leaves and comes back another way
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)-[:A]->(y) WHERE EXISTS { (y)-[:B]->() })+ (b) RETURN b.i AS b
      """
    Then the result should be, in any order:
      | b |
      | 2 |
      | 3 |

  Scenario: WHERE inside a part is asked each time
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)-[r:A]->(y) WHERE r.w < 3 AND x.i < y.i)+ (b) RETURN b.i AS b
      """
    Then the result should be, in any order:
      | b |
      | 2 |
      | 3 |

  Scenario: WHERE inside may read what was bound before the clause
    When executing query:
      """
      WITH 2 AS most
      MATCH (a:N {i: 1}) ((x)-[r:A]->(y) WHERE r.w <= most)+ (b) RETURN collect(b.i) AS bs
      """
    Then the result should be (ignoring element order for lists):
      | bs     |
      | [2, 3] |

  Scenario: labels, property maps and inline WHERE inside a part
    When executing query:
      """
      MATCH (a:N {i: 1}) ((:N)-[:A WHERE true]->(:N WHERE true)){2} (b:N {i: 3}) RETURN b.i AS b
      """
    Then the result should be, in any order:
      | b |
      | 3 |
    When executing query:
      """
      MATCH (a:N {i: 1})-[:A {w: 1}]->+(b) RETURN b.i AS b
      """
    Then the result should be, in any order:
      | b |
      | 2 |

  Scenario: a condition on a group
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)-[r:A]->(y))+ (b) WHERE size(r) >= 3 AND all(n IN y WHERE n.i <> 2) = false RETURN b.i AS b
      """
    Then the result should be, in any order:
      | b |
      | 4 |
      | 1 |

  Scenario: the path of a quantified pattern
    When executing query:
      """
      MATCH p = (a:N {i: 1}) ((x)-[:A]->(y)){2} (b)-[:B]->(c) RETURN length(p) AS l, [n IN nodes(p) | n.i] AS ns
      """
    Then the result should be, in any order:
      | l | ns            |
      | 3 | [1, 2, 3, 13] |

  Scenario: two parts in a row
    When executing query:
      """
      MATCH p = (:N {i: 1}) ((x)-[:A]->(y)){1,2} ((u)-[:B]->(v)){1} RETURN [n IN nodes(p) | n.i] AS ns
      """
    Then the result should be, in any order:
      | ns            |
      | [1, 2, 12]    |
      | [1, 2, 3, 13] |

  Scenario: no relationship twice, inside a part and beside it
    When executing query:
      """
      MATCH (a:N {i: 1})-[:A]->(b) ((x)-[:A]->(y))+ (c) RETURN collect(c.i) AS cs
      """
    Then the result should be (ignoring element order for lists):
      | cs        |
      | [3, 4, 1] |
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)-[:A]-(y)){2} (c) RETURN collect(c.i) AS cs
      """
    Then the result should be (ignoring element order for lists):
      | cs     |
      | [3, 3] |

  Scenario: both ends known
    When executing query:
      """
      MATCH (a:N {i: 1}), (b:N {i: 3}) MATCH (a) ((x)-[:A]->(y))+ (b) RETURN [n IN x | n.i] AS xs
      """
    Then the result should be, in any order:
      | xs     |
      | [1, 2] |

  Scenario: with OPTIONAL MATCH and aggregation
    When executing query:
      """
      MATCH (n) OPTIONAL MATCH (n) ((x)-[:A]->(y)){1,2} (m)-[:B]->(z)
      RETURN n.i AS i, count(z) AS n, max(size(x)) AS longest ORDER BY i
      """
    Then the result should be, in order:
      | i  | n | longest |
      | 1  | 2 | 2       |
      | 2  | 1 | 1       |
      | 3  | 1 | 2       |
      | 4  | 2 | 2       |
      | 11 | 0 | null    |
      | 12 | 0 | null    |
      | 13 | 0 | null    |

  Scenario: in EXISTS and COUNT
    When executing query:
      """
      MATCH (n:N) WHERE EXISTS { (n) ((a)-[:A]->(b)){2} (:N {i: 4}) } RETURN n.i AS i, COUNT { (n)-[:A]->{1,2}() } AS c
      """
    Then the result should be, in any order:
      | i | c |
      | 2 | 2 |

  Scenario: a null start finds nothing
    When executing query:
      """
      OPTIONAL MATCH (a:Nobody) OPTIONAL MATCH (a) ((x)-->(y))+ (b) RETURN a, b, x
      """
    Then the result should be, in any order:
      | a    | b    | x    |
      | null | null | null |

  Scenario: an empty graph of the type
    When executing query:
      """
      MATCH (a:N {i: 1}) ((x)-[:NOPE]->(y))+ (b) RETURN b
      """
    Then the result should be, in any order:
      | b |

  Scenario: a pattern in parentheses with a WHERE
    When executing query:
      """
      MATCH ((a:N)-[r:A]->(b) WHERE r.w = a.i AND a.i > 2) RETURN a.i AS a, b.i AS b
      """
    Then the result should be, in any order:
      | a | b |
      | 3 | 4 |
      | 4 | 1 |

  Scenario Outline: refused: <query>
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>

    Examples:
      | query                                                  | detail               |
      | MATCH (a)-[r*2]->{2}(b) RETURN a                       | UnexpectedSyntax     |
      | MATCH (a) (b) RETURN a                                 | UnexpectedSyntax     |
      | MATCH (a) ((x)-->(y)){2,1} (b) RETURN a                | UnexpectedSyntax     |
      | MATCH (a) ((x)){2} (b) RETURN a                        | UnexpectedSyntax     |
      | MATCH (a) ((x)-[*]->(y)){2} (b) RETURN a               | UnexpectedSyntax     |
      | MATCH (a) (((x)-->(y)){2} (z)){2} (b) RETURN a         | UnexpectedSyntax     |
      | MATCH (a) ((a)-->(y)){2} (b) RETURN a                  | VariableAlreadyBound |
      | MATCH (a) ((x)-->(y) WHERE b.i = 1){2} (b) RETURN a    | UndefinedVariable    |
      | CREATE (a)-[:A]->{2}(b)                                | UnexpectedSyntax     |
      | CREATE (a) ((x)-[:A]->(y)){2} (b)                      | UnexpectedSyntax     |

  Scenario: a group variable is a list and has no properties
    When executing query:
      """
      MATCH (a) ((x)-->(y)){2} (b) RETURN x.i
      """
    Then a TypeError should be raised at compile time: InvalidArgumentType
