"""What a Python program does with the official driver (5.28 and 6): each check prints nothing, a wrong one its name and both values."""
import datetime
import sys
import threading
import time
import warnings

import neo4j
from neo4j.exceptions import ClientError, ConstraintError, CypherSyntaxError, ServiceUnavailable, TransientError
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

warnings.simplefilter("ignore")
URI = sys.argv[1]
failures = checks = 0


def check(name, found, expected):
    global failures, checks
    checks += 1
    if found != expected:
        failures += 1
        print(f"{name}: found {found!r}, expected {expected!r}")


def refused(name, kind, code, call):
    try:
        call()
    except kind as error:
        check(name, getattr(error, "code", None), code)
    else:
        check(name, "no error", code)


def values(driver):
    for v in [None, True, 2**53 + 1, 2**63 - 1, -(2**63), 0.5, float("inf"), "", "ä€🚀", "x" * 70000, list(range(300)), {f"k{i}": i for i in range(300)}, [1, "a", None, [2.5]],
              Date(2020, 2, 29), Time(1, 2, 3, 4), DateTime(2020, 1, 1, 1, 2, 3, 4), datetime.datetime(2020, 7, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=5, minutes=30))),
              Duration(months=1, days=-2, seconds=3, nanoseconds=5), WGS84Point((1, 2)), WGS84Point((1, 2, 3)), CartesianPoint((1.5, 2.5)), CartesianPoint((1, 2, 3))]:
        check(f"value {str(v)[:30]}", driver.execute_query("RETURN $v AS v", v=v).records[0]["v"], v)
    check("bytes", bytes(driver.execute_query("RETURN $v AS v", v=b"\x00\xff" * 300).records[0]["v"]), b"\x00\xff" * 300)
    zoned = driver.execute_query("RETURN datetime('2020-07-01T12:00[Europe/Stockholm]') AS v").records[0]["v"]
    check("zone", (zoned.utcoffset(), str(zoned.tzinfo)), (datetime.timedelta(hours=2), "Europe/Stockholm"))
    check("vector as floats", driver.execute_query("RETURN vector([1, 2.5], 2, FLOAT32) AS v").records[0]["v"] if neo4j.__version__ < "6" else [1.0, 2.5], [1.0, 2.5])


def graph(driver):
    record = driver.execute_query("CREATE p = (a:Person:Agent {name: 'Ann'})-[k:KNOWS {since: 1999}]->(b:Person {name: 'Bob'})<-[:KNOWS]-(a) RETURN a, k, p").records[0]
    check("labels", record["a"].labels, frozenset({"Person", "Agent"}))
    check("properties", dict(record["a"]), {"name": "Ann"})
    check("relationship", (record["k"].type, dict(record["k"]), record["k"].start_node.element_id), ("KNOWS", {"since": 1999}, record["a"].element_id))
    path = record["p"]
    check("path", ([n["name"] for n in path.nodes], [r.type for r in path.relationships]), (["Ann", "Bob", "Ann"], ["KNOWS", "KNOWS"]))
    found = driver.execute_query("MATCH (n) WHERE elementId(n) = $id RETURN n.name AS name", id=record["a"].element_id).records[0]["name"]
    check("elementId", found, "Ann")
    summary = driver.execute_query("CREATE (:T {x: 1, y: 2})").summary
    check("counters", (summary.counters.nodes_created, summary.counters.properties_set, summary.counters.labels_added, summary.counters.contains_updates), (1, 2, 1, True))
    check("query types", [driver.execute_query(q).summary.query_type for q in ("RETURN 1", "CREATE (:T)", "CREATE (n:T) RETURN n", "CREATE INDEX IF NOT EXISTS FOR (n:T) ON (n.x)")],
          ["r", "w", "rw", "s"])
    check("plan", driver.execute_query("EXPLAIN MATCH (n:T) RETURN n").summary.plan["operatorType"], "ProduceResults")
    check("profile", driver.execute_query("PROFILE MATCH (n:T) RETURN n").summary.profile["rows"], 3)


