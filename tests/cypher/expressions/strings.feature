Feature: operators of strings

  Scenario Outline: <expression>
    Given any graph
    And parameters are:
      | none | null |
    When executing query:
      """
      RETURN <expression> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | expression                        | result  |
      | 'abc' =~ 'a.c'                    | true    |
      | 'abc' =~ 'b'                      | false   |
      | 'ABC' =~ '(?i)abc'                | true    |
      | 'abc' =~ '.*'                     | true    |
      | '' =~ ''                          | true    |
      | 'a.c' =~ 'a\\\\.c'                | true    |
      | 'x\\ny' =~ 'x.y'                  | false   |
      | 'äß' =~ '..'                      | true    |
      | $none =~ 'a'                      | null    |
      | 'a' =~ $none                      | null    |
      | 'a' \|\| 'b'                      | 'ab'    |
      | '' \|\| ''                        | ''      |
      | 'a' \|\| $none                    | null    |
      | 'a' + 'b' + 1                     | 'ab1'   |
      | 'a' + $none                       | null    |
      | 'abc' STARTS WITH 'ab'            | true    |
      | 'abc' ENDS WITH 'bc'              | true    |
      | 'abc' CONTAINS 'd'                | false   |
      | 'abc' CONTAINS ''                 | true    |
      | $none CONTAINS 'a'                | null    |
      | 'a' < 'b'                         | true    |
      | 'é' IS NORMALIZED                 | true    |
      | 'e\u0301' IS NORMALIZED           | false   |
      | 'e\u0301' IS NOT NORMALIZED       | true    |
      | 'e\u0301' IS NFD NORMALIZED       | true    |
      | 'é' IS NOT NFD NORMALIZED         | true    |
      | '' IS NORMALIZED                  | true    |
      | $none IS NORMALIZED               | null    |

  Scenario Outline: <expression> is refused when it runs
    Given any graph
    And parameters are:
      | wrong | 7 |
    When executing query:
      """
      RETURN <expression> AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | expression            |
      | 'a' \|\| $wrong       |
      | $wrong IS NORMALIZED  |

  # The TCK's rule for predicates of strings: what isn't a string doesn't match, and that isn't known.
  Scenario Outline: <expression> of a number
    Given any graph
    And parameters are:
      | wrong | 7 |
    When executing query:
      """
      RETURN <expression> AS result
      """
    Then the result should be, in any order:
      | result |
      | null   |

    Examples:
      | expression              |
      | $wrong STARTS WITH 'a'  |
      | $wrong ENDS WITH 'a'    |
      | $wrong CONTAINS 'a'     |

  Scenario: a pattern that is no regular expression
    Given any graph
    When executing query:
      """
      RETURN 'a' =~ '(' AS result
      """
    Then an ArgumentError should be raised at any time: *

  # RE2 takes time linear in the text for any pattern.
  Scenario: a pattern that takes other engines for ever
    Given any graph
    When executing query:
      """
      WITH reduce(s = '', i IN range(1, 40) | s + 'a') AS text
      RETURN text =~ '(a+)+b' AS result
      """
    Then the result should be, in any order:
      | result |
      | false  |

  Scenario: filtered by pattern after an optional match
    Given an empty graph
    And having executed:
      """
      CREATE (:P {name: 'ann'})-[:K]->(:Q {name: 'Bob'}), (:P {name: 'al'})
      """
    When executing query:
      """
      MATCH (p:P) WHERE p.name =~ 'a.*' OPTIONAL MATCH (p)-[:K]->(q) WHERE q.name =~ '(?i)b.*'
      RETURN count(p) AS ps, collect(p.name || '-' || q.name) AS pairs
      """
    Then the result should be, in any order:
      | ps | pairs       |
      | 2  | ['ann-Bob'] |
