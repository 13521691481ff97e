Feature: reports of vector and full-text indexes

  Scenario: an indexed vector changes its place, and may change again without its index
    Given an empty graph
    And having executed:
      """
      CREATE VECTOR INDEX di FOR (d:D) ON (d.e)
      OPTIONS {indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}}
      """
    And having executed:
      """
      UNWIND range(1, 200) AS i CREATE (:D {id: i, e: [1.0 * i, 1.0, 0.0, 0.0]})
      """
    When executing query:
      """
      MATCH (d:D {id: 7}) SET d.e = [0.0, 0.0, 1.0, 0.0]
      """
    Then the result should be empty
    When executing query:
      """
      CALL db.index.vector.queryNodes('di', 1, [0.0, 0.0, 1.0, 0.0]) YIELD node RETURN node.id AS id
      """
    Then the result should be, in any order:
      | id |
      | 7  |
    When executing query:
      """
      CALL db.index.vector.queryNodes('di', 200, [7.0, 1.0, 0.0, 0.0]) YIELD node
      RETURN count(*) AS n, count(DISTINCT node.id) AS k
      """
    Then the result should be, in any order:
      | n   | k   |
      | 200 | 200 |
    When executing query:
      """
      DROP INDEX di
      """
    Then the result should be empty
    When executing query:
      """
      MATCH (d:D {id: 7}) SET d.e = [0.0, 1.0, 0.0, 0.0] RETURN d.e AS e
      """
    Then the result should be, in any order:
      | e                    |
      | [0.0, 1.0, 0.0, 0.0] |

  # Full text comes with a later version: until then it is refused by name, and the statement after it works.
  Scenario: a full-text index is refused by name
    Given an empty graph
    When executing query:
      """
      CREATE FULLTEXT INDEX ti FOR (t:T) ON EACH [t.body]
      """
    Then a NotAvailable should be raised at any time: *
    When executing query:
      """
      CREATE (:T {body: 'the simplex method'})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |
