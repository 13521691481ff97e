Feature: SHOW

  Scenario: default columns of SHOW INDEXES
    Given an empty graph
    When executing query:
      """
      SHOW INDEXES
      """
    Then the result should be, in any order:
      | id | name | state | populationPercent | type | entityType | labelsOrTypes | properties | indexProvider | owningConstraint | lastRead | readCount |

  Scenario: default columns of SHOW CONSTRAINTS
    Given an empty graph
    When executing query:
      """
      SHOW CONSTRAINTS
      """
    Then the result should be, in any order:
      | id | name | type | entityType | labelsOrTypes | properties | ownedIndex | propertyType |

  Scenario Outline: <command> filters by kind
    Given an empty graph
    And having executed:
      """
      CREATE INDEX r FOR (n:A) ON (n.x)
      """
    And having executed:
      """
      CREATE VECTOR INDEX v FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2}}
      """
    And having executed:
      """
      CREATE CONSTRAINT u FOR (n:A) REQUIRE n.u IS UNIQUE
      """
    And having executed:
      """
      CREATE CONSTRAINT e FOR (n:A) REQUIRE n.e IS NOT NULL
      """
    When executing query:
      """
      <command> YIELD name RETURN collect(name) AS names
      """
    Then the result should be (ignoring element order for lists):
      | names   |
      | <names> |

    Examples:
      | command                     | names           |
      | SHOW INDEXES                | ['r', 'v', 'u'] |
      | SHOW ALL INDEXES            | ['r', 'v', 'u'] |
      | SHOW INDEX                  | ['r', 'v', 'u'] |
      | SHOW RANGE INDEXES          | ['r', 'u']      |
      | SHOW VECTOR INDEXES         | ['v']           |
      | SHOW VECTOR INDEX           | ['v']           |
      | SHOW FULLTEXT INDEXES       | []              |
      | SHOW CONSTRAINTS            | ['u', 'e']      |
      | SHOW ALL CONSTRAINTS        | ['u', 'e']      |
      | SHOW UNIQUENESS CONSTRAINTS | ['u']           |
      | SHOW NODE UNIQUENESS CONSTRAINTS | ['u']      |
      | SHOW EXISTENCE CONSTRAINTS  | ['e']           |
      | SHOW KEY CONSTRAINTS        | []              |

  Scenario: YIELD with ORDER BY, SKIP, LIMIT, WHERE and an aggregating RETURN
    Given an empty graph
    And having executed:
      """
      CREATE INDEX a FOR (n:A) ON (n.x)
      """
    And having executed:
      """
      CREATE INDEX b FOR (n:B) ON (n.x)
      """
    And having executed:
      """
      CREATE INDEX c FOR (n:C) ON (n.x)
      """
    When executing query:
      """
      SHOW INDEXES YIELD name AS n, labelsOrTypes ORDER BY n DESC SKIP 1 LIMIT 2 WHERE labelsOrTypes[0] <> 'A' RETURN n, count(*) AS c
      """
    Then the result should be, in any order:
      | n   | c |
      | 'b' | 1 |
    When executing query:
      """
      SHOW INDEXES WHERE name = 'b'
      """
    Then the result should be, in any order:
      | id | name | state    | populationPercent | type    | entityType | labelsOrTypes | properties | indexProvider | owningConstraint | lastRead | readCount |
      | 2  | 'b'  | 'ONLINE' | 100.0             | 'RANGE' | 'NODE'     | ['B']         | ['x']      | 'range-1.0'   | null             | null     | 0         |

  Scenario: a field that isn't there
    Given an empty graph
    When executing query:
      """
      SHOW INDEXES YIELD nope
      """
    Then a SyntaxError should be raised at compile time: UndefinedVariable

  Scenario: functions and procedures
    Given any graph
    When executing query:
      """
      SHOW FUNCTIONS YIELD name, category, aggregating WHERE name IN ['toUpper', 'count'] RETURN name, category, aggregating ORDER BY name
      """
    Then the result should be, in order:
      | name      | category      | aggregating |
      | 'count'   | 'Aggregating' | true        |
      | 'toUpper' | 'String'      | false       |
    When executing query:
      """
      SHOW BUILT IN FUNCTIONS EXECUTABLE BY CURRENT USER YIELD name WHERE name = 'abs' RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 1 |
    When executing query:
      """
      SHOW USER DEFINED FUNCTIONS YIELD name
      """
    Then the result should be, in any order:
      | name |
    When executing query:
      """
      SHOW PROCEDURES EXECUTABLE YIELD name, mode WHERE name = 'db.labels' RETURN name, mode
      """
    Then the result should be, in any order:
      | name        | mode   |
      | 'db.labels' | 'READ' |
    When executing query:
      """
      SHOW PROCEDURES YIELD name WHERE name = 'no.such' RETURN count(name) > 0 AS there
      """
    Then the result should be, in any order:
      | there |
      | false |

  Scenario: transactions
    Given any graph
    When executing query:
      """
      SHOW TRANSACTIONS YIELD database, status RETURN database, status
      """
    Then the result should be, in any order:
      | database | status    |
      | 'neo4j'  | 'Running' |

  Scenario: something there is no SHOW of
    Given any graph
    When executing query:
      """
      SHOW INDEXS
      """
    Then a SyntaxError should be raised at compile time: *
