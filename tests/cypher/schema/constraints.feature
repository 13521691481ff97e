Feature: constraints

  Scenario Outline: SHOW CONSTRAINTS names <type>
    Given an empty graph
    And having executed:
      """
      CREATE CONSTRAINT c IF NOT EXISTS FOR <for> REQUIRE <require>
      """
    When executing query:
      """
      SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties
      """
    Then the result should be, in any order:
      | name | type     | entityType | labelsOrTypes | properties |
      | 'c'  | '<type>' | '<entity>' | ['<label>']   | <props>    |

    Examples:
      | for           | require                 | type                             | entity       | label | props      |
      | (n:A)         | n.x IS UNIQUE           | UNIQUENESS                       | NODE         | A     | ['x']      |
      | (n:A)         | (n.x, n.y) IS UNIQUE    | UNIQUENESS                       | NODE         | A     | ['x', 'y'] |
      | (n:A)         | n.x IS NODE KEY         | NODE_KEY                         | NODE         | A     | ['x']      |
      | (n:A)         | (n.x, n.y) IS NODE KEY  | NODE_KEY                         | NODE         | A     | ['x', 'y'] |
      | (n:A)         | n.x IS NOT NULL         | NODE_PROPERTY_EXISTENCE          | NODE         | A     | ['x']      |
      | (n:A)         | n.x IS :: STRING        | NODE_PROPERTY_TYPE               | NODE         | A     | ['x']      |
      | ()-[r:T]-()   | r.x IS UNIQUE           | RELATIONSHIP_UNIQUENESS          | RELATIONSHIP | T     | ['x']      |
      | ()-[r:T]->()  | (r.x) IS RELATIONSHIP KEY | RELATIONSHIP_KEY               | RELATIONSHIP | T     | ['x']      |
      | ()-[r:T]-()   | r.x IS NOT NULL         | RELATIONSHIP_PROPERTY_EXISTENCE  | RELATIONSHIP | T     | ['x']      |
      | ()-[r:T]-()   | r.x IS :: INTEGER       | RELATIONSHIP_PROPERTY_TYPE       | RELATIONSHIP | T     | ['x']      |

  Scenario Outline: <require> refuses <second>
    Given an empty graph
    And having executed:
      """
      CREATE CONSTRAINT FOR (b:`A`) REQUIRE <require>;
      """
    And having executed:
      """
      CREATE (:A <first>)
      """
    When executing query:
      """
      CREATE (:A <second>)
      """
    Then a ConstraintValidationFailed should be raised at runtime: *

    Examples:
      | require              | first          | second         |
      | b.x IS UNIQUE        | {x: 1}         | {x: 1}         |
      | b.x IS UNIQUE        | {x: 1}         | {x: 1.0}       |
      | (b.x, b.y) IS UNIQUE | {x: 1, y: 2}   | {x: 1, y: 2}   |
      | b.x IS NODE KEY      | {x: 1}         | {y: 1}         |
      | b.x IS NODE KEY      | {x: 1}         | {x: 1}         |
      | b.x IS NOT NULL      | {x: 1}         | {}             |
      | b.x IS :: STRING     | {x: 'a'}       | {x: 1}         |
      | b.x :: STRING \| INTEGER | {x: 1}     | {x: 1.5}       |

  Scenario Outline: <require> takes <second>
    Given an empty graph
    And having executed:
      """
      CREATE CONSTRAINT FOR (b:A) REQUIRE <require>
      """
    And having executed:
      """
      CREATE (:A <first>)
      """
    When executing query:
      """
      CREATE (:A <second>)
      """
    Then the result should be empty

    Examples:
      | require              | first          | second         |
      | b.x IS UNIQUE        | {x: 1}         | {x: 2}         |
      | b.x IS UNIQUE        | {}             | {}             |
      | b.x IS UNIQUE        | {x: 1}         | {x: '1'}       |
      | (b.x, b.y) IS UNIQUE | {x: 1, y: 2}   | {x: 1, y: 3}   |
      | (b.x, b.y) IS UNIQUE | {x: 1}         | {x: 1}         |
      | b.x IS :: STRING     | {x: 'a'}       | {}             |

  Scenario: a rule that the data breaks is refused
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: 1}), (:A {x: 1})
      """
    When executing query:
      """
      CREATE CONSTRAINT FOR (a:A) REQUIRE a.x IS UNIQUE
      """
    Then a ConstraintValidationFailed should be raised at runtime: *

  Scenario: dropping, twice, and by parameter
    Given an empty graph
    And parameters are:
      | name | 'c' |
    And having executed:
      """
      CREATE CONSTRAINT $name FOR (a:A) REQUIRE a.x IS UNIQUE
      """
    When executing query:
      """
      DROP CONSTRAINT $name
      """
    Then the result should be empty
    When executing query:
      """
      DROP CONSTRAINT c IF EXISTS
      """
    Then the result should be empty
    When executing query:
      """
      DROP CONSTRAINT c
      """
    Then a SchemaNotFound should be raised at runtime: *

  Scenario: its index is shown with its owner
    Given an empty graph
    And having executed:
      """
      CREATE CONSTRAINT c FOR (a:A) REQUIRE a.x IS UNIQUE
      """
    When executing query:
      """
      SHOW INDEXES YIELD name, owningConstraint, properties
      """
    Then the result should be, in any order:
      | name | owningConstraint | properties |
      | 'c'  | 'c'              | ['x']      |

  Scenario: MERGE with a unique key, counted after an optional match
    Given an empty graph
    And having executed:
      """
      CREATE CONSTRAINT FOR (b:`__Entity__`) REQUIRE b.id IS UNIQUE;
      """
    When executing query:
      """
      UNWIND ['a', 'b', 'a'] AS id MERGE (e:`__Entity__` {id: id}) WITH DISTINCT e
      OPTIONAL MATCH (e)-->(x) RETURN count(e) AS n, count(x) AS x
      """
    Then the result should be, in any order:
      | n | x |
      | 2 | 0 |
