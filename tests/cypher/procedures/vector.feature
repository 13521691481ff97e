Feature: searches of vector indexes by procedure, and how good they are

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX emb FOR (n:M) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.quantization.type`: 'none', `vector.similarity_function`: 'euclidean'}}
      """
    And having executed:
      """
      UNWIND range(1, 300) AS i CREATE (:M {id: i, e: [1.0 * i, 0.0]})
      """
    And having executed:
      """
      CREATE (:M {id: 0})
      """

  Scenario Outline: options <options>
    Given parameters are:
      | index   | 'emb'     |
      | options | <options> |
    When executing query:
      """
      CALL db.index.vector.queryNodes('emb', 2, [7.4, 0.0], $options) YIELD node, score RETURN node.id AS id, round(score, 3) AS score
      """
    Then the result should be, in order:
      | id | score |
      | 7  | 0.862 |
      | 8  | 0.735 |
    When executing query:
      """
      CALL db.index.vector.queryNodes($index, 2, [7.4, 0.0], $options) YIELD node RETURN collect(node.id) AS ids
      """
    Then the result should be, in any order:
      | ids    |
      | [7, 8] |

    Examples:
      | options                |
      | {ef: 200}              |
      | {exact: true}          |
      | {exact: false, ef: 10} |
      | {}                     |
      | null                   |

  Scenario Outline: no option: <options>
    Given parameters are:
      | options | <options> |
    When executing query:
      """
      CALL db.index.vector.queryNodes('emb', 2, [7.4, 0.0], $options) YIELD node RETURN node
      """
    Then an ArgumentError should be raised at runtime: *

    Examples:
      | options       |
      | {ef: 0}       |
      | {ef: 'many'}  |
      | {exact: 1}    |
      | {beam: 5}     |

  Scenario: exact sees what the transaction wrote
    Given a transaction is open
    And having executed:
      """
      CREATE (:M {id: 1000, e: [7.4, 0.0]})
      """
    When executing query:
      """
      CALL db.index.vector.queryNodes('emb', 1, [7.4, 0.0], {exact: true}) YIELD node RETURN node.id AS id
      """
    Then the result should be, in any order:
      | id   |
      | 1000 |
    When the transaction is rolled back

  Scenario: the share of the nearest that an index finds
    When executing query:
      """
      CALL db.index.vector.recallCheck('emb', {sample: 20, k: 5, ef: 300})
      YIELD index, sample, k, recall, distances, vectors, indexMilliseconds, exactMilliseconds
      RETURN index, sample, k, recall, distances > 0 AS compared, vectors, indexMilliseconds >= 0 AND exactMilliseconds >= 0 AS timed
      """
    Then the result should be, in any order:
      | index | sample | k | recall | compared | vectors | timed |
      | 'emb' | 20     | 5 | 1.0    | true     | 300     | true  |
    When executing query:
      """
      CALL db.index.vector.recallCheck('emb') YIELD sample, k, recall RETURN sample, k, recall > 0.5 AS good
      """
    Then the result should be, in any order:
      | sample | k  | good |
      | 100    | 10 | true |

  Scenario: an index without vectors, and of relationships
    Given having executed:
      """
      CREATE VECTOR INDEX empty_one FOR ()-[r:R]-() ON (r.e)
      """
    When executing query:
      """
      CALL db.index.vector.recallCheck('empty_one', {}) YIELD index, sample, recall, vectors RETURN index, sample, recall, vectors
      """
    Then the result should be, in any order:
      | index  | sample | recall | vectors |
      | 'empty_one' | 0      | null   | 0       |

  Scenario Outline: recallCheck(<arguments>)
    When executing query:
      """
      CALL db.index.vector.recallCheck(<arguments>) YIELD recall RETURN recall
      """
    Then <error> should be raised at runtime: *

    Examples:
      | arguments              | error             |
      | 'nope', {}             | a SchemaNotFound  |
      | 'emb', {sample: 0}     | an ArgumentError  |
      | 'emb', {k: 1.5}        | an ArgumentError  |
      | 'emb', {simple: 1}     | an ArgumentError  |
