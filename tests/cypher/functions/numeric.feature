Feature: numeric, logarithmic and trigonometric functions

  Scenario Outline: <call>
    Given any graph
    When executing query:
      """
      RETURN <call> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |
    And no side effects

    Examples:
      | call                          | result |
      | abs(-3)                       | 3      |
      | abs(-3.5)                     | 3.5    |
      | abs(null)                     | null   |
      | ceil(0.1)                     | 1.0    |
      | ceil(-0.9)                    | 0.0    |
      | ceil(3)                       | 3.0    |
      | ceil(null)                    | null   |
      | floor(0.9)                    | 0.0    |
      | floor(-0.1)                   | -1.0   |
      | floor(null)                   | null   |
      | sign(-17)                     | -1     |
      | sign(0.1)                     | 1      |
      | sign(0)                       | 0      |
      | sign(null)                    | null   |
      | isNaN(0.0 / 0.0)              | true   |
      | isNaN(1)                      | false  |
      | isNaN(null)                   | null   |
      | round(3.141592)               | 3.0    |
      | round(2.5)                    | 3.0    |
      | round(-1.5)                   | -1.0   |
      | round(3.141592, 3)            | 3.142  |
      | round(1.249, 1, 'UP')         | 1.3    |
      | round(1.251, 1, 'DOWN')       | 1.2    |
      | round(-1.249, 1, 'CEILING')   | -1.2   |
      | round(-1.251, 1, 'FLOOR')     | -1.3   |
      | round(1.25, 1, 'HALF_UP')     | 1.3    |
      | round(1.25, 1, 'HALF_DOWN')   | 1.2    |
      | round(1.25, 1, 'HALF_EVEN')   | 1.2    |
      | round(-1.55, 1)               | -1.6   |
      | round(null)                   | null   |
      | round(null, 2)                | null   |
      | round(1.5, null)              | null   |
      | e() > 2.718281 AND e() < 2.718282 | true |
      | exp(0)                        | 1.0    |
      | exp(1) = e()                  | true   |
      | exp(null)                     | null   |
      | log(1)                        | 0.0    |
      | log(e())                      | 1.0    |
      | log(null)                     | null   |
      | isNaN(log(-1))                | true   |
      | log10(1000)                   | 3.0    |
      | log10(null)                   | null   |
      | sqrt(256)                     | 16.0   |
      | isNaN(sqrt(-1))               | true   |
      | sqrt(null)                    | null   |
      | pi() > 3.141592 AND pi() < 3.141593 | true |
      | sin(0)                        | 0.0    |
      | sin(null)                     | null   |
      | cos(0)                        | 1.0    |
      | cos(null)                     | null   |
      | tan(0)                        | 0.0    |
      | tan(null)                     | null   |
      | round(cot(0.5), 6)            | 1.830488 |
      | cot(null)                     | null   |
      | asin(0)                       | 0.0    |
      | isNaN(asin(2))                | true   |
      | asin(null)                    | null   |
      | acos(1)                       | 0.0    |
      | acos(null)                    | null   |
      | atan(0)                       | 0.0    |
      | atan(null)                    | null   |
      | round(atan2(0.5, 0.6), 6)     | 0.694738 |
      | atan2(null, 1)                | null   |
      | atan2(1, null)                | null   |
      | sinh(0)                       | 0.0    |
      | sinh(null)                    | null   |
      | cosh(0)                       | 1.0    |
      | cosh(null)                    | null   |
      | tanh(0)                       | 0.0    |
      | tanh(null)                    | null   |
      | round(coth(1), 6)             | 1.313035 |
      | coth(null)                    | null   |
      | degrees(pi())                 | 180.0  |
      | degrees(null)                 | null   |
      | radians(180) = pi()           | true   |
      | radians(null)                 | null   |
      | haversin(0)                   | 0.0    |
      | round(haversin(0.5), 6)       | 0.061209 |
      | haversin(null)                | null   |

  Scenario Outline: <function> of a string is refused when it runs
    Given any graph
    And parameters are:
      | wrong | 'x' |
    When executing query:
      """
      RETURN <function>($wrong) AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | function |
      | abs      |
      | ceil     |
      | floor    |
      | sign     |
      | isNaN    |
      | round    |
      | exp      |
      | log      |
      | log10    |
      | sqrt     |
      | sin      |
      | cos      |
      | tan      |
      | cot      |
      | asin     |
      | acos     |
      | atan     |
      | sinh     |
      | cosh     |
      | tanh     |
      | coth     |
      | degrees  |
      | radians  |
      | haversin |

  Scenario: atan2 of a string
    Given any graph
    And parameters are:
      | wrong | 'x' |
    When executing query:
      """
      RETURN atan2(1, $wrong) AS result
      """
    Then a TypeError should be raised at runtime: *

  Scenario: an unknown mode of rounding
    Given any graph
    When executing query:
      """
      RETURN round(1.5, 1, 'SIDEWAYS') AS result
      """
    Then an ArgumentError should be raised at runtime: *

  Scenario: random numbers lie between 0 and 1 and differ
    Given any graph
    When executing query:
      """
      UNWIND range(1, 100) AS i
      WITH rand() AS x
      RETURN min(x) >= 0 AS low, max(x) < 1 AS high, count(DISTINCT x) > 90 AS differ
      """
    Then the result should be, in any order:
      | low  | high | differ |
      | true | true | true   |

  Scenario: numbers of an optional match, aggregated
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: -4})-[:T]->(:B {x: 6.25}), (:A {x: 9})
      """
    When executing query:
      """
      MATCH (a:A) OPTIONAL MATCH (a)-->(b)
      RETURN sum(abs(a.x)) AS s, collect(sqrt(b.x)) AS roots, max(sign(a.x)) AS sign, count(floor(b.x)) AS n
      """
    Then the result should be, in any order:
      | s  | roots | sign | n |
      | 13 | [2.5] | 1    | 1 |
