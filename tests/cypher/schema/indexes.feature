Feature: indexes as clients make, find and drop them

  Scenario: range indexes of nodes and relationships, single and composite
    Given an empty graph
    And having executed:
      """
      CREATE INDEX entity_uuid IF NOT EXISTS FOR (n:Entity) ON (n.uuid)
      """
    And having executed:
      """
      CREATE INDEX relation_uuid IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.uuid)
      """
    And having executed:
      """
      CREATE RANGE INDEX pair IF NOT EXISTS FOR (n :`__Entity__`) ON (n.name, n.user_id)
      """
    When executing query:
      """
      SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, state, populationPercent WHERE type = 'RANGE'
      RETURN name, entityType, labelsOrTypes, properties, state, populationPercent ORDER BY name
      """
    Then the result should be, in order:
      | name            | entityType     | labelsOrTypes  | properties          | state    | populationPercent |
      | 'entity_uuid'   | 'NODE'         | ['Entity']     | ['uuid']            | 'ONLINE' | 100.0             |
      | 'pair'          | 'NODE'         | ['__Entity__'] | ['name', 'user_id'] | 'ONLINE' | 100.0             |
      | 'relation_uuid' | 'RELATIONSHIP' | ['RELATES_TO'] | ['uuid']            | 'ONLINE' | 100.0             |

  Scenario: IF NOT EXISTS a second time does nothing, without it is an error
    Given an empty graph
    And having executed:
      """
      CREATE INDEX i FOR (n:A) ON (n.x)
      """
    When executing query:
      """
      CREATE INDEX i IF NOT EXISTS FOR (n:A) ON (n.x)
      """
    Then the result should be empty
    When executing query:
      """
      CREATE INDEX other IF NOT EXISTS FOR (n:A) ON (n.x)
      """
    Then the result should be empty
    When executing query:
      """
      CREATE INDEX i FOR (n:A) ON (n.x)
      """
    Then a SchemaConflict should be raised at runtime: *
    When executing query:
      """
      CREATE INDEX i FOR (n:B) ON (n.y)
      """
    Then a SchemaConflict should be raised at runtime: *
    When executing query:
      """
      SHOW INDEXES YIELD name RETURN collect(name) AS names
      """
    Then the result should be, in any order:
      | names |
      | ['i'] |

  Scenario: an index with the name and schema of a unique constraint
    Given an empty graph
    And having executed:
      """
      CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE
      """
    When executing query:
      """
      CREATE INDEX entity_id IF NOT EXISTS FOR (n:Entity) ON (n.id)
      """
    Then the result should be empty

  Scenario: names given as parameters
    Given an empty graph
    And parameters are:
      | name | 'by parameter' |
    When executing query:
      """
      CREATE INDEX $name IF NOT EXISTS FOR (n:A) ON (n.x)
      """
    Then the result should be empty
    When executing query:
      """
      SHOW INDEXES YIELD name WHERE name = $name RETURN name
      """
    Then the result should be, in any order:
      | name           |
      | 'by parameter' |
    When executing query:
      """
      DROP INDEX $name
      """
    Then the result should be empty
    When executing query:
      """
      SHOW INDEXES YIELD name
      """
    Then the result should be, in any order:
      | name |

  Scenario Outline: <value> is no name
    Given an empty graph
    And parameters are:
      | name | <value> |
    When executing query:
      """
      CREATE INDEX $name FOR (n:A) ON (n.x)
      """
    Then a ParameterInvalid should be raised at any time: *

    Examples:
      | value |
      | 7     |
      | null  |
      | ['a'] |

  Scenario: a vector index whose name and options are parameters
    Given an empty graph
    And parameters are:
      | name       | 'vi'        |
      | dimensions | 2.0         |
      | similarity | 'euclidean' |
    When executing query:
      """
      CREATE VECTOR INDEX $name IF NOT EXISTS FOR (n:Chunk) ON n.embedding
      OPTIONS { indexConfig: { `vector.dimensions`: toInteger($dimensions), `vector.similarity_function`: $similarity } }
      """
    Then the result should be empty
    When executing query:
      """
      SHOW VECTOR INDEXES YIELD name, labelsOrTypes, properties, options WHERE name = $name
      RETURN labelsOrTypes AS labels, properties, options.indexConfig.`vector.dimensions` AS dimensions,
             toLower(options.indexConfig.`vector.similarity_function`) AS similarity
      """
    Then the result should be, in any order:
      | labels    | properties    | dimensions | similarity  |
      | ['Chunk'] | ['embedding'] | 2          | 'euclidean' |

  Scenario: the options as one parameter, with hnsw's
    Given an empty graph
    And parameters are:
      | options | {indexConfig: {d: 1}} |
    When executing query:
      """
      CREATE VECTOR INDEX v IF NOT EXISTS FOR (n:Chunk) ON (n.embedding)
      OPTIONS {indexConfig: {`vector.dimensions`: 1024, `vector.similarity_function`: 'cosine', `vector.hnsw.ef_construction`: 400, `vector.hnsw.m`: 32}}
      """
    Then the result should be empty
    When executing query:
      """
      CREATE VECTOR INDEX w FOR (n:Chunk) ON (n.other) OPTIONS $options
      """
    Then an ArgumentError should be raised at any time: *

  Scenario: a vector index finds, by procedure, with parameters, nearest first
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX vi FOR (n:Chunk) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}
      """
    And having executed:
      """
      CREATE (:Chunk {id: 1, e: [1.0, 0.0]}), (:Chunk {id: 2, e: [0.0, 1.0]}), (:Chunk {id: 3, e: [1.0, 1.0]}), (:Chunk {id: 4})
      """
    And parameters are:
      | index | 'vi'       |
      | k     | 2          |
      | ratio | 1          |
      | v     | [1.0, 0.0] |
    When executing query:
      """
      CALL db.index.vector.queryNodes($index, $k * $ratio, $v) YIELD node, score
      WITH node, score LIMIT $k
      RETURN node.id AS id, round(score, 4) AS score
      """
    Then the result should be, in order:
      | id | score  |
      | 1  | 1.0    |
      | 3  | 0.8536 |

  Scenario: dropping
    Given an empty graph
    When executing query:
      """
      DROP INDEX nope IF EXISTS
      """
    Then the result should be empty
    When executing query:
      """
      DROP INDEX nope
      """
    Then a SchemaNotFound should be raised at runtime: *

  Scenario Outline: not available yet: <kind>
    Given an empty graph
    When executing query:
      """
      CREATE <kind> INDEX i FOR (n:A) ON <on>
      """
    Then a NotAvailable should be raised at any time: *

    Examples:
      | kind     | on           |
      | TEXT     | (n.x)        |
      | POINT    | (n.x)        |
      | FULLTEXT | EACH [n.x]   |

  Scenario: DDL in an explicit transaction
    Given an empty graph
    And a transaction is open
    When executing query:
      """
      CREATE INDEX i IF NOT EXISTS FOR (n:A) ON (n.x)
      """
    Then the result should be empty
    When the transaction is committed
    When executing query:
      """
      SHOW INDEXES YIELD name
      """
    Then the result should be, in any order:
      | name |
      | 'i'  |

  Scenario: an index isn't seen in what it answers
    Given an empty graph
    And having executed:
      """
      CREATE INDEX FOR (n:A) ON (n.x)
      """
    And having executed:
      """
      UNWIND [1, 2.0, 'a', null, 3] AS x CREATE (:A {x: x})
      """
    When executing query:
      """
      MATCH (n:A) WHERE n.x >= 2 OPTIONAL MATCH (m:A {x: n.x + 1}) RETURN n.x AS x, count(m) AS next ORDER BY x
      """
    Then the result should be, in order:
      | x   | next |
      | 2.0 | 1    |
      | 3   | 0    |
