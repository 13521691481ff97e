Feature: patterns whose variables are known already, whatever their values are

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:A {n: 1})-[:R {w: 1}]->(b:B {n: 2}), (a)-[:S {w: 2}]->(b)
      """

  Scenario: a known node that stands alone is found again
    When executing query:
      """
      MATCH (a:A) WITH [a, null] AS list UNWIND list AS x MATCH (x) RETURN x.n AS n
      """
    Then the result should be, in any order:
      | n |
      | 1 |

  Scenario: null is no node, and OPTIONAL MATCH keeps its row
    When executing query:
      """
      OPTIONAL MATCH (x:Nowhere) OPTIONAL MATCH (x) RETURN x, EXISTS { (x) } AS e
      """
    Then the result should be, in any order:
      | x    | e     |
      | null | false |

  Scenario Outline: a value that is no node is an error and no row: <query>
    And parameters are:
      | x | 5 |
    When executing query:
      """
      WITH $x AS x <query>
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | query                                     |
      | MATCH (x) RETURN x                        |
      | OPTIONAL MATCH (x) RETURN x               |
      | MATCH (x), (a:A) RETURN count(*) AS c     |
      | RETURN EXISTS { (x) } AS e                |
      | MATCH ()-[x]->() RETURN x                 |
      | OPTIONAL MATCH ()-[x]->() RETURN x        |

  Scenario: a known relationship is found again, also from a list
    When executing query:
      """
      MATCH ()-[r]->() WITH collect(r) + [null] AS all UNWIND all AS r MATCH (f)-[r]->(t) RETURN f.n AS f, r.w AS w, t.n AS t
      """
    Then the result should be, in any order:
      | f | w | t |
      | 1 | 1 | 2 |
      | 1 | 2 | 2 |
