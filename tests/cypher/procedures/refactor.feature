Feature: apoc.refactor.mergeNodes

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:E {id: 1, n: 'x', tags: ['p']}), (b:E:Extra {id: 2, m: 'y', tags: ['p', 'q']}), (c:C {n: 'c'}), (d:D),
             (a)-[:T {w: 1}]->(c), (b)-[:T {w: 2, v: 7}]->(c), (c)-[:U]->(b), (b)-[:T]->(d), (a)-[:SAME]->(b)
      """

  Scenario: discard, and one of relationships of one kind
    When executing query:
      """
      MATCH (n:E) WITH n ORDER BY n.id WITH collect(n) AS nodes
      CALL apoc.refactor.mergeNodes(nodes, {properties: 'discard', mergeRels: true, produceSelfRel: false}) YIELD node
      RETURN node
      """
    Then the result should be, in any order:
      | node                                                   |
      | (:E:Extra {id: 1, n: 'x', m: 'y', tags: ['p']})        |
    When executing control query:
      """
      MATCH (e:E)-[r]-(o) RETURN type(r) AS t, startNode(r) = e AS out, properties(r) AS p, labels(o) AS o
      """
    Then the result should be, in any order:
      | t   | out   | p            | o     |
      | 'T' | true  | {w: 1, v: 7} | ['C'] |
      | 'U' | false | {}           | ['C'] |
      | 'T' | true  | {}           | ['D'] |
    When executing control query:
      """
      MATCH (n) RETURN count(n) AS n
      """
    Then the result should be, in any order:
      | n |
      | 3 |

  Scenario Outline: <properties>
    When executing query:
      """
      MATCH (n:E) WITH n ORDER BY n.id WITH collect(n) AS nodes
      CALL apoc.refactor.mergeNodes(nodes<config>) YIELD node
      RETURN node.id AS id, node.tags AS tags, node.n AS n, node.m AS m, labels(node) AS l
      """
    Then the result should be, in any order:
      | id   | tags   | n   | m   | l              |
      | <id> | <tags> | 'x' | 'y' | ['E', 'Extra'] |

    Examples:
      | properties        | config                                            | id     | tags       |
      | by default        |                                                   | [1, 2] | ['p', 'q'] |
      | no option         | , {}                                              | [1, 2] | ['p', 'q'] |
      | null              | , null                                            | [1, 2] | ['p', 'q'] |
      | combine           | , {properties: 'combine'}                         | [1, 2] | ['p', 'q'] |
      | overwrite         | , {properties: 'overwrite'}                       | 2      | ['p', 'q'] |
      | override          | , {properties: 'OVERRIDE'}                        | 2      | ['p', 'q'] |
      | discard           | , {properties: 'discard'}                         | 1      | ['p']      |
      | by name           | , {properties: {id: 'discard', tags: 'combine'}}  | 1      | ['p', 'q'] |
      | by pattern        | , {properties: {`t.*`: 'discard', id: 'combine'}} | [1, 2] | ['p']      |
      | what isn't named  | , {properties: {tags: 'discard'}}                 | 2      | ['p']      |

  Scenario: relationships move with their properties, and between two of the nodes become loops
    When executing query:
      """
      MATCH (n:E) WITH n ORDER BY n.id WITH collect(n) AS nodes
      CALL apoc.refactor.mergeNodes(nodes) YIELD node
      MATCH (node)-[r]->(o) RETURN type(r) AS t, r.w AS w, o = node AS loop
      """
    Then the result should be, in any order:
      | t      | w    | loop  |
      | 'T'    | 1    | false |
      | 'T'    | 2    | false |
      | 'T'    | null | false |
      | 'SAME' | null | true  |

  Scenario Outline: loops that were there: <config>
    And having executed:
      """
      MATCH (b:Extra) CREATE (b)-[:LOOP {i: 1}]->(b), (b)-[:LOOP {i: 2}]->(b)
      """
    When executing query:
      """
      MATCH (n:E) WITH n ORDER BY n.id WITH collect(n) AS nodes
      CALL apoc.refactor.mergeNodes(nodes, <config>) YIELD node
      MATCH (node)-[r:LOOP]->(node) WITH r.i AS i ORDER BY i RETURN collect(i) AS i
      """
    Then the result should be, in any order:
      | i      |
      | <left> |

    Examples:
      | config                                                                          | left     |
      | {produceSelfRel: false}                                                         | [1, 2]   |
      | {mergeRels: true}                                                               | [1, 2]   |
      | {mergeRels: true, preserveExistingSelfRels: false, properties: 'overwrite'}     | [2]      |
      | {mergeRels: true, preserveExistingSelfRels: false, properties: 'combine'}       | [[1, 2]] |

  Scenario: values that can't stand in one list stand there as text
    When executing query:
      """
      CREATE (a:V {x: 1}), (b:V {x: 'one'}) WITH [a, b] AS nodes CALL apoc.refactor.mergeNodes(nodes, {properties: 'combine'}) YIELD node RETURN node.x AS x
      """
    Then the result should be, in any order:
      | x            |
      | ['1', 'one'] |

  Scenario Outline: lists of <what>
    When executing query:
      """
      MATCH (a:E {id: 1}) OPTIONAL MATCH (z:Nope) CALL apoc.refactor.mergeNodes(<list>) YIELD node RETURN count(node) AS n
      """
    Then the result should be, in any order:
      | n   |
      | <n> |
    When executing control query:
      """
      MATCH (n:E)-[r]->() RETURN count(DISTINCT n) AS n, count(r) AS r
      """
    Then the result should be, in any order:
      | n | r |
      | 2 | 4 |

    Examples:
      | what            | list      | n |
      | nothing         | []        | 0 |
      | null            | null      | 0 |
      | nulls           | [z, null] | 0 |
      | one             | [a]       | 1 |
      | one twice       | [a, a]    | 1 |
      | one and null    | [z, a]    | 1 |

  Scenario: what is no node, and a mode that is none
    When executing query:
      """
      MATCH (a:E)-[r]->() WITH collect(r) AS rs CALL apoc.refactor.mergeNodes(rs) YIELD node RETURN node
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType
    When executing query:
      """
      CALL apoc.refactor.mergeNodes([], {properties: 'keep'})
      """
    Then an ArgumentError should be raised at runtime: InvalidArgumentValue
