Feature: reading as clients write it

  Background:
    Given an empty graph
    And having executed:
      """
      UNWIND range(1, 6) AS i CREATE (:M {uuid: 'u' + i, g: i % 2, x: i})
      """

  Scenario: limits and offsets as parameters and calls
    Given parameters are:
      | skip  | 1 |
      | limit | 2 |
    When executing query:
      """
      MATCH (m:M) RETURN m.uuid AS u ORDER BY u DESC SKIP $skip LIMIT toInteger($limit)
      """
    Then the result should be, in order:
      | u    |
      | 'u5' |
      | 'u4' |
    When executing query:
      """
      MATCH (m:M) WITH m ORDER BY m.x OFFSET 4 LIMIT $limit * 1 RETURN collect(m.x) AS xs
      """
    Then the result should be, in any order:
      | xs     |
      | [5, 6] |

  Scenario: paging by a key, and a limit of 0
    Given parameters are:
      | uuid   | 'u4'       |
      | groups | [0, 1, null] |
    When executing query:
      """
      MATCH (m:M) WHERE m.uuid < $uuid AND m.g IN $groups RETURN m.uuid AS u ORDER BY m.uuid DESC LIMIT 2
      """
    Then the result should be, in order:
      | u    |
      | 'u3' |
      | 'u2' |
    When executing query:
      """
      MATCH (m:M) RETURN m LIMIT 0
      """
    Then the result should be, in any order:
      | m |

  Scenario: DISTINCT with an order by an alias, and an aggregate before a match
    When executing query:
      """
      MATCH (m:M) WITH count(*) AS all MATCH (n:M) WHERE n.x > all - 3 RETURN DISTINCT n.g AS g, all ORDER BY g
      """
    Then the result should be, in order:
      | g | all |
      | 0 | 6   |
      | 1 | 6   |

  Scenario: chained comparisons, integers against floats, and a parameter that may be null
    Given parameters are:
      | a    | 2.0  |
      | b    | 4    |
      | none | null |
    When executing query:
      """
      MATCH (m:M) WHERE $a <= m.x <= $b AND ($none IS NULL OR m.g = $none) RETURN collect(m.x) AS xs
      """
    Then the result should be (ignoring element order for lists):
      | xs        |
      | [2, 3, 4] |

  Scenario: unwinding a case, a null and what an optional match found
    When executing query:
      """
      UNWIND CASE WHEN true THEN [1, 9] ELSE [] END AS i
      OPTIONAL MATCH (m:M {x: i})
      UNWIND [m.x, null] AS x
      RETURN i, x, count(*) AS n ORDER BY i, x
      """
    Then the result should be, in order:
      | i | x    | n |
      | 1 | 1    | 1 |
      | 1 | null | 1 |
      | 9 | null | 2 |
    When executing query:
      """
      UNWIND null AS x RETURN x
      """
    Then the result should be, in any order:
      | x |

  Scenario Outline: LIMIT <value> is refused
    Given parameters are:
      | limit | <value> |
    When executing query:
      """
      MATCH (m:M) RETURN m LIMIT $limit
      """
    Then a SyntaxError should be raised at runtime: <detail>

    Examples:
      | value | detail                  |
      | -1    | NegativeIntegerArgument |
      | 1.5   | InvalidArgumentType     |
      | 'a'   | InvalidArgumentType     |
      | null  | InvalidArgumentType     |

  Scenario: variables named like words of the language
    When executing query:
      """
      MATCH (from:M {x: 1}), (to:M {x: 2}) CREATE (from)-[new:NEXT]->(to) WITH from AS node, to AS index, new AS type
      RETURN node.x AS from, index.x AS to, type(type) AS new
      """
    Then the result should be, in any order:
      | from | to | new    |
      | 1    | 2  | 'NEXT' |
