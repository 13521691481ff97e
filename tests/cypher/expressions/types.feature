Feature: IS :: type

  Scenario Outline: <expression>
    Given any graph
    When executing query:
      """
      RETURN <expression> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | expression                           | result |
      | 1 IS :: INTEGER                      | true   |
      | 1 IS :: INT                          | true   |
      | 1 IS :: SIGNED INTEGER               | true   |
      | 1 IS :: FLOAT                        | false  |
      | 1.5 IS :: FLOAT                      | true   |
      | 'a' IS :: STRING                     | true   |
      | 'a' IS :: VARCHAR                    | true   |
      | true IS :: BOOLEAN                   | true   |
      | true IS :: BOOL                      | true   |
      | null IS :: STRING                    | true   |
      | null IS :: STRING NOT NULL           | false  |
      | null IS :: NULL                      | true   |
      | 1 IS :: NULL                         | false  |
      | null IS :: NOTHING                   | false  |
      | 1 IS :: ANY                          | true   |
      | 1 IS :: ANY NOT NULL                 | true   |
      | null IS :: ANY NOT NULL              | false  |
      | 1 IS NOT :: STRING                   | true   |
      | 1 IS NOT :: INTEGER                  | false  |
      | 1 IS TYPED INTEGER                   | true   |
      | 1 IS NOT TYPED INTEGER               | false  |
      | 1 :: INTEGER                         | true   |
      | {} IS :: MAP                         | true   |
      | [] IS :: LIST<INTEGER>               | true   |
      | [1, 2] IS :: LIST<INTEGER>           | true   |
      | [1, 'a'] IS :: LIST<INTEGER>         | false  |
      | [1, null] IS :: LIST<INTEGER>        | true   |
      | [1, null] IS :: LIST<INTEGER NOT NULL> | false |
      | [1, 'a'] IS :: LIST<INTEGER \| STRING> | true  |
      | [[1]] IS :: LIST<LIST<INTEGER>>      | true   |
      | [1] IS :: LIST<ANY>                  | true   |
      | 1 IS :: INTEGER \| STRING            | true   |
      | 1.5 IS :: INTEGER \| STRING          | false  |
      | date() IS :: DATE                    | true   |
      | localtime() IS :: LOCAL TIME         | true   |
      | time() IS :: ZONED TIME              | true   |
      | time() IS :: TIME WITH TIME ZONE     | true   |
      | localdatetime() IS :: LOCAL DATETIME | true   |
      | datetime() IS :: ZONED DATETIME      | true   |
      | datetime() IS :: LOCAL DATETIME      | false  |
      | duration('P1D') IS :: DURATION       | true   |
      | point({x: 1, y: 2}) IS :: POINT      | true   |
      | 1 IS :: PROPERTY VALUE               | true   |
      | {} IS :: PROPERTY VALUE              | false  |
      | [1] IS :: PROPERTY VALUE             | true   |

  Scenario: of elements and paths
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:T]->(:B)
      """
    When executing query:
      """
      MATCH p = (a:A)-[r]->() OPTIONAL MATCH (x:Nobody)
      RETURN a IS :: NODE AS n, r IS :: RELATIONSHIP AS r, p IS :: PATH AS p, a IS :: MAP AS m, x IS :: NODE AS x, x IS :: NODE NOT NULL AS y,
             [a, r] IS :: LIST<NODE | RELATIONSHIP> AS l, count(a IS :: NODE) AS c
      """
    Then the result should be, in any order:
      | n    | r    | p    | m     | x    | y     | l    | c |
      | true | true | true | false | true | false | true | 1 |

  Scenario: rows kept by type
    Given any graph
    When executing query:
      """
      UNWIND [1, 'a', null, 2.5, [1]] AS x WITH x WHERE x IS :: INTEGER NOT NULL | FLOAT NOT NULL RETURN collect(x) AS xs
      """
    Then the result should be, in any order:
      | xs       |
      | [1, 2.5] |

  Scenario: no such type
    Given any graph
    When executing query:
      """
      RETURN 1 IS :: WHOLE AS x
      """
    Then a SyntaxError should be raised at compile time: *
