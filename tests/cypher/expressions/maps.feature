Feature: maps, map projections and dynamic access

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:P {a: 1, b: 'x', e: [0.5]})-[:T {w: 2}]->(:Q)
      """

  Scenario Outline: the projection <projection>
    When executing query:
      """
      MATCH (n:P)-[r:T]->(q) WITH n, r, q, 7 AS v, {k: 1, l: null} AS m RETURN <projection> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | projection                     | result                            |
      | n {.*}                         | {a: 1, b: 'x', e: [0.5]}          |
      | n {.a, .nope}                  | {a: 1, nope: null}                |
      | n {.*, e: null}                | {a: 1, b: 'x', e: null}           |
      | n {.*, `text`: Null, _embedding_: n.e} | {a: 1, b: 'x', e: [0.5], text: null, _embedding_: [0.5]} |
      | n {.a, v}                      | {a: 1, v: 7}                      |
      | n {.a, c: n.a + 1}             | {a: 1, c: 2}                      |
      | n {}                           | {}                                |
      | r {.w}                         | {w: 2}                            |
      | m {.k, .l, .nope}              | {k: 1, l: null, nope: null}       |
      | m {.*, k: 2}                   | {k: 2, l: null}                   |
      | q {.*}                         | {}                                |
      | n {.a, inner: n {.b}}          | {a: 1, inner: {b: 'x'}}           |
      | n {.a}.a                       | 1                                 |

  Scenario: a projection of null
    When executing query:
      """
      OPTIONAL MATCH (n:Nobody) RETURN n {.*} AS a, n {.x, y: 1} AS b, count(n {.x}) AS c
      """
    Then the result should be, in any order:
      | a    | b    | c |
      | null | null | 0 |

  Scenario: projections collected
    When executing query:
      """
      MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN collect(n {.a, w: r.w}) AS all, collect(DISTINCT {t: type(r)}) AS types
      """
    Then the result should be (ignoring element order for lists):
      | all                                | types                  |
      | [{a: 1, w: 2}, {a: null, w: null}] | [{t: 'T'}, {t: null}]  |

  Scenario: a projection of what is no map
    Given parameters are:
      | wrong | 7 |
    When executing query:
      """
      WITH $wrong AS n RETURN n {.a} AS m
      """
    Then a TypeError should be raised at runtime: *

  Scenario Outline: <access>
    Given parameters are:
      | key | 'a'                  |
      | map | {a: 1, b: {c: [5, 6]}, n: null} |
    When executing query:
      """
      MATCH (n:P)-[r]->() RETURN <access> AS result
      """
    Then the result should be, in any order:
      | result   |
      | <result> |

    Examples:
      | access                       | result |
      | n[$key]                      | 1      |
      | n['b']                       | 'x'    |
      | n['nope']                    | null   |
      | r['w']                       | 2      |
      | $map[$key]                   | 1      |
      | $map.b.c[1]                  | 6      |
      | $map['b']['c'][-1]           | 6      |
      | $map.nope                    | null   |
      | $map.n.deeper                | null   |
      | $map[null]                   | null   |
      | {}['a']                      | null   |
      | null['a']                    | null   |
      | [k IN keys(n) \| n[k]][0]    | 1      |
      | any(k IN ['a', 'zz'] WHERE n[k] IS NOT NULL) | true |
      | reduce(s = '', k IN ['a', 'b', 'zz'] \| s + '\\n' + k + ':' + coalesce(toString(n[k]), '')) | '\\na:1\\nb:x\\nzz:' |
      | properties(n)['a']           | 1      |
      | size(keys($map))             | 3      |
      | {a: 1} = {a: 1.0}            | true   |
      | {a: 1, b: null}.b            | null   |

  Scenario Outline: <access> is refused when it runs
    Given parameters are:
      | number | 7       |
      | map    | {a: 1}  |
    When executing query:
      """
      RETURN <access> AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | access          |
      | $number.a       |
      | $number['a']    |
      | $map[$number]   |
