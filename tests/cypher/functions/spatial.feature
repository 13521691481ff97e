Feature: points

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
      | call                                                                        | result |
      | point({x: 2.3, y: 4.5}).x                                                   | 2.3    |
      | point({x: 2.3, y: 4.5}).y                                                   | 4.5    |
      | point({x: 2.3, y: 4.5}).srid                                                | 7203   |
      | point({x: 2.3, y: 4.5}).crs                                                 | 'cartesian' |
      | point({x: 2.3, y: 4.5, z: 2}).z                                             | 2.0    |
      | point({x: 2.3, y: 4.5, z: 2}).srid                                          | 9157   |
      | point({longitude: 56.7, latitude: 12.78}).longitude                         | 56.7   |
      | point({longitude: 56.7, latitude: 12.78}).latitude                          | 12.78  |
      | point({longitude: 56.7, latitude: 12.78}).crs                               | 'wgs-84' |
      | point({longitude: 56.7, latitude: 12.78, height: 8}).height                 | 8.0    |
      | point({longitude: 56.7, latitude: 12.78, height: 8}).srid                   | 4979   |
      | point({x: 1, y: 2}) = point({x: 1.0, y: 2.0})                               | true   |
      | point({x: 1, y: 2}) = point({longitude: 1, latitude: 2})                    | false  |
      | point(null)                                                                 | null   |
      | point({x: null, y: 1})                                                      | null   |
      | point.distance(point({x: 2.3, y: 4.5}), point({x: 1.1, y: 5.4}))            | 1.5    |
      | point.distance(point({x: 1, y: 2, z: 3}), point({x: 1, y: 2, z: 5}))        | 2.0    |
      | point.distance(point({x: 1, y: 2}), point({longitude: 1, latitude: 2}))     | null   |
      | point.distance(point({x: 1, y: 2}), null)                                   | null   |
      | point.distance(null, point({x: 1, y: 2}))                                   | null   |
      | round(point.distance(point({longitude: 12.56, latitude: 55.67}), point({longitude: 12.56, latitude: 56.67})) / 1000) | 111.0 |
      | point.withinBBox(point({x: 5, y: 5}), point({x: 0, y: 0}), point({x: 10, y: 10})) | true |
      | point.withinBBox(point({x: 5, y: 11}), point({x: 0, y: 0}), point({x: 10, y: 10})) | false |
      | point.withinBBox(point({x: 0, y: 10}), point({x: 0, y: 0}), point({x: 10, y: 10})) | true |
      | point.withinBBox(null, point({x: 0, y: 0}), point({x: 10, y: 10}))          | null   |
      | point.withinBBox(point({longitude: 179, latitude: 1}), point({longitude: 170, latitude: 0}), point({longitude: -170, latitude: 2})) | true |

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
      | call                                          |
      | point($wrong)                                 |
      | point.distance($wrong, point({x: 1, y: 2}))   |
      | point.withinBBox($wrong, point({x: 1, y: 2}), point({x: 2, y: 2})) |

  Scenario Outline: <map> is no point
    Given any graph
    When executing query:
      """
      RETURN point(<map>) AS result
      """
    Then an ArgumentError should be raised at any time: *

    Examples:
      | map                             |
      | {}                              |
      | {x: 1}                          |
      | {longitude: 1}                  |
      | {longitude: 1, latitude: 91}    |
      | {x: 1, y: 2, crs: 'nowhere'}    |

  Scenario: points of an optional match, aggregated
    Given an empty graph
    And having executed:
      """
      CREATE (:C {at: point({x: 0, y: 0})})-[:TO]->(:C {at: point({x: 3, y: 4})})
      """
    When executing query:
      """
      MATCH (c:C) OPTIONAL MATCH (c)-[:TO]->(d)
      RETURN sum(point.distance(c.at, d.at)) AS way, count(d.at) AS n, collect(d.at.x) AS xs
      """
    Then the result should be, in any order:
      | way | n | xs    |
      | 5.0 | 1 | [3.0] |
