Feature: procedures of the database

  Scenario: db.labels, db.relationshipTypes and db.propertyKeys
    Given an empty graph
    And having executed:
      """
      CREATE (:A:B {x: 1})-[:T {y: 2}]->(:A)
      """
    When executing query:
      """
      CALL db.labels()
      """
    Then the result should be, in any order:
      | label |
      | 'A'   |
      | 'B'   |
    When executing query:
      """
      CALL db.relationshipTypes() YIELD relationshipType RETURN collect(relationshipType) AS types
      """
    Then the result should be, in any order:
      | types |
      | ['T'] |
    When executing query:
      """
      CALL db.propertyKeys() YIELD propertyKey AS k WHERE k <> 'x' RETURN k
      """
    Then the result should be, in any order:
      | k   |
      | 'y' |

  Scenario: of an empty graph
    Given an empty graph
    When executing query:
      """
      CALL db.labels() YIELD label RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |

  Scenario: in the middle of a query, beside an optional match
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: 1}), (:B)
      """
    When executing query:
      """
      CALL db.labels() YIELD label
      OPTIONAL MATCH (n:$(label)) WHERE n.x IS NOT NULL
      RETURN label, count(n) AS n ORDER BY label
      """
    Then the result should be, in order:
      | label | n |
      | 'A'   | 1 |
      | 'B'   | 0 |

  Scenario: dbms.components says what version gates read
    Given any graph
    When executing query:
      """
      CALL dbms.components()
      """
    Then the result should be, in any order:
      | name           | versions   | edition     |
      | 'Neo4j Kernel' | ['5.26.0'] | 'community' |
    When executing query:
      """
      CALL dbms.components() YIELD name, versions UNWIND versions AS v RETURN name, split(v, '.')[0] AS major
      """
    Then the result should be, in any order:
      | name           | major |
      | 'Neo4j Kernel' | '5'   |

  Scenario: vector properties set by procedure, for each row
    Given an empty graph
    And having executed:
      """
      CREATE (:E {id: 1})-[:R {id: 3}]->(:E {id: 2})
      """
    When executing query:
      """
      MATCH (a:E)-[r:R]->(b:E)
      WITH a, r CALL db.create.setNodeVectorProperty(a, 'v', [0.25, 0.5])
      WITH r CALL db.create.setRelationshipVectorProperty(r, 'w', [1, 2])
      RETURN r.w AS w
      """
    Then the result should be, in any order:
      | w          |
      | [1.0, 2.0] |
    When executing query:
      """
      MATCH (e:E) RETURN e.v AS v, e.id AS id ORDER BY id
      """
    Then the result should be, in order:
      | v           | id |
      | [0.25, 0.5] | 1  |
      | null        | 2  |

  Scenario Outline: refused: CALL <call>
    Given any graph
    When executing query:
      """
      CALL <call>
      """
    Then a <type> should be raised at compile time: <detail>

    Examples:
      | call                              | type           | detail                   |
      | db.lables()                       | ProcedureError | ProcedureNotFound        |
      | db.labels(1)                      | SyntaxError    | InvalidNumberOfArguments |
      | db.labels() YIELD lable RETURN 1  | SyntaxError    | UndefinedVariable        |
      | db.labels() YIELD label AS a, label AS a RETURN 1 | SyntaxError | VariableAlreadyBound |

  Scenario: waiting for indexes
    Given an empty graph
    And having executed:
      """
      CREATE INDEX i FOR (n:A) ON (n.x)
      """
    When executing query:
      """
      CALL db.awaitIndexes(10)
      """
    Then the result should be empty
    When executing query:
      """
      CALL db.awaitIndex('i', 10)
      """
    Then the result should be empty
    When executing query:
      """
      CALL db.awaitIndex('nope')
      """
    Then a SchemaNotFound should be raised at runtime: *

  Scenario: is anybody there
    Given any graph
    When executing query:
      """
      CALL db.ping()
      """
    Then the result should be, in any order:
      | success |
      | true    |
    When executing query:
      """
      CALL db.info() YIELD id, name RETURN id IS NOT NULL AS id, name
      """
    Then the result should be, in any order:
      | id   | name    |
      | true | 'neo4j' |

  Scenario: nearest relationships
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX rv FOR ()-[r:R]-() ON (r.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}
      """
    And having executed:
      """
      CREATE (a:A), (a)-[:R {id: 1, e: [1.0, 0.0]}]->(:B), (a)-[:R {id: 2, e: [0.0, 1.0]}]->(:B), (a)-[:R {id: 3}]->(:B)
      """
    When executing query:
      """
      CALL db.index.vector.queryRelationships('rv', 2, [1.0, 0.1]) YIELD relationship, score
      OPTIONAL MATCH (a)-[relationship]->(b)
      RETURN relationship.id AS id, score > 0.9 AS near, labels(startNode(relationship)) AS l, count(b) AS n ORDER BY id
      """
    Then the result should be, in order:
      | id | near  | l     | n |
      | 1  | true  | ['A'] | 1 |
      | 2  | false | ['A'] | 1 |

  Scenario Outline: db.index.vector.queryNodes(<arguments>) is refused
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX vi FOR (n:C) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2}}
      """
    And parameters are:
      | wrong | <wrong> |
    When executing query:
      """
      CALL db.index.vector.queryNodes(<arguments>) YIELD node RETURN node
      """
    Then a <type> should be raised at any time: *

    Examples:
      | arguments             | wrong       | type           |
      | 'nope', 1, [1, 2]     | null        | SchemaNotFound |
      | 'vi', 1, $wrong       | [1]         | ArgumentError  |
      | 'vi', 1, $wrong       | 'x'         | TypeError      |
      | 'vi', $wrong, [1, 2]  | 'x'         | TypeError      |
      | 'vi', $wrong, [1, 2]  | -1          | ArgumentError  |
