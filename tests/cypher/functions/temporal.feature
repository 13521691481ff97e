Feature: temporal functions

  # The TCK asks the constructors, truncations and durations thoroughly; here stand the functions it leaves out, nulls and wrong types.
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
      | call                                            | result                         |
      | date('2015-07-21')                              | '2015-07-21'                   |
      | date({year: 1984, quarter: 3, dayOfQuarter: 45}) | '1984-08-14'                  |
      | date(null)                                      | null                           |
      | date(datetime('2015-07-21T21:40:32Z'))          | '2015-07-21'                   |
      | datetime('2015-07-21T21:40:32.142+0100')        | '2015-07-21T21:40:32.142+01:00' |
      | datetime(null)                                  | null                           |
      | datetime({epochMillis: 424797300000})           | '1983-06-18T15:15Z'            |
      | datetime.fromEpoch(416779, 999999999)           | '1970-01-05T19:46:19.999999999Z' |
      | datetime.fromEpoch(null, 1)                     | null                           |
      | datetime.fromEpochMillis(237821673987)          | '1977-07-15T13:34:33.987Z'     |
      | datetime.fromEpochMillis(null)                  | null                           |
      | localdatetime('2015-07-21T21:40:32.142')        | '2015-07-21T21:40:32.142'      |
      | localdatetime(null)                             | null                           |
      | localtime('21:40:32.142')                       | '21:40:32.142'                 |
      | localtime(null)                                 | null                           |
      | time('214032.142Z')                             | '21:40:32.142Z'                |
      | time(null)                                      | null                           |
      | date.truncate('month', date('2017-11-11'))      | '2017-11-01'                   |
      | date.truncate('year', date('2017-11-11'), {day: 5}) | '2017-01-05'               |
      | date.truncate('month', null)                    | null                           |
      | datetime.truncate('hour', datetime('2017-11-11T12:31:14Z')) | '2017-11-11T12:00Z' |
      | datetime.truncate('day', null)                  | null                           |
      | localdatetime.truncate('day', localdatetime('2017-11-11T12:31:14')) | '2017-11-11T00:00' |
      | localdatetime.truncate('day', null)             | null                           |
      | localtime.truncate('minute', localtime('12:31:14')) | '12:31'                    |
      | localtime.truncate('minute', null)              | null                           |
      | time.truncate('hour', time('12:31:14+01:00'))   | '12:00+01:00'                  |
      | time.truncate('hour', null)                     | null                           |
      | date.transaction() = date.statement()           | true                           |
      | date.realtime() >= date.statement()             | true                           |
      | datetime.realtime() >= datetime.transaction()   | true                           |
      | datetime.statement() >= datetime.transaction()  | true                           |
      | localdatetime.realtime() >= localdatetime.transaction() | true                   |
      | localdatetime.statement() >= localdatetime.transaction() | true                  |
      | localtime.realtime() IS NOT NULL AND localtime.statement() IS NOT NULL AND localtime.transaction() IS NOT NULL | true |
      | time.realtime() IS NOT NULL AND time.statement() IS NOT NULL AND time.transaction() IS NOT NULL | true |
      | datetime() = datetime()                         | true                           |
      | datetime('2015-07-21T21:40Z') < datetime('2015-07-21T23:41+01:00') | true        |
      | datetime({date: date('2020-01-01'), timezone: 'Europe/Paris'}) | '2020-01-01T00:00+01:00[Europe/Paris]' |
      | date('2020-02-29').ordinalDay                   | 60                             |
      | date('2020-02-29').week                         | 9                              |
      | datetime('2015-07-21T21:40:32.142Z').epochMillis | 1437514832142                 |
      | duration('P1Y2M10DT2H30M')                      | 'P1Y2M10DT2H30M'               |
      | duration({days: 14, hours: 16, minutes: 12})    | 'P14DT16H12M'                  |
      | duration(null)                                  | null                           |
      | duration.between(date('1984-10-11'), date('2015-06-24')) | 'P30Y8M13D'           |
      | duration.between(null, date('2015-06-24'))      | null                           |
      | duration.inMonths(date('1984-10-11'), date('1985-11-25')) | 'P1Y1M'              |
      | duration.inMonths(null, date())                 | null                           |
      | duration.inDays(date('1984-10-11'), date('1985-11-25')) | 'P410D'                |
      | duration.inDays(date(), null)                   | null                           |
      | duration.inSeconds(date('1984-10-11'), date('1984-10-12')) | 'PT24H'             |
      | duration.inSeconds(null, null)                  | null                           |
      | duration({days: 1, hours: 12}) * 2              | 'P2DT24H'                      |
      | duration('P1DT2H').hours                        | 2                              |

  Scenario Outline: <call> is refused when it runs
    Given any graph
    And parameters are:
      | wrong | true |
    When executing query:
      """
      RETURN <call> AS result
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | call                             |
      | date($wrong)                     |
      | datetime($wrong)                 |
      | localdatetime($wrong)            |
      | localtime($wrong)                |
      | time($wrong)                     |
      | duration($wrong)                 |
      | datetime.fromEpoch($wrong, 0)    |
      | datetime.fromEpochMillis($wrong) |
      | date.truncate('day', $wrong)     |
      | datetime.truncate('day', $wrong) |
      | localdatetime.truncate('day', $wrong) |
      | localtime.truncate('hour', $wrong) |
      | time.truncate('hour', $wrong)    |
      | duration.between(date(), $wrong) |
      | duration.inMonths(date(), $wrong) |
      | duration.inDays(date(), $wrong)  |
      | duration.inSeconds(date(), $wrong) |

  Scenario Outline: <text> is no date
    Given any graph
    When executing query:
      """
      RETURN date('<text>') AS result
      """
    Then an ArgumentError should be raised at any time: *

    Examples:
      | text       |
      |            |
      | yesterday  |
      | 2015-13-01 |
      | 2015-02-30 |

  Scenario: dates of an optional match, aggregated
    Given an empty graph
    And having executed:
      """
      CREATE (:E {at: date('2020-01-31')})-[:NEXT]->(:E {at: date('2020-03-01')})
      """
    When executing query:
      """
      MATCH (e:E) OPTIONAL MATCH (e)-[:NEXT]->(f)
      RETURN max(e.at) AS last, min(e.at) AS first, collect(duration.inDays(e.at, f.at).days) AS days, count(date.truncate('year', f.at)) AS n
      """
    Then the result should be, in any order:
      | last         | first        | days | n |
      | '2020-03-01' | '2020-01-31' | [30] | 1 |

  Scenario: a zoned parameter is compared with what is stored
    Given an empty graph
    And having executed:
      """
      CREATE (:E {at: datetime('2024-05-01T10:00:00+02:00')}), (:E {at: datetime('2024-05-01T09:00:00Z')}), (:E)
      """
    When executing query:
      """
      MATCH (e:E) WHERE e.at <= datetime('2024-05-01T08:30:00Z') OR e.at IS NULL
      RETURN e.at AS at ORDER BY at
      """
    Then the result should be, in order:
      | at                       |
      | '2024-05-01T10:00+02:00' |
      | null                     |
