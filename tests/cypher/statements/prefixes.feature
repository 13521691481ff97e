Feature: prefixes and notifications

  Scenario Outline: <prefix>
    Given any graph
    When executing query:
      """
      <prefix> RETURN 1 AS x
      """
    Then the result should be, in any order:
      | x |
      | 1 |

    Examples:
      | prefix                       |
      | CYPHER 5                     |
      | CYPHER 25                    |
      | cypher 25                    |
      | CYPHER runtime = parallel    |
      | CYPHER 5 runtime=slotted planner=cost |
      | CYPHER runtime = parallel parallelRuntimeSupport=all |

  Scenario: a version that isn't there
    Given any graph
    When executing query:
      """
      CYPHER 4 RETURN 1 AS x
      """
    Then a SyntaxError should be raised at compile time: *

  Scenario: an unaliased column keeps the text
    Given any graph
    When executing query:
      """
      WITH 1 AS source_candidate RETURN toString(  source_candidate ), cOuNt(*)
      """
    Then the result should be, in any order:
      | toString(  source_candidate ) | cOuNt(*) |
      | '1'                           | 1        |

  Scenario: stray parameters are taken
    Given any graph
    And parameters are:
      | database_       | 'neo4j' |
      | routing_control | 'r'     |
    When executing query:
      """
      RETURN 1 AS x;
      """
    Then the result should be, in any order:
      | x |
      | 1 |

  Scenario: comments, a semicolon and mixed case
    Given any graph
    When executing query:
      """
      // first
      Unwind [1, 2] As x /* then */ With x Where TRUE AND x > 1 Return x ; // last
      """
    Then the result should be, in any order:
      | x |
      | 2 |

  Scenario: names nothing has yet
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: 1})-[:T]->(:B)
      """
    When executing query:
      """
      MATCH (a:Aa)-[:Tt]->(b {xx: 1}) RETURN a
      """
    Then the result should be, in any order:
      | a |
    And the notifications should be:
      | UnknownLabelWarning            |
      | UnknownRelationshipTypeWarning |
      | UnknownPropertyKeyWarning      |

  Scenario: patterns that aren't connected
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:T]->(:B)
      """
    When executing query:
      """
      MATCH (a:A), (b:B) RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 1 |
    And the notifications should be:
      | CartesianProduct |

  Scenario: patterns that are connected, and one by itself
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:T]->(:B)
      """
    When executing query:
      """
      MATCH (a:A), (a)-->(b:B) MATCH (c:A) RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 1 |
    And there should be no notifications

  Scenario: paths of any length
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:T]->(:B)
      """
    When executing query:
      """
      MATCH p = shortestPath((a:A)-[*]->(b:B)) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 1 |
    And the notifications should be:
      | UnboundedVariableLengthPattern |

  Scenario Outline: patterns that a condition ties together, also by what was known before, build no cartesian product
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: 1})-[:T]->(:B {x: 1})
      """
    When executing query:
      """
      UNWIND [1] AS i MATCH <patterns> RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 1 |
    And there should be no notifications

    Examples:
      | patterns                                 |
      | (a:A), (b:B) WHERE a.x = b.x             |
      | (a:A), (b:B {x: a.x})                    |
      | (a:A {x: i}), (b:B {x: i})               |
      | (a:A), (b:B) WHERE a.x = i AND b.x = i   |
      | (a:A)-[:T]->(b), (b:B)                   |
