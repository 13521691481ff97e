Feature: the procedures of APOC that clients write with

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A {k: 1})-[:T {w: 1, v: 1}]->(:B {k: 1})
      """

  Scenario: a relationship whose type and properties are parameters is found, and made
    Given parameters are:
      | rows | [{type: 'T', p: {v: 2}}, {type: 'NEW', p: {v: 3, gone: null}}, {type: 'NEW', p: {v: 4}}] |
    When executing query:
      """
      UNWIND $rows AS row
      MATCH (a:A {k: 1}), (b:B {k: 1})
      CALL apoc.merge.relationship(a, row.type, {}, row.p, b, row.p) YIELD rel
      RETURN type(rel) AS type, rel.v AS v
      """
    Then the result should be, in any order:
      | type  | v |
      | 'T'   | 2 |
      | 'NEW' | 4 |
      | 'NEW' | 4 |
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 2 |
      | -properties    | 1 |

  Scenario: properties that identify it, without the last argument
    When executing query:
      """
      MATCH (a:A), (b:B)
      CALL apoc.merge.relationship(a, 'T', {w: 1.0}, {x: 1}, b) YIELD rel AS found
      CALL apoc.merge.relationship(a, 'T', {w: 2}, {x: 1}, b) YIELD rel AS made
      RETURN properties(found) AS f, properties(made) AS m
      """
    Then the result should be, in any order:
      | f            | m            |
      | {w: 1, v: 1} | {w: 2, x: 1} |
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 2 |

  Scenario: the other direction is another relationship
    When executing query:
      """
      MATCH (a:A), (b:B) CALL apoc.merge.relationship(b, 'T', {}, {}, a) YIELD rel RETURN startNode(rel) = b AS back
      """
    Then the result should be, in any order:
      | back |
      | true |
    And the side effects should be:
      | +relationships | 1 |

  Scenario: a node by labels and properties that are parameters
    Given parameters are:
      | labels | ['A', 'C'] |
    When executing query:
      """
      UNWIND [{k: 1}, {k: 1}, {k: 2}] AS ident
      CALL apoc.merge.node($labels, ident, {made: 1}, {found: 1}) YIELD node
      RETURN labels(node) AS l, properties(node) AS p
      """
    Then the result should be (ignoring element order for lists):
      | l          | p                        |
      | ['A', 'C'] | {k: 1, made: 1, found: 1} |
      | ['A', 'C'] | {k: 1, made: 1, found: 1} |
      | ['A', 'C'] | {k: 2, made: 1}          |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 5 |

  Scenario: a node is found by its index
    Given having executed:
      """
      CREATE CONSTRAINT FOR (a:A) REQUIRE a.k IS UNIQUE
      """
    When executing query:
      """
      CALL apoc.merge.node(['A'], {k: 1.0}) YIELD node WITH node OPTIONAL MATCH (node)-[r]->() RETURN node.k AS k, count(r) AS n
      """
    Then the result should be, in any order:
      | k | n |
      | 1 | 1 |
    And no side effects

  Scenario: labels for one node, several and none
    When executing query:
      """
      MATCH (a:A), (b:B) OPTIONAL MATCH (x:Nobody)
      CALL apoc.create.addLabels([a, b, x], ['L', 'M']) YIELD node
      CALL apoc.create.addLabels(node, []) YIELD node AS same
      RETURN labels(same) AS l
      """
    Then the result should be (ignoring element order for lists):
      | l               |
      | ['A', 'L', 'M'] |
      | ['B', 'L', 'M'] |
    And the side effects should be:
      | +labels | 2 |
    When executing query:
      """
      CALL apoc.create.addLabels(null, ['L']) YIELD node RETURN node
      """
    Then the result should be, in any order:
      | node |

  Scenario Outline: refused when it runs: <call>
    Given parameters are:
      | wrong | 7    |
      | none  | null |
    When executing query:
      """
      MATCH (a:A), (b:B) OPTIONAL MATCH (x:Nobody)
      CALL <call> YIELD <field> RETURN <field>
      """
    Then a <type> should be raised at runtime: *

    Examples:
      | call                                             | field | type          |
      | apoc.merge.relationship(x, 'T', {}, {}, b)       | rel   | SemanticError |
      | apoc.merge.relationship(a, 'T', {}, {}, x)       | rel   | SemanticError |
      | apoc.merge.relationship(a, '', {}, {}, b)        | rel   | ArgumentError |
      | apoc.merge.relationship(a, $none, {}, {}, b)     | rel   | ArgumentError |
      | apoc.merge.relationship(a, $wrong, {}, {}, b)    | rel   | TypeError     |
      | apoc.merge.relationship(a, 'T', {w: $none}, {}, b) | rel | SemanticError |
      | apoc.merge.relationship(a, 'T', $wrong, {}, b)   | rel   | TypeError     |
      | apoc.merge.relationship(a, 'N', {}, {m: {a: 1}}, b) | rel | TypeError    |
      | apoc.merge.node(['A'], {})                       | node  | ArgumentError |
      | apoc.merge.node(['A'], {k: $none})               | node  | SemanticError |
      | apoc.merge.node([''], {k: 1})                    | node  | ArgumentError |
      | apoc.merge.node($wrong, {k: 1})                  | node  | TypeError     |
      | apoc.create.addLabels(a, [7])                    | node  | ArgumentError |
      | apoc.create.addLabels($wrong, ['L'])             | node  | TypeError     |
      | apoc.create.addLabels([a, $wrong], ['L'])        | node  | TypeError     |
