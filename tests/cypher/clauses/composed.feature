Feature: FILTER, LET and NEXT

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (s:Shop {n: 'S'}), (:Item {n: 'pen', price: 2})<-[:SELLS]-(s)-[:SELLS]->(:Item {n: 'ink', price: 9}), (s)-[:SELLS]->(:Item {n: 'gum'})
      """

  Scenario Outline: <clause>
    When executing query:
      """
      MATCH (i:Item) <clause> RETURN i.n AS n
      """
    Then the result should be, in any order:
      | n     |
      | 'ink' |

    Examples:
      | clause                                     |
      | FILTER i.price > 5                         |
      | FILTER WHERE i.price > 5                   |
      | filter (i.price > 5)                       |
      | FILTER NOT i.price < 5                     |
      | FILTER i.price IS NOT NULL FILTER i.price > 2 |
      | LET p = i.price FILTER p > 5               |
      | WITH i ORDER BY i.n FILTER i.price > 5     |

  Scenario: null is no reason to stay
    When executing query:
      """
      UNWIND [1, null, 3] AS x FILTER x <> 3 RETURN x
      """
    Then the result should be, in any order:
      | x |
      | 1 |
    When executing query:
      """
      UNWIND [] AS x FILTER x > 1 RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |

  Scenario: FILTER drops rows that WHERE of an OPTIONAL MATCH keeps
    When executing query:
      """
      UNWIND [2, 7] AS p OPTIONAL MATCH (i:Item) WHERE i.price = p RETURN p, i.n AS n
      """
    Then the result should be, in any order:
      | p | n     |
      | 2 | 'pen' |
      | 7 | null  |
    When executing query:
      """
      UNWIND [2, 7] AS p OPTIONAL MATCH (i:Item) FILTER i.price = p RETURN p, i.n AS n
      """
    Then the result should be, in any order:
      | p | n     |
      | 2 | 'pen' |

  Scenario: a condition that is no truth value
    When executing query:
      """
      MATCH (i:Item) FILTER 5 RETURN i
      """
    Then a SyntaxError should be raised at compile time: InvalidArgumentType
    When executing query:
      """
      MATCH (i:Item) FILTER i.n RETURN i
      """
    Then a TypeError should be raised at runtime: *

  Scenario: LET adds names and drops none
    When executing query:
      """
      MATCH (s:Shop)-[:SELLS]->(i:Item)
      LET shop = s.n, dear = i.price > 5
      LET cheap = NOT dear
      RETURN shop, i.n AS n, dear, cheap
      """
    Then the result should be, in any order:
      | shop | n     | dear  | cheap |
      | 'S'  | 'pen' | false | true  |
      | 'S'  | 'ink' | true  | false |
      | 'S'  | 'gum' | null  | null  |

  Scenario: LET as the first clause, before aggregation, in a subquery, and in one of an expression
    When executing query:
      """
      LET x = 1, y = [1, 2] RETURN x, y
      """
    Then the result should be, in any order:
      | x | y      |
      | 1 | [1, 2] |
    When executing query:
      """
      MATCH (i:Item) LET p = coalesce(i.price, 0) RETURN sum(p) AS s, COUNT { MATCH (j:Item) LET q = j.price FILTER q > 1 RETURN q } AS c
      """
    Then the result should be, in any order:
      | s  | c |
      | 11 | 2 |
    When executing query:
      """
      UNWIND [1, 2] AS x CALL (x) { LET y = x * 10 FILTER y > 10 RETURN y } RETURN x, y
      """
    Then the result should be, in any order:
      | x | y  |
      | 2 | 20 |

  Scenario Outline: wrong LET: <clause>
    When executing query:
      """
      MATCH (i:Item) <clause> RETURN i
      """
    Then a SyntaxError should be raised at compile time: <detail>

    Examples:
      | clause              | detail               |
      | LET i = 1           | VariableAlreadyBound |
      | LET x = count(i)    | InvalidAggregation   |
      | LET x = 1, x = 2    | ColumnNameConflict   |
      | LET x = 1, y = x    | UndefinedVariable    |
      | LET x               | *                    |
      | LET x = i.price AS y | *                   |

  Scenario: the words are still names
    When executing query:
      """
      WITH {filter: 1, let: 2, next: 3} AS next, 4 AS filter, 5 AS let RETURN next.filter AS a, next.let AS b, next.next AS c, filter, let
      """
    Then the result should be, in any order:
      | a | b | c | filter | let |
      | 1 | 2 | 3 | 4      | 5   |

  Scenario: NEXT goes on with what was returned
    When executing query:
      """
      MATCH (i:Item) RETURN i ORDER BY i.n LIMIT 2
      NEXT
      MATCH (s:Shop)-[:SELLS]->(i) RETURN s, count(*) AS sold
      NEXT
      RETURN s.n AS n, sold
      """
    Then the result should be, in any order:
      | n   | sold |
      | 'S' | 2    |

  Scenario: behind NEXT only what was returned is known
    When executing query:
      """
      MATCH (i:Item) RETURN i.n AS n NEXT RETURN i
      """
    Then a SyntaxError should be raised at compile time: UndefinedVariable

  Scenario: NEXT behind a UNION, an aggregation, no rows, DISTINCT
    When executing query:
      """
      RETURN 1 AS x UNION ALL RETURN 1 AS x UNION ALL RETURN 2 AS x NEXT RETURN x, count(*) AS n
      """
    Then the result should be, in any order:
      | x | n |
      | 1 | 2 |
      | 2 | 1 |
    When executing query:
      """
      MATCH (i:Item) RETURN DISTINCT i.price > 5 AS dear NEXT OPTIONAL MATCH (i:Item) WHERE (i.price > 5) = dear RETURN dear, i.n AS n
      """
    Then the result should be, in any order:
      | dear  | n     |
      | true  | 'ink' |
      | false | 'pen' |
      | null  | null  |
    When executing query:
      """
      MATCH (n:Nope) RETURN n NEXT RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 0 |

  Scenario: NEXT behind what writes, and in subqueries
    When executing query:
      """
      CREATE (a:New {x: 1}) RETURN a NEXT CREATE (b:New {x: a.x + 1}) RETURN b.x AS x
      """
    Then the result should be, in any order:
      | x |
      | 2 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |
    When executing query:
      """
      MATCH (s:Shop) CALL (s) { MATCH (s)-->(i) RETURN i NEXT RETURN count(i) AS c } RETURN c, COLLECT { MATCH (i:Item) RETURN i.n AS n NEXT RETURN n ORDER BY n } AS ns
      """
    Then the result should be, in any order:
      | c | ns                    |
      | 3 | ['gum', 'ink', 'pen'] |

  Scenario Outline: wrong NEXT: <query>
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>

    Examples:
      | query                                        | detail                   |
      | MATCH (n) NEXT RETURN 1 AS x                 | *                        |
      | CREATE (n) NEXT RETURN 1 AS x                | InvalidClauseComposition |
      | RETURN 1 AS x NEXT                           | *                        |
      | RETURN 1 NEXT RETURN 2 AS y                  | NoExpressionAlias        |
      | NEXT RETURN 1 AS x                           | *                        |

  Scenario Outline: UNION behind NEXT, and conditional queries: <query>
    When executing query:
      """
      <query>
      """
    Then a <error> should be raised at compile time: *

    Examples:
      | query                                                         | error        |
      | RETURN 1 AS x NEXT RETURN x UNION RETURN 2 AS x               | NotAvailable |
      | RETURN 1 AS x NEXT RETURN x UNION RETURN 2 AS x NEXT RETURN x | NotAvailable |
      | WHEN true THEN RETURN 1 AS x ELSE RETURN 2 AS x               | NotAvailable |
