Feature: scalar and predicate functions

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
      | call                                    | result          |
      | coalesce(null, 'a', 'b')                | 'a'             |
      | coalesce(null)                          | null            |
      | coalesce(1)                             | 1               |
      | nullIf(4, 4)                            | null            |
      | nullIf('abc', 'def')                    | 'abc'           |
      | nullIf(null, 1)                         | null            |
      | nullIf(1, null)                         | 1               |
      | nullIf(1, 1.0)                          | null            |
      | timestamp() > 1600000000000             | true            |
      | timestamp() = datetime().epochMillis    | true            |
      | size(randomUUID())                      | 36              |
      | randomUUID() = randomUUID()             | false           |
      | randomUUID() =~ '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}' | true |
      | exists(null)                            | false           |
      | exists(1)                               | true            |
      | id(null)                                | null            |
      | elementId(null)                         | null            |
      | db.nameFromElementId('n:12')            | 'neo4j'         |
      | db.nameFromElementId(null)              | null            |
      | type(null)                              | null            |
      | length(null)                            | null            |
      | startNode(null)                         | null            |
      | endNode(null)                           | null            |
      | properties(null)                        | null            |
      | properties({a: 1})                      | {a: 1}          |
      | properties({})                          | {}              |
      | valueType(1)                            | 'INTEGER NOT NULL' |
      | valueType(1.5)                          | 'FLOAT NOT NULL' |
      | valueType('a')                          | 'STRING NOT NULL' |
      | valueType(true)                         | 'BOOLEAN NOT NULL' |
      | valueType(null)                         | 'NULL'          |
      | valueType({})                           | 'MAP NOT NULL'  |
      | valueType(date())                       | 'DATE NOT NULL' |
      | valueType(duration('P1D'))              | 'DURATION NOT NULL' |
      | valueType(point({x: 1, y: 2}))          | 'POINT NOT NULL' |
      | valueType([])                           | 'LIST<NOTHING> NOT NULL' |
      | valueType([1, 2])                       | 'LIST<INTEGER NOT NULL> NOT NULL' |
      | valueType([null])                       | 'LIST<NULL> NOT NULL' |
      | all(x IN [1, 2] WHERE x > 0)            | true            |
      | all(x IN [] WHERE x > 0)                | true            |
      | all(x IN null WHERE x > 0)              | null            |
      | any(x IN [1, 2] WHERE x > 1)            | true            |
      | any(x IN null WHERE x > 1)              | null            |
      | none(x IN [1, 2] WHERE x > 2)           | true            |
      | none(x IN [] WHERE x > 2)               | true            |
      | none(x IN null WHERE x > 2)             | null            |
      | single(x IN [1, 2] WHERE x > 1)         | true            |
      | single(x IN [] WHERE x > 1)             | false           |
      | single(x IN null WHERE x > 1)           | null            |

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
      | call                             |
      | id($wrong)                       |
      | elementId($wrong)                |
      | db.nameFromElementId($wrong)     |
      | type($wrong)                     |
      | length($wrong)                   |
      | startNode($wrong)                |
      | endNode($wrong)                  |
      | properties($wrong)               |
      | all(x IN $wrong WHERE x > 0)     |
      | any(x IN $wrong WHERE x > 0)     |
      | none(x IN $wrong WHERE x > 0)    |
      | single(x IN $wrong WHERE x > 0)  |

  Scenario: what is no elementId names no database
    Given any graph
    When executing query:
      """
      RETURN db.nameFromElementId('') AS x
      """
    Then an ArgumentError should be raised at runtime: *

  Scenario: functions of elements
    Given an empty graph
    And having executed:
      """
      CREATE (:A:B {x: 1})-[:T {y: 2}]->(:C)
      """
    When executing query:
      """
      MATCH p = (a:A)-[r]->(c)
      RETURN type(r) AS type, labels(a) AS labels, keys(r) AS keys, properties(a) AS props, length(p) AS length,
             startNode(r) = a AS start, endNode(r).x AS end, id(a) = id(startNode(r)) AS ids, elementId(a) = elementId(c) AS same,
             db.nameFromElementId(elementId(r)) AS db,
             startNode(r).x AS sx, size(nodes(p)) AS nodes, size(rels(p)) AS rels, exists(a.x) AS has, exists(a.nope) AS hasNot,
             valueType(a) AS va, valueType(r) AS vr, valueType(p) AS vp
      """
    Then the result should be, in any order:
      | type | labels     | keys  | props  | length | start | end  | ids  | same  | db      | sx | nodes | rels | has  | hasNot | va              | vr                      | vp              |
      | 'T'  | ['A', 'B'] | ['y'] | {x: 1} | 1      | true  | null | true | false | 'neo4j' | 1  | 2     | 1    | true | false  | 'NODE NOT NULL' | 'RELATIONSHIP NOT NULL' | 'PATH NOT NULL' |

  Scenario: an element is found again by its elementId and its id
    Given an empty graph
    And having executed:
      """
      CREATE (:A {n: 1})-[:T {w: 5}]->(:A {n: 2})
      """
    When executing query:
      """
      MATCH (a:A {n: 2}) WITH elementId(a) AS name, id(a) AS number
      MATCH (b) WHERE elementId(b) = name
      MATCH (c) WHERE id(c) = number
      RETURN b.n AS b, c.n AS c
      """
    Then the result should be, in any order:
      | b | c |
      | 2 | 2 |
    When executing query:
      """
      MATCH ()-[r]->() WITH elementId(r) AS name
      MATCH (x)-[s]->() WHERE elementId(s) IN [name, 'nothing'] RETURN x.n AS n, s.w AS w
      """
    Then the result should be, in any order:
      | n | w |
      | 1 | 5 |

  Scenario: functions of what an optional match didn't find
    Given an empty graph
    And having executed:
      """
      CREATE (:A)
      """
    When executing query:
      """
      MATCH (a:A) OPTIONAL MATCH p = (a)-[r]->(b)
      RETURN type(r) AS t, labels(b) AS l, properties(b) AS p, length(p) AS n, startNode(r) AS s, id(b) AS i, elementId(r) AS e,
             exists(b.x) AS x, coalesce(b.x, 'none') AS c, count(type(r)) AS types, count(*) AS rows
      """
    Then the result should be, in any order:
      | t    | l    | p    | n    | s    | i    | e    | x     | c      | types | rows |
      | null | null | null | null | null | null | null | false | 'none' | 0     | 1    |
