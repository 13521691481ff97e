Feature: list functions

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
      | call                                        | result              |
      | head([1, 2, 3])                             | 1                   |
      | head([])                                    | null                |
      | head([null, 1])                             | null                |
      | head(null)                                  | null                |
      | last([1, 2, 3])                             | 3                   |
      | last([])                                    | null                |
      | last(null)                                  | null                |
      | tail([1, 2, 3])                             | [2, 3]              |
      | tail([1])                                   | []                  |
      | tail([])                                    | []                  |
      | tail(null)                                  | null                |
      | size([1, null, 3])                          | 3                   |
      | size([])                                    | 0                   |
      | size('')                                    | 0                   |
      | size(null)                                  | null                |
      | reverse([1, 'a', null])                     | [null, 'a', 1]      |
      | reverse([])                                 | []                  |
      | isEmpty([])                                 | true                |
      | isEmpty([null])                             | false               |
      | isEmpty('')                                 | true                |
      | isEmpty({})                                 | true                |
      | isEmpty({a: 1})                             | false               |
      | isEmpty(null)                               | null                |
      | range(0, 10)                                | [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] |
      | range(2, 18, 3)                             | [2, 5, 8, 11, 14, 17] |
      | range(0, -5)                                | []                  |
      | range(5, 1, -2)                             | [5, 3, 1]           |
      | range(3, 3)                                 | [3]                 |
      | keys({b: 1, a: null})                       | ['a', 'b']          |
      | keys({})                                    | []                  |
      | keys(null)                                  | null                |
      | labels(null)                                | null                |
      | nodes(null)                                 | null                |
      | relationships(null)                         | null                |
      | rels(null)                                  | null                |
      | reduce(sum = 0, x IN [1, 2, 3] \| sum + x)   | 6                  |
      | reduce(s = '', x IN ['a', 'b'] \| s + x)     | 'ab'               |
      | reduce(sum = 0, x IN [] \| sum + x)          | 0                  |
      | reduce(sum = 0, x IN null \| sum + x)        | null               |
      | reduce(sum = 0, x IN [1, null] \| sum + x)   | null               |
      | toBooleanList(['true', 'x', null, 1, true]) | [true, null, null, true, true] |
      | toBooleanList([])                           | []                  |
      | toBooleanList(null)                         | null                |
      | toFloatList(['1.5', 2, 'x', null])          | [1.5, 2.0, null, null] |
      | toFloatList(null)                           | null                |
      | toFloatList([])                             | []                  |
      | toIntegerList(['1', 2.9, 'x', null, true])  | [1, 2, null, null, 1] |
      | toIntegerList(null)                         | null                |
      | toIntegerList([])                           | []                  |
      | toStringList([1, 2.5, true, null, [1]])     | ['1', '2.5', 'true', null, null] |
      | toStringList(null)                          | null                |
      | toStringList([])                            | []                  |

  Scenario Outline: <call> is refused when it runs
    Given any graph
    And parameters are:
      | wrong | 7 |
    When executing query:
      """
      RETURN <call> AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | call                              |
      | head($wrong)                      |
      | last($wrong)                      |
      | tail($wrong)                      |
      | size($wrong)                      |
      | isEmpty($wrong)                   |
      | keys($wrong)                      |
      | labels($wrong)                    |
      | nodes($wrong)                     |
      | relationships($wrong)             |
      | rels($wrong)                      |
      | toBooleanList($wrong)             |
      | toFloatList($wrong)               |
      | toIntegerList($wrong)             |
      | toStringList($wrong)              |
      | reduce(s = 0, x IN $wrong \| s + x) |

  Scenario: a range of steps of 0
    Given any graph
    When executing query:
      """
      RETURN range(1, 3, 0) AS result
      """
    Then an ArgumentError should be raised at runtime: NumberOutOfRange

  Scenario: lists of an optional match
    Given an empty graph
    And having executed:
      """
      CREATE (:A {n: 1})-[:T {w: 2}]->(:B {n: 3}), (:A {n: 4})
      """
    When executing query:
      """
      MATCH (a:A)
      OPTIONAL MATCH p = (a)-[:T]->(b)
      RETURN a.n AS n, size(nodes(p)) AS nodes, [r IN relationships(p) | r.w] AS weights, labels(last(nodes(p))) AS ends, keys(b) AS keys
      ORDER BY n
      """
    Then the result should be, in order:
      | n | nodes | weights | ends  | keys  |
      | 1 | 2     | [2]     | ['B'] | ['n'] |
      | 4 | null  | null    | null  | null  |

  Scenario: reducing what was collected
    Given any graph
    When executing query:
      """
      UNWIND [3, 1, 2] AS x
      WITH collect(x) AS xs
      RETURN reduce(m = head(xs), x IN tail(xs) | CASE WHEN x < m THEN x ELSE m END) AS least, tail(reverse(xs)) AS rest
      """
    Then the result should be, in any order:
      | least | rest   |
      | 1     | [1, 3] |
