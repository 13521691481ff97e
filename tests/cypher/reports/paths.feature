Feature: reports of paths

  # A relationship occurs at most once in a path, so a cycle of three has three paths from its start, and a search without a bound ends.
  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:V {i: 1})-[:K]->(:V {i: 2})-[:K]->(:V {i: 3})-[:K]->(a)
      """

  Scenario: lengths in a cycle of three
    When executing query:
      """
      MATCH p = (:V {i: 1})-[:K*1..4]->() RETURN length(p) AS l ORDER BY l
      """
    Then the result should be, in order:
      | l |
      | 1 |
      | 2 |
      | 3 |

  Scenario: four hops in a cycle of three
    When executing query:
      """
      MATCH p = (:V {i: 1})-[:K*4..4]->() RETURN count(p) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |

  Scenario: any number of hops in a cycle of three
    When executing query:
      """
      MATCH p = (:V {i: 1})-[:K*]->() RETURN count(p) AS n
      """
    Then the result should be, in any order:
      | n |
      | 3 |

  Scenario: a pattern of 27 hops is planned and has its one match
    Given having executed:
      """
      UNWIND range(0, 40) AS i CREATE (:N {i: i})
      """
    And having executed:
      """
      MATCH (a:N), (b:N) WHERE b.i = a.i + 1 CREATE (a)-[:R]->(b)
      """
    When executing query:
      """
      MATCH (a:N {i: 0})-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()
        -[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->(z) RETURN z.i AS z
      """
    Then the result should be, in any order:
      | z  |
      | 27 |
