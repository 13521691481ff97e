Feature: reports of nulls in predicates

  # A null inside a list or map decides nothing unless another element already differs.
  Scenario: equality of lists that hold null
    Given any graph
    When executing query:
      """
      RETURN [null] = [1] AS unknown, [null] = [null] AS both, [1, null] = [2, null] AS differ, [1] = [1, null] AS longer
      """
    Then the result should be, in any order:
      | unknown | both | differ | longer |
      | null    | null | false  | false  |
    And no side effects

  Scenario: equality of maps that hold null
    Given any graph
    When executing query:
      """
      RETURN {k: null} = {k: null} AS both, {k: 1} = {k: null} AS one, {} = {k: null} AS keys
      """
    Then the result should be, in any order:
      | both | one  | keys  |
      | null | null | false |

  # single: the null may be the second hit, or the only one; none: one surely true element decides.
  Scenario Outline: quantifiers over lists with null: <quantifier>
    Given any graph
    When executing query:
      """
      RETURN <quantifier> AS answer
      """
    Then the result should be, in any order:
      | answer   |
      | <answer> |

    Examples:
      | quantifier                                | answer |
      | single(x IN [null, 1] WHERE x > 0)        | null   |
      | single(x IN [1, 2, null] WHERE x > 0)     | false  |
      | none(x IN [null, true] WHERE x)           | false  |
      | any(x IN [] WHERE true)                   | false  |
      | any(x IN [null, true] WHERE x)            | true   |
      | all(x IN [null] WHERE x > 0)              | null   |
      | all(x IN [null, -1] WHERE x > 0)          | false  |

  Scenario: a null never passes NOT IN
    Given any graph
    When executing query:
      """
      UNWIND [10, 0, null] AS v
      WITH v WHERE NOT (v IN [10])
      RETURN v
      """
    Then the result should be, in any order:
      | v |
      | 0 |

  Scenario: IN with nulls on either side
    Given any graph
    When executing query:
      """
      RETURN null IN [null] AS a, null IN [] AS b, 1 IN [null, 1] AS c, 2 IN [null, 1] AS d
      """
    Then the result should be, in any order:
      | a    | b     | c    | d    |
      | null | false | true | null |

  Scenario: a leading OPTIONAL MATCH whose null row is filtered away
    Given an empty graph
    And having executed:
      """
      CREATE (:Person {name: 'x'})
      """
    When executing query:
      """
      OPTIONAL MATCH (p:Person)-[:KNOWS]-()
      WITH p WHERE p IS NOT NULL
      RETURN p
      """
    Then the result should be, in any order:
      | p |
