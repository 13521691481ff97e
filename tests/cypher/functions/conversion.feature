Feature: conversions

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
      | call                              | result  |
      | toBoolean('true')                 | true    |
      | toBoolean('FALSE')                | false   |
      | toBoolean(0)                      | false   |
      | toBoolean(7)                      | true    |
      | toBoolean(true)                   | true    |
      | toBoolean('not a boolean')        | null    |
      | toBoolean('')                     | null    |
      | toBoolean(null)                   | null    |
      | toBooleanOrNull('true')           | true    |
      | toBooleanOrNull('x')              | null    |
      | toBooleanOrNull(0)                | false   |
      | toBooleanOrNull(1.5)              | null    |
      | toBooleanOrNull([])               | null    |
      | toBooleanOrNull(null)             | null    |
      | toFloat('11.5')                   | 11.5    |
      | toFloat(3)                        | 3.0     |
      | toFloat('x')                      | null    |
      | toFloat('')                       | null    |
      | toFloat('1e3')                    | 1000.0  |
      | toFloat(null)                     | null    |
      | toFloatOrNull('11.5')             | 11.5    |
      | toFloatOrNull(true)               | null    |
      | toFloatOrNull({a: 1})             | null    |
      | toFloatOrNull(null)               | null    |
      | toInteger('42')                   | 42      |
      | toInteger('-7')                   | -7      |
      | toInteger('4.9')                  | 4       |
      | toInteger(2.9)                    | 2       |
      | toInteger(-2.9)                   | -2      |
      | toInteger(true)                   | 1       |
      | toInteger(false)                  | 0       |
      | toInteger('x')                    | null    |
      | toInteger('')                     | null    |
      | toInteger(null)                   | null    |
      | toIntegerOrNull('42')             | 42      |
      | toIntegerOrNull([1])              | null    |
      | toIntegerOrNull('x')              | null    |
      | toIntegerOrNull(true)             | 1       |
      | toIntegerOrNull(null)             | null    |
      | toString(11.5)                    | '11.5'  |
      | toString(7)                       | '7'     |
      | toString(1.0)                     | '1.0'   |
      | toString(true)                    | 'true'  |
      | toString('a string')              | 'a string' |
      | toString('')                      | ''      |
      | toString(date('1984-10-11'))      | '1984-10-11' |
      | toString(duration({minutes: 12, seconds: -60})) | 'PT11M' |
      | toString(datetime('1984-10-11T12:31:14.341+01:00[Europe/Stockholm]')) | '1984-10-11T12:31:14.341+01:00[Europe/Stockholm]' |
      | toString(null)                    | null    |
      | toStringOrNull(11.5)              | '11.5'  |
      | toStringOrNull(['A', 'B'])        | null    |
      | toStringOrNull({})                | null    |
      | toStringOrNull(null)              | null    |

  Scenario Outline: <function> of <wrong> is refused when it runs
    Given any graph
    And parameters are:
      | wrong | <wrong> |
    When executing query:
      """
      RETURN <function>($wrong) AS result
      """
    Then a TypeError should be raised at runtime: InvalidArgumentValue

    Examples:
      | function  | wrong  |
      | toBoolean | 1.5    |
      | toBoolean | []     |
      | toFloat   | true   |
      | toFloat   | [1]    |
      | toInteger | []     |
      | toInteger | {a: 1} |
      | toString  | [1]    |
      | toString  | {}     |

  Scenario: conversions of an optional match, aggregated
    Given an empty graph
    And having executed:
      """
      CREATE (:A {t: '3'})-[:T]->(:B {t: '4.5'}), (:A {t: 'none'})
      """
    When executing query:
      """
      MATCH (a:A) OPTIONAL MATCH (a)-->(b)
      RETURN sum(toInteger(a.t)) AS i, sum(toFloat(b.t)) AS f, collect(toString(b.t)) AS s, count(toBooleanOrNull(a.t)) AS n
      """
    Then the result should be, in any order:
      | i | f   | s       | n |
      | 3 | 4.5 | ['4.5'] | 0 |
