#!/usr/bin/env python3
"""`./dev compare graph [--json] [--nodes=N]`: the same statements on the same graph beside Kuzu, answers compared.

Each side is embedded in a process of its own (ours: bench_graph_peer, the peer: this one), on a file, with one thread, statements
prepared; they take turns round by round, and the best round counts: the median of its statements. The peer's time is what
its own clock says of the execution, so Python costs it nothing; ours includes the fetching of all rows. A "durable create" is
one auto-commit with its flush of the log, which the peer's clock leaves out: there the time is taken around the call.
"""
import csv
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import kuzu

warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*prepare.*")   # we time without parsing

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 7
# The relationships of node i go to (i + 13) * s: each adds 1 modulo 4, so there is no cycle shorter than four. Kuzu lets one
# relationship come twice in a pattern, which openCypher forbids; on this graph both rules give the same rows.
STEPS = (1, 9, 33)
# name, statement, keys a round
STATEMENTS = [
    ("point lookup by key", "MATCH (p:Person {id: $k}) RETURN p.age", 500),
    ("1 hop", "MATCH (p:Person {id: $k})-[:KNOWS]->(q:Person) RETURN q.id, q.age", 300),
    ("2 hops", "MATCH (p:Person {id: $k})-[:KNOWS]->(:Person)-[:KNOWS]->(q:Person) RETURN q.id, q.age", 200),
    ("3 hops with a relationship's property",
     "MATCH (p:Person {id: $k})-[:KNOWS]->(:Person)-[:KNOWS]->(:Person)-[r:KNOWS]->(q:Person) WHERE r.since > 1990 RETURN q.id, r.since", 200),
    ("scan, filter, count", "MATCH (p:Person) WHERE p.age > $k % 80 RETURN count(*)", 5),
    ("all relationships, filter, count", "MATCH (:Person)-[r:KNOWS]->(q:Person) WHERE r.since > 1970 + $k % 40 RETURN count(*)", 3),
    ("durable create", "CREATE (:Note {id: $k, text: 'a durable note'})", 100),
]


class Ours:
    name = "fornix"

    def __init__(self, program: str, folder: str):
        self.process = subprocess.Popen([program, folder + "/ours.fornix"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line: str) -> str:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            sys.exit(f"bench_graph_peer ended at: {line[:100]}")
        return answer

    def load(self, nodes: int):
        return tuple(int(n) for n in self.ask(f"load {nodes}").split())

    def prepare(self, number: int, text: str):
        self.ask(f"query q{number} {text}")

    def run(self, number: int, keys: list):
        us, rows, total = self.ask(f"run q{number} " + " ".join(map(str, keys))).split()
        return float(us), int(rows), int(total)

    def close(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit("bench_graph_peer failed when it closed")


class Kuzu:
    name = "Kuzu " + kuzu.version

    def __init__(self, folder: str):
        self.folder = folder
        self.database = kuzu.Database(folder + "/peer.kuzu", buffer_pool_size=1 << 30)
        self.connection = kuzu.Connection(self.database, num_threads=1)
        self.prepared, self.writes = {}, set()

    def load(self, nodes: int):
        with open(self.folder + "/person.csv", "w", newline="") as out:
            csv.writer(out).writerows((i, f"person {i}", i % 90) for i in range(nodes))
        with open(self.folder + "/knows.csv", "w", newline="") as out:
            csv.writer(out).writerows((i, (i * s + 13 * s) % nodes, 1970 + i * s % 50) for i in range(nodes) for s in STEPS)
        for statement in ("CREATE NODE TABLE Person(id INT64 PRIMARY KEY, name STRING, age INT64)",
                          "CREATE NODE TABLE Note(id INT64 PRIMARY KEY, text STRING)",
                          "CREATE REL TABLE KNOWS(FROM Person TO Person, since INT64)",
                          f"COPY Person FROM '{self.folder}/person.csv'", f"COPY KNOWS FROM '{self.folder}/knows.csv'"):
            self.connection.execute(statement)
        return tuple(self.connection.execute(q).get_next()[0] for q in
                     ("MATCH (p:Person) RETURN count(*)", "MATCH (:Person)-[k:KNOWS]->(:Person) RETURN count(*)"))

    def prepare(self, number: int, text: str):
        self.prepared[number] = text
        if text.startswith("CREATE"):
            self.writes.add(number)

    def run(self, number: int, keys: list):
        if isinstance(self.prepared[number], str):
            self.prepared[number] = self.connection.prepare(self.prepared[number], {"k": keys[0]})
        us, count, total = [], 0, 0
        for key in keys:
            start = time.perf_counter()
            result = self.connection.execute(self.prepared[number], {"k": key})
            us.append((time.perf_counter() - start) * 1e6 if number in self.writes else result.get_execution_time() * 1e3)
            while result.has_next():
                count += 1
                total += sum(v for v in result.get_next() if isinstance(v, int))
            result.close()
        return sorted(us)[len(us) // 2], count, total % (1 << 64)

    def close(self):
        self.connection.close()
        self.database.close()


def main() -> int:
    as_json = "--json" in sys.argv
    nodes = next((int(a[8:]) for a in sys.argv if a.startswith("--nodes=")), 100_000)
    if nodes % 4:
        sys.exit("--nodes must be a multiple of 4; see STEPS")
    seed = next((int(a[7:]) for a in sys.argv if a.startswith("--seed=")), 1)
    randomly = random.Random(seed)
    # Beside the build: /tmp may lie in memory, where a flush costs nothing.
    folder = tempfile.mkdtemp(prefix="compare-graph-", dir=ROOT / "build")
    failed, rows = False, []

    def add(name, unit, value, peer_value):
        row = {"suite": "graph", "name": name, "kind": "aim", "unit": unit, "value": float(f"{value:.6g}"), "target": 0, "ok": True,
               "peer": Kuzu.name, "peer_value": float(f"{peer_value:.6g}"), "ratio": float(f"{value / peer_value:.4g}") if peer_value else 0}
        rows.append(row)
        if as_json:
            print(json.dumps(row), flush=True)

    try:
        sides = [Ours(sys.argv[1], folder), Kuzu(folder)]
        seconds, sizes = [], []
        for side in sides:
            start = time.monotonic()
            sizes.append(side.load(nodes))
            seconds.append(time.monotonic() - start)
        if sizes[0] != sizes[1]:
            sys.exit(f"the graphs differ: {sizes}")
        add("load (ours: statements and unique keys, theirs: COPY)", "s", *seconds)
        for number, (name, text, count) in enumerate(STATEMENTS):
            best = [float("inf")] * 2
            for side in sides:
                side.prepare(number, text)
            for round_number in range(ROUNDS):
                keys = randomly.sample(range(nodes), count)
                if text.startswith("CREATE"):
                    keys = range(round_number * count, (round_number + 1) * count)
                answers = []
                for place in ((0, 1) if round_number % 2 else (1, 0)):
                    us, *answer = sides[place].run(number, list(keys))
                    best[place] = min(best[place], us)
                    answers.append(answer)
                if answers[0] != answers[1]:
                    print(f"compare graph: {name}: the answers differ: {answers} (rows, sum); seed={seed}", file=sys.stderr)
                    failed = True
            add(name, "us", *best)
        for side in sides:
            side.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not as_json:
        width = max(len(r["name"]) for r in rows)
        print(f"{'name':<{width}} {'ours':>12} {rows[0]['peer']:>12} {'ratio':>8} unit")
        for r in rows:
            print(f"{r['name']:<{width}} {r['value']:>12.4g} {r['peer_value']:>12.4g} {r['ratio']:>8.3g} {r['unit']}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
