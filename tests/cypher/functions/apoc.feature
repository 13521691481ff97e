Feature: the functions of APOC that clients rely on

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
      | call                                            | result           |
      | apoc.coll.toSet([1, 2, 1, null, null])          | [1, 2, null]     |
      | apoc.coll.toSet([])                             | []               |
      | apoc.coll.toSet(null)                           | null             |
      | apoc.map.merge({a: 1, b: 2}, {b: 3, c: 4})      | {a: 1, b: 3, c: 4} |
      | apoc.map.merge({}, {})                          | {}               |
      | apoc.map.clean({a: 1, b: null, c: ''}, ['a'], ['']) | {}           |
      | apoc.map.clean({a: 1, b: 2}, [], [])            | {a: 1, b: 2}     |
      | apoc.map.fromPairs([['a', 1], null, ['b', [2]], ['a', 3]]) | {a: 3, b: [2]} |
      | apoc.map.fromPairs([])                          | {}               |
      | apoc.map.fromPairs(null)                        | null             |
      | apoc.any.property({a: 1}, 'a')                  | 1                |
      | apoc.any.property({a: 1}, 'b')                  | null             |
      | apoc.any.property(null, 'a')                    | null             |
      | apoc.any.property({a: 1}, null)                 | null             |
      | apoc.convert.toJson({a: [1, 'x', null]})        | '{"a":[1,"x",null]}' |
      | apoc.convert.toJson([])                         | '[]'             |
      | apoc.convert.fromJsonMap('{"a": {"b": 1.5}}')   | {a: {b: 1.5}}    |
      | apoc.convert.fromJsonMap('{}')                  | {}               |
      | apoc.convert.fromJsonMap(null)                  | null             |
      | apoc.convert.fromJsonMap('{"a": 7}').a          | 7                |
      | apoc.convert.fromJsonList('[1, true, null]')    | [1, true, null]  |
      | apoc.convert.fromJsonList('[]')                 | []               |
      | apoc.convert.fromJsonList(null)                 | null             |

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
      | call                            |
      | apoc.coll.toSet($wrong)         |
      | apoc.map.merge($wrong, {})      |
      | apoc.map.clean($wrong, [], [])  |
      | apoc.map.fromPairs($wrong)      |
      | apoc.any.property($wrong, 'a')  |
      | apoc.any.property({}, $wrong)   |
      | apoc.map.fromPairs([['a']])     |
      | apoc.convert.fromJsonMap($wrong) |
      | apoc.convert.fromJsonMap('[1]') |
      | apoc.convert.fromJsonList($wrong) |

  Scenario Outline: <text> is no JSON
    Given any graph
    When executing query:
      """
      RETURN apoc.convert.fromJsonMap('<text>') AS result
      """
    Then an ArgumentError should be raised at any time: *

    Examples:
      | text   |
      | {      |
      | {"a"}  |

  Scenario: what was collected as a set, and as JSON
    Given an empty graph
    And having executed:
      """
      CREATE (:A {k: 1})-[:T]->(:B {v: 2}), (:A {k: 2})
      """
    When executing query:
      """
      MATCH (a:A) OPTIONAL MATCH (a)-->(b)
      RETURN size(apoc.coll.toSet(collect(b.v))) AS n, apoc.convert.toJson(collect(b.v)) AS json
      """
    Then the result should be, in any order:
      | n | json  |
      | 1 | '[2]' |
