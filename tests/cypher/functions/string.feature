Feature: string functions

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
      | call                                | result               |
      | left('hello', 3)                    | 'hel'                |
      | left('hello', 9)                    | 'hello'              |
      | left('hello', 0)                    | ''                   |
      | left('', 2)                         | ''                   |
      | left('äöü', 2)                      | 'äö'                 |
      | left(null, 3)                       | null                 |
      | left(null, null)                    | null                 |
      | right('hello', 3)                   | 'llo'                |
      | right('hello', 9)                   | 'hello'              |
      | right('', 1)                        | ''                   |
      | right(null, 3)                      | null                 |
      | substring('hello', 1, 3)            | 'ell'                |
      | substring('hello', 2)               | 'llo'                |
      | substring('hello', 0)               | 'hello'              |
      | substring('hello', 2, 0)            | ''                   |
      | substring('hello', 9)               | ''                   |
      | substring('', 0, 1)                 | ''                   |
      | substring(null, 1, 3)               | null                 |
      | ltrim('   hello ')                  | 'hello '             |
      | rtrim(' hello   ')                  | ' hello'             |
      | trim('   hello   ')                 | 'hello'              |
      | btrim('   hello   ')                | 'hello'              |
      | trim('')                            | ''                   |
      | ltrim('xxyhello', 'xy')             | 'hello'              |
      | rtrim('helloxyx', 'xy')             | 'hello'              |
      | btrim('xxyyhelloxyxy', 'xy')        | 'hello'              |
      | trim(BOTH 'x' FROM 'xxhelloxx')     | 'hello'              |
      | trim(LEADING 'x' FROM 'xxhelloxx')  | 'helloxx'            |
      | trim(TRAILING 'x' FROM 'xxhelloxx') | 'xxhello'            |
      | trim(BOTH FROM '  hello ')          | 'hello'              |
      | trim(LEADING FROM '  hello ')       | 'hello '             |
      | trim('x' FROM 'xxhelloxx')          | 'hello'              |
      | trim(BOTH null FROM 'x')            | null                 |
      | trim(null)                          | null                 |
      | ltrim(null)                         | null                 |
      | rtrim(null)                         | null                 |
      | btrim(null)                         | null                 |
      | replace('hello', 'l', 'w')          | 'hewwo'              |
      | replace('hello', 'x', 'w')          | 'hello'              |
      | replace('', 'x', 'w')               | ''                   |
      | replace(null, 'l', 'w')             | null                 |
      | replace('hello', null, 'w')         | null                 |
      | replace('hello', 'l', null)         | null                 |
      | reverse('anagram')                  | 'margana'            |
      | reverse('äb')                       | 'bä'                 |
      | reverse('')                         | ''                   |
      | reverse(null)                       | null                 |
      | split('one,two', ',')               | ['one', 'two']       |
      | split('one,two;three', [',', ';'])  | ['one', 'two', 'three'] |
      | split('one', ',')                   | ['one']              |
      | split('', ',')                      | ['']                 |
      | split(null, ',')                    | null                 |
      | split('one,two', null)              | null                 |
      | toLower('HELLO')                    | 'hello'              |
      | toLower('ÄÖ')                       | 'äö'                 |
      | toLower('')                         | ''                   |
      | toLower(null)                       | null                 |
      | lower('HELLO')                      | 'hello'              |
      | toUpper('hello')                    | 'HELLO'              |
      | toUpper('')                         | ''                   |
      | toUpper(null)                       | null                 |
      | upper('hello')                      | 'HELLO'              |
      | normalize('\u212B') = '\u00C5'      | true                 |
      | normalize('\uFE64', NFKC) = '\u003C' | true                |
      | normalize('\u00E9', NFD) = 'e\u0301' | true                |
      | normalize('')                       | ''                   |
      | normalize(null)                     | null                 |
      | normalize(null, NFC)                | null                 |
      | isNormalized('\u00C5')              | true                 |
      | isNormalized('\u212B')              | false                |
      | isNormalized('\u00C5', 'NFD')       | false                |
      | isNormalized(null)                  | null                 |
      | char_length('Alice')                | 5                    |
      | char_length('ä€😀')                 | 3                    |
      | char_length('')                     | 0                    |
      | char_length(null)                   | null                 |
      | character_length('Alice')           | 5                    |
      | size('Alice')                       | 5                    |

  Scenario Outline: <call> is refused when it runs
    Given any graph
    And parameters are:
      | wrong | 7 |
    When executing query:
      """
      RETURN <call> AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | call                       |
      | left($wrong, 1)            |
      | left('hello', null)        |
      | right($wrong, 1)           |
      | right('hello', null)       |
      | substring($wrong, 1)       |
      | substring('hello', null)   |
      | substring('hello', 1, null) |
      | ltrim($wrong)              |
      | rtrim($wrong)              |
      | trim($wrong)               |
      | btrim($wrong)              |
      | trim(BOTH $wrong FROM 'a') |
      | replace($wrong, 'a', 'b')  |
      | reverse($wrong)            |
      | split($wrong, ',')         |
      | split('a', $wrong)         |
      | toLower($wrong)            |
      | toUpper($wrong)            |
      | lower($wrong)              |
      | upper($wrong)              |
      | normalize($wrong)          |
      | isNormalized($wrong)       |
      | char_length($wrong)        |
      | character_length($wrong)   |

  Scenario Outline: <call> is out of range
    Given any graph
    When executing query:
      """
      RETURN <call> AS result
      """
    Then an ArgumentError should be raised at runtime: *

    Examples:
      | call                       |
      | left('hello', -1)          |
      | right('hello', -1)         |
      | substring('hello', -1)     |
      | substring('hello', 1, -2)  |
      | normalize('a', 'NFX')      |

  Scenario: literals of a wrong type are refused before anything runs
    Given any graph
    When executing query:
      """
      RETURN toUpper(1) AS result
      """
    Then a SyntaxError should be raised at compile time: InvalidArgumentType

  Scenario: an unknown function
    Given any graph
    When executing query:
      """
      RETURN toUper('a') AS result
      """
    Then a SyntaxError should be raised at compile time: UnknownFunction

  Scenario: too many arguments
    Given any graph
    When executing query:
      """
      RETURN toUpper('a', 'b') AS result
      """
    Then a SyntaxError should be raised at compile time: InvalidNumberOfArguments

  Scenario: FROM belongs to trim alone
    Given any graph
    When executing query:
      """
      RETURN toUpper('a' FROM 'b') AS result
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax

  Scenario: words of trim are names elsewhere
    Given any graph
    When executing query:
      """
      WITH 1 AS both, 2 AS leading, 'c' AS from
      RETURN both + leading AS trailing, trim(from) AS t
      """
    Then the result should be, in any order:
      | trailing | t   |
      | 3        | 'c' |

  Scenario: strings of optional matches, grouped
    Given an empty graph
    And having executed:
      """
      CREATE (:P {name: 'Ann Lee'})-[:KNOWS]->(:P {name: 'bob Ray'}), (:P {name: 'Ann Low'})
      """
    When executing query:
      """
      MATCH (p:P)
      OPTIONAL MATCH (p)-[:KNOWS]->(q)
      RETURN split(p.name, ' ')[0] AS first, collect(toUpper(left(q.name, 3))) AS friends, count(substring(q.name, 1)) AS n
      """
    Then the result should be, in any order:
      | first | friends | n |
      | 'Ann' | ['BOB'] | 1 |
      | 'bob' | []      | 0 |
