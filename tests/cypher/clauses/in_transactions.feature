Feature: CALL {...} IN TRANSACTIONS

  Scenario: writes are committed batch by batch
    Given an empty graph
    When executing query:
      """
      UNWIND range(1, 5) AS i CALL (i) { CREATE (:N {i: i}) } IN TRANSACTIONS OF 2 ROWS
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 5 |
      | +labels     | 1 |
      | +properties | 5 |

  Scenario: importing WITH, rows and what they return
    Given an empty graph
    And parameters are:
      | batch | 2 |
    When executing query:
      """
      UNWIND [3, 1, 2] AS i
      CALL { WITH i CREATE (n:N {i: i}) RETURN n.i * 10 AS made } IN TRANSACTIONS OF $batch ROWS
      RETURN i, made
      """
    Then the result should be, in order:
      | i | made |
      | 3 | 30   |
      | 1 | 10   |
      | 2 | 20   |

  Scenario: no rows
    Given an empty graph
    When executing query:
      """
      UNWIND [] AS i CALL (i) { CREATE (:N {i: i}) } IN TRANSACTIONS RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |
    And no side effects

  Scenario: deleting in batches
    Given an empty graph
    And having executed:
      """
      UNWIND range(1, 7) AS i CREATE (:N {i: i})-[:T]->(:M)
      """
    When executing query:
      """
      MATCH (n:N) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 3 ROWS
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 7 |
      | -relationships | 7 |
      | -labels        | 1 |
      | -properties    | 7 |

  Scenario: an error fails the statement, what was committed before stays
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 0, 4] AS i CALL (i) { CREATE (:N {x: 8 / i}) } IN TRANSACTIONS OF 1 ROW
      """
    When executing control query:
      """
      MATCH (n:N) RETURN n.x AS x ORDER BY x
      """
    Then the result should be, in order:
      | x |
      | 4 |
      | 8 |

  Scenario: the failed batch leaves nothing
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 0, 4] AS i CALL (i) { CREATE (:N {x: 8 / i}) } IN TRANSACTIONS OF 3 ROWS ON ERROR FAIL
      """
    Then an ArithmeticError should be raised at runtime: *

  Scenario: ON ERROR CONTINUE goes on behind the failed batch
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 0, 2, 4] AS i
      CALL (i) { CREATE (n:N {x: 8 / i}) RETURN n.x AS x } IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE
      RETURN i, x
      """
    Then the result should be, in order:
      | i | x    |
      | 1 | 8    |
      | 0 | null |
      | 2 | 4    |
      | 4 | 2    |
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: ON ERROR BREAK starts nothing behind the failed batch
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 0, 2, 4] AS i
      CALL (i) { CREATE (n:N {x: 8 / i}) RETURN n.x AS x } IN TRANSACTIONS OF 1 ROW ON ERROR BREAK
      RETURN i, x
      """
    Then the result should be, in order:
      | i | x    |
      | 1 | 8    |
      | 0 | null |
      | 2 | null |
      | 4 | null |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: all rows of a failed batch get nulls
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 0, 2, 4] AS i
      CALL (i) { CREATE (n:N {x: 8 / i}) RETURN n.x AS x } IN TRANSACTIONS OF 2 ROWS ON ERROR CONTINUE
      RETURN i, x
      """
    Then the result should be, in order:
      | i | x    |
      | 1 | null |
      | 0 | null |
      | 2 | 4    |
      | 4 | 2    |

  Scenario: REPORT STATUS with CONTINUE
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 0, 2] AS i
      CALL (i) { CREATE (n:N {x: 8 / i}) } IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE REPORT STATUS AS s
      RETURN i, s.started AS started, s.committed AS committed, s.transactionId IS NOT NULL AS named, s.errorMessage CONTAINS 'zero' AS why
      """
    Then the result should be, in order:
      | i | started | committed | named | why  |
      | 1 | true    | true      | true  | null |
      | 0 | true    | false     | true  | true |
      | 2 | true    | true      | true  | null |

  Scenario: REPORT STATUS with BREAK, in the manual's order of options
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 0, 2] AS i
      CALL (i) { CREATE (n:N {x: 8 / i}) } IN TRANSACTIONS OF 1 ROW REPORT STATUS AS s ON ERROR BREAK
      RETURN i, s.started AS started, s.committed AS committed, s.transactionId IS NOT NULL AS named, s.errorMessage IS NULL AS well
      """
    Then the result should be, in order:
      | i | started | committed | named | well  |
      | 1 | true    | true      | true  | true  |
      | 0 | true    | false     | true  | false |
      | 2 | false   | false     | false | true  |

  Scenario: the status is aggregated
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 0, 2, 0] AS i
      CALL (i) { CREATE (:N {x: 8 / i}) } IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE REPORT STATUS AS s
      RETURN s.committed AS committed, count(*) AS n ORDER BY n, committed
      """
    Then the result should be, in order:
      | committed | n |
      | false     | 2 |
      | true      | 2 |

  Scenario: a constraint that a batch breaks is that batch's error
    Given an empty graph
    And having executed:
      """
      CREATE CONSTRAINT FOR (n:U) REQUIRE n.k IS UNIQUE
      """
    And having executed:
      """
      CREATE (:U {k: 2})
      """
    When executing query:
      """
      UNWIND [1, 2, 3] AS k CALL (k) { CREATE (:U {k: k}) } IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE REPORT STATUS AS s
      RETURN k, s.committed AS committed
      """
    Then the result should be, in order:
      | k | committed |
      | 1 | true      |
      | 2 | false     |
      | 3 | true      |
    And the side effects should be:
      | +nodes      | 2 |
      | +properties | 2 |

  Scenario: with an optional match before it
    Given an empty graph
    And having executed:
      """
      CREATE (:P {n: 1})-[:K]->(:Q {n: 2}), (:P {n: 3})
      """
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:K]->(q)
      CALL (p, q) { CREATE (:Log {p: p.n, q: q.n}) } IN TRANSACTIONS OF 1 ROWS
      RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 2 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: inside an explicit transaction it is a plain subquery
    Given an empty graph
    And a transaction is open
    When executing query:
      """
      UNWIND [1, 2] AS i CALL (i) { CREATE (n:N {i: i}) RETURN n.i AS x } IN TRANSACTIONS OF 1 ROWS RETURN x
      """
    Then the result should be, in order:
      | x |
      | 1 |
      | 2 |
    When executing query:
      """
      MATCH (n:N) RETURN count(n) AS n
      """
    Then the result should be, in any order:
      | n |
      | 2 |
    When the transaction is rolled back
    When executing query:
      """
      MATCH (n:N) RETURN count(n) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |

  Scenario: inside an explicit transaction an error can't be passed over
    Given an empty graph
    And a transaction is open
    When executing query:
      """
      UNWIND [1, 0] AS i CALL (i) { CREATE (:N {x: 1 / i}) } IN TRANSACTIONS OF 1 ROWS ON ERROR CONTINUE
      """
    Then an ArithmeticError should be raised at runtime: *

  Scenario Outline: refused: <query>
    Given any graph
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>

    Examples:
      | query                                                                                             | detail                   |
      | CREATE (:A) WITH 1 AS x CALL (x) { CREATE (:B) } IN TRANSACTIONS                                  | InvalidClauseComposition |
      | UNWIND [1] AS x CALL (x) { CALL (x) { CREATE (:B) } IN TRANSACTIONS } IN TRANSACTIONS             | InvalidClauseComposition |
      | UNWIND [1] AS x CALL (x) { CREATE (:B) } IN TRANSACTIONS REPORT STATUS AS s RETURN s              | InvalidClauseComposition |
      | UNWIND [1] AS x CALL (x) { CREATE (:B) } IN TRANSACTIONS ON ERROR CONTINUE REPORT STATUS AS x RETURN x | VariableAlreadyBound |
      | UNWIND [1] AS x CALL (x) { CREATE (:B) } IN TRANSACTIONS OF -1 ROWS                               | NegativeIntegerArgument  |
      | UNWIND [1] AS x CALL (x) { CREATE (:B) } IN TRANSACTIONS OF 'a' ROWS                              | InvalidArgumentType      |

  Scenario Outline: RETRY tries again what may succeed later, and nothing else: <on error>
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 0, 4] AS i CALL (i) { CREATE (n:N {x: 8 / i}) RETURN n.x AS x } IN TRANSACTIONS OF 1 ROW ON ERROR <on error> RETURN collect(x) AS xs
      """
    Then the result should be, in any order:
      | xs   |
      | <xs> |
    When executing control query:
      """
      MATCH (n:N) RETURN count(n) AS n
      """
    Then the result should be, in any order:
      | n   |
      | <n> |

    Examples:
      | on error                            | xs        | n |
      | RETRY THEN CONTINUE                 | [8, 4, 2] | 3 |
      | RETRY FOR 2 SECONDS THEN CONTINUE   | [8, 4, 2] | 3 |
      | RETRY 0.5 SEC THEN CONTINUE         | [8, 4, 2] | 3 |
      | retry for 1 + 1 second then break   | [8, 4]    | 2 |

  Scenario Outline: RETRY that fails in the end: <on error>
    Given an empty graph
    When executing query:
      """
      UNWIND [0] AS i CALL (i) { CREATE (:N {x: 8 / i}) } IN TRANSACTIONS OF 1 ROW ON ERROR <on error>
      """
    Then an ArithmeticError should be raised at runtime: *

    Examples:
      | on error             |
      | RETRY                |
      | RETRY FOR 3 SECONDS  |
      | RETRY THEN FAIL      |

  Scenario Outline: RETRY with a time that is none: <seconds>
    Given an empty graph
    And parameters are:
      | null  | null |
      | wrong | 'a'  |
    When executing query:
      """
      UNWIND [1] AS i CALL (i) { CREATE (:N) } IN TRANSACTIONS ON ERROR RETRY FOR <seconds> SECONDS
      """
    Then <error> should be raised at <phase>: *

    Examples:
      | seconds | error            | phase        |
      | 0       | an ArgumentError | runtime      |
      | -1.5    | an ArgumentError | runtime      |
      | $null   | an ArgumentError | runtime      |
      | $wrong  | an ArgumentError | runtime      |
      | 'a'     | a SyntaxError    | compile time |
      | i       | a SyntaxError    | compile time |

  Scenario: REPORT STATUS with RETRY, and an OPTIONAL MATCH before it
    Given an empty graph
    When executing query:
      """
      OPTIONAL MATCH (z:Nope) UNWIND [1, 0] AS i
      CALL (z, i) { CREATE (:N {x: 1 / i}) } IN TRANSACTIONS OF 1 ROW ON ERROR RETRY FOR 1 SECOND THEN CONTINUE REPORT STATUS AS s
      RETURN z, i, s.started AS started, s.committed AS committed, s.errorMessage IS NULL AS fine, s.transactionId =~ 'neo4j-transaction-[0-9]+' AS id
      """
    Then the result should be, in any order:
      | z    | i | started | committed | fine  | id   |
      | null | 1 | true    | true      | true  | true |
      | null | 0 | true    | false     | false | true |

  Scenario Outline: IN <n> CONCURRENT TRANSACTIONS does the same, one after the other, and says so
    Given an empty graph
    When executing query:
      """
      UNWIND range(1, 7) AS i CALL (i) { CREATE (n:N {i: i}) RETURN n.i AS j } IN <n> CONCURRENT TRANSACTIONS OF 2 ROWS RETURN sum(j) AS s
      """
    Then the result should be, in any order:
      | s  |
      | 28 |
    And the notifications should be:
      | ConcurrencyUnsupported |

    Examples:
      | n  |
      |    |
      | 3  |
      | -1 |
