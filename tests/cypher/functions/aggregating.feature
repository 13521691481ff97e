Feature: aggregating functions

  Scenario Outline: <call> of 13, 33 and 44
    Given any graph
    When executing query:
      """
      UNWIND [13, 33, 44] AS x
      RETURN <call> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | call                       | result       |
      | avg(x)                     | 30.0         |
      | sum(x)                     | 90           |
      | sum(x * 1.0)               | 90.0         |
      | min(x)                     | 13           |
      | max(x)                     | 44           |
      | count(x)                   | 3            |
      | count(*)                   | 3            |
      | count(DISTINCT x % 2)      | 2            |
      | collect(x)                 | [13, 33, 44] |
      | collect(DISTINCT x % 2)    | [1, 0]       |
      | percentileCont(x, 0.0)     | 13.0         |
      | percentileCont(x, 0.4)     | 29.0         |
      | percentileCont(x, 1.0)     | 44.0         |
      | percentileDisc(x, 0.0)     | 13           |
      | percentileDisc(x, 0.5)     | 33           |
      | percentileDisc(x, 1.0)     | 44           |
      | round(stDev(x), 6)         | 15.716234    |
      | round(stDevP(x), 6)        | 12.832251    |

  Scenario Outline: <call> of nulls alone
    Given any graph
    When executing query:
      """
      UNWIND [null, null] AS x
      RETURN <call> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | call                   | result |
      | avg(x)                 | null   |
      | sum(x)                 | 0      |
      | min(x)                 | null   |
      | max(x)                 | null   |
      | count(x)               | 0      |
      | count(*)               | 2      |
      | collect(x)             | []     |
      | percentileCont(x, 0.5) | null   |
      | percentileDisc(x, 0.5) | null   |
      | stDev(x)               | 0.0    |
      | stDevP(x)              | 0.0    |

  Scenario Outline: <call> of no rows
    Given any graph
    When executing query:
      """
      UNWIND [] AS x
      RETURN <call> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | call                   | result |
      | avg(x)                 | null   |
      | sum(x)                 | 0      |
      | min(x)                 | null   |
      | max(x)                 | null   |
      | count(x)               | 0      |
      | collect(x)             | []     |
      | percentileCont(x, 0.5) | null   |
      | percentileDisc(x, 0.5) | null   |
      | stDev(x)               | 0.0    |
      | stDevP(x)              | 0.0    |

  Scenario Outline: <call> passes over nulls
    Given any graph
    When executing query:
      """
      UNWIND [1, null, 3] AS x
      RETURN <call> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | call                   | result |
      | avg(x)                 | 2.0    |
      | sum(x)                 | 4      |
      | min(x)                 | 1      |
      | max(x)                 | 3      |
      | count(x)               | 2      |
      | collect(x)             | [1, 3] |
      | percentileCont(x, 0.5) | 2.0    |
      | percentileDisc(x, 0.5) | 1      |
      | stDevP(x)              | 1.0    |

  Scenario Outline: <call> of a string is refused when it runs
    Given any graph
    And parameters are:
      | wrong | ['x'] |
    When executing query:
      """
      UNWIND $wrong AS x
      RETURN <call> AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | call                   |
      | avg(x)                 |
      | sum(x)                 |
      | percentileCont(x, 0.5) |
      | percentileDisc(x, 0.5) |
      | stDev(x)               |
      | stDevP(x)              |

  Scenario Outline: <call> beyond its range
    Given any graph
    When executing query:
      """
      UNWIND [1] AS x
      RETURN <call> AS result
      """
    Then an ArgumentError should be raised at runtime: NumberOutOfRange

    Examples:
      | call                    |
      | percentileCont(x, 1.1)  |
      | percentileDisc(x, -0.1) |

  Scenario: durations are summed and averaged
    Given any graph
    When executing query:
      """
      UNWIND [duration('PT20S'), duration('PT30S')] AS d
      RETURN sum(d) AS sum, avg(d) AS avg
      """
    Then the result should be, in any order:
      | sum     | avg     |
      | 'PT50S' | 'PT25S' |

  # The manual: of mixed types max takes numbers before strings, strings before lists; min the other way round.
  Scenario: the extremes of mixed types
    Given any graph
    When executing query:
      """
      UNWIND [1, 'a', null, 0.2, 'b', '1', '99'] AS x
      RETURN max(x) AS max, min(x) AS min
      """
    Then the result should be, in any order:
      | max | min |
      | 1   | '1' |

  Scenario: aggregates over an optional match, by group
    Given an empty graph
    And having executed:
      """
      CREATE (a:P {g: 1})-[:K {w: 2}]->(:Q), (a)-[:K {w: 4}]->(:Q), (:P {g: 2})
      """
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[k:K]->()
      RETURN p.g AS g, count(k) AS n, sum(k.w) AS s, avg(k.w) AS a, collect(k.w) AS ws, max(k.w) AS m, stDevP(k.w) AS d,
             percentileDisc(k.w, 0.9) AS p9
      ORDER BY g
      """
    Then the result should be (ignoring element order for lists):
      | g | n | s | a    | ws     | m    | d   | p9   |
      | 1 | 2 | 6 | 3.0  | [2, 4] | 4    | 1.0 | 4    |
      | 2 | 0 | 0 | null | []     | null | 0.0 | null |
