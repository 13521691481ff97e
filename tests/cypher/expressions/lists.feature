Feature: lists: slices, comprehensions, access

  Scenario Outline: <expression>
    Given any graph
    And parameters are:
      | limit | 2               |
      | list  | [1, 2, 3, 4, 5] |
      | none  | null            |
    When executing query:
      """
      RETURN <expression> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | expression                              | result          |
      | $list[..$limit]                         | [1, 2]          |
      | $list[1..]                              | [2, 3, 4, 5]    |
      | $list[0..5]                             | [1, 2, 3, 4, 5] |
      | $list[-2..]                             | [4, 5]          |
      | $list[..-3]                             | [1, 2]          |
      | $list[1..-1]                            | [2, 3, 4]       |
      | $list[9..]                              | []              |
      | $list[..]                               | [1, 2, 3, 4, 5] |
      | $none[..2]                              | null            |
      | $list[$none..]                          | null            |
      | $list[..$none]                          | null            |
      | [][..2]                                 | []              |
      | $list[0]                                | 1               |
      | $list[-1]                               | 5               |
      | $list[5]                                | null            |
      | $list[$none]                            | null            |
      | $none[0]                                | null            |
      | [x IN $list WHERE x > 3]                | [4, 5]          |
      | [x IN $list \| x * 2][1]                | 4               |
      | [x IN $list WHERE x % 2 = 0 \| {v: x}]  | [{v: 2}, {v: 4}] |
      | [x IN [] \| x]                          | []              |
      | [x IN $none \| x]                       | null            |
      | [x IN [1, null] WHERE x > 0]            | [1]             |
      | [x IN [[1, 2], [3]] \| x[0]]            | [1, 3]          |
      | [l IN ['X', 'Y'] WHERE l <> 'X' \| l][0] | 'Y'            |
      | [o IN ['a', 'b'] WHERE NOT o IN coalesce($none, [])] | ['a', 'b'] |
      | [o IN ['a', 'b'] WHERE NOT o IN $none]  | []              |
      | coalesce($none, []) + ['a']             | ['a']           |
      | [1] + [2] + 3                           | [1, 2, 3]       |
      | [1] \|\| [2]                            | [1, 2]          |
      | [] \|\| []                              | []              |
      | [1] \|\| $none                          | null            |
      | 3 IN $list                              | true            |
      | 9 IN $list                              | false           |
      | [1] IN [[1], [2]]                       | true            |
      | size($list[1..3])                       | 2               |

  Scenario Outline: <expression> is refused when it runs
    Given any graph
    And parameters are:
      | wrong | 'x'    |
      | list  | [1, 2] |
    When executing query:
      """
      RETURN <expression> AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | expression            |
      | $list[$wrong]         |
      | $list[$wrong..]       |
      | [x IN $wrong \| x]    |
      | 1 IN $wrong           |
      | $list \|\| $wrong     |

  Scenario: a literal at a list's index that is no integer is refused before anything runs
    Given any graph
    When executing query:
      """
      RETURN [1, 2]['a'] AS result
      """
    Then a TypeError should be raised at compile time: InvalidArgumentType

  Scenario: slices of what an optional match collected
    Given an empty graph
    And having executed:
      """
      CREATE (p:P {n: 1}), (:P {n: 2}) WITH p UNWIND [3, 1, 2] AS w CREATE (p)-[:K]->(:Q {w: w})
      """
    And parameters are:
      | limit | 2 |
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:K]->(q) WITH p, q ORDER BY q.w
      RETURN p.n AS n, collect({w: q.w})[..$limit] AS firstTwo, collect(q.w)[0] AS first, [x IN collect(DISTINCT q.w) WHERE x > 1] AS more
      ORDER BY n
      """
    Then the result should be, in order:
      | n | firstTwo           | first | more   |
      | 1 | [{w: 1}, {w: 2}]   | 1     | [2, 3] |
      | 2 | [{w: null}]        | null  | []     |
