Feature: vectors and their similarity

  Scenario Outline: <call>
    Given any graph
    When executing query:
      """
      RETURN <call> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |
    And no side effects

    Examples:
      | call                                                  | result |
      | vector.similarity.cosine([1.0, 0.0], [1.0, 0.0])      | 1.0    |
      | vector.similarity.cosine([1.0, 0.0], [-1.0, 0.0])     | 0.0    |
      | vector.similarity.cosine([1, 0], [0, 2])              | 0.5    |
      | vector.similarity.cosine(null, [1.0])                 | null   |
      | vector.similarity.cosine([1.0], null)                 | null   |
      | round(2 * vector.similarity.cosine([1, 0], [0, 2]) - 1, 4) | 0.0 |
      | vector.similarity.euclidean([1.0, 0.0], [1.0, 0.0])   | 1.0    |
      | vector.similarity.euclidean([1.0, 0.0], [1.0, 2.0])   | 0.2    |
      | vector.similarity.euclidean(null, [1.0])              | null   |
      | gds.similarity.cosine([1, 0], [0, 2])                 | 0.0    |
      | gds.similarity.cosine([1, 0], [-1, 0])                | -1.0   |
      | gds.similarity.cosine(null, [1])                      | null   |
      | vector_dimension_count(vector([1, 2, 3], 3, FLOAT32)) | 3      |
      | vector_dimension_count(vector([1, 2, 3], 3, 'FLOAT32')) | 3    |
      | vector_dimension_count(null)                          | null   |
      | vector(null, 3, FLOAT32)                              | null   |
      | size(vector([1, 2, 3]))                               | 3      |
      | toFloatList(vector([1, 2, 3]))                        | [1.0, 2.0, 3.0] |
      | toIntegerList(vector([1, 2, 3]))                      | [1, 2, 3] |
      | vector.similarity.cosine(vector([1, 0]), [0, 2])      | 0.5    |

  Scenario Outline: <call> is refused when it runs
    Given any graph
    And parameters are:
      | wrong | 'x' |
      | list  | ['x', 'y'] |
    When executing query:
      """
      RETURN <call> AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | call                                       |
      | vector.similarity.cosine($wrong, [1])      |
      | vector.similarity.cosine($list, [1, 2])    |
      | vector.similarity.euclidean($wrong, [1])   |
      | vector.similarity.euclidean([1, 2], $list) |
      | gds.similarity.cosine($wrong, [1])         |
      | vector($wrong)                             |
      | vector($list)                              |
      | vector_dimension_count($wrong)             |

  Scenario Outline: <call> is out of range
    Given any graph
    When executing query:
      """
      RETURN <call> AS result
      """
    Then an ArgumentError should be raised at runtime: *

    Examples:
      | call                                     |
      | vector.similarity.cosine([1, 2], [1])    |
      | vector.similarity.cosine([], [])         |
      | vector.similarity.cosine([0, 0], [1, 1]) |
      | vector.similarity.euclidean([1], [1, 2]) |
      | vector([1, 2], 3, FLOAT32)               |

  # The scan by which most memory layers search.
  Scenario: a filtered scan by similarity, best first
    Given an empty graph
    And having executed:
      """
      UNWIND [['a', 'g', [1.0, 0.0]], ['b', 'g', [0.0, 1.0]], ['c', 'h', [1.0, 0.0]], ['d', 'g', [1.0, 1.0]], ['e', 'g', null]] AS row
      CREATE (:Entity {name: row[0], group_id: row[1], name_embedding: row[2]})
      """
    And parameters are:
      | v     | [1.0, 0.0] |
      | limit | 2          |
    When executing query:
      """
      MATCH (n:Entity) WHERE n.group_id IN ['g'] AND n.name_embedding IS NOT NULL
      WITH n, vector.similarity.cosine(n.name_embedding, $v) AS score WHERE score > 0.4
      RETURN n.name AS name ORDER BY score DESC LIMIT $limit
      """
    Then the result should be, in order:
      | name |
      | 'a'  |
      | 'd'  |
