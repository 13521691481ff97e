Feature: reports of order, lists, numbers and dates

  Scenario: DISTINCT comes before ORDER BY, SKIP and LIMIT
    Given an empty graph
    And having executed:
      """
      UNWIND ['b', 'a', 'b', 'c', 'a'] AS c CREATE (:P {city: c})
      """
    When executing query:
      """
      MATCH (p:P) RETURN DISTINCT p.city AS c ORDER BY c SKIP 1 LIMIT 2
      """
    Then the result should be, in order:
      | c   |
      | 'b' |
      | 'c' |

  Scenario: ordering by a constant loses no row
    Given any graph
    When executing query:
      """
      UNWIND [3, 1, 2] AS x RETURN x ORDER BY true
      """
    Then the result should be, in any order:
      | x |
      | 1 |
      | 2 |
      | 3 |

  Scenario: a counted union and a constant sort key
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2] AS x
      RETURN x, COUNT { MATCH (n:Y) RETURN n UNION MATCH (n:Z) RETURN n } AS c ORDER BY 'k', x
      """
    Then the result should be, in order:
      | x | c |
      | 1 | 0 |
      | 2 | 0 |

  Scenario Outline: the slice <slice>
    Given any graph
    When executing query:
      """
      RETURN <slice> AS s
      """
    Then the result should be, in any order:
      | s        |
      | <answer> |

    Examples:
      | slice                           | answer          |
      | [1, 2, 3, 4][-2..]              | [3, 4]          |
      | [1, 2, 3, 4, 5][0..2147483648]  | [1, 2, 3, 4, 5] |
      | [1, 2, 3][2..1]                 | []              |
      | [1, 2, 3][-9..2]                | [1, 2]          |
      | [1, 2, 3][7]                    | null            |
      | [1, 2, 3][null..2]              | null            |
      | [1, 2, 3][0..9223372036854775807] | [1, 2, 3]     |
      | [1, 2, 3][-9223372036854775807..-1] | [1, 2]      |

  Scenario Outline: <sum> overflows and is an error
    Given any graph
    When executing query:
      """
      UNWIND [9223372036854775807] AS most
      RETURN <sum> AS x
      """
    Then an ArithmeticError should be raised at runtime: *

    Examples:
      | sum                             |
      | most + 1                        |
      | -most - 2                       |
      | most * 2                        |
      | abs(-most - 1)                  |
      | -(-most - 1)                    |
      | (-most - 1) / -1                |

  Scenario Outline: <sum> of constants overflows and is an error
    Given any graph
    When executing query:
      """
      RETURN <sum> AS x
      """
    Then an ArithmeticError should be raised at any time: *

    Examples:
      | sum                              |
      | 9223372036854775807 + 1          |
      | -9223372036854775807 - 2         |
      | 9223372036854775807 * 2          |
      | abs(-9223372036854775808)        |

  Scenario: a literal beyond 64 bits is no integer
    Given any graph
    When executing query:
      """
      RETURN 9223372036854775808 AS x
      """
    Then a SyntaxError should be raised at compile time: IntegerOverflow

  Scenario: the ends of the integers
    Given any graph
    When executing query:
      """
      RETURN 9223372036854775807 / 1 AS x, -9223372036854775808 AS y
      """
    Then the result should be, in any order:
      | x                   | y                    |
      | 9223372036854775807 | -9223372036854775808 |

  Scenario: months end where the month ends
    Given any graph
    When executing query:
      """
      RETURN toString(date('2024-01-31') + duration('P1M')) AS a,
             toString(date('2024-02-29') + duration('P1Y')) AS b,
             toString(date('2024-03-31') - duration('P1M')) AS c
      """
    Then the result should be, in any order:
      | a            | b            | c            |
      | '2024-02-29' | '2025-02-28' | '2024-02-29' |

  Scenario: ordinal and week dates are the same day
    Given any graph
    When executing query:
      """
      RETURN toString(date('2015-202')) AS a, toString(date('2015-W30-2')) AS b,
             toString(date({year: 2015, week: 30, dayOfWeek: 2})) AS c
      """
    Then the result should be, in any order:
      | a            | b            | c            |
      | '2015-07-21' | '2015-07-21' | '2015-07-21' |
