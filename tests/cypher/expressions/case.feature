Feature: CASE with several values and with operators

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:P {n: 'Alice', age: 38, eyes: 'brown'}), (:P {n: 'Bob', age: 25, eyes: 'blue'}), (:P {n: 'Charlie', age: 53, eyes: 'green'}),
             (:P {n: 'Daniel', eyes: 'brown'}), (:P {n: 'Eskil', age: 41, eyes: 'blue'})
      """

  Scenario: several values of one WHEN
    When executing query:
      """
      MATCH (p:P) RETURN p.n AS n, CASE p.eyes WHEN 'blue' THEN 1 WHEN 'brown', 'hazel' THEN 2 ELSE 3 END AS c
      """
    Then the result should be, in any order:
      | n         | c |
      | 'Alice'   | 2 |
      | 'Bob'     | 1 |
      | 'Charlie' | 3 |
      | 'Daniel'  | 2 |
      | 'Eskil'   | 1 |

  Scenario: tests that begin with an operator
    When executing query:
      """
      MATCH (p:P)
      RETURN p.n AS n,
        CASE p.age
          WHEN IS NULL, IS NOT TYPED INTEGER | FLOAT THEN 'Unknown'
          WHEN = 0, = 1, = 2 THEN 'Baby'
          WHEN <= 13 THEN 'Child'
          WHEN < 20 THEN 'Teenager'
          WHEN < 30 THEN 'Young Adult'
          WHEN > 1000 THEN 'Immortal'
          ELSE 'Adult'
        END AS c
      """
    Then the result should be, in any order:
      | n         | c             |
      | 'Alice'   | 'Adult'       |
      | 'Bob'     | 'Young Adult' |
      | 'Charlie' | 'Adult'       |
      | 'Daniel'  | 'Unknown'     |
      | 'Eskil'   | 'Adult'       |

  Scenario Outline: <test> of <value>
    When executing query:
      """
      WITH <value> AS x RETURN CASE x WHEN <test> THEN 'yes' ELSE 'no' END AS plain, CASE [x][0] WHEN <test> THEN 'yes' ELSE 'no' END AS once
      """
    Then the result should be, in any order:
      | plain    | once     |
      | <answer> | <answer> |

    Examples:
      | value  | test                   | answer |
      | 5      | > 4                    | 'yes'  |
      | 5      | > 5                    | 'no'   |
      | 5      | >= 5                   | 'yes'  |
      | 5      | <> 5                   | 'no'   |
      | 5      | 1, > 4                 | 'yes'  |
      | 5      | 1, 2, 5                | 'yes'  |
      | 5      | < 1, IS NULL           | 'no'   |
      | null   | > 4                    | 'no'   |
      | null   | <> 4                   | 'no'   |
      | null   | null, 1                | 'no'   |
      | null   | IS NULL                | 'yes'  |
      | 5      | IS NOT NULL            | 'yes'  |
      | 5      | IS TYPED INTEGER       | 'yes'  |
      | 5      | IS NOT TYPED STRING    | 'yes'  |
      | 'abc'  | STARTS WITH 'a'        | 'yes'  |
      | 'abc'  | ENDS WITH 'a'          | 'no'   |
      | 'abc'  | CONTAINS 'b'           | 'yes'  |
      | 'abc'  | =~ 'a.c'               | 'yes'  |
      | 'abc'  | IN ['abc', 'x']        | 'yes'  |
      | 'abc'  | IS NORMALIZED          | 'yes'  |
      | 'abc'  | IS NOT NFC NORMALIZED  | 'no'   |
      | 'a'    | > 4                    | 'no'   |
      | [1, 2] | = [1, 2], = [3]        | 'yes'  |
      | 1.0    | 1, 7                   | 'yes'  |

  Scenario: the subject is evaluated once
    When executing query:
      """
      UNWIND range(1, 1000) AS i WITH CASE rand() WHEN < 0.5 THEN 1 WHEN >= 0.5 THEN 2 END AS c RETURN count(c) AS n
      """
    Then the result should be, in any order:
      | n    |
      | 1000 |

  Scenario: with OPTIONAL MATCH, aggregation, and one in another
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-->(q)
      RETURN CASE p.age WHEN < 40 THEN CASE p.eyes WHEN = 'blue', = 'green' THEN 'a' ELSE 'b' END WHEN >= 40 THEN 'c' END AS c, count(*) AS n,
             CASE count(q) WHEN > 0 THEN 'some' ELSE 'none' END AS q
      """
    Then the result should be, in any order:
      | c    | n | q      |
      | 'a'  | 1 | 'none' |
      | 'b'  | 1 | 'none' |
      | 'c'  | 2 | 'none' |
      | null | 1 | 'none' |

  Scenario: nested subjects that are evaluated once
    When executing query:
      """
      RETURN CASE 1 + 1 WHEN > 1 THEN CASE 2 + 2 WHEN > 3, < 0 THEN 'in' ELSE 'out' END ELSE 'no' END AS c
      """
    Then the result should be, in any order:
      | c    |
      | 'in' |

  Scenario Outline: wrong: <case>
    When executing query:
      """
      RETURN <case> AS c
      """
    Then a SyntaxError should be raised at compile time: *

    Examples:
      | case                           |
      | CASE WHEN > 1 THEN 2 END       |
      | CASE WHEN true, false THEN 2 END |
      | CASE 1 WHEN > THEN 2 END       |
      | CASE 1 WHEN 1, THEN 2 END      |
