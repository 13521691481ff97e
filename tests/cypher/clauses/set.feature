Feature: SET and REMOVE by maps, dynamic keys and dynamic labels

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A {a: 1, b: 2})-[:T {w: 1, v: 2}]->(:B)
      """

  Scenario: SET n = map replaces all properties, a null key is left out
    When executing query:
      """
      MATCH (n:A) SET n = {b: 3, c: 4, d: null} RETURN properties(n) AS p
      """
    Then the result should be, in any order:
      | p            |
      | {b: 3, c: 4} |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: SET n = {} removes all
    When executing query:
      """
      MATCH (n:A) SET n = {} RETURN properties(n) AS p
      """
    Then the result should be, in any order:
      | p  |
      | {} |
    And the side effects should be:
      | -properties | 2 |

  Scenario: SET n += map
    When executing query:
      """
      MATCH (n:A) SET n += {b: null, c: 4} RETURN properties(n) AS p
      """
    Then the result should be, in any order:
      | p            |
      | {a: 1, c: 4} |

  Scenario: SET n += {} and += null change nothing
    When executing query:
      """
      MATCH (n:A) SET n += {} SET n += null RETURN properties(n) AS p
      """
    Then the result should be, in any order:
      | p            |
      | {a: 1, b: 2} |
    And no side effects

  Scenario: maps of rows and parameters
    Given parameters are:
      | rows | [{id: 1, props: {x: 1}}, {id: 2, props: {}}] |
    When executing query:
      """
      UNWIND $rows AS row
      MERGE (n:E {id: row.id}) SET n += row.props
      RETURN n.id AS id, keys(n) AS keys ORDER BY id
      """
    Then the result should be, in order:
      | id | keys        |
      | 1  | ['id', 'x'] |
      | 2  | ['id']      |

  Scenario: a map on a relationship, and from another element
    When executing query:
      """
      MATCH (a:A)-[r:T]->(b:B) SET r = {z: 1} SET b = r SET b += a
      RETURN properties(r) AS r, properties(b) AS b
      """
    Then the result should be, in any order:
      | r      | b                  |
      | {z: 1} | {a: 1, b: 2, z: 1} |

  Scenario: a target of an optional match that found nothing
    When executing query:
      """
      OPTIONAL MATCH (n:Nobody) SET n = {x: 1} SET n += {y: 1} SET n.z = 1 SET n:L REMOVE n.z REMOVE n:L RETURN n
      """
    Then the result should be, in any order:
      | n    |
      | null |
    And no side effects

  Scenario: dynamic keys
    Given parameters are:
      | key | 'c' |
    When executing query:
      """
      MATCH (n:A) SET n[$key] = 3, n['d'] = n['a'] + 10 REMOVE n['b']
      RETURN n[$key] AS c, n['d'] AS d, n['b'] AS b, n['nope'] AS nope
      """
    Then the result should be, in any order:
      | c | d  | b    | nope |
      | 3 | 11 | null | null |

  Scenario: a dynamic key that is null
    When executing query:
      """
      MATCH (n:A) RETURN n[null] AS x
      """
    Then the result should be, in any order:
      | x    |
      | null |

  Scenario: a dynamic key that is no string
    Given parameters are:
      | wrong | 7 |
    When executing query:
      """
      MATCH (n:A) SET n[$wrong] = 1
      """
    Then a TypeError should be raised at runtime: *

  Scenario: dynamic labels, one, several and none
    Given parameters are:
      | label  | 'C'        |
      | labels | ['D', 'E'] |
    When executing query:
      """
      MATCH (n:A) SET n:$($label) SET n:$($labels) SET n:$([]) REMOVE n:$('A') RETURN labels(n) AS l
      """
    Then the result should be (ignoring element order for lists):
      | l               |
      | ['C', 'D', 'E'] |
    And the side effects should be:
      | +labels | 3 |
      | -labels | 1 |

  Scenario: a dynamic label by row
    Given parameters are:
      | rows | [{id: 1, type: 'X'}, {id: 2, type: 'Y'}] |
    When executing query:
      """
      UNWIND $rows AS row MERGE (n:E {id: row.id}) SET n:$(row.type) RETURN row.id AS id, labels(n) AS l ORDER BY id
      """
    Then the result should be (ignoring element order for lists):
      | id | l          |
      | 1  | ['E', 'X'] |
      | 2  | ['E', 'Y'] |

  Scenario Outline: <value> is no label
    Given parameters are:
      | wrong | <value> |
    When executing query:
      """
      MATCH (n:A) SET n:$($wrong)
      """
    Then a <type> should be raised at runtime: *

    Examples:
      | value | type      |
      | 7     | TypeError |
      | [7]   | TypeError |

  Scenario: items run from left to right, none sees a later one
    When executing query:
      """
      MATCH (n:A) SET n.a = n.b, n.b = n.a, n.c = CASE WHEN n.d IS NULL THEN 'no d' ELSE 'd' END, n.d = 1
      RETURN n.a AS a, n.b AS b, n.c AS c, n.d AS d
      """
    Then the result should be, in any order:
      | a | b | c      | d |
      | 2 | 2 | 'no d' | 1 |

  Scenario: an embedding among the properties
    Given parameters are:
      | map | {name: 'x', name_embedding: [0.1, 0.2], labels: ['Entity'], gone: null} |
    When executing query:
      """
      MATCH (n:A) SET n = $map RETURN n.name_embedding AS e, n.labels AS l, labels(n) AS real
      """
    Then the result should be, in any order:
      | e          | l          | real  |
      | [0.1, 0.2] | ['Entity'] | ['A'] |

  Scenario Outline: SET n = <value> is refused
    Given parameters are:
      | wrong | <value> |
    When executing query:
      """
      MATCH (n:A) SET n = $wrong
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | value |
      | 7     |
      | [1]   |
      | {a: {b: 1}} |
