Feature: MERGE as clients write it

  Scenario: ON CREATE and ON MATCH, with labels and functions
    Given an empty graph
    When executing query:
      """
      UNWIND ['a', 'b', 'a'] AS name
      MERGE (n:User {name: name})
        ON CREATE SET n.created = timestamp(), n:New, n.times = 1
        ON MATCH SET n.times = n.times + 1
      RETURN name, n.times AS times, n:New AS new
      """
    Then the result should be, in any order:
      | name | times | new  |
      | 'a'  | 2     | true |
      | 'b'  | 1     | true |
      | 'a'  | 2     | true |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 2 |
      | +properties | 6 |

  Scenario: a relationship between bound nodes, with a map
    Given an empty graph
    And having executed:
      """
      CREATE (:A {k: 1}), (:B {k: 1})
      """
    When executing query:
      """
      UNWIND [{from: 1, to: 1, p: {w: 1}}, {from: 1, to: 1, p: {w: 2}}] AS row
      MATCH (a:A {k: row.from}), (b:B {k: row.to})
      MERGE (a)-[r:R]->(b) SET r += row.p
      RETURN count(r) AS n, max(r.w) AS w
      """
    Then the result should be, in any order:
      | n | w |
      | 2 | 2 |
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 1 |

  Scenario: void procedure in the middle
    Given an empty graph
    And parameters are:
      | nodes | [{uuid: 'u1', labels: ['Entity', 'Person'], name_embedding: [0.5, 0.5]}] |
    When executing query:
      """
      UNWIND $nodes AS node
      MERGE (n:Entity {uuid: node.uuid})
      SET n:$(node.labels)
      SET n = node
      WITH n, node CALL db.create.setNodeVectorProperty(n, "name_embedding", node.name_embedding)
      RETURN n.uuid AS uuid, labels(n) AS labels, n.name_embedding AS e
      """
    Then the result should be (ignoring element order for lists):
      | uuid | labels               | e          |
      | 'u1' | ['Entity', 'Person'] | [0.5, 0.5] |

  Scenario: with a dynamic label and a dynamic type
    Given an empty graph
    And parameters are:
      | label | 'L'  |
      | type  | 'TY' |
    When executing query:
      """
      MERGE (a:$($label) {k: 1}) MERGE (b:$($label) {k: 2}) MERGE (a)-[r:$($type)]->(b) RETURN type(r) AS t, labels(a) AS l
      """
    Then the result should be, in any order:
      | t    | l     |
      | 'TY' | ['L'] |
    When executing query:
      """
      MERGE (a:$($label) {k: 1}) MERGE (b:$($label) {k: 2}) MERGE (a)-[r:$($type)]->(b) RETURN type(r) AS t, labels(a) AS l
      """
    Then the result should be, in any order:
      | t    | l     |
      | 'TY' | ['L'] |
    And no side effects

  Scenario: a merge that an optional match starts
    Given an empty graph
    And having executed:
      """
      CREATE (:P {n: 1})
      """
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:K]->(q) WITH p, count(q) AS before
      MERGE (p)-[:K]->(q2:Q) RETURN before, labels(q2) AS l
      """
    Then the result should be, in any order:
      | before | l     |
      | 0      | ['Q'] |

  Scenario: an end that is null
    Given an empty graph
    And having executed:
      """
      CREATE (:P {n: 1})
      """
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (q:Nobody) MERGE (p)-[:K]->(q)
      """
    Then a SemanticError should be raised at runtime: *

  Scenario: INSERT is CREATE
    Given an empty graph
    When executing query:
      """
      INSERT (a:A&B {x: 1})-[:T]->(:C) RETURN labels(a) AS l
      """
    Then the result should be (ignoring element order for lists):
      | l          |
      | ['A', 'B'] |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |
      | +labels        | 3 |
      | +properties    | 1 |