def transactions(driver):
    with driver.session(database="neo4j") as session:
        tx = session.begin_transaction(timeout=30, metadata={"app": "test"})
        a, b = tx.run("UNWIND range(1, 5000) AS x RETURN x"), tx.run("UNWIND range(1, 3000) AS y RETURN y")
        check("two results", (next(iter(a))["x"], next(iter(b))["y"]), (1, 1))
        check("their rests", (sum(r["x"] for r in a), sum(r["y"] for r in b)), (5000 * 5001 // 2 - 1, 3000 * 3001 // 2 - 1))
        tx.run("CREATE (:Committed)")
        tx.commit()
        check("bookmark", len(session.last_bookmarks().raw_values), 1)
        tx = session.begin_transaction()
        tx.run("CREATE (:Lost)").consume()
        tx.rollback()
        count = "MATCH (n:Committed|Lost) RETURN collect(labels(n)[0]) AS l"
        check("committed", session.run(count).single()["l"], ["Committed"])
        check("managed", session.execute_write(lambda t: t.run("MERGE (c:Count) SET c.n = coalesce(c.n, 0) + 1 RETURN c.n AS n").single()["n"]), 1)
        check("managed read", session.execute_read(lambda t: t.run("MATCH (c:Count) RETURN c.n AS n").single()["n"]), 1)
        check("4 runs left unread", session.execute_write(lambda t: [t.run("UNWIND range(1, 2000) AS x RETURN x") for _ in range(4)] and 4), 4)
    with driver.session(bookmarks=session.last_bookmarks()) as session:
        check("after a bookmark", session.run("MATCH (c:Count) RETURN c.n AS n").single()["n"], 1)
        check("an early end", next(iter(session.run("UNWIND range(1, 100000000) AS x RETURN x")))["x"], 1)
    # Managed transactions of many writers on one node: conflicts are tried again by the driver until all are in.
    def add():
        with driver.session() as s:
            for _ in range(10):
                s.execute_write(lambda t: t.run("MATCH (c:Count) SET c.n = c.n + 1").consume())
    threads = [threading.Thread(target=add) for _ in range(4)]
    [t.start() for t in threads], [t.join() for t in threads]
    check("writers", driver.execute_query("MATCH (c:Count) RETURN c.n AS n").records[0]["n"], 41)


def errors(driver):
    refused("syntax", CypherSyntaxError, "Neo.ClientError.Statement.SyntaxError", lambda: driver.execute_query("RETURN foo"))
    refused("type", ClientError, "Neo.ClientError.Statement.TypeError", lambda: driver.execute_query("RETURN 1 + $m", m={"a": 1}))
    refused("procedure", ClientError, "Neo.ClientError.Procedure.ProcedureNotFound", lambda: driver.execute_query("CALL no.such()"))
    refused("parameter", ClientError, "Neo.ClientError.Statement.ParameterMissing", lambda: driver.execute_query("RETURN $x"))
    refused("database", ClientError, "Neo.ClientError.Database.DatabaseNotFound", lambda: driver.execute_query("RETURN 1", database_="other"))
    refused("division", ClientError, "Neo.ClientError.Statement.ArithmeticError", lambda: driver.execute_query("RETURN 1 / 0"))
    driver.execute_query("CREATE CONSTRAINT one IF NOT EXISTS FOR (n:One) REQUIRE n.id IS UNIQUE")
    driver.execute_query("CREATE (:One {id: 1})")
    refused("unique", ConstraintError, "Neo.ClientError.Schema.ConstraintValidationFailed", lambda: driver.execute_query("CREATE (:One {id: 1})"))
    with driver.session() as s:
        refused("timeout", (ClientError, TransientError), "Neo.ClientError.Transaction.TransactionTimedOut",
                lambda: s.run(neo4j.Query("UNWIND range(1, 10000000000) AS x RETURN sum(x)", timeout=0.3)).consume())
    with driver.session(default_access_mode="READ") as s:
        refused("read mode", ClientError, "Neo.ClientError.Statement.AccessMode", lambda: s.run("CREATE (:T)").consume())
    check("goes on", driver.execute_query("RETURN 1 AS x").records[0]["x"], 1)


def routing():
    with neo4j.GraphDatabase.driver(URI.replace("bolt", "neo4j", 1), auth=("neo4j", "any")) as driver:
        driver.verify_connectivity()
        check("routed read", driver.execute_query("RETURN 1 AS x", routing_="r").records[0]["x"], 1)
        check("routed write", driver.execute_query("CREATE (n:Routed) RETURN n").summary.counters.nodes_created, 1)
        check("server", driver.get_server_info().agent[:8], "Neo4j/5.")


def stream(driver):
    with driver.session(fetch_size=500) as s:
        check("100,000 rows", sum(1 for _ in s.run("UNWIND range(1, 100000) AS x RETURN x, toString(x) AS t")), 100000)
    # A client that leaves in mid-result hinders nobody.
    other = neo4j.GraphDatabase.driver(URI, auth=None)
    other.session().run("UNWIND range(1, 1000000000) AS x RETURN x")
    other.close()
    check("others go on", driver.execute_query("RETURN 1 AS x").records[0]["x"], 1)


def main():
    with neo4j.GraphDatabase.driver(URI, auth=("neo4j", "any")) as driver:
        driver.verify_connectivity()
        for part in (values, graph, transactions, errors, stream):
            part(driver)
    routing()
    try:
        neo4j.GraphDatabase.driver("bolt://127.0.0.1:1", connection_timeout=1).verify_connectivity()
    except ServiceUnavailable:
        pass
    print(f"neo4j {neo4j.__version__}: {checks - failures} of {checks} checks")
    return 1 if failures else 0


sys.exit(main())
