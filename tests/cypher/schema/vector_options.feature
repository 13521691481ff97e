Feature: options of vector indexes

  Scenario Outline: quantization <given> is shown as <shown>
    Given an empty graph
    When executing query:
      """
      CREATE VECTOR INDEX v FOR (n:A) ON (n.e) WITH [n.tenant, n.day]
      OPTIONS {indexConfig: {`vector.dimensions`: 4, <given>}}
      """
    Then the result should be empty
    When executing query:
      """
      SHOW VECTOR INDEXES YIELD options, state, populationPercent
      RETURN options.indexConfig.`vector.quantization.type` AS type, options.indexConfig.`vector.quantization.enabled` AS enabled,
             options.indexConfig.`vector.filterable_properties` AS filterable, state, populationPercent AS percent
      """
    Then the result should be, in any order:
      | type    | enabled   | filterable        | state    | percent |
      | <shown> | <enabled> | ['tenant', 'day'] | 'ONLINE' | 100.0   |

    Examples:
      | given                                                                     | shown     | enabled |
      | `vector.similarity_function`: 'cosine'                                    | 'scalar'  | true    |
      | `vector.quantization.type`: 'none'                                        | 'none'    | false   |
      | `vector.quantization.type`: 'f16'                                         | 'f16'     | true    |
      | `vector.quantization.type`: 'SCALAR'                                      | 'scalar'  | true    |
      | `vector.quantization.type`: 'int8'                                        | 'scalar'  | true    |
      | `vector.quantization.type`: '8-bit'                                       | 'scalar'  | true    |
      | `vector.quantization.type`: 'binary'                                      | 'binary'  | true    |
      | `vector.quantization.type`: 'rabitq'                                      | 'binary'  | true    |
      | `vector.quantization.type`: 'rabitq8'                                     | 'binary'  | true    |
      | `vector.quantization.type`: 'rabitq4'                                     | 'rabitq4' | true    |
      | `vector.quantization.enabled`: false                                      | 'none'    | false   |
      | `vector.quantization.enabled`: true                                       | 'scalar'  | true    |
      | `vector.quantization.enabled`: true, `vector.quantization.type`: 'binary' | 'binary'  | true    |

  Scenario Outline: refused: <given>
    Given an empty graph
    When executing query:
      """
      CREATE VECTOR INDEX v FOR (n:A) ON (n.e) OPTIONS {indexConfig: {<given>}}
      """
    Then an ArgumentError should be raised at any time: *

    Examples:
      | given                                                                      |
      | `vector.quantization.type`: 'pq'                                           |
      | `vector.quantization.type`: 8                                              |
      | `vector.quantization.enabled`: 'yes'                                       |
      | `vector.quantization.enabled`: false, `vector.quantization.type`: 'scalar' |
      | `vector.model`: ''                                                         |
      | `vector.model`: 7                                                          |
      | `vector.default_search_expansion_factor`: 0.5                              |
      | `vector.default_search_expansion_factor`: 'wide'                           |
      | `vector.dimensions`: 0                                                     |
      | `vector.dimensions`: 16385                                                 |
      | `vector.dimension`: 4                                                      |

  Scenario: a model is shown, and vectors have one
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX a FOR (n:A|B) ON (n.e) OPTIONS {indexConfig: {`vector.model`: 'small', `vector.default_search_expansion_factor`: 2.5}}
      """
    When executing query:
      """
      SHOW VECTOR INDEXES YIELD options
      RETURN options.indexConfig.`vector.model` AS model, options.indexConfig.`vector.default_search_expansion_factor` AS factor
      """
    Then the result should be, in any order:
      | model   | factor |
      | 'small' | 2.5    |
    When executing query:
      """
      CREATE VECTOR INDEX b FOR (n:B) ON (n.e) OPTIONS {indexConfig: {`vector.model`: 'large'}}
      """
    Then a SchemaConflict should be raised at any time: *
    When executing query:
      """
      CREATE VECTOR INDEX b FOR (n:B) ON (n.e) OPTIONS {indexConfig: {`vector.model`: 'small'}}
      """
    Then the result should be empty

  Scenario: a property has one index for each similarity
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX near FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}
      """
    And having executed:
      """
      CREATE VECTOR INDEX like FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}
      """
    And having executed:
      """
      CREATE (:A {i: 1, e: [1, 0]}), (:A {i: 2, e: [9.0, 0.1]}), (:A {i: 3, e: [0, 1]})
      """
    When executing query:
      """
      CALL db.index.vector.queryNodes('near', 1, [8, 1]) YIELD node
      RETURN node.i AS i
      UNION ALL
      CALL db.index.vector.queryNodes('like', 1, [8, 0.0]) YIELD node
      RETURN node.i AS i
      """
    Then the result should be, in any order:
      | i |
      | 2 |
      | 1 |
    When executing query:
      """
      CREATE VECTOR INDEX again FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}}
      """
    Then a SchemaConflict should be raised at any time: *

  Scenario: other codes for an index that is there
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX v FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 3}}
      """
    And having executed:
      """
      UNWIND range(1, 300) AS i CREATE (:A {i: i, e: [i, 300 - i, 7]})
      """
    When executing query:
      """
      ALTER VECTOR INDEX v SET OPTIONS {indexConfig: {`vector.quantization.type`: 'binary', `vector.default_search_expansion_factor`: 20}}
      """
    Then the result should be empty
    When executing query:
      """
      SHOW VECTOR INDEXES YIELD options, state
      RETURN options.indexConfig.`vector.quantization.type` AS type, options.indexConfig.`vector.default_search_expansion_factor` AS factor, state
      """
    Then the result should be, in any order:
      | type     | factor | state    |
      | 'binary' | 20.0   | 'ONLINE' |
    When executing query:
      """
      CALL db.index.vector.queryNodes('v', 2, [100, 200, 7]) YIELD node, score
      RETURN node.i AS i, round(score, 3) AS score
      """
    Then the result should be, in order:
      | i   | score |
      | 100 | 1.0   |
      | 99  | 1.0   |
    When executing query:
      """
      ALTER INDEX v SET OPTIONS {indexConfig: {`vector.similarity_function`: 'dot'}}
      """
    Then an ArgumentError should be raised at any time: *
    When executing query:
      """
      ALTER INDEX nope SET OPTIONS {indexConfig: {`vector.quantization.type`: 'none'}}
      """
    Then a SchemaNotFound should be raised at any time: *
    When executing query:
      """
      ALTER INDEX nope IF EXISTS SET OPTIONS {indexConfig: {`vector.quantization.type`: 'none'}}
      """
    Then the result should be empty
