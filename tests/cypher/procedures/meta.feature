Feature: the schema that the data has

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (k:Person {name: 'K', born: 1964}), (t:Person {name: 'T', born: 1956}), (m1:Movie {title: 'A', released: 1999}), (m2:Movie {title: 'B'}),
             (m3:Movie:Classic {title: 'C'}), (k)-[:ACTED_IN {roles: ['x']}]->(m1), (k)-[:ACTED_IN {roles: ['y']}]->(m2),
             (t)-[:ACTED_IN {roles: ['z', 'w']}]->(m3), (k)-[:KNOWS]->(t)
      """

  Scenario: apoc.meta.data
    When executing query:
      """
      CALL apoc.meta.data() YIELD label, property, type, array, count, left, right, other, otherLabels, elementType
      RETURN label, property, type, array, count, left, right, other, otherLabels, elementType
      """
    Then the result should be, in any order:
      | label      | property   | type           | array | count | left | right | other                | otherLabels | elementType    |
      | 'Person'   | 'name'     | 'STRING'       | false | 0     | 0    | 0     | []                   | []          | 'node'         |
      | 'Person'   | 'born'     | 'INTEGER'      | false | 0     | 0    | 0     | []                   | []          | 'node'         |
      | 'Person'   | 'ACTED_IN' | 'RELATIONSHIP' | true  | 3     | 1    | 1     | ['Classic', 'Movie'] | []          | 'node'         |
      | 'Person'   | 'KNOWS'    | 'RELATIONSHIP' | false | 1     | 1    | 1     | ['Person']           | []          | 'node'         |
      | 'Movie'    | 'title'    | 'STRING'       | false | 0     | 0    | 0     | []                   | ['Classic'] | 'node'         |
      | 'Movie'    | 'released' | 'INTEGER'      | false | 0     | 0    | 0     | []                   | ['Classic'] | 'node'         |
      | 'Classic'  | 'title'    | 'STRING'       | false | 0     | 0    | 0     | []                   | ['Movie']   | 'node'         |
      | 'ACTED_IN' | 'roles'    | 'LIST'         | true  | 0     | 0    | 0     | []                   | []          | 'relationship' |
      | 'ACTED_IN' | 'Person'   | 'RELATIONSHIP' | true  | 3     | 1    | 1     | ['Classic', 'Movie'] | []          | 'relationship' |
      | 'KNOWS'    | 'Person'   | 'RELATIONSHIP' | false | 1     | 1    | 1     | ['Person']           | []          | 'relationship' |

  Scenario: as clients ask it at start
    When executing query:
      """
      CALL apoc.meta.data({sample: 1000}) YIELD label, other, elementType, type, property
      WHERE NOT type = "RELATIONSHIP" AND elementType = "node" AND NOT label IN ['Classic']
      WITH label AS nodeLabels, collect({property: property, type: type}) AS properties
      RETURN {labels: nodeLabels, properties: properties} AS output
      """
    Then the result should be (ignoring element order for lists):
      | output                                                                                                            |
      | {labels: 'Movie', properties: [{property: 'released', type: 'INTEGER'}, {property: 'title', type: 'STRING'}]}      |
      | {labels: 'Person', properties: [{property: 'born', type: 'INTEGER'}, {property: 'name', type: 'STRING'}]}          |
    When executing query:
      """
      CALL apoc.meta.data({sample: 1000}) YIELD label, other, elementType, type, property
      WHERE type = "RELATIONSHIP" AND elementType = "node"
      UNWIND other AS other_node
      WITH * WHERE NOT label IN [] AND NOT other_node IN ['Classic']
      RETURN {start: label, type: property, end: toString(other_node)} AS output
      """
    Then the result should be, in any order:
      | output                                             |
      | {start: 'Person', type: 'ACTED_IN', end: 'Movie'}  |
      | {start: 'Person', type: 'KNOWS', end: 'Person'}    |
    When executing query:
      """
      CALL apoc.meta.data() YIELD label, property, type, other, unique, index, elementType
      WHERE elementType = 'node' AND NOT label STARTS WITH '_' AND label = 'Person'
      WITH label, collect(CASE WHEN type <> 'RELATIONSHIP' THEN [property, type + CASE WHEN unique THEN " unique" ELSE "" END] END) AS attributes,
           collect(CASE WHEN type = 'RELATIONSHIP' THEN [property, head(other)] END) AS relationships
      RETURN label, apoc.map.fromPairs(attributes) AS attributes, apoc.map.fromPairs(relationships) AS relationships
      """
    Then the result should be, in any order:
      | label    | attributes                          | relationships                          |
      | 'Person' | {born: 'INTEGER', name: 'STRING'}   | {ACTED_IN: 'Classic', KNOWS: 'Person'} |

  Scenario: what indexes and constraints say of a property
    And having executed:
      """
      CREATE CONSTRAINT FOR (n:Person) REQUIRE n.name IS UNIQUE
      """
    And having executed:
      """
      CREATE INDEX FOR (n:Movie) ON (n.released)
      """
    And having executed:
      """
      CREATE CONSTRAINT FOR ()-[r:ACTED_IN]-() REQUIRE r.roles IS NOT NULL
      """
    When executing query:
      """
      CALL apoc.meta.data() YIELD label, property, unique, index, existence, type WHERE type <> 'RELATIONSHIP' RETURN label, property, unique, index, existence
      """
    Then the result should be, in any order:
      | label      | property   | unique | index | existence |
      | 'Person'   | 'name'     | true   | true  | false     |
      | 'Person'   | 'born'     | false  | false | false     |
      | 'Movie'    | 'title'    | false  | false | false     |
      | 'Movie'    | 'released' | false  | true  | false     |
      | 'Classic'  | 'title'    | false  | false | false     |
      | 'ACTED_IN' | 'roles'    | false  | false | true      |

  Scenario Outline: labels and types that are asked for: <config>
    When executing query:
      """
      CALL apoc.meta.data(<config>) YIELD label RETURN collect(DISTINCT label) AS labels
      """
    Then the result should be (ignoring element order for lists):
      | labels   |
      | <labels> |

    Examples:
      | config                                                | labels                                               |
      | null                                                  | ['Classic', 'Movie', 'Person', 'ACTED_IN', 'KNOWS']  |
      | {sample: -1}                                          | ['Classic', 'Movie', 'Person', 'ACTED_IN', 'KNOWS']  |
      | {includeLabels: ['Movie'], includeRels: ['KNOWS']}    | ['Movie']                                            |
      | {excludeLabels: ['Person', 'Classic'], excludeRels: ['KNOWS', 'ACTED_IN']} | ['Movie']                       |
      | {includeLabels: [], sample: null}                     | ['Classic', 'Movie', 'Person', 'ACTED_IN', 'KNOWS']  |

  Scenario: apoc.meta.schema
    When executing query:
      """
      CALL apoc.meta.schema({sample: 100}) YIELD value UNWIND keys(value) AS key WITH key, value[key] AS v RETURN key, v {.type, .count, .labels, .properties} AS v
      """
    Then the result should be, in any order:
      | key        | v |
      | 'ACTED_IN' | {type: 'relationship', count: 3, labels: null, properties: {roles: {type: 'LIST', array: true, existence: false}}} |
      | 'KNOWS'    | {type: 'relationship', count: 1, labels: null, properties: {}} |
      | 'Person'   | {type: 'node', count: 2, labels: [], properties: {name: {type: 'STRING', indexed: false, unique: false, existence: false}, born: {type: 'INTEGER', indexed: false, unique: false, existence: false}}} |
      | 'Movie'    | {type: 'node', count: 3, labels: ['Classic'], properties: {title: {type: 'STRING', indexed: false, unique: false, existence: false}, released: {type: 'INTEGER', indexed: false, unique: false, existence: false}}} |
      | 'Classic'  | {type: 'node', count: 1, labels: ['Movie'], properties: {title: {type: 'STRING', indexed: false, unique: false, existence: false}}} |
    When executing query:
      """
      CALL apoc.meta.schema() YIELD value RETURN value.Person.relationships AS person, value.Classic.relationships AS classic
      """
    Then the result should be, in any order:
      | person | classic |
      | {ACTED_IN: {direction: 'out', count: 3, labels: ['Classic', 'Movie'], properties: {roles: {type: 'LIST', array: true, existence: false}}}, KNOWS: {direction: 'out', count: 1, labels: ['Person'], properties: {}}} | {ACTED_IN: {direction: 'in', count: 1, labels: ['Person'], properties: {roles: {type: 'LIST', array: true, existence: false}}}} |

  Scenario: a type of the same name as a label
    And having executed:
      """
      CREATE (:same {id: 1})-[:same {alfa: 'b'}]->(:same {id: 2})
      """
    When executing query:
      """
      CALL apoc.meta.schema() YIELD value RETURN value.same.count AS nodes, value['same (RELATIONSHIP)'].count AS relationships, value.same.relationships.same.direction AS d
      """
    Then the result should be, in any order:
      | nodes | relationships | d     |
      | 2     | 1             | 'out' |

  Scenario: an empty graph, and what deletions left
    And having executed:
      """
      MATCH (n) DETACH DELETE n
      """
    When executing query:
      """
      CALL apoc.meta.data() YIELD label RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |
    When executing query:
      """
      CALL apoc.meta.schema()
      """
    Then the result should be, in any order:
      | value |
      | {}    |
    When executing query:
      """
      CALL db.schema.nodeTypeProperties() YIELD nodeType RETURN count(*) AS n
      """
    Then the result should be, in any order:
      | n |
      | 0 |

  Scenario: wrong options
    When executing query:
      """
      CALL apoc.meta.data({sample: 'all'})
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType
    When executing query:
      """
      CALL apoc.meta.schema(5)
      """
    Then a SyntaxError should be raised at compile time: InvalidArgumentType

  Scenario: apoc.schema.nodes
    And having executed:
      """
      CREATE INDEX i FOR (n:Person) ON (n.name)
      """
    And having executed:
      """
      CREATE INDEX j FOR (n:Person) ON (n.born, n.name)
      """
    And having executed:
      """
      CREATE CONSTRAINT u FOR (n:Movie) REQUIRE n.title IS UNIQUE
      """
    And having executed:
      """
      CREATE CONSTRAINT e FOR (n:Movie) REQUIRE n.title IS NOT NULL
      """
    And having executed:
      """
      CREATE (:Person {name: 'K', born: 1964}), (:Person)
      """
    When executing query:
      """
      CALL apoc.schema.nodes() YIELD name, label, properties, status, type, failure, populationProgress, size, valuesSelectivity
      RETURN *, size * valuesSelectivity AS distinctValues
      """
    Then the result should be, in any order:
      | failure      | label    | name                 | populationProgress | properties       | size | status   | type                      | valuesSelectivity  | distinctValues |
      | 'NO FAILURE' | 'Person' | ':Person(name)'      | 100.0              | ['name']         | 3    | 'ONLINE' | 'RANGE'                   | 0.6666666666666666 | 2.0            |
      | 'NO FAILURE' | 'Person' | ':Person(born,name)' | 100.0              | ['born', 'name'] | 3    | 'ONLINE' | 'RANGE'                   | 0.6666666666666666 | 2.0            |
      | 'NO FAILURE' | 'Movie'  | ':Movie(title)'      | 100.0              | ['title']        | 3    | 'ONLINE' | 'UNIQUENESS'              | 1.0                | 3.0            |
      | 'NO FAILURE' | 'Movie'  | ':Movie(title)'      | 100.0              | ['title']        | 0    | 'ONLINE' | 'NODE_PROPERTY_EXISTENCE' | 0.0                | 0.0            |

  Scenario: db.schema.nodeTypeProperties and relTypeProperties
    When executing query:
      """
      CALL db.schema.nodeTypeProperties()
      """
    Then the result should be, in any order:
      | nodeType              | nodeLabels           | propertyName | propertyTypes | mandatory |
      | ':`Person`'           | ['Person']           | 'name'       | ['String']    | true      |
      | ':`Person`'           | ['Person']           | 'born'       | ['Long']      | true      |
      | ':`Movie`'            | ['Movie']            | 'title'      | ['String']    | true      |
      | ':`Movie`'            | ['Movie']            | 'released'   | ['Long']      | false     |
      | ':`Classic`:`Movie`'  | ['Classic', 'Movie'] | 'title'      | ['String']    | true      |
    When executing query:
      """
      CALL db.schema.relTypeProperties()
      """
    Then the result should be, in any order:
      | relType       | propertyName | propertyTypes   | mandatory |
      | ':`ACTED_IN`' | 'roles'      | ['StringArray'] | true      |
      | ':`KNOWS`'    | null         | null            | false     |

  Scenario: properties of several types, and every type of property
    And having executed:
      """
      MATCH (n) DETACH DELETE n
      """
    And having executed:
      """
      CREATE (:A {x: 1, l: [1, 2]}), (:A {x: 'a', l: []}), (:A {x: 2.5, d: date('2024-01-01')}), (:A {x: 2, p: point({x: 1, y: 2}), b: true, u: duration('P1D')})
      """
    When executing query:
      """
      CALL db.schema.nodeTypeProperties() YIELD propertyName, propertyTypes, mandatory RETURN propertyName, propertyTypes, mandatory
      """
    Then the result should be, in any order:
      | propertyName | propertyTypes                | mandatory |
      | 'x'          | ['Double', 'Long', 'String'] | true      |
      | 'l'          | ['LongArray', 'StringArray'] | false     |
      | 'd'          | ['Date']                     | false     |
      | 'p'          | ['Point']                    | false     |
      | 'b'          | ['Boolean']                  | false     |
      | 'u'          | ['Duration']                 | false     |
    When executing query:
      """
      CALL apoc.meta.data() YIELD property, type RETURN property, type
      """
    Then the result should be, in any order:
      | property | type       |
      | 'x'      | 'INTEGER'  |
      | 'l'      | 'LIST'     |
      | 'd'      | 'DATE'     |
      | 'p'      | 'POINT'    |
      | 'b'      | 'BOOLEAN'  |
      | 'u'      | 'DURATION' |

  Scenario: db.schema.visualization
    When executing query:
      """
      CALL db.schema.visualization() YIELD nodes, relationships RETURN nodes, size(relationships) AS n
      """
    Then the result should be (ignoring element order for lists):
      | nodes | n |
      | [(:Classic {name: 'Classic', indexes: [], constraints: []}), (:Movie {name: 'Movie', indexes: [], constraints: []}), (:Person {name: 'Person', indexes: [], constraints: []})] | 3 |
    When executing query:
      """
      CALL db.schema.visualization() YIELD relationships RETURN relationships
      """
    Then the result should be (ignoring element order for lists):
      | relationships |
      | [[:ACTED_IN {name: 'ACTED_IN'}], [:ACTED_IN {name: 'ACTED_IN'}], [:KNOWS {name: 'KNOWS'}]] |

  Scenario: behind an OPTIONAL MATCH that finds nothing
    When executing query:
      """
      OPTIONAL MATCH (n:Nope) CALL db.schema.relTypeProperties() YIELD relType RETURN n, count(relType) AS c
      """
    Then the result should be, in any order:
      | n    | c |
      | null | 2 |

  Scenario Outline: <procedure>, as clients ask it
    When executing query:
      """
      CALL <procedure>({sample: 1000, maxRels: 100}) YIELD nodes, relationships
      RETURN [n IN nodes | {name: n.name, count: n.count}] AS nodes, [rel IN relationships | {name: apoc.any.property(rel, 'type'), count: apoc.any.property(rel, 'count')}] AS relationships
      """
    Then the result should be (ignoring element order for lists):
      | nodes | relationships |
      | [{name: 'Classic', count: 1}, {name: 'Movie', count: 3}, {name: 'Person', count: 2}] | [{name: 'ACTED_IN', count: 1}, {name: 'ACTED_IN', count: 3}, {name: 'KNOWS', count: 1}] |

    Examples:
      | procedure             |
      | apoc.meta.graph       |
      | apoc.meta.graphSample |

  Scenario: the labels' graph of an empty graph, of some labels, and what it is not
    When executing query:
      """
      CALL apoc.meta.graph({includeLabels: ['Person']}) YIELD nodes, relationships RETURN [n IN nodes | labels(n)] AS l, [r IN relationships | type(r)] AS t
      """
    Then the result should be, in any order:
      | l            | t         |
      | [['Person']] | ['KNOWS'] |
    When executing query:
      """
      MATCH (n) DETACH DELETE n WITH count(*) AS c CALL apoc.meta.graph() YIELD nodes, relationships RETURN nodes, relationships
      """
    Then the result should be, in any order:
      | nodes | relationships |
      | []    | []            |
    When executing query:
      """
      CREATE (:A) WITH 1 AS x CALL apoc.meta.graph() YIELD nodes UNWIND nodes AS n MATCH (n)-->() RETURN n
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

  Scenario Outline: apoc.schema.properties.distinct(<arguments>)
    And having executed:
      """
      CREATE (:Person {name: 'K', born: 7}), (:Person {name: null})
      """
    When executing query:
      """
      CALL apoc.schema.properties.distinct(<arguments>) YIELD value RETURN value
      """
    Then the result should be, in any order:
      | value    |
      | <values> |

    Examples:
      | arguments          | values          |
      | 'Person', 'name'   | ['K', 'T']      |
      | 'Person', 'born'   | [7, 1956, 1964] |
      | 'Person', 'nope'   | []              |
      | 'Nope', 'name'     | []              |
      | null, 'name'       | []              |
